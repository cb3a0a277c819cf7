//! Fills a budget with the best lines, each specific thing once.

use std::collections::{HashMap, HashSet};

use super::Pool;
use crate::model::entry::Place;
use crate::text::specifics::{WordHash, hash, specifics};
use crate::text::stems::StemSet;
use crate::text::units::units;

/// Lines of one row that are shown at most: a row has one subject.
const PER_ROW: usize = 6;
/// Shorter lines say nothing on their own.
const SHORTEST: usize = 12;

/// What a line loses in score if the page has nearly all its specific things. Tried with each project left out, mean over
/// 4,500 to 9,500 characters: 2 gives back 49.7%, 1 gives 51.0%; 0 gave 3.7 points less in 6,000.
const SHARED: f32 = 1.0;

/// The share of its words that the page must have, beside all things it names, for a line to add nothing.
const MOST_WORDS: f32 = 0.7;

/// How much length counts against a line. With 1, worth per character, the best lines of a session are passed over if they
/// are long. Tried with each project left out, mean over four budgets: 1 gives 47.6% of all projects and 34.5% of the
/// newer ones, 0.7 gives 47.9 and 35.9, 0.5 gives 48.2 and 36.9, 0.3 gives 47.1 and 36.0.
const LENGTH: f32 = 0.6;

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
///
/// Next is always the line that is worth most for its length; what it shares with the page counts less. First every pool
/// spends its share, then whoever is next fills the rest.
pub fn select(
    lines: &[RankedLine],
    budget: usize,
    shares: &Shares,
    said: impl IntoIterator<Item = WordHash>,
) -> Vec<usize> {
    let mut page = FilledPage { left: budget, covered: said.into_iter().collect(), ..FilledPage::default() };
    let room: Vec<usize> = shares.iter().map(|share| budget * share / 100).collect();
    let mut open: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at].text.chars().count() >= SHORTEST).collect();
    for is_shared in [true, false] {
        let mut room = room.clone();
        loop {
            let fits = |line: &RankedLine| {
                line.cost <= page.left && (!is_shared || line.cost <= room[line.pool as usize])
            };
            let worth = |at: usize| Some((page.worth(&lines[at])?, at)).filter(|_| fits(&lines[at]));
            let best = open
                .iter()
                .filter_map(|at| worth(*at))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((_, at)) = best else { break };
            if is_shared {
                room[lines[at].pool as usize] -= lines[at].cost;
            }
            page.take(at, &lines[at]);
            open.retain(|open| *open != at);
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
    /// Words on the page.
    topics: StemSet,
    texts: HashSet<&'a str>,
    per_row: HashMap<Place, usize>,
}

impl<'a> FilledPage<'a> {
    /// What a line adds to the page; `None` if nothing.
    fn worth(&self, line: &RankedLine) -> Option<f32> {
        let covered = line.new.iter().filter(|thing| self.covered.contains(thing)).count();
        let is_said = covered > 0 && covered == line.new.len() && self.speaks_of(line.text);
        let is_full = self.per_row.get(&line.place).is_some_and(|lines| *lines >= PER_ROW);
        if is_said || is_full || self.texts.contains(line.text) {
            return None;
        }
        let shared = if line.new.is_empty() { 0.0 } else { covered as f32 / line.new.len() as f32 };
        Some(line.score - LENGTH * (line.cost as f32).ln() - SHARED * shared)
    }

    /// The page has nearly all words of this line, too: a run and its error name the same things and say others.
    fn speaks_of(&self, text: &str) -> bool {
        let (all, there) = units(text).fold((0, 0), |(all, there), unit| {
            (all + 1, there + usize::from(self.topics.contains(&unit.stem)))
        });
        there as f32 >= MOST_WORDS * all as f32
    }

    fn take(&mut self, at: usize, line: &RankedLine<'a>) {
        self.topics.extend(units(line.text).map(|unit| unit.stem));
        self.left -= line.cost;
        self.covered.extend(specifics(line.text).map(hash));
        self.texts.insert(line.text);
        *self.per_row.entry(line.place).or_default() += 1;
        self.chosen.push(at);
    }
}
