//! Fits the weights of `choose/`: a logistic regression on the bins of each feature.
//!
//! A line of the record is a hit if it says a fact that the summary lost. Hits are rare, so they weigh more, and those of
//! a case with many hits less. All weights are drawn to zero by the same amount; that amount is the only setting
//! ([`PULL`]), and the result hardly depends on it (`docs/measured.md`).

use catchword_engine::choose::{Model, bin};

/// How strongly weights are drawn to zero. Mean of the left-out figures over four budgets, all and newer projects: 48.6
/// and 35.5% with 200, 49.6 and 37.0% with 800, 49.3 and 36.9% with 1,600, 47.4 and 35.2% with 3,200.
const PULL: f64 = 800.0;
/// Bins per feature, each with about as many lines.
const BINS: usize = 6;
/// How much a hit weighs beside another line.
const HIT: f64 = 20.0;
/// Steps of Newton's method; it has converged long before.
const STEPS: usize = 12;

/// The lines of one compaction.
#[derive(Clone, Debug, Default)]
pub struct TrainingCase {
    pub project: String,
    /// One row per line, one value per feature.
    pub features: Vec<Vec<f32>>,
    /// The weight of the fact that a line says; 0 for most.
    pub hits: Vec<f32>,
}

/// Fitted tables.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub edges: Vec<Vec<f32>>,
    pub weights: Vec<Vec<f32>>,
}

impl Tables {
    /// Calls `use_it` with these tables as a model.
    pub fn model<T>(&self, use_it: impl FnOnce(&Model) -> T) -> T {
        let edges: Vec<&[f32]> = self.edges.iter().map(Vec::as_slice).collect();
        let weights: Vec<&[f32]> = self.weights.iter().map(Vec::as_slice).collect();
        use_it(&Model { edges: &edges, weights: &weights })
    }
}

/// Fits tables to the lines of these cases.
pub fn fit(cases: &[&TrainingCase]) -> Tables {
    let edges = edges(cases);
    let first: Vec<usize> = edges
        .iter()
        .scan(1, |at, edges| {
            let own = *at;
            *at += edges.len() + 1;
            Some(own)
        })
        .collect();
    let size = first.last().map_or(1, |last| last + edges.last().map_or(0, Vec::len) + 1);
    let mut rows: Vec<TrainingRow> = Vec::new();
    for case in cases {
        let hits = case.hits.iter().filter(|hit| **hit > 0.0).count().max(1) as f64;
        for (features, hit) in case.features.iter().zip(&case.hits) {
            let mut bins = vec![0_u16];
            bins.extend(
                features
                    .iter()
                    .zip(&edges)
                    .zip(&first)
                    .map(|((value, edges), at)| (at + bin(edges, *value)) as u16),
            );
            let is_hit = *hit > 0.0;
            let weight = if is_hit { f64::from(*hit) * HIT / hits.sqrt() } else { 1.0 };
            rows.push(TrainingRow { bins, is_hit, weight });
        }
    }
    let solution = newton(&rows, size);
    let weights = edges
        .iter()
        .zip(&first)
        .map(|(edges, at)| solution[*at..=at + edges.len()].iter().map(|weight| *weight as f32).collect())
        .collect();
    Tables { edges, weights }
}

struct TrainingRow {
    /// The bins that it falls into; the first is the same for every row.
    bins: Vec<u16>,
    is_hit: bool,
    weight: f64,
}

