//! Secrets with a format of their own, and the scan that finds them.
//!
//! The table is in `formats.rs`. The filter and the index below are computed from it at compile time. Formats that a prefix
//! and an alphabet do not describe have functions in `shapes` and `named::forms`.

mod formats;

use super::bytes::{Set, ends_word, has, one, run_end, starts_word};
use super::span::{Evidence, SecretSpan};
use super::value::judge::is_placeholder;
use formats::FORMATS;

/// How to recognise one kind of secret.
struct FormatRule {
    kind: &'static str,
    /// At least two bytes. If two, the body must say which third bytes may follow.
    prefix: &'static str,
    body: RuleBody,
}

enum RuleBody {
    /// The prefix belongs to the secret.
    Token(&'static [FormatPart]),
    /// The prefix is public (an address) and stays.
    After(&'static [FormatPart]),
    /// Needs a function, which gets the position of the prefix.
    Shape(ShapeFinder),
    /// The same for a prefix of two bytes, followed by one of this set.
    ShapeBefore(Set, ShapeFinder),
}

/// Looks around an anchor and adds the secrets it finds.
type ShapeFinder = fn(&[u8], usize, &mut Vec<SecretSpan>);

#[derive(Clone, Copy)]
enum FormatPart {
    Run { set: Set, min: usize, max: usize },
    Literal(&'static str),
}

/// Between `min` and `max` bytes of `set`.
const fn run(set: Set, min: usize, max: usize) -> FormatPart {
    FormatPart::Run { set, min, max }
}

const fn literal(text: &'static str) -> FormatPart {
    FormatPart::Literal(text)
}

const fn token(kind: &'static str, prefix: &'static str, body: &'static [FormatPart]) -> FormatRule {
    FormatRule { kind, prefix, body: RuleBody::Token(body) }
}

const fn after(kind: &'static str, prefix: &'static str, body: &'static [FormatPart]) -> FormatRule {
    FormatRule { kind, prefix, body: RuleBody::After(body) }
}

const fn shape(kind: &'static str, prefix: &'static str, find: ShapeFinder) -> FormatRule {
    FormatRule { kind, prefix, body: RuleBody::Shape(find) }
}

const fn shape_before(kind: &'static str, prefix: &'static str, set: Set, find: ShapeFinder) -> FormatRule {
    FormatRule { kind, prefix, body: RuleBody::ShapeBefore(set, find) }
}

/// Adds what the table finds in `bytes`.
pub(super) fn scan(bytes: &[u8], found: &mut Vec<SecretSpan>) {
    let mut pass = FormatScan { bytes, hidden_to: 0, runs: RunCache::default(), found };
    let mut at = 0;
    // Eight bytes have six windows. One branch for all six is twice as fast as one each.
    while let Some(eight) = bytes.get(at..at + 8) {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let taken = |offset: usize| is_taken((eight >> (offset * 8)) as u32);
        if taken(0) | taken(1) | taken(2) | taken(3) | taken(4) | taken(5) {
            (at..at + STEP).filter(|offset| taken(offset - at)).for_each(|at| pass.look_at(at));
        }
        at += STEP;
    }
    while let Some(&[first, second, third]) = bytes.get(at..at + 3) {
        if is_taken(u32::from_le_bytes([first, second, third, 0])) {
            pass.look_at(at);
        }
        at += 1;
    }
}

const STEP: usize = 6;

struct FormatScan<'a> {
    bytes: &'a [u8],
    hidden_to: usize,
    runs: RunCache,
    found: &'a mut Vec<SecretSpan>,
}

impl FormatScan<'_> {
    #[cold]
    fn look_at(&mut self, at: usize) {
        if at < self.hidden_to {
            return;
        }
        let before = self.found.len();
        try_rules(self.bytes, at, at == self.hidden_to, &mut self.runs, self.found);
        // Only a format is final. The value of a flag may still be recognised by its own format.
        let settled = self.found[before..].iter().filter(|span| span.evidence == Evidence::Format);
        self.hidden_to = settled.map(|span| span.end).max().unwrap_or(self.hidden_to);
    }
}

fn try_rules(bytes: &[u8], at: usize, after_secret: bool, runs: &mut RunCache, found: &mut Vec<SecretSpan>) {
    let letter = usize::from(bytes[at] & 127);
    let pair = [bytes[at], bytes[at + 1]];
    let third = bytes[at + 2];
    for entry in &ORDER[usize::from(STARTS[letter])..usize::from(STARTS[letter + 1])] {
        let near = entry.pair == pair && (entry.third == third || entry.third == ANY);
        let rule = &FORMATS[usize::from(entry.rule)];
        if !near || !bytes[at..].starts_with(rule.prefix.as_bytes()) {
            continue;
        }
        let after_prefix = at + rule.prefix.len();
        let (start, parts) = match rule.body {
            RuleBody::Token(parts) => (at, parts),
            RuleBody::After(parts) => (after_prefix, parts),
            RuleBody::Shape(find) | RuleBody::ShapeBefore(_, find) => {
                find(bytes, at, found);
                continue;
            }
        };
        if !after_secret && !starts_word(bytes, at) {
            continue;
        }
        if let Some(end) = match_parts(bytes, after_prefix, parts, runs) {
            found.push(SecretSpan { start, end, kind: rule.kind, evidence: Evidence::Format });
            return;
        }
    }
}

/// Words with separators, each in one case: `your-token-goes-here`. Random text hardly ever looks like this. A word without
/// separators after a known prefix counts as random.
fn is_spelled_out(body: &[u8]) -> bool {
    let one_case = |part: &[u8]| {
        let rest = part.get(1..).unwrap_or_default();
        rest.iter().all(u8::is_ascii_lowercase) || part.iter().all(u8::is_ascii_uppercase)
    };
    let mut parts = body.split(|byte| !byte.is_ascii_alphanumeric());
    parts.clone().count() > 1
        && parts.all(|part| one_case(part) || part.len() <= 4 && part.iter().all(u8::is_ascii_digit))
}

/// The end of `parts`, if they match at `at` and look generated.
fn match_parts(bytes: &[u8], mut at: usize, parts: &[FormatPart], runs: &mut RunCache) -> Option<usize> {
    let start = at;
    let mut spelled = false;
    for (number, part) in parts.iter().enumerate() {
        match *part {
            FormatPart::Literal(text) => {
                at = bytes[at..].starts_with(text.as_bytes()).then_some(at + text.len())?;
            }
            FormatPart::Run { set, min, max } => {
                let last = number + 1 == parts.len();
                let mut end = runs.end(bytes, at, set);
                while last && end > at && bytes[end - 1] == b'.' {
                    end -= 1;
                }
                if !last {
                    end = end.min(at + max);
                }
                if !(min..=max).contains(&(end - at)) || last && !ends_word(bytes, end) {
                    return None;
                }
                spelled |= has(set, b'-') || has(set, b'_');
                at = end;
            }
        }
    }
    let body = &bytes[start..at.min(start + JUDGED)];
    let made_up = is_placeholder(body) || distinct(body) < 5 || spelled && is_spelled_out(body);
    (!made_up).then_some(at)
}

/// How much of a token decides whether it is a placeholder.
const JUDGED: usize = 256;

/// Caches where runs end, per alphabet: text that consists of prefixes is scanned once, not once per prefix.
#[derive(Default)]
struct RunCache(Vec<(Set, usize, usize)>);

impl RunCache {
    fn end(&mut self, bytes: &[u8], at: usize, set: Set) -> usize {
        let known = self.0.iter_mut().find(|(of, ..)| *of == set);
        if let Some(&mut (_, start, end)) = known
            && (start..end).contains(&at)
        {
            return end;
        }
        let end = run_end(bytes, at, set);
        match known {
            Some(run) => *run = (set, at, end),
            None => self.0.push((set, at, end)),
        }
        end
    }
}

fn distinct(body: &[u8]) -> u32 {
    body.iter().fold(0, |seen: Set, &byte| seen | one(byte & 127)).count_ones()
}

const FILTER_BITS: usize = 1 << 16;

/// Hashes three bytes to a bit of the filter. It has 8 KB, fits the first-level cache, and 1% of its bits are set.
const fn slot(three: u32) -> usize {
    ((three << 8).wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// Whether a rule may start with the lower three bytes.
fn is_taken(three: u32) -> bool {
    let slot = slot(three);
    FILTER[slot / 64] >> (slot % 64) & 1 == 1
}

static FILTER: [u64; FILTER_BITS / 64] = filter();

const fn filter() -> [u64; FILTER_BITS / 64] {
    let mut bits = [0; FILTER_BITS / 64];
    let mut number = 0;
    while number < FORMATS.len() {
        let prefix = FORMATS[number].prefix.as_bytes();
        let thirds = if prefix.len() > 2 { one(prefix[2]) } else { third_bytes(&FORMATS[number]) };
        let mut third = 0;
        while third < 128 {
            if has(thirds, third) {
                let slot = slot(u32::from_le_bytes([prefix[0], prefix[1], third, 0]));
                bits[slot / 64] |= 1 << (slot % 64);
            }
            third += 1;
        }
        number += 1;
    }
    bits
}

const fn third_bytes(rule: &FormatRule) -> Set {
    match rule.body {
        RuleBody::Token(parts) | RuleBody::After(parts) => match parts[0] {
            FormatPart::Run { set, .. } => set,
            FormatPart::Literal(_) => panic!("a two-byte prefix needs a run after it"),
        },
        RuleBody::ShapeBefore(set, _) => set,
        RuleBody::Shape(_) => panic!("a two-byte prefix needs a set after it"),
    }
}

/// A rule with its first three bytes, which rule most entries out.
#[derive(Clone, Copy)]
struct PrefixSlot {
    pair: [u8; 2],
    third: u8,
    rule: u16,
}

/// Stands for the third byte of a prefix of two.
const ANY: u8 = 0;

/// Rules sorted by their first byte, and where the rules of each byte start.
static ORDER: [PrefixSlot; FORMATS.len()] = INDEX.0;
static STARTS: [u16; 129] = INDEX.1;
const INDEX: ([PrefixSlot; FORMATS.len()], [u16; 129]) = index();

const fn index() -> ([PrefixSlot; FORMATS.len()], [u16; 129]) {
    let mut order = [PrefixSlot { pair: [0; 2], third: ANY, rule: 0 }; FORMATS.len()];
    let mut starts = [0; 129];
    let mut placed = 0;
    let mut byte = 0;
    while byte < 128 {
        starts[byte] = placed as u16;
        let mut number = 0;
        while number < FORMATS.len() {
            let prefix = FORMATS[number].prefix.as_bytes();
            if prefix[0] as usize == byte {
                let third = if prefix.len() > 2 { prefix[2] } else { ANY };
                order[placed] = PrefixSlot { pair: [prefix[0], prefix[1]], third, rule: number as u16 };
                placed += 1;
            }
            number += 1;
        }
        byte += 1;
    }
    starts[128] = placed as u16;
    (order, starts)
}
