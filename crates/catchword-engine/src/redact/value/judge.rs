//! Decides whether a value is a secret, or a placeholder, a reference, a type, code or a label.
//!
//! Transcripts are full of `token: String`, `password=args.password` and `API_KEY=<your key>`. Masking those would destroy
//! code and protect nobody; each test below recognises one such family. Values in quotes and in env files are literals, so
//! looking like code does not spare them.

use crate::redact::bytes::{ALNUM, DIGIT, HEX, LOWER, Set, TOKEN, UPPER, WORD, contains, has, one, run_end};
use crate::redact::span::MARK;

/// What a name promises about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) enum Promise {
    /// Chosen by a person, so it may be short and simple.
    Password,
    /// Several words.
    Phrase,
    /// Generated: long, with digits.
    Token,
    Secret,
    Key,
    /// A key of unknown purpose: the value must look random, too.
    SomeKey,
}

impl Promise {
    pub(in crate::redact) fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Phrase => "passphrase",
            Self::Token => "token",
            Self::Secret => "secret",
            Self::Key | Self::SomeKey => "secret key",
        }
    }
}

/// How the value is written, which tells how likely it is to be code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::redact) enum Style {
    /// `NAME=value` as in a shell or an env file.
    Env,
    /// In quotes: a literal, maybe a label.
    Quoted,
    /// In quotes beside the name, without a separator: often two items of a list.
    Listed,
    /// Unquoted: YAML, INI, a query string, or code.
    Bare,
}

/// Whether `value`, assigned to `name`, is a secret.
pub(in crate::redact) fn is_secret(value: &[u8], promise: Promise, style: Style, name: &[u8]) -> bool {
    if is_placeholder(value)
        || is_path(value)
        || is_colour(value)
        || is_version(value)
        || is_slice(value)
        || echoes(value, name, style)
    {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        let words =
            value.iter().all(|&byte| has(TOKEN | one(b' ') | one(b'.') | one(b','), byte) || byte >= 128);
        let several = value.iter().filter(|byte| byte.is_ascii_whitespace()).count() >= 3;
        return several
            && promise == Promise::Phrase
            && matches!(style, Style::Env | Style::Quoted)
            && words
            && value.len() >= 12;
    }
    if value.iter().all(|&byte| has(DIGIT | one(b'.') | one(b'_') | one(b'-'), byte)) {
        return promise == Promise::Password && value.len() >= if style == Style::Env { 4 } else { 6 };
    }
    if promise == Promise::Token && value.starts_with(b"0x") {
        return false;
    }
    match promise {
        Promise::Password | Promise::Phrase => is_password(value, style),
        Promise::Token | Promise::Secret | Promise::Key => is_machine_made(value, style),
        Promise::SomeKey => is_random(value, style, name),
    }
}

fn is_password(value: &[u8], style: Style) -> bool {
    let mixed = any(value, DIGIT) && any(value, ALNUM & !DIGIT) || classes(value) >= 3;
    match style {
        Style::Env => value.len() >= 4 && !is_code(value),
        Style::Quoted => value.len() >= 4 && !is_label(value),
        Style::Listed => value.len() >= 6 && mixed && !is_label(value) && !is_words(value),
        Style::Bare => value.len() >= 6 && mixed && !is_code(value) && !is_label(value),
    }
}

fn is_machine_made(value: &[u8], style: Style) -> bool {
    let digit = any(value, DIGIT);
    // A person's idea of a secret: `Winter2014#`.
    let chosen = value.len() >= 8 && classes(value) == 4;
    match style {
        Style::Env => value.len() >= 4 && !is_code(value),
        Style::Quoted => value.len() >= 6 && (digit || value.len() >= 16) && !is_words(value),
        Style::Listed => (value.len() >= 16 && (digit || classes(value) >= 3) || chosen) && !is_words(value),
        Style::Bare => {
            let generated = value.len() >= 16 && (digit || classes(value) >= 3);
            (generated || chosen) && !is_code(value) && !are_words(value, CODE)
        }
    }
}

