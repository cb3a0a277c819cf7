//! How an observation is worded: the person's words in quotation marks, commands as code, everything else as a quotation of
//! somebody else's.

use crate::model::entry::TaskStatus;
use crate::quote::{code, name, quote, quote_foreign};
use crate::reading::command::ShellLine;
use crate::record::{Kind, Observation, RunResult, Voice, Written};
use crate::session::Session;
use crate::session::shown::{shown_action, shown_path};

/// Characters of a command line, a path and a quoted line.
pub(super) const MAX_COMMAND: usize = 400;
const MAX_PATH: usize = 200;
pub(super) const MAX_LINE: usize = 1_000;
/// How the record words a plan as an action of the agent.
pub(super) const PROPOSED: &str = "proposed a plan";

/// A line as it is shown.
pub fn shown(session: &Session, seen: &Observation) -> String {
    let words = seen.words.as_str();
    match &seen.what {
        Kind::Asked(_) if seen.who == Voice::Person => quote(words, MAX_LINE),
        Kind::Answered { question } => {
            format!("{} → {}", question.quoted(MAX_PATH), quote(words, MAX_LINE))
        }
        Kind::Refused { call, .. } => {
            let call = undone(&shown_action(session, call, MAX_PATH));
            format!("did not let the agent {call}: {}", quote(words, MAX_LINE))
        }
        Kind::Ran { line, ended } => run(line, ended.as_deref()),
        Kind::Called { .. } => shown_action(session, words, MAX_COMMAND),
        Kind::Committed { hash, .. } => format!("commit {hash} {}", quote_foreign(words, MAX_LINE)),
        Kind::Touched(deed) => format!("{} {}", deed.word(), name(words, MAX_PATH)),
        Kind::Task { status, .. } => {
            format!("task, {}: {}", status_words(*status), quote_foreign(words, MAX_LINE))
        }
        Kind::Wrote { path, how } => {
            let path = name(shown_path(session, path), MAX_PATH);
            let line = quote_foreign(words, MAX_LINE);
            match how {
                Written::New => format!("{path}: {line}"),
                Written::Instead(old) => format!("{path}: {} → {line}", quote_foreign(old, MAX_LINE)),
                Written::TakenOut => format!("{path}: took out {line}"),
            }
        }
        _ => quote_foreign(words, MAX_LINE),
    }
}

fn status_words(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Deleted => "deleted",
    }
}

fn run(line: &ShellLine, ended: Option<&RunResult>) -> String {
    let command = code(line.text(), MAX_COMMAND);
    match ended {
        Some(end) if !end.telling.is_empty() => {
            format!("{command} → {}", quote_foreign(&end.telling, MAX_LINE))
        }
        Some(RunResult { ok: Some(false), .. }) => format!("{command} → failed, nothing printed"),
        _ => command,
    }
}

/// Rewords an action as one that was not done: "ran …" → "run …".
pub(super) fn undone(action: &str) -> String {
    const VERBS: [(&str, &str); 12] = [
        ("ran ", "run "),
        ("edited ", "edit "),
        ("wrote ", "write "),
        ("listed ", "list "),
        ("searched ", "search "),
        ("updated ", "update "),
        ("asked the user", "ask"),
        (PROPOSED, "follow the plan it proposed"),
        ("started ", "start "),
        ("invoked ", "invoke "),
        ("stopped ", "stop "),
        ("used ", "use "),
    ];
    let found = VERBS.iter().find_map(|(done, verb)| Some(format!("{verb}{}", action.strip_prefix(done)?)));
    found.unwrap_or_else(|| action.to_owned())
}
