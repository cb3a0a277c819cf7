//! Texts that a person wants forgotten, known by a hash only.
//!
//! A transcript goes on holding what was forgotten everywhere else, and will be read again. So that it is masked then,
//! something of the text must be kept, but not the text: its length, a hash that can be rolled along any other text, and
//! a keyed one that decides. Upper and lower case of ASCII letters count as the same.
//!
//! The list belongs to the process ([`set`]): masking is called from everywhere and knows no settings.

use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Evidence, Finding, MARK};

/// What stands in the place of such a text.
pub const KIND: &str = "forgotten";
/// Shorter texts stand in too many others.
pub const SHORTEST: usize = 4;

static ANY: AtomicBool = AtomicBool::new(false);
static KNOWN: RwLock<Vec<Forgotten>> = RwLock::new(Vec::new());

/// A text that is forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    length: usize,
    salt: u64,
    rolled: u64,
    hash: String,
}

impl Forgotten {
    /// Of a text; `None` for one that is too short, or that stands in the mark itself.
    pub fn of(text: &str, salt: u64) -> Option<Forgotten> {
        let bytes = text.to_ascii_lowercase().into_bytes();
        let mark = format!("{MARK}{KIND}]");
        if bytes.len() < SHORTEST || mark.contains(&text.to_ascii_lowercase()) {
            return None;
        }
        let rolled = roll(&bytes, base(salt));
        Some(Forgotten { length: bytes.len(), salt, rolled, hash: keyed(&bytes, salt) })
    }

    /// As a line of a file.
    pub fn to_line(&self) -> String {
        format!("{} {:016x} {:016x} {}", self.length, self.salt, self.rolled, self.hash)
    }

    /// Out of such a line.
    pub fn from_line(line: &str) -> Option<Forgotten> {
        let mut words = line.split(' ');
        let length = words.next()?.parse().ok().filter(|length| *length >= SHORTEST)?;
        let mut number = || u64::from_str_radix(words.next()?, 16).ok();
        let (salt, rolled) = (number()?, number()?);
        Some(Forgotten { length, salt, rolled, hash: words.next()?.to_owned() })
    }

    fn find(&self, bytes: &[u8], mut each: impl FnMut(usize)) {
        let Some(first) = bytes.get(..self.length) else { return };
        let base = base(self.salt);
        let drop = (1..self.length).fold(1u64, |power, _| power.wrapping_mul(base));
        let mut rolled = first.iter().fold(0u64, |hash, byte| step(hash, *byte, base));
        for at in 0..=bytes.len() - self.length {
            let stretch = &bytes[at..at + self.length];
            if rolled == self.rolled && keyed(&stretch.to_ascii_lowercase(), self.salt) == self.hash {
                each(at);
            }
            if let Some(next) = bytes.get(at + self.length) {
                let out = u64::from(bytes[at].to_ascii_lowercase()).wrapping_mul(drop);
                rolled = step(rolled.wrapping_sub(out), *next, base);
            }
        }
    }
}

/// From now on these are masked, wherever they stand.
pub fn set(forgotten: Vec<Forgotten>) {
    ANY.store(!forgotten.is_empty(), Ordering::Release);
    if let Ok(mut known) = KNOWN.write() {
        *known = forgotten;
    }
}

/// Whether one of them stands in these bytes.
pub fn is_in(bytes: &[u8]) -> bool {
    let mut found = Vec::new();
    scan(bytes, &mut found);
    !found.is_empty()
}

pub(super) fn scan(bytes: &[u8], found: &mut Vec<Finding>) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let Ok(known) = KNOWN.read() else { return };
    for text in known.iter() {
        text.find(bytes, |start| {
            found.push(Finding { start, end: start + text.length, kind: KIND, evidence: Evidence::Format });
        });
    }
}

fn base(salt: u64) -> u64 {
    salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

fn step(hash: u64, byte: u8, base: u64) -> u64 {
    hash.wrapping_mul(base).wrapping_add(u64::from(byte.to_ascii_lowercase()))
}

fn roll(bytes: &[u8], base: u64) -> u64 {
    bytes.iter().fold(0, |hash, byte| step(hash, *byte, base))
}

fn keyed(bytes: &[u8], salt: u64) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&salt.to_le_bytes()).update(bytes);
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_forgotten_text_is_masked_in_any_case_and_nothing_of_it_is_in_its_line() {
        let text = "Project Bluebird-Zwölf";
        let forgotten = Forgotten::of(text, 0x1234).unwrap();
        let line = forgotten.to_line();
        assert!(!line.to_lowercase().contains("bluebird"), "{line}");
        assert_eq!(Forgotten::from_line(&line), Some(forgotten.clone()));
        set(vec![forgotten]);
        let masked =
            super::super::mask("About project BLUEBIRD-Zwölf: project bluebird-Zwölfs.").into_owned();
        assert_eq!(masked, "About [masked: forgotten]: [masked: forgotten]s.");
        assert_eq!(super::super::mask(&masked), masked);
        assert!(is_in(b"\x00\xffproject bluebird-zw\xc3\xb6lf\x01") && !is_in(b"project bluebird"));
        set(Vec::new());
        assert!(!is_in(b"project bluebird-zw\xc3\xb6lf"));
    }

    #[test]
    fn too_short_a_text_or_a_part_of_the_mark_is_refused() {
        for text in ["", "abc", "forgotten", "Masked: F"] {
            assert_eq!(Forgotten::of(text, 1), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn rolling_finds_what_searching_finds(text in "[abA]{0,60}", wanted in "[ab]{4,6}", salt in any::<u64>()) {
            let mut found = Vec::new();
            Forgotten::of(&wanted, salt).unwrap().find(text.as_bytes(), |at| found.push(at));
            let lower = text.to_ascii_lowercase();
            let expected: Vec<usize> = (0..lower.len()).filter(|at| lower[*at..].starts_with(&wanted)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