/// Whether the value looks random. So do hashes, ids and some code, so an unquoted value needs a name in capitals.
fn is_random(value: &[u8], style: Style, name: &[u8]) -> bool {
    let is_id = value.iter().all(|&byte| has(HEX | one(b'-'), byte));
    let last = name.rsplit(|&byte| byte == b'.').next().unwrap_or(name);
    let is_constant = style == Style::Env || !last.iter().any(u8::is_ascii_lowercase);
    let is_literal = style == Style::Quoted || name.starts_with(b"--");
    value.len() >= 16
        && (any(value, DIGIT) || value.iter().any(|&byte| !has(TOKEN, byte)))
        && any(value, LOWER | UPPER)
        && !is_words(value)
        && (is_constant && !is_code(value) || is_literal && !is_id && classes(value) >= 3)
}

/// How many classes it has of: lower case, upper case, digits, other characters.
fn classes(value: &[u8]) -> usize {
    let sign = value.iter().any(|&byte| !has(ALNUM, byte));
    [LOWER, UPPER, DIGIT].iter().filter(|&&set| any(value, set)).count() + usize::from(sign)
}

fn any(value: &[u8], set: Set) -> bool {
    value.iter().any(|&byte| has(set, byte))
}

/// Placeholders: empty, `null`, `xxx`, `***`, `<your-token>`, `$TOKEN`, `${{ secrets.X }}`, `[masked: …]`.
pub(in crate::redact) fn is_placeholder(value: &[u8]) -> bool {
    // `painted` handles colours.
    if value.len() < 3
        || value.contains(&0x1b)
        || !any(value, ALNUM) && value.is_ascii()
        || is_reference(value)
    {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    WORDS_WITHOUT_SECRET.contains(&lower.as_slice())
        || STARTS.iter().any(|start| begins_description(value, &lower, start))
        || PIECES.iter().any(|piece| contains(&lower, piece))
        || contains(value, b"xxxx")
        || contains(value, b"XXXX")
        || contains(value, MARK.trim_end().as_bytes())
        || value.ends_with(b"xxx")
        || value.ends_with(b"XXX")
        || lower.iter().all(|byte| *byte == lower[0] || *byte == b'-')
}

/// `your-token`, `YOUR_KEY`, `yourToken`, but neither `Yourself1!` nor `Enterprise2024!`.
fn begins_description(value: &[u8], lower: &[u8], start: &[u8]) -> bool {
    lower.starts_with(start) && {
        let next = value.get(start.len()).copied().unwrap_or(b'-');
        let hump = value[start.len() - 1].is_ascii_lowercase() && next.is_ascii_uppercase();
        matches!(next, b'-' | b'_' | b' ') || hump && !any(value, DIGIT)
    }
}

/// Values that are not secrets.
const WORDS_WITHOUT_SECRET: &[&[u8]] = &[
    b"none",
    b"null",
    b"nil",
    b"undefined",
    b"true",
    b"false",
    b"string",
    b"str",
    b"text",
    b"bytes",
    b"any",
    b"object",
    b"number",
    b"boolean",
    b"required",
    b"optional",
    b"invalid",
    b"missing",
    b"unknown",
    b"default",
    b"empty",
    b"hidden",
    b"password",
    b"passwd",
    b"pass",
    b"pwd",
    b"passphrase",
    b"secret",
    b"token",
    b"apikey",
    b"api_key",
    b"api-key",
    b"key",
    b"value",
    b"test",
    b"include",
    b"omit",
    b"same-origin",
    b"inherit",
    b"plain",
    b"basic",
    b"bearer",
    b"uint8array",
    b"base64",
    b"sha256",
    b"base64string",
    b"secretstr",
    b"secretstring",
    b"varchar",
    b"keychain",
    b"encrypted",
    b"plaintext",
    b"generated",
];

/// How descriptions of a secret start.
const STARTS: &[&[u8]] =
    &[b"your", b"my", b"the", b"some", b"insert", b"replace", b"enter", b"todo", b"put", b"paste", b"set"];

/// What only placeholders contain.
const PIECES: &[&[u8]] = &[
    b"example",
    b"placeholder",
    b"changeme",
    b"change-me",
    b"change_me",
    b"changethis",
    b"redacted",
    b"[masked",
    b"dummy",
    b"****",
    b"...",
    "…".as_bytes(),
    "•".as_bytes(),
    b"-here",
    b"_here",
    b"your-",
    b"your_",
    b"yourtoken",
    b"process.env",
    b"import.meta",
    b"environ[",
    b"environ.",
    b"getenv(",
    b"secrets.",
    b"keyring",
    b"vault:",
    b"op://",
    // Regular expressions that match secrets.
    b"[a-z",
    b"[0-9",
    b"a-z0-9",
    b"\\d+",
    b"\\w+",
    b"(?:",
    b"varchar(",
    b"{0}",
    b"{1}",
    b"%s:",
];

/// `$NAME`, `${…}`, `$(…)`, `{{…}}`, `{name}`, `%NAME%`, `%s`, `<…>`, `#{…}`.
fn is_reference(value: &[u8]) -> bool {
    let is_name = |text: &[u8], more: Set| text.iter().all(|&byte| has(WORD | more, byte));
    let dots = one(b'.') | one(b':') | one(b'-') | one(b' ');
    match value {
        [b'$', rest @ ..] if is_name(rest, one(b'.') | one(b':')) => {
            !rest.first().is_some_and(u8::is_ascii_digit) || rest.len() == 1
        }
        [b'$', rest @ ..] if is_member(rest) => true,
        [b'%', rest @ .., b'%'] if is_name(rest, 0) => true,
        [b'<', rest @ .., b'>'] if is_name(rest, dots | one(b'|') | one(b'/')) => true,
        [b'%', b's' | b'd' | b'v' | b'q', rest @ ..] if is_words(rest) => true,
        [b'{', b'{', ..] => true,
        [b'{', rest @ ..] if is_name(rest.strip_suffix(b"}").unwrap_or(rest), dots) => true,
        [b'*' | b'&' | b'!', rest @ ..] if is_name(rest, one(b'.')) && !any(rest, DIGIT) => true,
        _ => {
            let signs: &[(&[u8], u8)] =
                &[(b"${{", b'}'), (b"${", b'}'), (b"$(", b')'), (b"#{", b'}'), (b"<", b'>'), (b"{", b'}')];
            signs.iter().any(|(open, close)| encloses(value, open, *close)) || contains(value, b"$env:")
        }
    }
}

/// Member access after a variable: `self->{pass}`, `config['token']`, `Module::token`.
fn is_member(text: &[u8]) -> bool {
    let end = run_end(text, 0, WORD);
    let after = &text[end..];
    end >= 2
        && is_words(&text[..end])
        && (after.starts_with(b"->") || after.starts_with(b"::") || matches!(after, [b'[' | b'{', ..]))
}

/// Whether words are between these delimiters, with only words around them: `prefix-${NAME}`. The closing one may be cut
/// off. Passwords may contain both delimiters, but hardly ever like this.
fn encloses(value: &[u8], open: &[u8], close: u8) -> bool {
    let Some(at) = memchr::memmem::find(value, open) else { return false };
    let inner = &value[at + open.len()..];
    let cut_off = (at == 0 && open[0] == b'$').then_some(inner.len());
    let Some(length) = memchr::memchr(close, inner).or(cut_off) else { return false };
    let (inner, after) = inner.split_at(length);
    let inner = inner.trim_ascii();
    inner.len() >= 2
        && inner[0].is_ascii_alphabetic()
        && are_words(inner, SEPARATORS | one(b'[') | one(b']') | one(b'|') | one(b'?'))
        && are_words(&value[..at], SEPARATORS | one(b'@'))
        && after
            .iter()
            .all(|&byte| has(ALNUM | SEPARATORS | one(close) | one(b'@') | one(b'$') | one(b'{'), byte))
}

/// A path, an address or the location of a secret, not the secret.
pub(in crate::redact) fn is_path(value: &[u8]) -> bool {
    let dots = value.iter().take_while(|&&byte| byte == b'.').count();
    let drive = matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let steps = || value.split(|&byte| byte == b'/');
    let named = |step: &[u8]| is_words(step) && step.iter().all(|&byte| has(TOKEN | one(b'.'), byte));
    let absolute = value.get(dots) == Some(&b'/') && steps().skip(1).take(2).all(named);
    let relative = contains(value, b"/") && steps().all(named);
    absolute || value.starts_with(b"~/") || drive || relative || contains(value, b"://")
}

/// `#d8dee9`: themes style a `Token`.
fn is_colour(value: &[u8]) -> bool {
    matches!(value, [b'#', digits @ ..] if digits.len() <= 8 && digits.iter().all(u8::is_ascii_hexdigit))
}

/// `^1.0.21`, `~2.3`, `>=4.0.0-rc.1`: packages have names like `tiktoken`.
fn is_version(value: &[u8]) -> bool {
    let signs = value.iter().take_while(|byte| b"^~<>=v".contains(byte)).count();
    let number = value[signs..].split(|byte| b"-+".contains(byte)).next().unwrap_or_default();
    value.len() <= 24 && number.contains(&b'.') && number.iter().all(|&byte| has(DIGIT | one(b'.'), byte))
}

/// `0:30`, `10:-4`: `${TOKEN:0:30}` is a part of a variable.
fn is_slice(value: &[u8]) -> bool {
    let is_number = |text: &[u8]| (1..=4).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    let mut parts = value.splitn(2, |&byte| byte == b':');
    let (Some(from), Some(length)) = (parts.next(), parts.next()) else { return false };
    is_number(from) && is_number(length.strip_prefix(b"-").unwrap_or(length))
}

/// The value repeats the name: `password=password`, `TOKEN = "token"`, `secret: clientSecret`.
fn echoes(value: &[u8], name: &[u8], style: Style) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
        letters.map(u8::to_ascii_lowercase).collect()
    };
    if value.iter().any(|&byte| !has(TOKEN | one(b'.') | one(b' ') | one(b':'), byte)) {
        return false;
    }
    // Types contain digits, too: `private_key: Ed25519PrivateKey`.
    let few_digits = style == Style::Bare || value.iter().filter(|byte| byte.is_ascii_digit()).count() <= 2;
    let (value, name) = (plain(value), plain(name));
    let own_word = SECRET_WORDS.iter().any(|word| value.ends_with(word) && name.ends_with(word));
    few_digits && value.len() >= 4 && (name.ends_with(&value) || own_word && !value.starts_with(b"super"))
}

