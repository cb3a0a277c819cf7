//! Divides a budget among facts.
//!
//! First what stands beside the head, which has its own limits; then the head, in the order of its rules, up to [`HEAD`]
//! characters; what does not fit there is left out, and what follows may still fit. The rest of the page is the reference: verbatim lines, chosen by
//! their score within the share of each pool.

use std::collections::HashSet;

use super::{BriefLine, REFERENCE, heading, is_tree, lay_out, piece};
use crate::choose::weights::SHARES;
use crate::choose::{Fact, Section};
use crate::choose::{KnownText, RankedLine, Tier, select};
use crate::text::specifics::{hash, specifics};

/// Characters of the head, with its headings.
pub const HEAD: usize = 1_500;
/// Characters that the headings of the reference take at most.
const HEADINGS: usize = 285;

/// Chooses facts and their forms to fit into `budget` characters, of which the frame takes `frame`.
pub fn choose(facts: Vec<Fact>, budget: usize, frame: usize) -> Vec<BriefLine> {
    let left = budget.saturating_sub(frame);
    let mut chosen: Vec<BriefLine> = facts.into_iter().map(|fact| BriefLine { fact, shown: None }).collect();
    // Where space is short, what stands beside the head leaves a third for it.
    let mut page = Page { left: left * 2 / 3, opened: HashSet::new(), text: String::new() };
    page.show_all(&mut chosen, Tier::Beside);
    page.left = left.saturating_sub(length(&chosen)).min(HEAD);
    page.show_all(&mut chosen, Tier::Head);
    page.left = left.saturating_sub(length(&chosen));
    page.refer(&mut chosen);
    chosen
}

/// Characters of the page without its frame. Files of one folder share its name, so this is less than the sum of their
/// costs.
fn length(chosen: &[BriefLine]) -> usize {
    lay_out(chosen, &super::Frame { opening: "", closing: "" }).chars().count()
}

/// Characters of a form. Files of one folder share a line, with one character more between them.
fn cost(fact: &Fact, form: &str) -> usize {
    piece(fact, form).chars().count() + usize::from(is_tree(fact.section))
}

/// The brief as far as it is decided.
struct Page {
    left: usize,
    opened: HashSet<Section>,
    text: String,
}

impl Page {
    /// Shows what fits, in order, each in its longest form that fits.
    fn show_all(&mut self, chosen: &mut [BriefLine], tier: Tier) {
        let said = KnownText::of_page(&self.text);
        // Words that stand in a request on the page need no line of their own.
        let is_said = |fact: &Fact| fact.section == Section::Person && said.says(&fact.key);
        for line in chosen.iter_mut().filter(|line| line.fact.tier == tier && !is_said(&line.fact)) {
            let forms = [Some(line.fact.text.clone()), line.fact.short.clone()];
            let fits = |form: &String| self.price(&line.fact, form) <= self.left;
            if let Some(form) = forms.into_iter().flatten().find(fits) {
                self.show(line, form);
            }
        }
    }

    /// Fills the rest of the page with lines of the reference that the page does not have.
    fn refer(&mut self, chosen: &mut [BriefLine]) {
        let room = self.left.saturating_sub(self.introduction() + HEADINGS);
        let said = KnownText::of_page(&self.text);
        let mut at_of = Vec::new();
        let mut lines = Vec::new();
        for (at, BriefLine { fact, .. }) in chosen.iter().enumerate() {
            if let (Tier::Reference(pool), Some(place)) = (fact.tier, fact.place)
                && !said.has(&fact.key)
            {
                let (text, cost) = (fact.key.as_str(), cost(fact, &fact.text));
                lines.push(RankedLine { pool, place, text, new: &fact.new, cost, score: fact.score });
                at_of.push(at);
            }
        }
        let said = specifics(&self.text).map(hash);
        let taken: Vec<usize> = select(&lines, room, &SHARES, said).into_iter().map(|at| at_of[at]).collect();
        for at in taken {
            let form = chosen[at].fact.text.clone();
            if self.price(&chosen[at].fact, &form) <= self.left {
                self.show(&mut chosen[at], form);
            }
        }
    }

    fn show(&mut self, chosen: &mut BriefLine, form: String) {
        self.left -= self.price(&chosen.fact, &form);
        self.opened.insert(chosen.fact.section);
        self.text.push_str(&form);
        self.text.push('\n');
        chosen.shown = Some(form);
    }

    /// Characters that a form of a fact takes, with the section's heading if it is the first there, and with what stands
    /// above the reference if it is the first of that.
    fn price(&self, fact: &Fact, form: &str) -> usize {
        let is_first = !self.opened.contains(&fact.section);
        let above = if fact.section.is_reference() { self.introduction() } else { 0 };
        cost(fact, form) + above + if is_first { heading(fact.section).chars().count() } else { 0 }
    }

    /// Characters of what stands above the reference, until it stands there.
    fn introduction(&self) -> usize {
        let is_there = self.opened.iter().any(|section| section.is_reference());
        if is_there { 0 } else { REFERENCE.chars().count() }
    }
}
