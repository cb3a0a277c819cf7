//! Walks a row's JSON without building anything of it.
//!
//! Most bytes of a transcript are values that nobody asks for: a file that was read is in its row twice. A [`Scan`]
//! steps over them at the speed of `memchr`, and hands on a [`Raw`] slice of the line where a value may matter; only what
//! is asked of that is unescaped. It finds where values end and takes their insides as they are: a row that is cut off
//! or has something behind its end is told apart from a sound one, a misspelt number inside it is not.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::wire::mended;
use crate::find;

/// Why a row is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It is no sound JSON, from this byte on.
    Unsound(usize),
    /// Enough of it is read to know that it is none of ours.
    NotOurs,
}

/// A value exactly as it stands in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// As it stands there.
    pub fn get(self) -> &'a [u8] {
        self.0
    }

    /// The string it holds, not copied where it has no escapes.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        if find::byte(b'\\', inner).is_none() {
            return Some(readable(inner));
        }
        unescaped(inner)
            .map(|plain| String::from_utf8(plain).unwrap_or_else(|error| lossy(&error)))
            .or_else(|| serde_json::from_str(&mended(&readable(self.0))).ok())
            .map(Cow::Owned)
    }

    /// What it is as a value of another type, or nothing.
    pub fn parse<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_str(&readable(self.0)).ok()
    }

    fn flag(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    fn number(self) -> Option<u64> {
        self.0.iter().try_fold(0_u64, |sum, byte| {
            let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
            sum.checked_mul(10)?.checked_add(digit)
        })
    }
}

/// Bytes as text, with a sign in the place of what is none.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn lossy(error: &std::string::FromUtf8Error) -> String {
    String::from_utf8_lossy(error.as_bytes()).into_owned()
}

/// Bytes that are copied at once.
const STEP: usize = size_of::<u64>();

/// A string without its escapes; nothing where one of them is none, or is half of a character. Escapes stand close together
/// in code (`\n\"`), and what is between them is copied as it comes, eight bytes at a time.
fn unescaped(inner: &[u8]) -> Option<Vec<u8>> {
    // No escape is shorter than what it stands for.
    let mut plain = vec![0; inner.len() + STEP];
    let (mut from, mut to) = (0, 0);
    while let Some(rest) = inner.get(from..).filter(|rest| !rest.is_empty()) {
        let clean = if let Some(step) = rest.first_chunk::<STEP>() {
            *plain.get_mut(to..)?.first_chunk_mut()? = *step;
            before_a_backslash(u64::from_le_bytes(*step))
        } else {
            let clean = rest.iter().take_while(|byte| **byte != b'\\').count();
            plain.get_mut(to..to + clean)?.copy_from_slice(&rest[..clean]);
            clean
        };
        (from, to) = (from + clean, to + clean);
        if clean < STEP.min(rest.len()) {
            let (sign, length) = escaped(&inner[from..])?;
            to += sign.encode_utf8(plain.get_mut(to..)?).len();
            from += length;
        }
    }
    plain.truncate(to);
    Some(plain)
}

/// How many of eight bytes stand before the first backslash among them.
fn before_a_backslash(bytes: u64) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; STEP]);
    let is_zero = bytes ^ u64::from_le_bytes([b'\\'; STEP]);
    let found = is_zero.wrapping_sub(EACH) & !is_zero & (EACH << 7);
    found.trailing_zeros() as usize / 8
}

/// The character that the escape at the start of `text` stands for, and how long it is.
fn escaped(text: &[u8]) -> Option<(char, usize)> {
    let sign = match text.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        sign @ (b'"' | b'\\' | b'/') => char::from(*sign),
        b'u' => return coded(text),
        _ => return None,
    };
    Some((sign, 2))
}

/// The character of the `\uXXXX` at the start of `text`, or of two of them, and how long they are.
fn coded(text: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
    };
    let first = unit(0)?;
    if let Some(sign) = char::from_u32(first) {
        return Some((sign, 6));
    }
    let second = unit(6).filter(|second| (0xDC00..0xE000).contains(second))?;
    let code = 0x10000 + (first.checked_sub(0xD800)? << 10) + (second - 0xDC00);
    char::from_u32(code).filter(|_| first < 0xDC00).map(|sign| (sign, 12))
}

/// The quote that opens the string which `closing` closes.
fn opening_quote(text: &[u8], closing: usize) -> Option<usize> {
    let mut at = closing;
    loop {
        at = find::last_byte(b'"', &text[..at])?;
        if !is_escaped(&text[..at]) {
            return Some(at);
        }
    }
}

