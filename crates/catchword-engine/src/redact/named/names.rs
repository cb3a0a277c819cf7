//! What a name says about its value.
//!
//! To add a name, add a line to [`NAMES`]. Names are matched by their end, in lower case and without separators, so
//! `DB_PASSWORD`, `dbPassword` and `db-password` are one entry. Qualifiers at the end (`DB_PASSWORD_PROD`, `PASSWORD2`) are
//! removed first.

use crate::redact::bytes::{ALNUM, Set, TOKEN, has, one, run_start};
use crate::redact::value::judge::Promise;

/// Longer names lose their start.
const LONGEST_NAME: usize = 64;

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Secret(Promise),
    Authorization,
    Cookie,
    SetCookie,
    /// The signature of a pre-signed address.
    Signature,
    /// `"auth"` of a docker configuration: base64 of `user:password`.
    EncodedLogin,
    /// A private number of a JSON Web Key.
    JwkMember,
    /// Its value is a name: `name: DB_PASSWORD` beside `value: …`.
    FieldName,
    /// The value for such a name.
    FieldValue,
}

/// Whether the entry must be a word by itself, rather than the end of one (`bypass`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Any,
    Word,
    /// A word after another one: `HMAC_KEY`, but not `KEY`.
    SecondWord,
}
use Edge::{Any, SecondWord, Word};

#[rustfmt::skip]
const NAMES: &[(&str, Promise, Edge)] = &[
    ("password", Promise::Password, Any),
    ("passwd", Promise::Password, Any),
    ("passwrd", Promise::Password, Any),
    ("passcode", Promise::Password, Any),
    ("passw", Promise::Password, Word),
    ("pwd", Promise::Password, Word),
    ("pass", Promise::Password, Word),
    ("requirepass", Promise::Password, Any),
    ("masterauth", Promise::Password, Any),
    ("psk", Promise::Password, Word),
    ("passphrase", Promise::Phrase, Any),
    ("mnemonic", Promise::Phrase, Any),
    ("seedphrase", Promise::Phrase, Any),
    ("recoveryphrase", Promise::Phrase, Any),
    ("token", Promise::Token, Any),
    ("gitpat", Promise::Token, Any),
    ("githubpat", Promise::Token, Any),
    ("ghpat", Promise::Token, Any),
    ("gitlabpat", Promise::Token, Any),
    ("adopat", Promise::Token, Any),
    ("devopspat", Promise::Token, Any),
    ("devopsextpat", Promise::Token, Any),
    ("secret", Promise::Secret, Any),
    ("secretkeybase", Promise::Secret, Any),
    ("credential", Promise::Secret, Any),
    ("credentials", Promise::Secret, Any),
    ("creds", Promise::Secret, Word),
    ("apikey", Promise::Key, Any),
    ("secretkey", Promise::Key, Any),
    ("accesskey", Promise::Key, Any),
    ("privatekey", Promise::Key, Any),
    ("privkey", Promise::Key, Any),
    ("accountkey", Promise::Key, Any),
    ("sharedkey", Promise::Key, Any),
    ("presharedkey", Promise::Key, Any),
    ("subscriptionkey", Promise::Key, Any),
    ("masterkey", Promise::Key, Any),
    ("signingkey", Promise::Key, Any),
    ("signkey", Promise::Key, Word),
    ("encryptionkey", Promise::Key, Any),
    ("encryptkey", Promise::Key, Any),
    ("decryptionkey", Promise::Key, Any),
    ("cryptokey", Promise::Key, Word),
    ("cipherkey", Promise::Key, Word),
    ("hmackey", Promise::Key, Word),
    ("aeskey", Promise::Key, Word),
    ("jwtkey", Promise::Key, Word),
    ("fernetkey", Promise::Key, Word),
    ("authkey", Promise::Key, Any),
    ("appkey", Promise::Key, Word),
    ("applicationkey", Promise::Key, Any),
    ("adminkey", Promise::Key, Any),
    ("servicekey", Promise::Key, Any),
    ("servicerolekey", Promise::Key, Any),
    ("licensekey", Promise::Key, Any),
    ("licencekey", Promise::Key, Any),
    ("integrationkey", Promise::Key, Any),
    ("routingkey", Promise::Key, Any),
    ("deploykey", Promise::Key, Any),
    ("clientkeydata", Promise::Key, Any),
    ("authsalt", Promise::Key, Any),
    ("key", Promise::SomeKey, SecondWord),
    ("salt", Promise::SomeKey, SecondWord),
    // Other languages, without accents. `OTHER_SCRIPTS` has the spellings with accents.
    ("passwort", Promise::Password, Any),
    ("kennwort", Promise::Password, Any),
    ("wachtwoord", Promise::Password, Any),
    ("losenord", Promise::Password, Any),
    ("adgangskode", Promise::Password, Any),
    ("salasana", Promise::Password, Word),
    ("contrasena", Promise::Password, Any),
    ("clave", Promise::Password, Word),
    ("senha", Promise::Password, Word),
    ("motdepasse", Promise::Password, Any),
    ("mdp", Promise::Password, Word),
    ("parola", Promise::Password, Word),
    ("haslo", Promise::Password, Word),
    ("heslo", Promise::Password, Word),
    ("jelszo", Promise::Password, Word),
    ("sifre", Promise::Password, Word),
    ("parol", Promise::Password, Word),
];

