//! Divides a budget among facts.
//!
//! What must be there goes in first, in its shortest form. Then comes whatever gives most per character:
//! another fact, or the longer form of one that is already in. Greedy, and good enough: costs are small
//! against the budget, so an exact knapsack gains less than one line.

use std::collections::HashSet;

use super::{Chosen, heading, line};
use crate::extract::{Fact, Section};

/// Chooses facts and their forms so that all of them fit into `budget` characters together with a frame of
/// `frame`.
pub fn choose(facts: Vec<Fact>, budget: usize, frame: usize) -> Vec<Chosen> {
    let mut space = Space { left: budget.saturating_sub(frame), opened: HashSet::new() };
    let mut chosen: Vec<Chosen> = facts.into_iter().map(|fact| Chosen { fact, shown: None }).collect();
    for at in by(&chosen, |f| f.weight, |f| f.must) {
        let form = shortest(&chosen[at].fact).to_owned();
        space.show(&mut chosen[at], form);
    }
    for at in by(&chosen, density, |f| !f.must) {
        let form = shortest(&chosen[at].fact).to_owned();
        space.show(&mut chosen[at], form);
    }
    for at in by(&chosen, |f| f.weight, |f| f.short.is_some()) {
        if chosen[at].shown.is_some() {
            let form = chosen[at].fact.text.clone();
            space.show(&mut chosen[at], form);
        }
    }
    chosen
}

fn shortest(fact: &Fact) -> &str {
    fact.short.as_deref().unwrap_or(&fact.text)
}

fn density(fact: &Fact) -> f32 {
    fact.weight / cost(fact, shortest(fact)) as f32
}

fn cost(fact: &Fact, form: &str) -> usize {
    line(fact, form).chars().count()
}

/// Indices of the wanted facts, the most worth first; equal ones in their given order.
fn by(chosen: &[Chosen], worth: impl Fn(&Fact) -> f32, wanted: impl Fn(&Fact) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..chosen.len()).filter(|at| wanted(&chosen[*at].fact)).collect();
    order.sort_by(|a, b| worth(&chosen[*b].fact).total_cmp(&worth(&chosen[*a].fact)).then(a.cmp(b)));
    order
}

/// What is left of the budget.
struct Space {
    left: usize,
    opened: HashSet<Section>,
}

impl Space {
    /// Shows a fact in this form, instead of the one it has, if that fits.
    fn show(&mut self, chosen: &mut Chosen, form: String) {
        let before = chosen.shown.as_ref().map_or(0, |shown| cost(&chosen.fact, shown));
        let section = chosen.fact.section;
        let opening = if self.opened.contains(&section) { 0 } else { heading(section).chars().count() };
        let after = cost(&chosen.fact, &form) + opening;
        if after <= self.left + before {
            self.left = self.left + before - after;
            self.opened.insert(section);
            chosen.shown = Some(form);
        }
    }
}
