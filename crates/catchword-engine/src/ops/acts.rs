//! The calls of a running session as acts, for what failed in it before; and what happened since the agent was told
//! something.

use crate::archive::history::fixes::{act_of, is_act};
use crate::archive::history::item::{Answered, HistoryItem, ItemKind, ItemReader};
use crate::fixes::{Act, ActRow, ActState, Did};
use crate::model::entry::{Entry, Part, Place};
use crate::reading::command::ShellLine;
use crate::store::{Store, StoreError, ToldRow};
use crate::text::cut::first_chars;

/// Characters kept of what a call puts into a file, until its answer arrives: enough to see what it did.
const BODY: usize = 12;

/// The calls and answers of new rows.
#[derive(Default)]
pub struct NewActs(ItemReader);

impl NewActs {
    pub fn take(&mut self, entry: &Entry) {
        if entry.parts.iter().any(|part| matches!(part, Part::Call { .. } | Part::Result { .. })) {
            self.0.take(entry);
        }
    }

    /// As the store keeps them: new calls, and earlier ones that have their answer now.
    pub fn rows(self, store: &Store, session: &str) -> Result<Vec<ActRow>, StoreError> {
        let mut rows: Vec<ActRow> = self.0.items.iter().filter(|item| is_act(item)).map(row).collect();
        for answer in &self.0.answers {
            if let Some(waiting) = store.waiting_act(session, answer.call)? {
                rows.extend(answered(waiting, answer));
            }
        }
        Ok(rows)
    }
}

fn row(item: &HistoryItem) -> ActRow {
    let (place, part) = (item.place, item.part);
    match item.call {
        None => ActRow { place, part, call: None, state: ActState::Done(done(item)) },
        Some(call) => {
            let state = ActState::Waits {
                at: item.at,
                kind: item.kind as u8,
                title: item.title.clone(),
                body: first_chars(&item.body, BODY).to_owned(),
            };
            ActRow { place, part, call: Some(call), state }
        }
    }
}

fn done(item: &HistoryItem) -> Act {
    if is_act(item) {
        return act_of(item);
    }
    // A refused call.
    Act { place: item.place, until: item.until.unwrap_or(item.place), at: item.at, did: Did::Other }
}

fn answered(waiting: ActRow, answer: &Answered) -> Option<ActRow> {
    let ActState::Waits { at, kind, title, body } = waiting.state else { return None };
    let mut item = HistoryItem {
        place: waiting.place,
        part: waiting.part,
        until: None,
        kind: ItemKind::of(kind.into())?,
        failed: false,
        sub: false,
        author: None,
        at,
        title,
        body,
        call: waiting.call,
    };
    item.answer(answer);
    Some(row(&item))
}

/// What happened since the agent was told something: what was watched, with the line up to which that was known before.
pub fn followed(watched: Vec<ToldRow>, rows: &[ActRow]) -> Vec<(Place, ToldRow)> {
    let mut acts: Vec<&Act> = rows.iter().filter_map(ActRow::act).collect();
    acts.sort_by_key(|act| (act.until, act.place));
    let mut changed = Vec::new();
    for mut told in watched {
        let before = told.seen;
        let line = ShellLine::parse(&told.command);
        for act in acts.iter().filter(|act| act.until > before && act.place > told.line) {
            if told.calls >= told.watch {
                break;
            }
            told.calls += 1;
            told.seen = told.seen.max(act.until);
            if told.passed.is_none() && !told.command.is_empty() && act.passes(&line) {
                told.passed = Some(act.place);
            }
            let used = told.names.iter().filter(|name| !told.used.contains(name) && act.uses(name));
            let used: Vec<String> = used.cloned().collect();
            told.used.extend(used);
        }
        if told.seen > before {
            changed.push((before, told));
        }
    }
    changed
}
