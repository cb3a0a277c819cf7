//! Decides at which points of the gauge to make a checkpoint.
//!
//! There are two kinds: percentages left before the compaction, which the person is told about, and token steps, which
//! are recorded silently. Each is reached once between two compactions; a jump over several reaches all of them.

use super::Gauge;

/// When to make checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// Percentages left before the compaction.
    pub left: Vec<u8>,
    /// Tokens at the first step.
    pub from: u64,
    /// Tokens between steps; 0 for no steps.
    pub every: u64,
}

impl Default for CheckpointPlan {
    fn default() -> Self {
        CheckpointPlan { left: vec![30, 15, 5], from: 50_000, every: 10_000 }
    }
}

/// One point of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threshold {
    /// This many tokens are used.
    Used(u64),
    /// This percentage is left before the compaction.
    Left(u8),
}

impl Threshold {
    /// Parses the `Display` form.
    pub fn parse(text: &str) -> Option<Threshold> {
        let (kind, number) = text.split_once(' ')?;
        match kind {
            "used" => number.parse().ok().map(Threshold::Used),
            "left" => number.strip_suffix('%')?.parse().ok().map(Threshold::Left),
            _ => None,
        }
    }
}

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Threshold::Used(tokens) => write!(f, "used {tokens}"),
            Threshold::Left(percent) => write!(f, "left {percent}%"),
        }
    }
}

/// The points a session has reached since its latest compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The smallest percentage recorded.
    pub left: Option<u8>,
    /// The highest step recorded.
    pub step: Option<u64>,
    /// The smallest percentage the person was told.
    pub told: Option<u8>,
}

/// Maximum number of steps recorded at once; the lowest are skipped.
const MOST_STEPS: usize = 200;

impl CheckpointPlan {
    /// No points at all.
    pub fn none() -> Self {
        CheckpointPlan { left: Vec::new(), from: 0, every: 0 }
    }

    /// Points that the gauge has passed and that are not recorded yet, most urgent last.
    pub fn due(&self, gauge: &Gauge, reached: &Reached) -> Vec<Threshold> {
        let mut due = self.steps(gauge, reached.step);
        let mut left: Vec<u8> = self.passed(gauge).filter(|p| reached.left.is_none_or(|r| *p < r)).collect();
        left.sort_unstable_by(|a, b| b.cmp(a));
        left.dedup();
        due.extend(left.into_iter().map(Threshold::Left));
        due
    }

    /// The percentage to tell the person, if they do not know it yet: passed by the gauge, or already recorded by
    /// another process.
    pub fn to_tell(&self, gauge: &Gauge, reached: &Reached) -> Option<u8> {
        let recorded = reached.left.filter(|left| self.left.contains(left));
        self.passed(gauge)
            .chain(recorded)
            .min()
            .filter(|percent| reached.told.is_none_or(|told| *percent < told))
    }

    fn passed(&self, gauge: &Gauge) -> impl Iterator<Item = u8> {
        let left = gauge.left().map(u128::from);
        let whole = gauge.threshold.map_or(0, |threshold| u128::from(threshold.tokens));
        let passed = move |percent: u8| left.is_some_and(|left| left * 100 <= whole * u128::from(percent));
        self.left.iter().copied().filter(move |percent| passed(*percent))
    }

    fn steps(&self, gauge: &Gauge, reached: Option<u64>) -> Vec<Threshold> {
        let used = gauge.used.map_or(0, |used| used.tokens);
        if self.every == 0 || used < self.from {
            return Vec::new();
        }
        let highest = (used - self.from) / self.every;
        let all = (0..=highest).rev().map(|n| Threshold::Used(self.from + n * self.every));
        let is_new = |step: &Threshold| reached.is_none_or(|reached| *step > Threshold::Used(reached));
        let mut steps: Vec<Threshold> = all.take_while(is_new).take(MOST_STEPS).collect();
        steps.reverse();
        steps
    }
}