/// Last words of a name that a value may repeat.
const SECRET_WORDS: &[&[u8]] =
    &[b"password", b"passwd", b"secret", b"token", b"apikey", b"key", b"credentials"];

/// Words and small numbers joined by separators: `my-secret-name`, `refreshToken`, `test-token-v2`, `DB_PASSWORD`.
pub(in crate::redact) fn is_words(value: &[u8]) -> bool {
    are_words(value, SEPARATORS)
}

fn are_words(value: &[u8], separators: Set) -> bool {
    let is_word = |part: &[u8]| {
        let digits = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let letters = &part[..part.len() - digits];
        digits <= if letters.is_empty() { 4 } else { 3 }
            && letters.iter().all(u8::is_ascii_alphabetic)
            && is_word(letters)
    };
    value.iter().all(|&byte| has(ALNUM | separators, byte) || byte >= 128)
        && value.split(|&byte| !has(ALNUM, byte)).all(is_word)
}

/// What may separate the words of names, paths and simple calls. Any other character suggests a password.
const SEPARATORS: Set = TOKEN
    | one(b'.')
    | one(b'/')
    | one(b':')
    | one(b' ')
    | one(b',')
    | one(b'(')
    | one(b')')
    | one(b'\'')
    | one(b'"');

/// One word, or several in camel case: the case changes no more often than in names that people write.
fn is_word(part: &[u8]) -> bool {
    let humps = part.windows(2).filter(|pair| has(LOWER, pair[0]) && has(UPPER, pair[1])).count();
    let capitals = part.iter().filter(|&&byte| has(UPPER, byte)).count();
    let mixed = part.len() >= 16 && (part.len() * 2 / 5 + 1..part.len() - 3).contains(&capitals);
    (part.len() < 12 && humps <= 2 || humps * 5 <= part.len()) && !mixed
}