/// Names that are not ASCII, in lower case.
const OTHER_SCRIPTS: &[(&str, Promise)] = &[
    ("contraseña", Promise::Password),
    ("lösenord", Promise::Password),
    ("hasło", Promise::Password),
    ("jelszó", Promise::Password),
    ("şifre", Promise::Password),
    ("пароль", Promise::Password),
    ("токен", Promise::Token),
    ("κωδικός", Promise::Password),
    ("סיסמה", Promise::Password),
    ("كلمة المرور", Promise::Password),
    ("密码", Promise::Password),
    ("密碼", Promise::Password),
    ("口令", Promise::Password),
    ("密钥", Promise::Key),
    ("令牌", Promise::Token),
    ("パスワード", Promise::Password),
    ("비밀번호", Promise::Password),
    ("암호", Promise::Password),
];

/// Names that must match as a whole.
const WHOLE_NAMES: &[(&str, Meaning)] = &[
    ("authorization", Meaning::Authorization),
    ("proxyauthorization", Meaning::Authorization),
    ("cookie", Meaning::Cookie),
    ("setcookie", Meaning::SetCookie),
    ("sig", Meaning::Signature),
    ("xamzsignature", Meaning::Signature),
    ("xgoogsignature", Meaning::Signature),
    ("auth", Meaning::EncodedLogin),
    ("dockerconfigjson", Meaning::Secret(Promise::Key)),
    ("name", Meaning::FieldName),
    ("key", Meaning::FieldName),
    ("variable", Meaning::FieldName),
    ("parameterkey", Meaning::FieldName),
    ("parametername", Meaning::FieldName),
    ("optionname", Meaning::FieldName),
    ("value", Meaning::FieldValue),
    ("parametervalue", Meaning::FieldValue),
    ("default", Meaning::FieldValue),
    ("defaultvalue", Meaning::FieldValue),
    ("d", Meaning::JwkMember),
    ("k", Meaning::JwkMember),
    ("p", Meaning::JwkMember),
    ("q", Meaning::JwkMember),
    ("dp", Meaning::JwkMember),
    ("dq", Meaning::JwkMember),
    ("qi", Meaning::JwkMember),
];

/// Last words that say which secret it is, not what kind.
#[rustfmt::skip]
const QUALIFIERS: &[&str] = &[
    "prod", "production", "prd", "preprod", "dev", "development", "stg", "stage", "staging", "test",
    "testing", "qa", "uat", "local", "live", "sandbox", "demo", "ci", "old", "new", "backup", "primary",
    "secondary", "default", "main", "v", "b64", "base64", "raw", "plain", "plaintext", "value", "internal",
    "external", "admin", "root", "master", "replica", "rw", "ro", "readonly", "readwrite", "eu", "us",
    "global", "override", "env",
];

/// Words before `token` in parsers, models and pagination: not credentials.
#[rustfmt::skip]
const OTHER_TOKENS: &[&str] = &[
    "page", "next", "continuation", "cancellation", "cancel", "abort", "pad", "eos", "bos", "unk", "sep",
    "mask", "cls", "special", "sync", "eof", "stop", "start", "end", "per", "first", "last", "max", "min",
    "prev", "previous", "current", "cursor", "resume", "design",
];

/// Words before `key` in tables, maps, caches and keyboards, and for public keys: not credentials.
#[rustfmt::skip]
const OTHER_KEYS: &[&str] = &[
    "public", "pub", "publishable", "primary", "foreign", "unique", "composite", "natural", "surrogate",
    "candidate", "cache", "sort", "partition", "shard", "index", "idx", "host", "hash", "range", "object",
    "s3", "bucket", "blob", "file", "group", "row", "column", "map", "dict", "json", "query", "idempotency",
    "dedup", "dedupe", "deduplication", "lock", "storage", "i18n", "translation", "message", "locale",
    "react", "list", "item", "data", "parent", "child", "node", "issue", "project", "ticket", "event",
    "state", "step", "action", "menu", "shortcut", "hot", "modifier", "metric", "field", "sitemap", "site",
    "lookup", "registry", "tag", "label", "commit", "content", "user", "record", "entity", "entry", "job",
    "task", "run", "build", "test", "by", "per", "the", "a", "this", "same", "new", "old", "each", "pin",
    "ssh", "gpg", "api", "version",
];

