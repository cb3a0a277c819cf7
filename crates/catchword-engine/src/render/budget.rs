//! Divides a budget among facts.
//!
//! What must be there goes in first, in its shortest form; then what has a claim to the reserve; then whatever
//! gives most per character. What is left over makes forms longer. Greedy, and good enough: costs are small
//! against the budget, so an exact knapsack gains less than one line.

use std::collections::HashSet;

use super::{Chosen, around, heading};
use crate::extract::letters::Letters;
use crate::extract::{Fact, Section, Turn};
use crate::find;

/// The part of a budget that is kept for reserved facts.
const RESERVE: usize = 6;
/// A budget below which the small prices hold.
const SMALL: usize = 4_000;
/// What a longer form adds to a fact, and what a request is worth that the reserve had no room for.
const LONGER: f32 = 0.02;

/// Chooses facts and their forms so that all of them fit into `budget` characters together with a frame of
/// `frame`. What is worth less than `floor` for each of its characters is left out even where it would fit.
pub fn choose(facts: Vec<Fact>, budget: usize, frame: usize, floor: f32) -> Vec<Chosen> {
    let left = budget.saturating_sub(frame);
    let (text, letters) = (String::new(), Letters::default());
    let mut page = Page { left, floor, opened: HashSet::new(), text, letters };
    let mut chosen: Vec<Chosen> = facts.into_iter().map(|fact| Chosen { fact, shown: None }).collect();
    for at in by(&chosen, Turn::Must, |f| f.weight) {
        page.show_short(&mut chosen[at]);
    }
    page.spend_reserve(&mut chosen, budget / RESERVE);
    let prices = Prices::of(budget);
    page.weigh(&mut chosen, &prices);
    if page.drop_repeated(&mut chosen) {
        page.weigh(&mut chosen, &prices);
    }
    lengthen(&mut page, &mut chosen);
    chosen
}

/// Gives what is left to longer forms, and then to reserved facts that had to wait, where that is worth it.
fn lengthen(page: &mut Page, chosen: &mut [Chosen]) {
    let mut order = by(chosen, Turn::Must, |f| f.weight);
    order.extend(by(chosen, Turn::Weighed, |f| f.weight));
    for at in order {
        let Chosen { fact, shown: Some(shown) } = &chosen[at] else { continue };
        let more = cost(fact, &fact.text).saturating_sub(cost(fact, shown));
        if more > 0 && fact.weight * LONGER >= page.floor * more as f32 {
            let form = fact.text.clone();
            page.show(&mut chosen[at], form);
        }
    }
    for at in by(chosen, Turn::Reserved, |f| f.weight) {
        let fact = &chosen[at].fact;
        let is_worth_it = fact.weight * LONGER >= page.floor * cost(fact, shortest(fact)) as f32;
        if chosen[at].shown.is_none() && is_worth_it {
            page.show_short(&mut chosen[at]);
        }
    }
}

fn shortest(fact: &Fact) -> &str {
    fact.short.as_deref().unwrap_or(&fact.text)
}

fn cost(fact: &Fact, form: &str) -> usize {
    form.chars().count() + around(fact)
}

/// What one needed file, command or name is worth against the others. There are few commands, and nothing replaces
/// one; in a small brief that counts for more, and so does a file, which names lead to.
struct Prices {
    file: f32,
    command: f32,
    name: f32,
}

impl Prices {
    fn of(budget: usize) -> Prices {
        if budget < SMALL {
            Prices { file: 0.35, command: 2.0, name: 0.25 }
        } else {
            Prices { file: 0.25, command: 0.8, name: 0.25 }
        }
    }

    /// What a fact is worth for each of its characters.
    fn per_character(&self, fact: &Fact) -> f32 {
        let price = match fact.section {
            Section::Changed | Section::Files => self.file,
            Section::Commands => self.command,
            Section::Names | Section::Tests | Section::Ids => self.name,
            _ => 1.0,
        };
        price * fact.weight / cost(fact, shortest(fact)) as f32
    }
}