/// A label, a selector or a field name rather than a password: `Passwort`, `newPassword`, `current-password`, `#password`.
fn is_label(value: &[u8]) -> bool {
    const LABEL: Set = TOKEN | one(b'.') | one(b'/') | one(b':') | one(b'#');
    let plain_word = value.iter().all(|&byte| has(LOWER, byte));
    !any(value, DIGIT)
        && (is_words(value) && !plain_word && value.iter().all(|&byte| has(LABEL, byte) || byte >= 128)
            || value.iter().any(|&byte| byte >= 128))
}

/// Paths of names, calls, indexing and generics: `args.password`, `getpass(user`, `Option<String>`, `!!token`.
fn is_code(value: &[u8]) -> bool {
    let signs = value.iter().take_while(|byte| b"!&*\\".contains(byte)).count();
    let value = &value[signs..];
    let value = value.strip_suffix(b"!").unwrap_or(value);
    if joins_names(value, b"::") || joins_names(value, b"->") || joins_names(value, b"=>") {
        return true;
    }
    let Some(open) = value.iter().position(|byte| b"([{<".contains(byte)) else {
        return is_dotted_name(value) || signs > 0 && is_identifier(value);
    };
    let called = value[..open].strip_suffix(b"!").unwrap_or(&value[..open]);
    let generic = value[open] == b'<' && value.ends_with(b">");
    let named =
        called.len() >= if generic { 1 } else { 3 } && called.split(|&byte| byte == b'.').all(is_identifier);
    (named || open == 0) && reads_like_code(&value[open..]) && is_balanced(&value[open..])
}