/// The letters and digits of a name in lower case, and where its words start.
struct NameWords {
    letters: [u8; LONGEST_NAME],
    length: usize,
    /// One bit per letter that starts a word.
    starts: u64,
}

impl NameWords {
    fn of(name: &[u8]) -> NameWords {
        let mut words = NameWords { letters: [0; LONGEST_NAME], length: 0, starts: 0 };
        for (at, &byte) in name.iter().enumerate().filter(|(_, byte)| has(ALNUM, **byte)) {
            let before = at.checked_sub(1).map(|before| name[before]);
            if begins_word(before, byte, name.get(at + 1).copied()) {
                words.starts |= 1 << words.length;
            }
            words.letters[words.length] = byte.to_ascii_lowercase();
            words.length += 1;
        }
        words
    }

    fn all(&self) -> &[u8] {
        &self.letters[..self.length]
    }

    /// Where the last word starts.
    fn last_start(&self) -> usize {
        let below = self.starts & (u64::MAX >> (64 - self.length.clamp(1, 64)));
        63_usize.saturating_sub(below.leading_zeros() as usize)
    }

    fn last(&self) -> &[u8] {
        &self.letters[self.last_start()..self.length]
    }

    /// Removes numbers and qualifiers at the end.
    fn drop_qualifiers(&mut self) {
        loop {
            let before = self.length;
            while self.length > 1 && self.letters[self.length - 1].is_ascii_digit() {
                self.length -= 1;
            }
            let start = self.last_start();
            if start > 0 && QUALIFIERS.iter().any(|word| word.as_bytes() == self.last()) {
                self.length = start;
            }
            if self.length == before {
                return;
            }
        }
    }

    fn meets(&self, word: &str, edge: Edge) -> bool {
        let Some(start) = self.length.checked_sub(word.len()) else { return false };
        let is_word = self.starts >> start & 1 == 1;
        match edge {
            Edge::Any => true,
            Edge::Word => is_word,
            Edge::SecondWord => is_word && start > 0,
        }
    }
}

fn begins_word(before: Option<u8>, byte: u8, after: Option<u8>) -> bool {
    match before {
        Some(before) if before.is_ascii_lowercase() => byte.is_ascii_uppercase(),
        Some(before) if before.is_ascii_uppercase() => {
            byte.is_ascii_uppercase() && after.is_some_and(|after| after.is_ascii_lowercase())
        }
        Some(before) if before.is_ascii_digit() => byte.is_ascii_alphabetic(),
        _ => true,
    }
}

impl Meaning {
    pub(super) fn of(name: &[u8]) -> Option<Meaning> {
        let name = &name[name.len().saturating_sub(LONGEST_NAME)..];
        if !name.is_ascii()
            && let Some(meaning) = of_other_script(name)
        {
            return Some(meaning);
        }
        let mut words = NameWords::of(name);
        if let Some((_, meaning)) = WHOLE_NAMES.iter().find(|(whole, _)| whole.as_bytes() == words.all()) {
            return Some(*meaning);
        }
        words.drop_qualifiers();
        let last = words.all().last();
        let (word, promise, _) = NAMES.iter().find(|(word, _, edge)| {
            word.as_bytes().last() == last
                && words.all().ends_with(word.as_bytes())
                && words.meets(word, *edge)
        })?;
        words.length -= word.len();
        // `let key` and `the key` are code or prose.
        if *promise == Promise::SomeKey && name.contains(&b' ') {
            return None;
        }
        let harmless = match *word {
            "token" => OTHER_TOKENS,
            "key" | "salt" => OTHER_KEYS,
            _ => &[],
        };
        let is_harmless = words.length > 0 && harmless.iter().any(|word| word.as_bytes() == words.last());
        (!is_harmless).then_some(Meaning::Secret(*promise))
    }
}

#[cold]
fn of_other_script(name: &[u8]) -> Option<Meaning> {
    let lower = String::from_utf8_lossy(name).to_lowercase();
    let lower = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let found = OTHER_SCRIPTS.iter().find(|(word, _)| lower.ends_with(word));
    found.map(|(_, promise)| Meaning::Secret(*promise))
}

/// The end of the name before `at`, without spaces, quotes and brackets: `"password"`, `env['TOKEN']`, `**Password**`.
pub(super) fn name_end(bytes: &[u8], at: usize) -> usize {
    const AROUND: Set = one(b' ') | one(b'"') | one(b'\'') | one(b'`') | one(b'\\') | one(b']') | one(b'*');
    run_start(bytes, at, AROUND, 16)
}

