//! Is this value a secret, or a stand-in for one: a placeholder, a reference, a type, a piece of code, a label?
//!
//! Transcripts of programming are full of `token: String`, `password=args.password` and `API_KEY=<your key>`.
//! Masking those would cost the reader the code and protect nobody, so each test below keeps one such family.

use super::MARK;
use super::bytes::{ALNUM, DIGIT, LOWER, Set, TOKEN, UPPER, WORD, contains, has, one};

/// What the name of a value promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// Chosen by a person: may be short and plain.
    Password,
    /// Several words.
    Phrase,
    /// Made by a machine: long, with digits.
    Token,
    Secret,
    Key,
}

impl Promise {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Phrase => "passphrase",
            Self::Token => "token",
            Self::Secret => "secret",
            Self::Key => "secret key",
        }
    }
}

/// How the value is written, which says how likely it is code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `NAME=value` as in a shell or an env file: anything is a value.
    Env,
    /// Between quotes: a literal, maybe a label.
    Quoted,
    /// Without quotes: YAML, INI, a query string, or code.
    Bare,
}

/// Whether `value`, assigned to `name`, is a secret.
pub(super) fn is_secret(value: &[u8], promise: Promise, style: Style, name: &[u8]) -> bool {
    if is_placeholder(value) || is_path(value) || is_colour(value) || echoes(value, name, style) {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return promise == Promise::Phrase && style != Style::Bare && value.len() >= 12;
    }
    if value.iter().all(|&byte| has(DIGIT | one(b'.') | one(b'_') | one(b'-'), byte)) {
        return promise == Promise::Password && value.len() >= if style == Style::Env { 4 } else { 6 };
    }
    if promise == Promise::Token && value.starts_with(b"0x") {
        return false;
    }
    let digit = any(value, DIGIT);
    let person = matches!(promise, Promise::Password | Promise::Phrase);
    match style {
        Style::Env => value.len() >= 4 && !is_code(value),
        Style::Quoted if person => value.len() >= 4 && !is_label(value),
        Style::Quoted => {
            value.len() >= 6 && (digit || value.len() >= 16) && !is_words(value) && !is_code(value)
        }
        Style::Bare if person => value.len() >= 6 && digit && any(value, ALNUM & !DIGIT) && !is_code(value),
        Style::Bare => value.len() >= 16 && digit && !is_words(value) && !is_code(value),
    }
}

fn any(value: &[u8], set: Set) -> bool {
    value.iter().any(|&byte| has(set, byte))
}

/// Stand-ins: nothing, `null`, `xxx`, `***`, `<your-token>`, `$TOKEN`, `${{ secrets.X }}`, an earlier mask.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    if value.len() < 3 || !any(value, ALNUM) || is_reference(value) {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    WORDS_WITHOUT_SECRET.contains(&lower.as_slice())
        || STARTS.iter().any(|start| lower.starts_with(start))
        || PIECES.iter().any(|piece| contains(&lower, piece))
        || contains(value, MARK.trim_end().as_bytes())
        || lower.iter().all(|byte| *byte == lower[0] || *byte == b'-')
}

/// Whole values that say there is no secret here.
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
];

/// How descriptions of a secret begin.
const STARTS: &[&[u8]] = &[
    b"your", b"my-", b"my_", b"the-", b"the_", b"some-", b"some_", b"insert", b"replace", b"enter", b"todo",
    b"op://",
];

/// What only stand-ins contain.
const PIECES: &[&[u8]] = &[
    b"example",
    b"placeholder",
    b"changeme",
    b"change-me",
    b"change_me",
    b"changethis",
    b"redacted",
    b"masked",
    b"dummy",
    b"xxxx",
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
    b"environ",
    b"getenv",
    b"secrets.",
    b"keyring",
    b"vault:",
];