/// Only names and small numbers with operators between them.
fn reads_like_code(value: &[u8]) -> bool {
    let is_number = |part: &[u8]| part.len() <= 6 && part.first().is_some_and(u8::is_ascii_digit);
    value.iter().all(|&byte| has(CODE, byte) || byte >= 128)
        && value
            .split(|&byte| !has(WORD, byte))
            .all(|part| part.is_empty() || is_identifier(part) || is_number(part))
}

/// An identifier: `secp256k1`, `hasE2EToken`, `Uint8Array`. Random text has more digits and changes of case.
fn is_identifier(text: &[u8]) -> bool {
    let numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|number| !number.is_empty());
    let (count, digits) = numbers.fold((0, 0), |(count, digits), number| (count + 1, digits + number.len()));
    let humps = text.windows(2).filter(|pair| has(LOWER, pair[0]) && has(UPPER, pair[1])).count();
    !text.is_empty()
        && !text[0].is_ascii_digit()
        && text.iter().all(|&byte| has(WORD, byte))
        && (count <= 1 && digits <= 5 || count <= 2 && digits * 2 <= text.len())
        && (text.len() < 12 && humps <= 2 || humps * 4 <= text.len())
}

const CODE: Set = WORD
    | one(b'.')
    | one(b',')
    | one(b':')
    | one(b';')
    | one(b'\'')
    | one(b'"')
    | one(b'(')
    | one(b')')
    | one(b'[')
    | one(b']')
    | one(b'{')
    | one(b'}')
    | one(b'<')
    | one(b'>')
    | one(b'=')
    | one(b'&')
    | one(b'-')
    | one(b'+')
    | one(b'*')
    | one(b'/')
    | one(b'?')
    | one(b'!')
    | one(b'\\');

/// Every closing bracket matches the last opened one. Closing brackets may be missing at the end, if the text was cut.
fn is_balanced(value: &[u8]) -> bool {
    let mut open = Vec::new();
    for (at, &byte) in value.iter().enumerate() {
        let before = at.checked_sub(1).map_or(0, |before| value[before]);
        match byte {
            b'(' | b'[' | b'{' | b'<' => open.push(byte),
            b'>' if matches!(before, b'-' | b'=') => {}
            b')' | b']' | b'}' | b'>' => {
                let opens = if byte == b')' { b'(' } else { byte - 2 };
                if open.pop() != Some(opens) {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

/// `Token::Plus`, `this->token`: identifiers on both sides of the operator.
fn joins_names(value: &[u8], sign: &[u8]) -> bool {
    memchr::memmem::find(value, sign).is_some_and(|at| {
        let after = &value[at + sign.len()..];
        let name = &after[..run_end(after, 0, WORD)];
        let before = value[..at].rsplit(|byte| b".(<".contains(byte)).next().unwrap_or_default();
        let root = value.starts_with(sign) && at == 0;
        (root || is_identifier(before)) && name.len() + before.len() >= 4 && is_identifier(name)
    })
}

/// `args.password`, `self.config.api_key`.
fn is_dotted_name(value: &[u8]) -> bool {
    let parts = || value.split(|&byte| byte == b'.');
    let is_name = |part: &[u8]| {
        !part.is_empty()
            && !part[0].is_ascii_digit()
            && part.iter().all(|&byte| has(WORD | one(b'?') | one(b'!'), byte))
    };
    let is_random =
        |part: &[u8]| any(part, DIGIT) && any(part, LOWER) && any(part, UPPER) && part.len() >= 12;
    parts().count() > 1 && parts().all(is_name) && !parts().any(is_random)
}
