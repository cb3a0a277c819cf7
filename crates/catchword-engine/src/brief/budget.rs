//! Divides a budget among facts.
//!
//! Mandatory facts go in first, in their shortest form; then the person's words, from a share reserved for them; then
//! everything else by weight per character, changed files last. What is left pays for longer forms. The rest of
//! the page is the reference: verbatim lines, chosen by their score within the share of each pool.

use std::collections::HashSet;

use super::{BriefLine, REFERENCE, heading, is_tree, lay_out, piece};
use crate::choose::weights::SHARES;
use crate::choose::{RankedLine, select};
use crate::facts::{Fact, Priority, Section};
use crate::text::specifics::{hash, specifics};

/// One part in this many of a budget is reserved for the person's words.
const RESERVE: usize = 5;
/// Most items of each list; the rest can be found by searching.
pub const LISTS: [(Section, usize); 1] = [(Section::Changed, 40)];
/// Most characters of the person's words, up to the default budget.
const WORDS: usize = 2_600;
/// Minimum weight per character of a list item: what is below it is hardly ever needed.
const FLOOR: f32 = 1.2e-4;
/// Minimum weight of a fact for its longer form: the summary has what is worth less.
const WORTH_LENGTH: f32 = 0.01;
/// Characters that the headings of the reference take at most.
const HEADINGS: usize = 260;

/// Chooses facts and their forms to fit into `budget` characters, of which the frame takes `frame`.
pub fn choose(facts: Vec<Fact>, budget: usize, frame: usize) -> Vec<BriefLine> {
    let left = budget.saturating_sub(frame);
    let mut page = Page { left, opened: HashSet::new(), text: String::new() };
    let mut chosen: Vec<BriefLine> = facts.into_iter().map(|fact| BriefLine { fact, shown: None }).collect();
    for at in by(&chosen, Priority::Must, |fact| fact.weight) {
        page.show_short(&mut chosen[at]);
    }
    page.spend_reserve(&mut chosen, budget / RESERVE);
    page.list(&mut chosen, budget);
    page.lengthen(&mut chosen, budget);
    page.left = budget.saturating_sub(frame + length(&chosen));
    page.refer(&mut chosen);
    chosen
}

/// Characters of the page without its frame. Files of one folder share its name, so this is less than the sum of their
/// costs.
fn length(chosen: &[BriefLine]) -> usize {
    lay_out(chosen, &super::Frame { opening: "", closing: "" }).chars().count()
}

fn shortest(fact: &Fact) -> &str {
    fact.short.as_deref().unwrap_or(&fact.text)
}

/// Characters of a form. Files of one folder share a line, with one character more between them.
fn cost(fact: &Fact, form: &str) -> usize {
    piece(fact, form).chars().count() + usize::from(is_tree(fact.section))
}

/// Indices of the facts with this priority, highest `worth` first; equal ones in their given order.
fn by(chosen: &[BriefLine], priority: Priority, worth: impl Fn(&Fact) -> f32) -> Vec<usize> {
    let of_priority = chosen.iter().enumerate().filter(|(_, chosen)| chosen.fact.priority == priority);
    let mut order: Vec<(f32, usize)> = of_priority.map(|(at, chosen)| (worth(&chosen.fact), at)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, at)| at).collect()
}

/// Weight per character of the path itself: what is told about it does not make it worth less.
fn bare_worth(fact: &Fact) -> f32 {
    fact.weight / (fact.key.chars().count() + 2) as f32
}

fn per_character(fact: &Fact) -> f32 {
    fact.weight / cost(fact, shortest(fact)) as f32
}

/// The brief as far as it is decided.
struct Page {
    left: usize,
    opened: HashSet<Section>,
    text: String,
}

impl Page {
    /// Spends the reserve on the person's words: the leading requests in full, then the others by weight.
    fn spend_reserve(&mut self, chosen: &mut [BriefLine], reserve: usize) {
        let rest = self.left.saturating_sub(reserve);
        let leading = by(chosen, Priority::Must, |fact| fact.weight)
            .into_iter()
            .filter(|at| chosen[*at].fact.section == Section::Asked);
        for at in
            leading.collect::<Vec<_>>().into_iter().chain(by(chosen, Priority::Reserved, |fact| fact.weight))
        {
            let form = chosen[at].fact.text.clone();
            let before = chosen[at].shown.as_ref().map_or(0, |shown| cost(&chosen[at].fact, shown));
            if cost(&chosen[at].fact, &form) <= self.left.saturating_sub(rest) + before {
                self.show(&mut chosen[at], form);
            }
        }
    }

