//! Names in use: symbols, tests, branches, hashes, addresses, versions and measurements that recur.
//!
//! Whether the agent typed a name into a command counts for more than how often it was read. Hashes, uuids
//! and measurements are rarely needed again.

use super::context::{Context, probability};
use super::text::Series;
use super::{Fact, Known, Section, Why};
use crate::session::Session;
use crate::session::heat::freshness;
use crate::session::names::NameUse;
use crate::session::words;

/// Candidates handed on; the budget picks from the best.
const MOST: usize = 400;
/// Tool calls after which having met a name counts a third.
const COOLING: f32 = 80.0;
/// Tool calls after which having typed it counts a third.
const TYPED_COOLING: f32 = 40.0;

/// Names likely to be needed again.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let context = known.context(session);
    let mut ranked: Vec<(f32, &str, NameUse)> = session
        .names
        .iter()
        .filter(|(name, _)| !known.has_word(name) && !is_phrase(name))
        .map(|(name, n)| (probability(log_odds(session, context, name, &n)), name, n))
        .collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut series = Series::default();
    ranked
        .into_iter()
        .filter(|(_, name, _)| series.admits(name))
        .take(MOST)
        .map(|(p, name, n)| {
            let ago = |clock: u32| session.clock.saturating_sub(clock);
            let why = Why::Met { age: ago(n.heat.clock), typed: n.called.map(ago) };
            Fact::new(section(name), name, name).at(n.place).worth(p, why)
        })
        .collect()
}

fn log_odds(session: &Session, context: &Context, name: &str, n: &NameUse) -> f32 {
    let now = session.clock;
    let typed = n.called.map_or(0.0, |c| freshness(c, now, TYPED_COOLING));
    let one = |mark: bool| if mark { 1.0 } else { 0.0 };
    let is_id = words::is_hash(name) || is_uuid(name);
    -6.6 + 0.5 * n.heat.level(now)
        + 2.0 * freshness(n.heat.clock, now, COOLING)
        + 2.0 * typed
        + 0.8 * context.fit(name)
        - 2.0 * one(is_id)
        - one(!is_id && is_value(name))
}

/// Names of a kind stand together, so that a reader knows what each is.
fn section(name: &str) -> Section {
    let test = ["test_", "Test", "Benchmark", "it_"].iter().any(|start| name.starts_with(start));
    if test && name.len() > 8 {
        return Section::Tests;
    }
    let id = words::is_hash(name)
        || name.contains(['-', ':', '.'])
        || name.starts_with(|c: char| c.is_ascii_digit());
    if id { Section::Ids } else { Section::Names }
}

/// `step-by-step`, `out-of-band`, `drwxr-xr-x`: hyphens, but nobody's name for anything.
fn is_phrase(name: &str) -> bool {
    const LINKS: [&str; 10] = ["by", "of", "in", "to", "and", "or", "on", "the", "as", "for"];
    let mut parts = name.split('-').skip(1);
    let linked = parts.next().is_some_and(|second| LINKS.contains(&second)) && parts.next().is_some();
    linked || (name.contains('-') && name.bytes().all(|b| matches!(b, b'd' | b'r' | b'w' | b'x' | b'-')))
}

/// An address, a version or a measurement: rarely looked for.
fn is_value(name: &str) -> bool {
    name.contains(':') || name.starts_with(|c: char| c.is_ascii_digit())
}

fn is_uuid(name: &str) -> bool {
    name.len() >= 32 && name.matches('-').count() >= 4
}
