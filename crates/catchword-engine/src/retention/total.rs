//! Many compactions as one figure: projects count alike, so that the busiest does not decide.

use std::collections::BTreeMap;

use super::{Kind, Score, Tally};

/// The shares of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Items that were needed, all compactions together.
    pub needed: usize,
    /// Kept by the compaction.
    pub kept: f64,
    /// There with the brief.
    pub with: f64,
    /// There with the best possible one.
    pub best: Option<f64>,
    /// How far the brief gets from what was kept to the best.
    pub gap_closed: Option<f64>,
}

/// The shares of all kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// By kind; kinds of which nothing was needed are missing.
    pub kinds: BTreeMap<Kind, Share>,
    /// The mean over files, commands and names; `None` when none was needed.
    pub gap_closed: Option<f64>,
}

/// The mean over projects of the mean over each one's compactions; `scores` come with their project.
pub fn total<'a>(scores: impl Iterator<Item = (&'a str, &'a Score)>) -> Total {
    let mut by_kind: BTreeMap<Kind, BTreeMap<&str, Vec<Tally>>> = BTreeMap::new();
    for (project, score) in scores {
        for (kind, tally) in score {
            by_kind.entry(*kind).or_default().entry(project).or_default().push(*tally);
        }
    }
    let kinds: BTreeMap<Kind, Share> = by_kind.iter().map(|(kind, groups)| (*kind, share(groups))).collect();
    let gaps: Vec<f64> = kinds.values().filter_map(|share| share.gap_closed).collect();
    let gap_closed = (!gaps.is_empty()).then(|| mean(gaps.iter().copied()));
    Total { kinds, gap_closed }
}

/// How much of the gap is closed; where there is none, all of it.
pub fn gap_closed(kept: f64, with: f64, best: f64) -> f64 {
    if best - kept > 1e-9 { (with - kept) / (best - kept) } else { 1.0 }
}

fn share(groups: &BTreeMap<&str, Vec<Tally>>) -> Share {
    let over = |of: &dyn Fn(&Tally) -> usize| {
        mean(groups.values().map(|group| mean(group.iter().map(|t| of(t) as f64 / t.needed as f64))))
    };
    let (kept, with) = (over(&|t| t.kept), over(&|t| t.with));
    let has_best = groups.values().flatten().all(|tally| tally.best.is_some());
    let best = has_best.then(|| over(&|t| t.best.unwrap_or_default()));
    Share {
        needed: groups.values().flatten().map(|tally| tally.needed).sum(),
        kept,
        with,
        best,
        gap_closed: best.map(|best| gap_closed(kept, with, best)),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(needed: usize, kept: usize, with: usize, best: usize) -> Score {
        Score::from([(Kind::File, Tally { needed, kept, with, best: Some(best) })])
    }

    #[test]
    fn a_busy_project_counts_like_a_quiet_one() {
        let busy = [files(10, 0, 5, 10), files(10, 0, 5, 10)];
        let quiet = files(2, 1, 2, 2);
        let total = total([("busy", &busy[0]), ("busy", &busy[1]), ("quiet", &quiet)].into_iter());
        let share = total.kinds[&Kind::File];
        assert_eq!((share.needed, share.kept, share.with, share.best), (22, 0.25, 0.75, Some(1.0)));
        assert!((share.gap_closed.unwrap() - 0.5 / 0.75).abs() < 1e-9);
    }

    #[test]
    fn where_nothing_is_missing_the_gap_is_closed() {
        let score = files(3, 3, 3, 3);
        assert_eq!(total([("p", &score)].into_iter()).gap_closed, Some(1.0));
    }

    #[test]
    fn words_and_tasks_have_no_gap() {
        let score = Score::from([(Kind::Prompt, Tally { needed: 2, kept: 1, with: 2, best: None })]);
        let total = total([("p", &score)].into_iter());
        assert_eq!((total.kinds[&Kind::Prompt].best, total.gap_closed), (None, None));
    }
}
