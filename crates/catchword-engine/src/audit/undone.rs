//! Work that the summary tells as done and that left nothing behind: an approved plan of which nothing was written, an edit
//! that was taken back exactly, a file that no tool wrote.

use std::collections::HashMap;

use super::closed::{is_closed_since, wrote_only_what_was_seen};
use super::differs;
use super::summary::{Summary, Unit};
use crate::lexicon::summaries::{BUILT, CHANGED, CREATED, Cues, GONE, KEPT, LEFT, PLANNED, TAKEN_BACK};
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{Cued, Says, is_one_of, lower_words, says};
use crate::record::{Deed, Kind, Observation, Standing};
use crate::session::Session;
use crate::session::files::FileUse;
use crate::session::instructions::plan_in_force;
use crate::session::shown::shown_path;
use crate::text::phrases::is_stop_word;
use crate::text::words::{self, Word};

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found: Vec<Finding> = plan(session, summary).into_iter().collect();
    found.extend(taken_back(session, summary));
    found.extend(unwritten(session, summary));
    found.extend(summary.units().iter().filter_map(|unit| left_alone(session, unit)));
    found
}

fn contradicted(record: &str, place: Place, claim: &Unit) -> Finding {
    differs(FindingKind::Contradicted, FindingSubject::File, record, Some(place), claim.claim())
}

/// The unit has one of these words, and tells no wish or condition.
fn tells(unit: &Unit, cues: &Cues) -> bool {
    let text = Cued::new(unit.body);
    unit.is_told() && text.has(cues) && !text.is_unsure()
}

// ---- a plan

/// The person approved a plan, nothing was changed since, and the summary says that it was carried out.
fn plan(session: &Session, summary: &Summary) -> Option<Finding> {
    let plan = plan_in_force(session)?;
    let own = plan.file.as_deref().unwrap_or_default();
    let changes = |seen: &Observation| matches!(seen.what, Kind::Touched(deed) if deed != Deed::Read);
    let mut later = session.record.events().rev().take_while(|event| event.seen.place > plan.place);
    if later.any(|event| changes(event.seen) && event.seen.words != own)
        || !wrote_only_what_was_seen(session, plan.place)
    {
        return None;
    }
    // "The implementation plan is complete" is true of the plan.
    let is_claim = |unit: &&Unit| {
        tells(unit, &BUILT) && says(unit.body) == Some(Says::Done) && !Cued::new(unit.body).has(&PLANNED)
    };
    let claim = summary.units().iter().filter(|unit| unit.is_present()).find(is_claim)?;
    let record = format!("plan approved: {}; no file was changed since", session.plan_title(plan));
    Some(contradicted(&record, plan.place, claim))
}

// ---- an edit

/// Every edit of a file was taken back exactly, and the summary tells of a change of it.
fn taken_back(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut undone: HashMap<&str, (Place, Place)> = HashMap::new();
    for seen in &session.record {
        if let (Kind::Touched(Deed::Edited { .. }), Standing::Withdrawn(back)) = (&seen.what, seen.state)
            && back > seen.place
        {
            undone.insert(&seen.words, (seen.place, back));
        }
    }
    let is_as_before = |path: &str| session.files.get(path).is_some_and(|file| !file.was_changed());
    let mut undone: Vec<_> = undone.into_iter().filter(|(path, _)| is_as_before(path)).collect();
    undone.sort_unstable();
    let found = undone.into_iter().filter_map(|(path, (edited, back))| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_claim = |unit: &&Unit| {
            let cued = Cued::new(unit.body);
            unit.body.contains(name) && tells(unit, &CHANGED) && !cued.has(&TAKEN_BACK) && !cued.has(&GONE)
        };
        let speaks_of_it = |unit: &Unit| unit.text.contains(name) && Cued::new(unit.text).has(&TAKEN_BACK);
        let claim = summary.units().iter().find(is_claim)?;
        let is_known = summary.units().iter().any(speaks_of_it) || session.agents.worked_after(edited);
        let shown = shown_path(session, path);
        let record = format!("{shown}: edited at {edited}, put back as it was at {back}");
        (!is_known).then(|| contradicted(&record, back, claim))
    });
    found.collect()
}

// ---- a file

/// A file that the summary says was created, that somebody spoke of, and that nothing wrote.
fn unwritten(session: &Session, summary: &Summary) -> Vec<Finding> {
    if !is_closed_since(session, Place(0)) || !wrote_only_what_was_seen(session, Place(0)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for unit in summary.units().iter().filter(|unit| tells(unit, &CREATED)) {
        words::scan(unit.body, |word| {
            let Word::Path(path) = word else { return };
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            let is_there = session.files.iter().any(|(known, _)| known.ends_with(name));
            let is_run = session.record.runs().any(|run| run.line.text().contains(name));
            let is_spoken = |seen: &&Observation| {
                matches!(seen.what, Kind::Said(_) | Kind::Planned(_) | Kind::Asked(_))
                    && seen.words.contains(name)
            };
            if name.contains('.') && !is_there && !is_run {
                let spoken = session.record.iter().filter(is_spoken).last();
                found.extend(spoken.map(|seen| {
                    let record = format!("no tool wrote {name}; the record has it only in: {}", seen.words);
                    contradicted(&record, seen.place, unit)
                }));
            }
        });
    }
    found
}

// ---- a file that was changed

/// The file that a unit names, if it names only one and the session knows which: with the words behind the name.
fn only_file<'a>(session: &'a Session, unit: &Unit<'a>) -> Option<(&'a str, FileUse, &'a str)> {
    let mut paths: Vec<&str> = Vec::new();
    words::scan(unit.body, |word| {
        if let Word::Path(path) = word {
            paths.push(path);
        }
    });
    let [name] = paths.as_slice() else { return None };
    let mut known = session.files.iter().filter(|(path, _)| path.ends_with(name.trim_start_matches("./")));
    let (path, file) = known.next().filter(|_| known.next().is_none())?;
    let from = name.as_ptr() as usize + name.len() - unit.body.as_ptr() as usize;
    Some((path, file, &unit.body[from..]))
}

/// "`src/a.rs` was left untouched", and it was changed for the latest request: before that it is another matter.
fn left_alone(session: &Session, unit: &Unit) -> Option<Finding> {
    let asked = session.prompts.last()?.place;
    let is_meant = |file: &FileUse| unit.is_told() && file.is_changed() && file.changed_at > asked;
    let (path, file, behind) = only_file(session, unit).filter(|(_, file, _)| is_meant(file))?;
    // "`src/a.rs`: its interface is unchanged" is about the interface.
    let words = lower_words(behind);
    let lead = words.iter().take_while(|word| is_stop_word(word) || is_one_of(word, &LEFT)).count();
    let is_claim = Cued::new(&words[..(lead + 1).min(words.len())].join(" ")).has(&KEPT);
    let record = format!("{}: changed at {}", shown_path(session, path), file.changed_at);
    is_claim.then(|| contradicted(&record, file.changed_at, unit))
}
