//! How much and how recently something was used: one number that decays with every tool call.

use serde::{Deserialize, Serialize};

/// Tool calls after which a use counts 1/e, about a third: measured, see `docs/brief.md`.
pub const COOLING: f32 = 40.0;

/// Uses of one thing. Several at the same clock count once: a word that fills a file says no more than one mention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    sum: f32,
    /// Tool calls before its last use.
    pub clock: u32,
}

impl Heat {
    /// Records a use.
    pub fn touch(&mut self, clock: u32) {
        if self.sum > 0.0 && clock == self.clock {
            return;
        }
        self.sum = self.sum * cooled(clock.saturating_sub(self.clock), COOLING) + 1.0;
        self.clock = clock;
    }

    /// Merges the uses of two names of the same thing.
    pub fn add(&mut self, other: Heat) {
        let (older, newer) = if self.clock <= other.clock { (*self, other) } else { (other, *self) };
        self.sum = older.sum * cooled(newer.clock - older.clock, COOLING) + newer.sum;
        self.clock = newer.clock;
    }

    /// Usage as of `now`; grows with the logarithm of the uses.
    pub fn level(&self, now: u32) -> f32 {
        (1.0 + self.sum * cooled(now.saturating_sub(self.clock), COOLING)).log2()
    }

    /// How fresh its last use is: 1 now, towards 0 with age.
    pub fn freshness(&self, now: u32) -> f32 {
        freshness(self.clock, now, COOLING)
    }
}

pub fn freshness(clock: u32, now: u32, cooling: f32) -> f32 {
    cooled(now.saturating_sub(clock), cooling)
}

fn cooled(age: u32, cooling: f32) -> f32 {
    (-(age as f32) / cooling).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_at_the_same_clock_count_once() {
        let (mut once, mut thrice) = (Heat::default(), Heat::default());
        once.touch(5);
        for _ in 0..3 {
            thrice.touch(5);
        }
        assert_eq!(once, thrice);
    }

    #[test]
    fn heat_grows_with_use_and_cools_with_age() {
        let mut heat = Heat::default();
        heat.touch(1);
        let once = heat.level(1);
        heat.touch(2);
        assert!(heat.level(2) > once);
        assert!(heat.level(200) < heat.level(2));
    }

    #[test]
    fn adding_does_not_depend_on_the_order() {
        let of = |clocks: &[u32]| {
            let mut heat = Heat::default();
            for clock in clocks {
                heat.touch(*clock);
            }
            heat
        };
        let (mut ab, mut ba) = (of(&[1, 9]), of(&[4]));
        ab.add(of(&[4]));
        ba.add(of(&[1, 9]));
        assert!((ab.level(10) - ba.level(10)).abs() < 1e-5);
        assert_eq!(ab.clock, 9);
    }
}