/// `$NAME`, `${…}`, `$(…)`, `{{…}}`, `{name}`, `%NAME%`, `%s`, `<…>`, `#{…}`, `@file`.
fn is_reference(value: &[u8]) -> bool {
    let inside = |open: &[u8], close: &[u8]| contains(value, open) && contains(value, close);
    match value {
        [b'$', rest @ ..] if rest.iter().all(|&byte| has(WORD | one(b'.') | one(b':'), byte)) => {
            !rest.first().is_some_and(u8::is_ascii_digit) || rest.len() == 1
        }
        [b'%', rest @ .., b'%'] => rest.iter().all(|&byte| has(WORD, byte)),
        [b'<' | b'%' | b'{', ..] => true,
        _ => {
            inside(b"<", b">")
                || contains(value, b"${")
                || contains(value, b"$(")
                || contains(value, b"$env:")
                || contains(value, b"#{")
                || inside(b"{", b"}")
        }
    }
}

/// A file, an address or a place in a secret store, not what lies there.
pub(super) fn is_path(value: &[u8]) -> bool {
    let dots = value.iter().skip_while(|&&byte| byte == b'.');
    let drive = matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let relative = contains(value, b"/") && value.split(|&byte| byte == b'/').all(is_words);
    dots.clone().next() == Some(&b'/')
        || value.starts_with(b"~/")
        || drive
        || relative
        || contains(value, b"://")
}

/// `#d8dee9`: themes style a `Token`.
fn is_colour(value: &[u8]) -> bool {
    matches!(value, [b'#', digits @ ..] if digits.len() <= 8 && digits.iter().all(u8::is_ascii_hexdigit))
}

/// The value is the name again: `password=password`, `TOKEN = "token"`, `secret: clientSecret`.
fn echoes(value: &[u8], name: &[u8], style: Style) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
        letters.map(u8::to_ascii_lowercase).collect()
    };
    // Types carry numbers too: `private_key: Ed25519PrivateKey`.
    let few_digits = style == Style::Bare || value.iter().filter(|byte| byte.is_ascii_digit()).count() <= 2;
    let (value, name) = (plain(value), plain(name));
    let own_word = SECRET_WORDS.iter().any(|word| value.ends_with(word) && name.ends_with(word));
    few_digits && value.len() >= 4 && (name.ends_with(&value) || own_word && !value.starts_with(b"super"))
}

/// The words a name ends in when it repeats itself as a value.
const SECRET_WORDS: &[&[u8]] =
    &[b"password", b"passwd", b"secret", b"token", b"apikey", b"key", b"credentials"];

/// Words and small numbers joined by separators: `my-secret-name`, `refreshToken`, `test-token-1`, `DB_PASSWORD`.
pub(super) fn is_words(value: &[u8]) -> bool {
    value.split(|&byte| !has(ALNUM, byte)).all(|part| {
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits == part.len() && digits <= 4 || digits == 0 && is_word(part)
    })
}

/// One word, or several in camel case: letters whose case changes no more often than in names people write.
fn is_word(part: &[u8]) -> bool {
    let humps = part.windows(2).filter(|pair| has(LOWER, pair[0]) && has(UPPER, pair[1])).count();
    part.len() < 20 || humps * 5 <= part.len()
}

/// A label or a field name rather than a password: `Passwort`, `newPassword`, `current-password`.
fn is_label(value: &[u8]) -> bool {
    let plain_word = value.iter().all(|&byte| has(LOWER, byte));
    !any(value, DIGIT)
        && is_words(value)
        && !plain_word
        && value.iter().all(|&byte| has(TOKEN, byte) || byte >= 128)
        || value.iter().any(|&byte| byte >= 128) && !any(value, DIGIT)
}

/// Calls, indexing, generics and paths of names.
fn is_code(value: &[u8]) -> bool {
    if any(value, one(b'(') | one(b'[') | one(b'{')) || contains(value, b"::") || contains(value, b"->") {
        return true;
    }
    let parts = || value.split(|&byte| byte == b'.');
    let is_name = |part: &[u8]| {
        !part.is_empty() && !part[0].is_ascii_digit() && part.iter().all(|&byte| has(WORD | one(b'?'), byte))
    };
    let is_random =
        |part: &[u8]| any(part, DIGIT) && any(part, LOWER) && any(part, UPPER) && part.len() >= 12;
    parts().count() > 1 && parts().all(is_name) && !parts().any(is_random)
}