    /// Adds everything outside the lists, then each list by weight, down to the floor. An item that the page
    /// already contains needs no line of its own.
    fn list(&mut self, chosen: &mut [BriefLine], budget: usize) {
        let order = by(chosen, Priority::ByValue, per_character);
        let is_listed = |section: Section| LISTS.iter().any(|(list, _)| *list == section);
        for at in &order {
            if !is_listed(chosen[*at].fact.section) {
                self.show_short(&mut chosen[*at]);
            }
        }
        let is_usual = budget <= super::DEFAULT_BUDGET;
        for (list, most) in LISTS {
            let most = if is_usual { most } else { usize::MAX };
            let floor = if is_usual { FLOOR } else { 0.0 };
            let by_weight = by(chosen, Priority::ByValue, |fact| fact.weight).into_iter();
            let of_list = by_weight.filter(|at| chosen[*at].fact.section == list);
            let worth_it = of_list.filter(|at| bare_worth(&chosen[*at].fact) >= floor).take(most);
            for at in worth_it.collect::<Vec<_>>() {
                // A changed file is listed even if the page already names it.
                if list == Section::Changed || !self.text.contains(&chosen[at].fact.key) {
                    self.show_short(&mut chosen[at]);
                }
            }
        }
    }

    /// Spends what is left on longer forms, then on the person's words that did not fit the reserve.
    fn lengthen(&mut self, chosen: &mut [BriefLine], budget: usize) {
        let mut order = by(chosen, Priority::Must, |fact| fact.weight);
        order.extend(by(chosen, Priority::ByValue, |fact| fact.weight));
        for at in order {
            if chosen[at].shown.is_some() && chosen[at].fact.weight >= WORTH_LENGTH {
                let form = chosen[at].fact.text.clone();
                self.show(&mut chosen[at], form);
            }
        }
        let most = if budget > super::DEFAULT_BUDGET { budget } else { WORDS };
        for at in by(chosen, Priority::Reserved, |fact| fact.weight) {
            let asked = chosen.iter().filter(|chosen| chosen.fact.section == Section::Asked);
            let words: usize = asked.filter_map(|chosen| Some(chosen.shown.as_ref()?.chars().count())).sum();
            if chosen[at].shown.is_none() && words + shortest(&chosen[at].fact).chars().count() <= most {
                self.show_short(&mut chosen[at]);
            }
        }
    }

    /// Fills the rest of the page with lines of the reference.
    fn refer(&mut self, chosen: &mut [BriefLine]) {
        let room = self.left.saturating_sub(REFERENCE.chars().count() + HEADINGS);
        let mut at_of = Vec::new();
        let mut lines = Vec::new();
        for (at, BriefLine { fact, .. }) in chosen.iter().enumerate() {
            if let (Priority::Chosen(pool), Some(place)) = (fact.priority, fact.place)
                && !self.text.contains(&fact.key)
                && !self.text.contains(&fact.text)
            {
                let (text, cost) = (fact.key.as_str(), cost(fact, &fact.text));
                lines.push(RankedLine { pool, place, text, new: &fact.new, cost, score: fact.weight });
                at_of.push(at);
            }
        }
        let said = specifics(&self.text).map(hash);
        let taken: Vec<usize> = select(&lines, room, &SHARES, said).into_iter().map(|at| at_of[at]).collect();
        for at in taken {
            self.show_short(&mut chosen[at]);
        }
    }

    fn show_short(&mut self, chosen: &mut BriefLine) {
        let form = shortest(&chosen.fact).to_owned();
        self.show(chosen, form);
    }

    /// Shows a fact in this form, instead of the one it has, if that fits.
    fn show(&mut self, chosen: &mut BriefLine, form: String) {
        let before = chosen.shown.as_ref().map_or(0, |shown| cost(&chosen.fact, shown));
        let after = self.price(&chosen.fact, &form);
        if after <= self.left + before {
            self.left = self.left + before - after;
            self.opened.insert(chosen.fact.section);
            self.text.push_str(&form);
            self.text.push('\n');
            chosen.shown = Some(form);
        }
    }

    /// Characters that a form of a fact takes, with the section's heading if it is the first there.
    fn price(&self, fact: &Fact, form: &str) -> usize {
        let is_first = !self.opened.contains(&fact.section);
        cost(fact, form) + if is_first { heading(fact.section).chars().count() } else { 0 }
    }
}
