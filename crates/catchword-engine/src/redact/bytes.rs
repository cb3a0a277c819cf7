//! Sets of ASCII bytes, and the small scans over a byte slice that every matcher uses.

/// A set of ASCII bytes, one bit each.
pub(super) type Set = u128;

pub(super) const DIGIT: Set = range(b'0', b'9');
pub(super) const LOWER: Set = range(b'a', b'z');
pub(super) const UPPER: Set = range(b'A', b'Z');
pub(super) const HEX: Set = DIGIT | range(b'a', b'f') | range(b'A', b'F');
pub(super) const LOWER_NUM: Set = LOWER | DIGIT;
pub(super) const UPPER_NUM: Set = UPPER | DIGIT;
pub(super) const ALNUM: Set = LOWER | UPPER | DIGIT;
pub(super) const WORD: Set = ALNUM | one(b'_');
/// The alphabet of base64url and of most tokens.
pub(super) const TOKEN: Set = WORD | one(b'-');
pub(super) const DOTTED: Set = TOKEN | one(b'.');
pub(super) const BASE64: Set = ALNUM | one(b'+') | one(b'/') | one(b'=');
pub(super) const UUID: Set = HEX | one(b'-');

pub(super) const fn one(byte: u8) -> Set {
    1 << byte
}

pub(super) const fn range(first: u8, last: u8) -> Set {
    let mut set = 0;
    let mut byte = first;
    while byte <= last {
        set |= one(byte);
        byte += 1;
    }
    set
}

pub(super) const fn has(set: Set, byte: u8) -> bool {
    byte < 128 && (set >> byte) & 1 == 1
}

/// Where the run of `set` that starts at `at` ends.
pub(super) fn run_end(bytes: &[u8], at: usize, set: Set) -> usize {
    bytes[at..].iter().position(|&byte| !has(set, byte)).map_or(bytes.len(), |length| at + length)
}

/// Where the run of `set` that ends before `at` starts; looks back `limit` bytes at most.
pub(super) fn run_start(bytes: &[u8], at: usize, set: Set, limit: usize) -> usize {
    let floor = at.saturating_sub(limit);
    bytes[floor..at].iter().rposition(|&byte| !has(set, byte)).map_or(floor, |length| floor + length + 1)
}

pub(super) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}

/// Whether a token may start at `at`: there is no word character before it.
///
/// Nested text keeps its escapes. The `n` of a literal `\n`, the `D` of `%3D`, the digits of `\u0022` and the `m` that
/// ends a colour are not word characters.
pub(super) fn starts_word(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    match before {
        [.., last] if !has(WORD, *last) => true,
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if has(HEX, *high) && has(HEX, *low) => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|&&byte| has(HEX, byte)),
        [.., b'm'] => {
            let digits = run_start(before, at - 1, DIGIT | one(b';'), 12);
            digits > 0 && before[digits - 1] == b'['
        }
        _ => false,
    }
}

/// Whether a token may end at `at`.
pub(super) fn ends_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|&byte| !has(ALNUM, byte))
}
