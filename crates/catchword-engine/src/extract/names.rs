//! Names in use: symbols, branches, hashes and ids that recur.

use super::{Fact, Known, Section};
use crate::session::Session;
use crate::session::names::NameUse;

/// Candidates handed on; the budget picks from the best.
const MOST: usize = 400;

/// Names likely to be needed again.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let mut ranked: Vec<(f32, &str, &NameUse)> = session
        .names
        .iter()
        .map(|(name, n)| (weight(session, n), name, n))
        .filter(|(w, ..)| *w > 0.02)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked
        .into_iter()
        .filter(|(_, name, _)| !known.has(name))
        .take(MOST)
        .map(|(weight, name, n)| {
            let why = format!("met {} times", n.by.iter().sum::<u16>());
            Fact::new(Section::Names, name, name).at(n.place).worth(weight, why)
        })
        .collect()
}

fn weight(session: &Session, name: &NameUse) -> f32 {
    let age = session.clock.saturating_sub(name.clock) as f32;
    let [asked, said, called, edited, seen] = name.by.map(f32::from);
    let uses = asked + 0.5 * said + 1.5 * called + 0.3 * edited + 0.1 * seen;
    0.15 * uses.sqrt() * 0.5_f32.powf(age / 60.0)
}
