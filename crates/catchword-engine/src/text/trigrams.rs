//! Which three bytes in a row a text has: whatever has others is not in it, and most things are ruled out by that.

/// As a set of bits by a hash, so it may say yes to three bytes that the text does not have.
#[derive(Clone, Debug, Default)]
pub struct Trigrams(Vec<u64>);

/// Bits of the hash: a summary of 20,000 characters sets one bit in eight.
const BITS: u32 = 16;

impl Trigrams {
    pub fn of(text: &str) -> Trigrams {
        let mut bits = vec![0; (1 << BITS) / 64];
        for three in text.as_bytes().windows(3) {
            let at = hash(three);
            bits[at / 64] |= 1 << (at % 64);
        }
        Trigrams(bits)
    }

    /// Whether the text may have this in it. One that is shorter may be anywhere.
    pub fn may_have(&self, part: &str) -> bool {
        !self.0.is_empty() && part.as_bytes().windows(3).all(|three| self.has(three))
    }

    /// Where in a line three bytes stand that the text may have.
    pub fn starts_in<'a>(&'a self, line: &'a str) -> impl Iterator<Item = usize> + 'a {
        let three = line.as_bytes().windows(3).enumerate();
        three.filter(|(_, three)| self.has(three)).map(|(at, _)| at).filter(|at| line.is_char_boundary(*at))
    }

    fn has(&self, three: &[u8]) -> bool {
        let at = hash(three);
        self.0[at / 64] & (1 << (at % 64)) != 0
    }
}

fn hash(three: &[u8]) -> usize {
    let number = u32::from(three[0]) | u32::from(three[1]) << 8 | u32::from(three[2]) << 16;
    (number.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_a_text_has_is_never_ruled_out(text in "[a-d]{0,60}", from in 0..60_usize, long in 0..9_usize) {
            let from = from.min(text.len());
            let part = &text[from..(from + long).min(text.len())];
            prop_assert!(Trigrams::of(&text).may_have(part));
        }
    }

    #[test]
    fn what_a_text_cannot_have_is_ruled_out() {
        let text = Trigrams::of("src/parser.rs has the grammar");
        assert!(!text.may_have("src/lexer.rs") && text.may_have("src/parser.rs") && text.may_have("x"));
        assert!(!Trigrams::default().may_have("x"), "of no text");
    }
}