/// The name that ends at `end`: one word, or up to three for names with spaces (`API key`, `mot de passe`).
pub(super) fn name_to(bytes: &[u8], end: usize) -> (usize, usize) {
    let mut start = word_to(bytes, end);
    let goes_on = |text: &[u8]| LAST_WORDS.iter().any(|last| text.eq_ignore_ascii_case(last));
    if goes_on(&bytes[start..end]) {
        for _ in 0..2 {
            if start >= 2 && bytes[start - 1] == b' ' && has(ALNUM, bytes[start - 2]) {
                start = word_to(bytes, start - 1);
            }
        }
    }
    (start.max(end.saturating_sub(LONGEST_NAME)), end)
}

pub(super) fn word_to(bytes: &[u8], end: usize) -> usize {
    let floor = end.saturating_sub(LONGEST_NAME);
    let is_name = |byte: &u8| has(TOKEN | one(b'.'), *byte) || *byte >= 128;
    bytes[floor..end].iter().rposition(|byte| !is_name(byte)).map_or(floor, |at| floor + at + 1)
}

/// Last words of names that may contain spaces.
const LAST_WORDS: &[&[u8]] = &[b"key", b"passe", b"phrase"];

/// For each last letter of a name, the letters that may be before it.
const ENDS: [Set; 26] = {
    let mut ends = [0; 26];
    let mut number = 0;
    while number < NAMES.len() + WHOLE_NAMES.len() + QUALIFIERS.len() {
        let name = if number < NAMES.len() {
            NAMES[number].0
        } else if number < NAMES.len() + WHOLE_NAMES.len() {
            WHOLE_NAMES[number - NAMES.len()].0
        } else {
            QUALIFIERS[number - NAMES.len() - WHOLE_NAMES.len()]
        };
        let name = name.as_bytes();
        if let [.., before, last @ b'a'..=b'z'] = name {
            ends[(*last - b'a') as usize] |= one(*before);
        } else if let [last @ b'a'..=b'z'] = name {
            // A name of one letter: a separator is before it.
            ends[(*last - b'a') as usize] |= one(b'_');
        }
        number += 1;
    }
    ends
};

/// A quick filter: whether a known name ends in the last two letters. A separator may be between them.
pub(super) fn may_end_a_name(text: &[u8]) -> bool {
    let [.., before, last] = text else { return false };
    if last.is_ascii_digit() {
        return may_end_in_a_number(text);
    }
    let (before, last) = (before.to_ascii_lowercase(), last.to_ascii_lowercase());
    if !last.is_ascii_lowercase() {
        return last >= 128;
    }
    let ends = ENDS[usize::from(last - b'a')];
    has(ends, before) || ends != 0 && !has(ALNUM, before)
}

#[cold]
fn may_end_in_a_number(text: &[u8]) -> bool {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    digits <= 6 && may_end_a_name(&text[..text.len() - digits])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise(name: &str) -> Option<Promise> {
        assert!(
            Meaning::of(name.as_bytes()).is_none() || may_end_a_name(name.as_bytes()),
            "{name} is filtered out"
        );
        match Meaning::of(name.as_bytes())? {
            Meaning::Secret(promise) => Some(promise),
            _ => None,
        }
    }

    #[test]
    fn secret_names_are_recognised_in_every_spelling() {
        for (name, expected) in [
            ("password", Promise::Password),
            ("DB_PASSWORD", Promise::Password),
            ("dbPassword", Promise::Password),
            ("DB_PASSWORD_PROD", Promise::Password),
            ("PASSWORD2", Promise::Password),
            ("password_v2", Promise::Password),
            ("dbPasswordStaging", Promise::Password),
            ("MYSQL_PWD", Promise::Password),
            ("SMTP_PASS", Promise::Password),
            ("Passwort", Promise::Password),
            ("contraseña", Promise::Password),
            ("密码", Promise::Password),
            ("ПАРОЛЬ", Promise::Password),
            ("mot de passe", Promise::Password),
            ("DD_APP_KEY", Promise::Key),
            ("apiKey", Promise::Key),
            ("API Key", Promise::Key),
            ("X-Api-Key", Promise::Key),
            ("HMAC_KEY", Promise::Key),
            ("OPENAI_KEY", Promise::SomeKey),
            ("backend_token", Promise::Token),
            ("GITHUB_PAT", Promise::Token),
        ] {
            assert_eq!(promise(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn other_names_promise_nothing() {
        for name in [
            "bypass",
            "compass",
            "max_tokens",
            "next_page_token",
            "tokenType",
            "password_hash",
            "password_file",
            "token_url",
            "public_key",
            "PRIMARY_KEY",
            "cache_key",
            "key",
            "pat",
            "monkey",
            "keyboard",
            "secret_name",
            "tokenizer",
            "passwordField",
            "clipboard",
            "x1",
            "",
        ] {
            assert_eq!(promise(name), None, "{name}");
        }
    }
}