/// The values that divide each feature into bins with about as many lines.
fn edges(cases: &[&TrainingCase]) -> Vec<Vec<f32>> {
    let features = cases.iter().find_map(|case| case.features.first()).map_or(0, Vec::len);
    (0..features)
        .map(|at| {
            let mut values: Vec<f32> =
                cases.iter().flat_map(|case| case.features.iter().map(move |row| row[at])).collect();
            values.sort_by(f32::total_cmp);
            let mut different = values.clone();
            different.dedup();
            let mut edges: Vec<f32> = if different.len() <= BINS * 2 {
                different[1..].to_vec()
            } else {
                // Many features are 0 in most lines: the others are divided among themselves.
                let rest = &values[values.partition_point(|value| *value <= values[0])..];
                let is_sparse = rest.len() * BINS < values.len() * (BINS - 1);
                let (divided, bins) = if is_sparse { (rest, BINS - 1) } else { (&values[..], BINS) };
                let first = usize::from(!is_sparse);
                (first..bins).map(|bin| divided[bin * divided.len() / bins]).collect()
            };
            edges.dedup();
            edges.retain(|edge| *edge > values[0]);
            edges
        })
        .collect()
}

/// Newton's method on the weighted log-likelihood.
fn newton(rows: &[TrainingRow], size: usize) -> Vec<f64> {
    let mut solution = vec![0.0; size];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = solution.iter().map(|weight| -PULL * weight).collect();
        // The first weight is that of every line, and free.
        gradient[0] = 0.0;
        let mut curvature = vec![vec![0.0; size]; size];
        for (at, row) in curvature.iter_mut().enumerate() {
            row[at] = if at == 0 { 1e-6 } else { PULL };
        }
        for row in rows {
            let score: f64 = row.bins.iter().map(|bin| solution[usize::from(*bin)]).sum();
            let chance = 1.0 / (1.0 + (-score).exp());
            let error = row.weight * (f64::from(u8::from(row.is_hit)) - chance);
            let bend = row.weight * chance * (1.0 - chance);
            for (nth, bin) in row.bins.iter().enumerate() {
                gradient[usize::from(*bin)] += error;
                let line = &mut curvature[usize::from(*bin)];
                for other in &row.bins[..=nth] {
                    line[usize::from(*other)] += bend;
                }
            }
        }
        let step = solved(curvature, gradient);
        solution.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    solution
}

/// Solves a symmetric positive system by Cholesky's method; only the lower half of `matrix` is read.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let (above, below) = matrix.split_at_mut(row);
            let own = &mut below[0];
            let sum: f64 = if column == row {
                own[..column].iter().map(|value| value * value).sum()
            } else {
                own[..column].iter().zip(&above[column][..column]).map(|(a, b)| a * b).sum()
            };
            own[column] = if column == row {
                (own[column] - sum).max(1e-12).sqrt()
            } else {
                (own[column] - sum) / above[column][column]
            };
        }
    }
    for row in 0..size {
        let sum: f64 = matrix[row][..row].iter().zip(&right).map(|(a, b)| a * b).sum();
        right[row] = (right[row] - sum) / matrix[row][row];
    }
    for row in (0..size).rev() {
        let sum: f64 = (row + 1..size).map(|below| matrix[below][row] * right[below]).sum();
        right[row] = (right[row] - sum) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_system_is_solved() {
        let matrix = vec![vec![4.0, 0.0, 0.0], vec![2.0, 5.0, 0.0], vec![1.0, 3.0, 6.0]];
        let solution = solved(matrix, vec![11.0, 21.0, 25.0]);
        let expected = [1.0, 2.0, 3.0];
        assert!(solution.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{solution:?}");
    }

    #[test]
    fn lines_like_the_hits_score_higher_than_others() {
        let case = |shift: u32| {
            let features = (0..400).map(|n: u32| vec![((n * 7 + shift) % 100) as f32, (n % 3) as f32]);
            let features: Vec<Vec<f32>> = features.collect();
            let hits = features.iter().map(|row| f32::from(u8::from(row[0] > 90.0))).collect();
            TrainingCase { project: shift.to_string(), features, hits }
        };
        let (one, two) = (case(1), case(2));
        let tables = fit(&[&one, &two]);
        let (high, low) = (&tables.weights[0][bin(&tables.edges[0], 95.0)], &tables.weights[0][0]);
        assert!(high > low, "{tables:?}");
        let spread = tables.weights[1].iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
        assert!(spread < (high - low) / 4.0, "a feature that tells nothing has small weights: {tables:?}");
    }
}
