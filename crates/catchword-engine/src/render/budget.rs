//! Divides a budget among facts.
//!
//! What must be there goes in first, in its shortest form; then what has a claim to the reserve; then whatever
//! gives most per character. What is left over makes forms longer. Greedy, and good enough: costs are small
//! against the budget, so an exact knapsack gains less than one line.

use std::collections::HashSet;

use super::{Chosen, heading, piece};
use crate::extract::{Fact, Section, Turn};

/// The part of a budget that is kept for reserved facts.
const RESERVE: usize = 5;
/// A budget below which the small prices hold.
const SMALL: usize = 4_000;

/// Chooses facts and their forms so that all of them fit into `budget` characters together with a frame of
/// `frame`.
pub fn choose(facts: Vec<Fact>, budget: usize, frame: usize) -> Vec<Chosen> {
    let mut page = Page { left: budget.saturating_sub(frame), opened: HashSet::new(), text: String::new() };
    let mut chosen: Vec<Chosen> = facts.into_iter().map(|fact| Chosen { fact, shown: None }).collect();
    for at in by(&chosen, Turn::Must, |f| f.weight) {
        page.show_short(&mut chosen[at]);
    }
    page.spend_reserve(&mut chosen, budget / RESERVE);
    let prices = Prices::of(&chosen, budget);
    for at in by(&chosen, Turn::Weighed, |f| prices.worth(f) / cost(f, shortest(f)) as f32) {
        if !page.has(&chosen[at].fact) {
            page.show_short(&mut chosen[at]);
        }
    }
    lengthen(&mut page, &mut chosen);
    chosen
}

/// Gives what is left to longer forms, and then to reserved facts that had to wait.
fn lengthen(page: &mut Page, chosen: &mut [Chosen]) {
    for at in by(chosen, Turn::Must, |f| f.weight).into_iter().chain(by(chosen, Turn::Weighed, |f| f.weight))
    {
        if chosen[at].shown.is_some() && chosen[at].fact.short.is_some() {
            let form = chosen[at].fact.text.clone();
            page.show(&mut chosen[at], form);
        }
    }
    for at in by(chosen, Turn::Reserved, |f| f.weight) {
        if chosen[at].shown.is_none() {
            page.show_short(&mut chosen[at]);
        }
    }
}

fn shortest(fact: &Fact) -> &str {
    fact.short.as_deref().unwrap_or(&fact.text)
}

fn cost(fact: &Fact, form: &str) -> usize {
    piece(fact, form).chars().count()
}

/// What one needed file, command or name is worth against the others.
struct Prices {
    files: f32,
    commands: f32,
    names: f32,
}

impl Prices {
    /// The more of a kind will be needed anyway, the less one of them is worth. A small brief cannot follow
    /// that: there a command, which nothing replaces, comes before a file, and a file before a name.
    fn of(chosen: &[Chosen], budget: usize) -> Prices {
        if budget < SMALL {
            return Prices { files: 0.4, commands: 3.0, names: 0.25 };
        }
        let expected = |sections: &[Section]| {
            let of_kind = chosen.iter().filter(|c| sections.contains(&c.fact.section));
            of_kind.map(|c| c.fact.weight).sum::<f32>()
        };
        let price = |claim: f32, sections: &[Section]| claim / (expected(sections) + 0.5).sqrt();
        Prices {
            files: price(0.8, &[Section::Changed, Section::Files]),
            commands: price(1.5, &[Section::Commands]),
            names: price(1.0, &[Section::Names, Section::Tests, Section::Ids]),
        }
    }

    fn worth(&self, fact: &Fact) -> f32 {
        match fact.section {
            Section::Changed | Section::Files => self.files * fact.weight,
            Section::Commands => self.commands * fact.weight,
            Section::Names | Section::Tests | Section::Ids => self.names * fact.weight,
            _ => fact.weight,
        }
    }
}

/// Indices of the facts whose turn it is, the most worth first; equal ones in their given order.
fn by(chosen: &[Chosen], turn: Turn, worth: impl Fn(&Fact) -> f32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..chosen.len()).filter(|at| chosen[*at].fact.turn == turn).collect();
    order.sort_by(|a, b| worth(&chosen[*b].fact).total_cmp(&worth(&chosen[*a].fact)).then(a.cmp(b)));
    order
}

/// The brief as far as it is decided.
struct Page {
    left: usize,
    opened: HashSet<Section>,
    text: String,
}

impl Page {
    /// Gives the reserve to the person's words: the leading requests whole, then the others, newest first.
    fn spend_reserve(&mut self, chosen: &mut [Chosen], reserve: usize) {
        let rest = self.left.saturating_sub(reserve);
        let leading = by(chosen, Turn::Must, |f| f.weight)
            .into_iter()
            .filter(|at| chosen[*at].fact.section == Section::Asked);
        for at in leading.collect::<Vec<_>>().into_iter().chain(by(chosen, Turn::Reserved, |f| f.weight)) {
            let form = chosen[at].fact.text.clone();
            let before = chosen[at].shown.as_ref().map_or(0, |shown| cost(&chosen[at].fact, shown));
            if cost(&chosen[at].fact, &form) <= self.left.saturating_sub(rest) + before {
                self.show(&mut chosen[at], form);
            }
        }
    }

    fn show_short(&mut self, chosen: &mut Chosen) {
        let form = shortest(&chosen.fact).to_owned();
        self.show(chosen, form);
    }

    /// Shows a fact in this form, instead of the one it has, if that fits.
    fn show(&mut self, chosen: &mut Chosen, form: String) {
        let before = chosen.shown.as_ref().map_or(0, |shown| cost(&chosen.fact, shown));
        let section = chosen.fact.section;
        let opening = if self.opened.contains(&section) { 0 } else { heading(section).chars().count() };
        let after = cost(&chosen.fact, &form) + opening;
        if after <= self.left + before {
            self.left = self.left + before - after;
            self.opened.insert(section);
            self.text.push_str(&form);
            self.text.push('\n');
            chosen.shown = Some(form);
        }
    }

    /// A file, command or name that the page shows already, as part of something else. A changed file is shown all
    /// the same: that it was changed is what matters.
    fn has(&self, fact: &Fact) -> bool {
        matches!(
            fact.section,
            Section::Files | Section::Commands | Section::Names | Section::Tests | Section::Ids
        ) && memchr::memmem::find(self.text.as_bytes(), fact.bare.as_bytes()).is_some()
    }
}
