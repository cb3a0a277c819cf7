//! The commands and skills in use, from the transcript, registrations and files.

use std::path::Path;

pub use crate::choose::head::active::ActiveNow;
use crate::choose::head::active::{CommandFile, InUse, is_finished};
use crate::clients::commands::CommandFiles;
use crate::model::entry::Place;
use crate::session::Session;
use crate::session::active::{By, Current, Registered};
use crate::store::{Store, StoreError};

/// Finds the file that defines a command used in a folder.
pub type FindCommand<'a> = dyn Fn(&Path, &Current) -> Option<CommandFile> + 'a;

/// The commands and skills that a session uses.
pub fn now(
    store: &Store,
    commands: &CommandFiles,
    id: &str,
    session: &Session,
    look: &FindCommand,
) -> Result<ActiveNow, StoreError> {
    let registered = store.registered(id)?;
    let taken_up = store.taken_up_at(id)?;
    Ok(joined(commands, session, &registered, taken_up, look))
}

/// The same from data that is already loaded.
pub fn joined(
    commands: &CommandFiles,
    session: &Session,
    registered: &[Registered],
    taken_up: Option<u32>,
    look: &FindCommand,
) -> ActiveNow {
    let folder = session.cwd.as_deref().map(Path::new);
    let found = |mut current: Current| {
        current.left |= is_finished(session, &current);
        let source = folder.and_then(|folder| look(folder, &current));
        InUse { current, source, given_back: false }
    };
    let mut uses: Vec<InUse> = session.active.now(registered).into_iter().map(found).collect();
    let compacted = session.earlier_compactions().last().map(|compaction| compaction.place);
    mark_given_back(commands, &mut uses, taken_up, compacted);
    uses.retain(InUse::holds);
    ActiveNow { uses, over: session.active.over(registered) }
}

/// Marks what the client will restore by itself after a compaction: what it has restored before, and what its present
/// process has seen called since the latest compaction, latest first as far as they fit. What it failed to restore
/// once, it will not restore the next time.
fn mark_given_back(
    commands: &CommandFiles,
    uses: &mut [InUse],
    taken_up: Option<u32>,
    compacted: Option<Place>,
) {
    let mut left = commands.given_back_in_all;
    for used in uses.iter_mut().rev() {
        let Some(place) = used.current.place.filter(|_| used.current.by != By::Registration) else {
            continue;
        };
        let fresh = taken_up.is_none_or(|line| place.0 > line) && compacted.is_none_or(|at| place > at);
        let seen = fresh || used.current.reattached;
        let size = used.source.as_ref().map_or(0, |source| source.text.chars().count());
        used.given_back = seen && size <= commands.given_back && size <= left;
        if used.given_back {
            left -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::CLIENTS;
    use crate::session::Compaction;

    fn session(names: &[&str]) -> Session {
        let mut session = Session::default();
        session.cwd = Some("/p".into());
        for (at, name) in names.iter().enumerate() {
            session.active.used(Place(10 * (at as u32 + 1)), name, "", By::Person);
        }
        session
    }

    fn given_back(names: &[&str], taken_up: Option<u32>, size: usize) -> Vec<bool> {
        let look = |_: &Path, _: &Current| Some(CommandFile { shown: "f".into(), text: "x".repeat(size) });
        let now = joined(&CLIENTS[0].commands, &session(names), &[], taken_up, &look);
        now.uses.iter().map(|used| used.given_back).collect()
    }

    #[test]
    fn client_restores_what_its_process_saw_called() {
        assert_eq!(given_back(&["a", "b"], None, 100), [true, true]);
        assert_eq!(given_back(&["a", "b"], Some(15), 100), [false, true]);
    }

    #[test]
    fn restored_command_is_restored_again_after_a_resume() {
        let mut session = session(&["a", "b"]);
        session.active.reattached(&["a".to_owned()]);
        let now = joined(&CLIENTS[0].commands, &session, &[], Some(99), &|_, _| None);
        assert_eq!(now.uses.iter().map(|u| u.given_back).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn command_not_restored_once_is_not_expected_again() {
        let mut session = session(&["a", "b"]);
        session.compactions.push(Compaction {
            place: Place(15),
            time: None,
            manual: false,
            before: None,
            after: None,
            summarised: false,
        });
        let now = joined(&CLIENTS[0].commands, &session, &[], None, &|_, _| None);
        assert_eq!(now.uses.iter().map(|u| u.given_back).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn too_long_commands_are_not_restored_and_the_latest_come_first() {
        assert_eq!(given_back(&["a"], None, 30_000), [false]);
        let all = given_back(&["a", "b", "c", "d", "e", "f"], None, 19_000);
        assert_eq!(all, [false, true, true, true, true, true]);
    }

    #[test]
    fn client_does_not_restore_registered_commands() {
        let word = Registered { name: "a".into(), args: String::new(), on: true, line: 0 };
        let now = joined(&CLIENTS[0].commands, &session(&["b"]), &[word], None, &|_, _| None);
        let given =
            |name: &str| now.uses.iter().find(|one| one.current.name == name).map(|one| one.given_back);
        assert_eq!((given("a"), given("b")), (Some(false), Some(true)), "what was called comes back");
    }
}
