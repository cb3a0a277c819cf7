//! A score as a sum of table entries.
//!
//! A feature's values are divided into bins; each bin has a weight. So a score can be explained entry by entry, and a
//! feature may help in its middle and hurt at its ends.

use super::{FEATURES, Features};

/// Fitted tables, one row per feature in the order of [`FEATURES`].
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    /// The values at which a new bin begins, ascending.
    pub edges: &'a [&'a [f32]],
    /// The weight of each bin: one more than there are edges.
    pub weights: &'a [&'a [f32]],
}

/// The bin of a value.
pub fn bin(edges: &[f32], value: f32) -> usize {
    edges.partition_point(|edge| value >= *edge)
}

impl Model<'_> {
    /// How much a line is worth beside the others of its record.
    pub fn score(&self, features: &Features) -> f32 {
        (0..FEATURES.len()).map(|at| self.share(at, features)).sum()
    }

    /// What one feature adds to the score.
    pub fn share(&self, at: usize, features: &Features) -> f32 {
        self.weights[at][bin(self.edges[at], features[at])]
    }

    /// The features that add most to the score, or take most from it, in words.
    pub fn reasons(&self, features: &Features, most: usize) -> Vec<(&'static str, f32)> {
        let mut all: Vec<(&'static str, f32)> =
            FEATURES.iter().enumerate().map(|(at, name)| (*name, self.share(at, features))).collect();
        all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        all.truncate(most);
        all
    }
}
