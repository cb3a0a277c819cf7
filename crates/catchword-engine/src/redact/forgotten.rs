//! Texts that the user wants forgotten, stored as hashes.
//!
//! The transcript still contains a forgotten text and will be read again. To mask it then without keeping it, we store its
//! length, a rolling hash to find candidates, and a keyed hash that decides. All three are computed from the folded text
//! (`case_folding.rs`), so case and normal form do not matter. A text is found with the escapes of JSON as well
//! (`escaped.rs`).

use super::case_folding::{FoldedText, fold_bytes};
use super::escaped;
use super::span::{Evidence, MARK, SecretSpan};

/// The kind in its replacement.
pub const KIND: &str = "forgotten";
/// Shorter texts occur inside too many others.
pub const SHORTEST: usize = 4;

/// A forgotten text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    length: usize,
    salt: u64,
    rolled: u64,
    hash: String,
}

impl Forgotten {
    /// `None` for a text that is too short, or that is part of the replacement itself.
    pub fn of(text: &str, salt: u64) -> Option<Forgotten> {
        let bytes = fold_bytes(text.as_bytes());
        let mark = format!("{MARK}{KIND}]");
        if bytes.len() < SHORTEST || memchr::memmem::find(mark.as_bytes(), &bytes).is_some() {
            return None;
        }
        let rolled = roll(&bytes, base(salt));
        Some(Forgotten { length: bytes.len(), salt, rolled, hash: keyed(&bytes, salt) })
    }

    /// As a line of a file.
    pub fn to_line(&self) -> String {
        format!("{} {:016x} {:016x} {}", self.length, self.salt, self.rolled, self.hash)
    }

    /// Parses such a line.
    pub fn from_line(line: &str) -> Option<Forgotten> {
        let mut words = line.split(' ');
        let length = words.next()?.parse().ok().filter(|length| *length >= SHORTEST)?;
        let mut number = || u64::from_str_radix(words.next()?, 16).ok();
        let (salt, rolled) = (number()?, number()?);
        Some(Forgotten { length, salt, rolled, hash: words.next()?.to_owned() })
    }

    /// Calls `each` with every position where it starts in folded bytes.
    fn find(&self, folded: &[u8], mut each: impl FnMut(usize)) {
        let Some(first) = folded.get(..self.length) else { return };
        let base = base(self.salt);
        let drop = (1..self.length).fold(1u64, |power, _| power.wrapping_mul(base));
        let mut rolled = roll(first, base);
        for at in 0..=folded.len() - self.length {
            let stretch = &folded[at..at + self.length];
            if rolled == self.rolled && keyed(stretch, self.salt) == self.hash {
                each(at);
            }
            if let Some(next) = folded.get(at + self.length) {
                let out = u64::from(folded[at]).wrapping_mul(drop);
                rolled = step(rolled.wrapping_sub(out), *next, base);
            }
        }
    }
}

/// Whether the bytes contain one of them.
pub(super) fn is_any_in(forgotten: &[Forgotten], bytes: &[u8]) -> bool {
    if forgotten.is_empty() {
        return false;
    }
    let mut found = false;
    each_form(bytes, |folded| forgotten.iter().for_each(|text| text.find(folded, |_| found = true)));
    found
}

/// Calls `each` with the folded bytes, and with the same without the escapes of JSON: every form in which a text may be
/// there.
pub fn each_form(bytes: &[u8], mut each: impl FnMut(&[u8])) {
    each(&fold_bytes(bytes));
    for level in escaped::levels(bytes) {
        each(&fold_bytes(&level.bytes));
    }
}

/// The most bytes of a file that may be one byte of a form: four for a letter in another normal form, four invisible ones,
/// and each with a level of escapes.
pub const LONGEST_FORM: usize = 8 * 8;

pub(super) fn scan(forgotten: &[Forgotten], text: &str, found: &mut Vec<SecretSpan>) {
    if forgotten.is_empty() {
        return;
    }
    scan_level(forgotten, text, |start, end| (start, end), found);
    let levels = escaped::levels(text.as_bytes());
    for number in 0..levels.len() {
        // Escapes are ASCII, so whole characters are between them.
        let plain = String::from_utf8_lossy(&levels[number].bytes);
        let origin = |at: usize| levels[..=number].iter().rev().fold(at, |at, level| level.origin(at));
        scan_level(forgotten, &plain, |start, end| (origin(start), origin(end)), found);
    }
}

fn scan_level(
    forgotten: &[Forgotten],
    text: &str,
    origin: impl Fn(usize, usize) -> (usize, usize),
    found: &mut Vec<SecretSpan>,
) {
    let folded = FoldedText::of(text);
    for one in forgotten {
        one.find(&folded.bytes, |at| {
            let here = folded.origin(at..at + one.length);
            let (start, end) = origin(here.start, here.end);
            found.push(SecretSpan { start, end, kind: KIND, evidence: Evidence::Format });
        });
    }
}