/// Indices of the facts whose turn it is, the most worth first; equal ones in their given order.
fn by(chosen: &[Chosen], turn: Turn, worth: impl Fn(&Fact) -> f32) -> Vec<usize> {
    ranked(chosen, turn, worth).into_iter().map(|(_, at)| at).collect()
}

/// The same with what each is worth.
fn ranked(chosen: &[Chosen], turn: Turn, worth: impl Fn(&Fact) -> f32) -> Vec<(f32, usize)> {
    let of_turn = chosen.iter().enumerate().filter(|(_, chosen)| chosen.fact.turn == turn);
    let mut order: Vec<(f32, usize)> = of_turn.map(|(at, chosen)| (worth(&chosen.fact), at)).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order
}

/// The brief as far as it is decided.
struct Page {
    left: usize,
    floor: f32,
    opened: HashSet<Section>,
    text: String,
    letters: Letters,
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

    /// Gives space to what is worth most for its length, down to the floor.
    fn weigh(&mut self, chosen: &mut [Chosen], prices: &Prices) {
        for (worth, at) in ranked(chosen, Turn::Weighed, |f| prices.per_character(f)) {
            if worth < self.floor {
                break;
            }
            let Chosen { fact, shown: None } = &chosen[at] else { continue };
            // Once the page is full hardly anything fits, and nothing more has to be looked for on it.
            if self.price(fact, shortest(fact)) <= self.left && !self.has(fact) {
                self.show_short(&mut chosen[at]);
            }
        }
    }

    /// Takes out what something that came later shows as well.
    fn drop_repeated(&mut self, chosen: &mut [Chosen]) -> bool {
        let mut dropped = false;
        for chosen in chosen.iter_mut() {
            let Chosen { fact, shown: Some(shown) } = &*chosen else { continue };
            if fact.turn == Turn::Weighed && is_listed(fact.section) && is_twice_in(&self.text, &fact.bare) {
                self.left += cost(fact, shown);
                chosen.shown = None;
                dropped = true;
            }
        }
        dropped
    }

    fn show_short(&mut self, chosen: &mut Chosen) {
        let form = shortest(&chosen.fact).to_owned();
        self.show(chosen, form);
    }

    /// Shows a fact in this form, instead of the one it has, if that fits.
    fn show(&mut self, chosen: &mut Chosen, form: String) {
        let before = chosen.shown.as_ref().map_or(0, |shown| cost(&chosen.fact, shown));
        let after = self.price(&chosen.fact, &form);
        if after <= self.left + before {
            self.left = self.left + before - after;
            self.opened.insert(chosen.fact.section);
            let before = self.text.len().saturating_sub(2);
            self.text.push_str(&form);
            self.text.push('\n');
            self.letters.note(&self.text.as_bytes()[before..]);
            chosen.shown = Some(form);
        }
    }

    /// What a form of a fact takes of the page, with the heading where it is the first below it.
    fn price(&self, fact: &Fact, form: &str) -> usize {
        let is_first = !self.opened.contains(&fact.section);
        cost(fact, form) + if is_first { heading(fact.section).chars().count() } else { 0 }
    }

    /// A file, command or name that the page shows already, as part of something else. A changed file is shown all
    /// the same: that it was changed is what matters.
    fn has(&self, fact: &Fact) -> bool {
        is_listed(fact.section)
            && self.letters.may_hold(fact.bare.as_bytes())
            && find::has(&self.text, &fact.bare)
    }
}

fn is_twice_in(text: &str, name: &str) -> bool {
    let behind = find::text(name.as_bytes(), text.as_bytes()).map(|at| &text[at + name.len()..]);
    behind.is_some_and(|rest| find::has(rest, name))
}

/// Sections whose items are there for their name alone.
fn is_listed(section: Section) -> bool {
    matches!(section, Section::Files | Section::Commands | Section::Names | Section::Tests | Section::Ids)
}