/// Whether what stands behind `before` is part of an escape: behind an odd number of backslashes.
fn is_escaped(before: &[u8]) -> bool {
    before.last() == Some(&b'\\') && before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// A place in a line.
pub struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// At the start of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Scan { text, at: 0 }
    }

    /// Nothing but space may follow.
    pub fn end(&mut self) -> Result<(), Halt> {
        self.peek().map_or(Ok(()), |_| Err(Halt::Unsound(self.at)))
    }

    /// Hands on each key of the object that stands here, with the scan before its value, which `each` must step over.
    /// Gives what stands here instead, where it is no object.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&'a [u8], &mut Self) -> Result<(), Halt>,
    ) -> Result<Option<Raw<'a>>, Halt> {
        self.container(b'{', b'}', |scan| {
            let key = scan.key()?;
            if scan.peek() != Some(b':') {
                return Err(Halt::Unsound(scan.at));
            }
            scan.at += 1;
            each(key, scan)
        })
    }

    /// The same for the items of an array.
    pub fn array(
        &mut self,
        each: impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<Option<Raw<'a>>, Halt> {
        self.container(b'[', b']', each)
    }

    fn container(
        &mut self,
        open: u8,
        close: u8,
        mut each: impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<Option<Raw<'a>>, Halt> {
        if self.peek() != Some(open) {
            return self.skip().map(Some);
        }
        self.at += 1;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(None);
        }
        loop {
            each(self)?;
            let next = self.peek();
            self.at += 1;
            match next {
                Some(b',') => {}
                Some(byte) if byte == close => return Ok(None),
                _ => return Err(Halt::Unsound(self.at - 1)),
            }
        }
    }

    /// Steps over a value.
    pub fn skip(&mut self) -> Result<Raw<'a>, Halt> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'"') => {
                self.at += 1;
                self.close_string()?;
            }
            Some(b'{' | b'[') => self.close_container()?,
            _ => {
                let rest = &self.text[start..];
                let in_scalar =
                    |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                self.at += rest.iter().take_while(in_scalar).count();
                if self.at == start {
                    return Err(Halt::Unsound(start));
                }
            }
        }
        Ok(Raw(&self.text[start..self.at]))
    }

    /// Steps over an object whose insides nobody wants, from behind: over the few keys with strings that stand between it
    /// and the row's end. Where anything else stands there it is walked through.
    pub fn skip_from_behind(&mut self) -> Result<(), Halt> {
        match self.peek().and_then(|first| self.end_from_behind(first)) {
            Some(end) => self.at = end,
            None => _ = self.skip()?,
        }
        Ok(())
    }

    /// Where the object that begins here ends, in a sound row.
    fn end_from_behind(&self, first: u8) -> Option<usize> {
        let text = self.text;
        let mut end = text.len().checked_sub(1).filter(|_| first == b'{' && text.ends_with(b"}"))?;
        while text[..end].ends_with(b"\"") {
            let value = opening_quote(text, end - 1)?;
            let key = opening_quote(text, value.checked_sub(2)?)?;
            end = key.checked_sub(1)?;
            let is_member = text[value - 2..value] == *b"\":" && text[end] == b',';
            if end <= self.at || !is_member {
                return None;
            }
        }
        text[..end].ends_with(b"}").then_some(end)
    }

    /// The value that stands here, unless it is null.
    pub fn value(&mut self) -> Result<Option<Raw<'a>>, Halt> {
        self.skip().map(|raw| Some(raw).filter(|raw| raw.get() != b"null"))
    }

    /// The string that stands here, or nothing.
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, Halt> {
        self.skip().map(Raw::text)
    }

    /// The yes or no that stands here, or nothing.
    pub fn flag(&mut self) -> Result<Option<bool>, Halt> {
        self.skip().map(Raw::flag)
    }

    /// The whole number that stands here, or nothing.
    pub fn number(&mut self) -> Result<Option<u64>, Halt> {
        self.skip().map(Raw::number)
    }

    /// A value of any other type, or nothing.
    pub fn parse<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Halt> {
        self.skip().map(Raw::parse)
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// A key as it is written; nobody escapes those we ask for.
    fn key(&mut self) -> Result<&'a [u8], Halt> {
        if self.peek() != Some(b'"') {
            return Err(Halt::Unsound(self.at));
        }
        self.at += 1;
        let start = self.at;
        self.close_string()?;
        Ok(&self.text[start..self.at - 1])
    }

    /// To behind the quote that closes a string: the first one with no backslash of its own before it. Most strings are
    /// short or have no quotes in them; in those that have, they come by the hundred.
    fn close_string(&mut self) -> Result<(), Halt> {
        let bytes = self.text;
        let start = self.at;
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(found) = find::byte(b'"', rest) else { return Err(Halt::Unsound(bytes.len())) };
            let quote = self.at + found;
            self.at = quote + 1;
            if !is_escaped(&bytes[start..quote]) {
                return Ok(());
            }
            self.at = find::near_a_closing_quote(bytes, self.at, start);
        }
    }

    /// To behind the bracket that closes what is opened here, however deep it is nested.
    fn close_container(&mut self) -> Result<(), Halt> {
        let bytes = self.text;
        let mut depth = 0_usize;
        loop {
            let byte = *bytes.get(self.at).ok_or(Halt::Unsound(bytes.len()))?;
            self.at += 1;
            match byte {
                b'"' => self.close_string()?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// All strings of a value with where they stand, by our walk.
    fn strings(scan: &mut Scan, found: &mut Vec<String>) -> Result<(), Halt> {
        let first = scan.peek();
        match first {
            Some(b'{') => {
                scan.object(|key, scan| {
                    found.push(String::from_utf8(key.to_owned()).unwrap());
                    strings(scan, found)
                })?;
            }
            Some(b'[') => _ = scan.array(|scan| strings(scan, found))?,
            _ => found.extend(scan.text()?.map(Cow::into_owned)),
        }
        Ok(())
    }

    /// The same by serde.
    fn expected(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                found.push(key.clone());
                expected(value, found);
            }),
            Value::Array(items) => items.iter().for_each(|item| expected(item, found)),
            Value::String(text) => found.push(text.clone()),
            _ => {}
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{0,5}", inner, 0..5)
                    .prop_map(|map| Value::from_iter(map.into_iter().collect::<Vec<_>>())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_walked_as_serde_reads_it(value in any_value(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.unwrap();
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let mut scan = Scan::new(text.as_bytes());
            prop_assert_eq!(strings(&mut scan, &mut ours).and_then(|()| scan.end()), Ok(()));
            expected(&value, &mut theirs);
            prop_assert_eq!(ours, theirs);
            prop_assert_eq!(Scan::new(text.as_bytes()).skip(), Ok(Raw(text.as_bytes())));
        }

        #[test]
        fn an_object_that_is_cut_off_is_unsound(value in any_value(), cut in 0.0..1.0_f64) {
            let text = json!({ "key": value }).to_string();
            let mut at = (text.len() as f64 * cut) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            prop_assert!(Scan::new(&text.as_bytes()[..at]).skip().is_err());
        }

        #[test]
        fn escapes_mean_what_serde_takes_them_for(
            text in r#"([a-z]|\\[nrtbfu"/\\x]|\\u[0-9a-fA-F]{4}|\\ud83d\\ude0[0-9]|é){0,30}"#
        ) {
            let json = format!("\"{text}\"");
            let theirs = serde_json::from_str::<String>(&json).ok();
            let ours = unescaped(text.as_bytes()).and_then(|plain| String::from_utf8(plain).ok());
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn what_is_no_json_is_unsound_where_it_begins_to_be() {
        for (text, at) in
            [("", 0), ("{", 1), ("[1,]", 3), ("{\"a\" 1}", 5), ("{a:1}", 1), ("\"a", 2), ("[\"\\", 3)]
        {
            let mut scan = Scan::new(text.as_bytes());
            let walked = strings(&mut scan, &mut Vec::new());
            assert_eq!(walked, Err(Halt::Unsound(at)), "{text}");
        }
        let mut scan = Scan::new(b"{} {}");
        assert_eq!((scan.skip().is_ok(), scan.end()), (true, Err(Halt::Unsound(3))));
    }

    #[test]
    fn a_string_of_half_characters_is_mended() {
        assert_eq!(Raw(br#""a\ud83d \n""#).text().as_deref(), Some("a\u{fffd} \n"));
        assert_eq!(Raw(br#""\ud83d\ude00""#).text().as_deref(), Some("😀"));
        assert_eq!(Raw(br#""\x""#).text(), None);
    }

    proptest! {
        #[test]
        fn an_object_is_stepped_over_from_behind_as_from_before(
            value in any_value(),
            behind in prop::collection::vec(("[a-z\"\\\\]{0,5}", r#"[a-z"\\,:{}]{0,9}"#), 0..4),
            odd in prop::option::of(any_value()),
        ) {
            let json = |text: &String| serde_json::to_string(text).unwrap();
            let value = json!({ "value": value }).to_string();
            let mut rest: Vec<String> = behind.iter().map(|(k, v)| format!("{}:{}", json(k), json(v))).collect();
            // An object behind it would be taken for it: nobody asks where one may be.
            let odd = odd.filter(|odd| !odd.is_object());
            rest.extend(odd.map(|odd| format!("\"odd\":{odd}")));
            let row = format!("{{\"first\":{value}{}{}}}", if rest.is_empty() { "" } else { "," }, rest.join(","));
            let mut scan = Scan { text: row.as_bytes(), at: "{\"first\":".len() };
            scan.skip_from_behind().unwrap();
            prop_assert_eq!(scan.at, "{\"first\":".len() + value.len());
        }
    }
}