fn base(salt: u64) -> u64 {
    salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

fn step(hash: u64, byte: u8, base: u64) -> u64 {
    hash.wrapping_mul(base).wrapping_add(u64::from(byte))
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
    use super::super::Mask;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_forgotten_text_is_masked_and_its_stored_line_does_not_contain_it() {
        let text = "Project Bluebird-Zwölf";
        let forgotten = Forgotten::of(text, 0x1234).unwrap();
        let line = forgotten.to_line();
        assert!(!line.to_lowercase().contains("bluebird"), "{line}");
        assert_eq!(Forgotten::from_line(&line), Some(forgotten.clone()));
        let mask = Mask::new(vec![forgotten]);
        let masked = mask.text("About project BLUEBIRD-Zwölf: project bluebird-Zwölfs.").into_owned();
        assert_eq!(masked, "About [masked: forgotten]: [masked: forgotten]s.");
        assert_eq!(mask.text(&masked), masked);
        assert!(mask.has_forgotten(b"\x00\xffproject bluebird-zw\xc3\xb6lf\x01"));
        assert!(!mask.has_forgotten(b"project bluebird"));
        assert!(!Mask::default().has_forgotten(b"project bluebird-zw\xc3\xb6lf"));
    }

    #[test]
    fn a_text_that_is_too_short_or_part_of_the_mark_is_refused() {
        for text in ["", "abc", "forgotten", "Masked: F"] {
            assert_eq!(Forgotten::of(text, 1), None, "{text}");
        }
        assert!(Forgotten::of("marzipan", 1).is_some());
    }

    #[test]
    fn a_forgotten_text_is_masked_in_any_case_and_normal_form() {
        let mask = Mask::new(vec![Forgotten::of("Müßiggang Äpfel", 9).unwrap()]);
        for text in
            ["müßiggang äpfel", "MÜSSIGGANG ÄPFEL", "Mu\u{308}ßiggang A\u{308}pfel", "ＭÜßiggang\u{a0}Äpfel"]
        {
            assert_eq!(mask.text(&format!("<{text}é>")), "<[masked: forgotten]é>", "{text}");
            assert!(mask.has_forgotten(format!("\0{text}").as_bytes()), "{text}");
        }
        assert_eq!(mask.text("Mussiggang Apfel"), "Mussiggang Apfel");
    }

    #[test]
    fn a_forgotten_text_is_masked_with_the_escapes_of_json() {
        for text in
            ["say \"hi\" now", "a\\bcd", "one\ntwo", "tab\there", "Zw\u{f6}lf \u{1f980}", "path/to/it"]
        {
            let mask = Mask::new(vec![Forgotten::of(text, 9).unwrap()]);
            let mut form = text.to_owned();
            for level in 0..=3 {
                let shown = format!("x {form} y");
                assert_eq!(mask.text(&shown), "x [masked: forgotten] y", "{level}: {form}");
                assert!(mask.has_forgotten(shown.as_bytes()), "{level}: {form}");
                form = serde_json::to_string(&form).unwrap();
                form = form[1..form.len() - 1].to_owned();
            }
        }
        let mask = Mask::new(vec![Forgotten::of("Zw\u{f6}lf \u{1f980}", 9).unwrap()]);
        assert_eq!(mask.text(r"x Zw\u00f6lf \ud83e\udd80 \n"), r"x [masked: forgotten] \n");
        assert_eq!(mask.text(r"a \ path \u12 \q"), r"a \ path \u12 \q");
    }

    /// Arguments of a call are JSON in a string of a row, and a command in them may have JSON of its own.
    #[test]
    fn a_forgotten_text_is_masked_in_rows_of_a_backup_however_often_it_is_escaped() {
        for text in ["say \"hi\" now", "a\\bcd", "one\ntwo"] {
            let mask = Mask::new(vec![Forgotten::of(text, 9).unwrap()]);
            let body = serde_json::json!({"text": format!("please {text}, thanks")}).to_string();
            let arguments =
                serde_json::json!({"cmd": format!("curl -d '{body}' host"), "said": text}).to_string();
            let row =
                serde_json::json!({"payload": {"arguments": arguments, "text": text}, "n": 1}).to_string();
            let masked = mask.line(row.as_bytes()).into_owned();
            assert!(!mask.has_forgotten(masked.as_bytes()), "{masked}");
            assert!(masked.contains("please [masked: forgotten], thanks"), "{masked}");
            assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{masked}");
        }
    }

    proptest! {
        #[test]
        fn the_rolling_hash_finds_what_a_plain_search_finds(text in "[abA]{0,60}", wanted in "[ab]{4,6}", salt in any::<u64>()) {
            let mut found = Vec::new();
            Forgotten::of(&wanted, salt).unwrap().find(&fold_bytes(text.as_bytes()), |at| found.push(at));
            let lower = text.to_ascii_lowercase();
            let expected: Vec<usize> = (0..lower.len()).filter(|at| lower[*at..].starts_with(&wanted)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
