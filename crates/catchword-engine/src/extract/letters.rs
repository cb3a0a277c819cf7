//! Tells without looking through a text that a word is not in it.

/// Which letters follow each other in a text: most words that are asked for are not in it, and nearly all of those have
/// three in a row that are not either.
#[derive(Clone, Default)]
pub struct Letters {
    triples: Vec<u64>,
}

impl Letters {
    /// Bits; a summary has some thousand different triples.
    const BITS: usize = 1 << 15;

    /// Takes in a text.
    pub fn note(&mut self, text: &[u8]) {
        if self.triples.is_empty() && !text.is_empty() {
            self.triples = vec![0; Self::BITS / 64];
        }
        for triple in text.windows(3) {
            let bit = Self::bit(triple);
            self.triples[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// False where it certainly is not in what was noted.
    pub fn may_hold(&self, word: &[u8]) -> bool {
        let has = |bit: usize| self.triples[bit / 64] & (1 << (bit % 64)) != 0;
        !self.triples.is_empty() && word.windows(3).all(|triple| has(Self::bit(triple)))
    }

    fn bit(triple: &[u8]) -> usize {
        let number = u32::from(triple[0]) << 16 | u32::from(triple[1]) << 8 | u32::from(triple[2]);
        (number.wrapping_mul(0x9E37_79B1) >> 17) as usize
    }
}

impl std::fmt::Debug for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Letters")
    }
}
