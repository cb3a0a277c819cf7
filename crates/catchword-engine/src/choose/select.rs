//! Fills a budget with the best lines, each specific thing once.

use std::collections::{HashMap, HashSet};

use super::Pool;
use crate::model::entry::Place;
use crate::text::specifics::{WordHash, hash, specifics};

/// Lines of one row that are shown at most: a row has one subject.
const PER_ROW: usize = 6;
/// Shorter lines say nothing on their own.
const SHORTEST: usize = 12;

/// The part of the budget that each pool may use before the others, in percent, in the order of [`Pool::ALL`].
pub type Shares = [usize; Pool::ALL.len()];

/// A line that could be shown.
#[derive(Clone, Copy, Debug)]
pub struct RankedLine<'a> {
    pub pool: Pool,
    pub place: Place,
    /// What it says, without quotation marks and place.
    pub text: &'a str,
    /// Its specific things that the model lacks.
    pub new: &'a [WordHash],
    /// Characters that it takes on the page.
    pub cost: usize,
    pub score: f32,
}

/// The indices of the chosen lines, in order. `said` has the specific things that the page says already.
pub fn select(
    lines: &[RankedLine],
    budget: usize,
    shares: &Shares,
    said: impl IntoIterator<Item = WordHash>,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| lines[*b].score.total_cmp(&lines[*a].score).then(a.cmp(b)));
    let mut page = FilledPage { left: budget, covered: said.into_iter().collect(), ..FilledPage::default() };
    let mut room: Vec<usize> = shares.iter().map(|share| budget * share / 100).collect();
    // First every pool within its share, then the rest of the page whoever is next.
    for is_shared in [true, false] {
        for at in &order {
            let (line, pool) = (&lines[*at], lines[*at].pool as usize);
            if is_shared && room[pool] < line.cost {
                continue;
            }
            if page.take(*at, line) && is_shared {
                room[pool] -= line.cost;
            }
        }
    }
    page.chosen.sort_unstable();
    page.chosen
}

#[derive(Default)]
struct FilledPage<'a> {
    left: usize,
    chosen: Vec<usize>,
    /// Specific things on the page.
    covered: HashSet<WordHash>,
    texts: HashSet<&'a str>,
    per_row: HashMap<Place, usize>,
}

impl<'a> FilledPage<'a> {
    fn take(&mut self, at: usize, line: &RankedLine<'a>) -> bool {
        if line.cost > self.left || line.text.chars().count() < SHORTEST || self.texts.contains(line.text) {
            return false;
        }
        let is_covered = !line.new.is_empty() && line.new.iter().all(|thing| self.covered.contains(thing));
        if is_covered || self.per_row.get(&line.place).is_some_and(|lines| *lines >= PER_ROW) {
            return false;
        }
        self.left -= line.cost;
        self.covered.extend(specifics(line.text).map(hash));
        self.texts.insert(line.text);
        *self.per_row.entry(line.place).or_default() += 1;
        self.chosen.push(at);
        true
    }
}
