//! Files in flight: changed, or read again and again.

use std::collections::BTreeMap;

use super::text::{harmless, shown_path, times};
use super::{Fact, Known, Section};
use crate::session::Session;
use crate::session::files::FileUse;

/// Files likely to be needed again.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    merged(session)
        .into_iter()
        .filter(|(path, _)| !known.has(path) && path.len() <= 200)
        .map(|(path, file)| {
            Fact::new(Section::Files, path, format!("{}{}", harmless(path), use_of(&file)))
                .at(file.place)
                .or(harmless(path))
                .worth(weight(session, &file), why(session, &file))
        })
        .collect()
}

/// Uses of the same file under an absolute and a relative path, added up.
fn merged(session: &Session) -> BTreeMap<&str, FileUse> {
    let mut all: BTreeMap<&str, FileUse> = BTreeMap::new();
    for (path, file) in session.files.iter() {
        let sum = all.entry(shown_path(session, path)).or_default();
        sum.reads = sum.reads.saturating_add(file.reads);
        sum.edits = sum.edits.saturating_add(file.edits);
        sum.writes = sum.writes.saturating_add(file.writes);
        sum.created |= file.created;
        for (total, count) in sum.mentions.iter_mut().zip(file.mentions) {
            *total = total.saturating_add(count);
        }
        sum.changed = sum.changed.max(file.changed);
        if file.clock >= sum.clock {
            (sum.clock, sum.place) = (file.clock, file.place);
        }
    }
    all
}

fn why(session: &Session, file: &FileUse) -> String {
    let (edits, reads, mentions) = (file.edits + file.writes, file.reads, file.mentions.iter().sum::<u16>());
    let age = session.clock.saturating_sub(file.clock);
    format!("{edits} edits, {reads} reads, {mentions} mentions, last {age} calls ago")
}

fn use_of(file: &FileUse) -> String {
    let edits = u32::from(file.edits) + u32::from(file.writes) - u32::from(file.created);
    match (file.created, edits) {
        (true, 0) => " created".to_owned(),
        (true, _) => format!(" created, edited{}", times(edits)),
        (false, 0) => String::new(),
        (false, _) => format!(" edited{}", times(edits)),
    }
}

fn weight(session: &Session, file: &FileUse) -> f32 {
    let age = session.clock.saturating_sub(file.clock) as f32;
    let [asked, said, called, seen] = file.mentions.map(f32::from);
    let uses =
        1.6 * f32::from(file.edits + file.writes) + f32::from(file.reads) + called + 0.6 * asked + 0.3 * said;
    let worth = if uses > 0.0 { uses.sqrt() } else { 0.12 * seen.sqrt() };
    0.5 * worth * 0.5_f32.powf(age / 80.0)
}
