//! Texts inside a string of JSON, where `say "hi"` is `say \"hi\"`, and a string in a string has it escaped twice.
//!
//! Whoever looks for a text has to look at each level. Nothing here knows whether something is JSON: a backslash is taken
//! for an escape wherever it may be one, beside the text as it is.

/// Levels that are looked at. Clients write arguments as JSON in a string; tools print such rows once more.
const LEVELS: usize = 3;

/// A text with one level of escapes taken off.
pub(super) struct Unescaped {
    pub(super) bytes: Vec<u8>,
    /// Where each stretch starts, here and in the text it came from.
    stretches: Vec<(usize, usize)>,
}

impl Unescaped {
    /// `None` if there is no escape.
    fn of(bytes: &[u8]) -> Option<Unescaped> {
        let first = memchr::memchr_iter(b'\\', bytes).find(|&at| escape(&bytes[at..]).is_some())?;
        let mut plain = Unescaped { bytes: bytes[..first].to_vec(), stretches: vec![(0, 0)] };
        let mut at = first;
        while at < bytes.len() {
            if let Some((length, shown)) = escape(&bytes[at..]) {
                plain.stretches.push((plain.bytes.len(), at));
                plain.bytes.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
                plain.stretches.push((plain.bytes.len(), at));
            } else {
                let next = memchr::memchr(b'\\', &bytes[at + 1..]).map_or(bytes.len(), |next| at + 1 + next);
                plain.bytes.extend_from_slice(&bytes[at..next]);
                at = next;
            }
        }
        Some(plain)
    }

    /// Where this position was.
    pub(super) fn origin(&self, at: usize) -> usize {
        let (here, there) = self.stretches[self.stretches.partition_point(|(start, _)| *start <= at) - 1];
        there + (at - here)
    }
}

/// The text with one level of escapes taken off, then with two, and so on.
pub(super) fn levels(bytes: &[u8]) -> Vec<Unescaped> {
    let mut levels: Vec<Unescaped> = Vec::new();
    while levels.len() < LEVELS
        && let Some(next) = Unescaped::of(levels.last().map_or(bytes, |level| &level.bytes))
    {
        levels.push(next);
    }
    levels
}

/// The length of the escape at the start, and its character.
fn escape(bytes: &[u8]) -> Option<(usize, char)> {
    let [b'\\', kind, rest @ ..] = bytes else { return None };
    let plain = match kind {
        b'"' | b'\\' | b'/' => char::from(*kind),
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unicode(rest),
        _ => return None,
    };
    Some((2, plain))
}

/// `\u00e9`, or a pair of surrogates; the bytes are those behind the `u`.
fn unicode(bytes: &[u8]) -> Option<(usize, char)> {
    let number = |at: usize| {
        let digits = std::str::from_utf8(bytes.get(at..at + 4)?).ok()?;
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = number(0)?;
    if let Some(c) = char::from_u32(first.into()) {
        return Some((6, c));
    }
    let second = number(6).filter(|_| bytes[4..].starts_with(b"\\u"))?;
    let pair = char::decode_utf16([first, second]).next()?.ok()?;
    Some((12, pair))
}
