//! Combines many compactions into one figure. The compactions of a project are pooled, and all projects' shares weigh
//! the same, so that the busiest one does not decide. The closed gap is weighted by the square root of what was
//! missing, so that a project that missed a single name does not decide either.

use std::collections::BTreeMap;

use super::needs::{NeedCount, NeedKind, Score};

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Share {
    /// Items needed in all compactions together.
    pub needed: usize,
    /// Kept by the compaction.
    pub kept: f64,
    /// Present with the head of the brief.
    pub head: f64,
    /// Present with the whole brief.
    pub with: f64,
    /// Present with the best possible brief.
    pub best: Option<f64>,
    /// How far the head gets from what was kept to the best.
    pub head_closed: Option<f64>,
    /// How far the whole brief gets.
    pub gap_closed: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// A kind of which nothing was needed is missing.
    pub kinds: BTreeMap<NeedKind, Share>,
    /// The mean over files, commands and names with the head alone; `None` if none was needed.
    pub head_closed: Option<f64>,
    /// The same with the whole brief.
    pub gap_closed: Option<f64>,
}

/// The figures for compactions, given as (project, score).
pub fn total<'a>(scores: impl Iterator<Item = (&'a str, &'a Score)>) -> Total {
    let mut by_kind: BTreeMap<NeedKind, BTreeMap<&str, Vec<NeedCount>>> = BTreeMap::new();
    for (project, score) in scores {
        for (kind, tally) in score {
            by_kind.entry(*kind).or_default().entry(project).or_default().push(*tally);
        }
    }
    let kinds: BTreeMap<NeedKind, Share> =
        by_kind.iter().map(|(kind, groups)| (*kind, share(groups))).collect();
    let closed = |of: fn(&Share) -> Option<f64>| {
        let gaps: Vec<f64> = kinds.values().filter_map(of).collect();
        (!gaps.is_empty()).then(|| mean(gaps.into_iter()))
    };
    let (head_closed, gap_closed) = (closed(|share| share.head_closed), closed(|share| share.gap_closed));
    Total { kinds, head_closed, gap_closed }
}

/// The share of the gap that is closed; 1 if there is no gap.
pub fn gap_closed(kept: f64, with: f64, best: f64) -> f64 {
    if best - kept > 1e-9 { (with - kept) / (best - kept) } else { 1.0 }
}

fn share(groups: &BTreeMap<&str, Vec<NeedCount>>) -> Share {
    let projects: Vec<NeedCount> = groups.values().map(|group| pooled(group)).collect();
    let over =
        |of: &dyn Fn(&NeedCount) -> usize| mean(projects.iter().map(|t| of(t) as f64 / t.needed as f64));
    let has_best = projects.iter().all(|project| project.best.is_some());
    let closed = |of: &dyn Fn(&NeedCount) -> usize| {
        let gap = |project: &NeedCount| {
            let best = project.best.unwrap_or_default() as f64;
            let closed = gap_closed(project.kept as f64, of(project) as f64, best);
            (f64::sqrt(f64::max(best - project.kept as f64, 0.0)), closed)
        };
        has_best.then(|| weighted_mean(projects.iter().map(gap)))
    };
    Share {
        needed: projects.iter().map(|project| project.needed).sum(),
        kept: over(&|t| t.kept),
        head: over(&|t| t.head),
        with: over(&|t| t.with),
        best: has_best.then(|| over(&|t| t.best.unwrap_or_default())),
        head_closed: closed(&|t| t.head),
        gap_closed: closed(&|t| t.with),
    }
}

/// Pools the compactions of a project.
fn pooled(group: &[NeedCount]) -> NeedCount {
    group.iter().fold(NeedCount { best: Some(0), ..NeedCount::default() }, |sum, tally| NeedCount {
        needed: sum.needed + tally.needed,
        kept: sum.kept + tally.kept,
        head: sum.head + tally.head,
        with: sum.with + tally.with,
        best: sum.best.zip(tally.best).map(|(sum, best)| sum + best),
    })
}

/// The weighted mean of (weight, value); 1 if all weights are zero.
fn weighted_mean(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (weights, sum) =
        values.fold((0.0, 0.0), |(weights, sum), (weight, value)| (weights + weight, sum + weight * value));
    if weights > 0.0 { sum / weights } else { 1.0 }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(needed: usize, kept: usize, with: usize, best: usize) -> Score {
        Score::from([(NeedKind::File, NeedCount { needed, kept, head: kept, with, best: Some(best) })])
    }

    #[test]
    fn busy_and_quiet_projects_weigh_the_same() {
        let busy = [files(10, 0, 5, 10), files(10, 0, 5, 10)];
        let quiet = files(2, 1, 2, 2);
        let total = total([("busy", &busy[0]), ("busy", &busy[1]), ("quiet", &quiet)].into_iter());
        let share = total.kinds[&NeedKind::File];
        assert_eq!((share.needed, share.kept, share.with, share.best), (22, 0.25, 0.75, Some(1.0)));
        let roots = (f64::sqrt(20.0), 1.0);
        let closed = (roots.0 * 0.5 + roots.1) / (roots.0 + roots.1);
        assert!((share.gap_closed.unwrap() - closed).abs() < 1e-9);
        assert_eq!((share.head, share.head_closed), (share.kept, Some(0.0)), "the head added nothing");
    }

    #[test]
    fn gap_is_closed_if_nothing_is_missing() {
        let score = files(3, 3, 3, 3);
        assert_eq!(total([("p", &score)].into_iter()).gap_closed, Some(1.0));
    }

    #[test]
    fn prompts_and_tasks_have_no_gap() {
        let score =
            Score::from([(NeedKind::Prompt, NeedCount { needed: 2, kept: 1, head: 1, with: 2, best: None })]);
        let total = total([("p", &score)].into_iter());
        assert_eq!((total.kinds[&NeedKind::Prompt].best, total.gap_closed), (None, None));
    }
}
