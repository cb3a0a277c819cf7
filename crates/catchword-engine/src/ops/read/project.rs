//! What a repository taught: its commands, fixes, rules, decisions, files and what is not there, each with its place and
//! whether it still holds.

use serde::Serialize;

use super::reader::{ReadError, Reader};
use crate::archive::history::fixes::StoredFix;
use crate::archive::project as projects;
use crate::ops::past::{PastRequest, past, sources};
use crate::ops::search::address;
use crate::project::tree::{of_absence, of_command, of_file, of_fix};
use crate::project::{Past, PastPlace, Tree, TreeCheck};
use crate::session::paths::joined;
use crate::text::numbers::count_of;

/// Transcripts that are read, the latest.
const MOST_TRANSCRIPTS: usize = 200;
/// Lines of a section.
const MOST: usize = 20;

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProjectRequest<'a> {
    /// Only what is about this file, by its path below the root.
    pub file: Option<&'a str>,
    /// Say of every line how it was found and what was checked.
    pub why: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepositoryDocument {
    /// The folder of the repository, as people know it.
    pub project: String,
    /// Sessions that did something in it.
    pub sessions: usize,
    pub sections: Vec<ProjectSection>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectSection {
    pub kind: ProjectKind,
    pub lines: Vec<ProjectLine>,
}

/// What a section is about, in the order in which they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectKind {
    Rules,
    Commands,
    Fixes,
    Decisions,
    Files,
    Together,
    NotThere,
}

impl ProjectKind {
    /// Its heading: it says whose words follow.
    pub fn heading(self) -> &'static str {
        match self {
            ProjectKind::Rules => "Rules that the user stated",
            ProjectKind::Commands => "Commands that passed, in the form that passed last",
            ProjectKind::Fixes => "What failed, and what was done until it passed",
            ProjectKind::Decisions => "What the agent asked, and the user's answer",
            ProjectKind::Files => "Files that sessions worked on",
            ProjectKind::Together => "Files that were changed for the same requests",
            ProjectKind::NotThere => "Files that several sessions looked for, and that are not there",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectLine {
    /// Verbatim: a rule, a command, a path, the answer to a question.
    pub text: String,
    /// What it answers, or belongs to; empty if nothing.
    pub about: String,
    /// How often, in words; empty if that says nothing.
    pub often: String,
    /// What `recall` takes: `0a1b2c3d:L512`.
    pub place: String,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// Whose transcript it is, if another machine recorded it.
    pub person: Option<String>,
    /// Why it no longer holds, if it does not; an agent is not told such a line.
    pub stale: Option<String>,
    /// How it was found and what was checked, if asked for.
    pub why: Option<String>,
}

/// What the repository of the folder in which somebody asks taught.
pub fn project(reader: &Reader, request: &ProjectRequest) -> Result<RepositoryDocument, ReadError> {
    let here = reader.here();
    if !reader.viewer.sees("", Some(&here.root), None) {
        return Err(ReadError::LeftOut);
    }
    let history = reader.history.as_ref().ok_or(ReadError::NoHistory)?;
    let asked = PastRequest {
        root: &here.root,
        key: &projects::key(&here.root),
        is_work_tree: here.is_work_tree,
        most: MOST_TRANSCRIPTS,
        without: None,
        sees: &|source| reader.viewer.sees_source(source),
        in_time: &|| true,
    };
    let past = past(history, &asked)?;
    let tree = (reader.machine.repository)(&here.root);
    let numbers: Vec<i64> = sources(history, &asked)?.iter().map(|source| source.no).collect();
    let mut sections = sections(&past, &*tree);
    let stored = history.fixes_of(&numbers)?;
    let shown = |stored: &StoredFix| {
        let start = stored.project.as_deref().unwrap_or_default();
        fix(stored).checked(of_fix(&stored.fix, start, &here.root.to_string_lossy(), &*tree))
    };
    let fixes = stored.iter().rev().map(shown).collect();
    sections.insert(2, ProjectSection { kind: ProjectKind::Fixes, lines: fixes });
    let file = request.file.map(|file| below(file, &here.root.to_string_lossy(), reader));
    for section in &mut sections {
        let is_told = |line: &ProjectLine| {
            (line.stale.is_none() || !reader.viewer.is_agent)
                && file.as_ref().is_none_or(|file| line.text.contains(file) || line.about.contains(file))
        };
        section.lines.retain(is_told);
        section.lines.sort_by_key(|line| line.stale.is_some());
        section.lines.truncate(MOST);
        if !request.why {
            section.lines.iter_mut().for_each(|line| line.why = None);
        }
    }
    sections.retain(|section| !section.lines.is_empty());
    let project = (reader.machine.shown)(&here.root);
    Ok(RepositoryDocument { project, sessions: past.sessions.len(), sections })
}

/// A path as it was typed in a folder, below the root.
fn below(file: &str, root: &str, reader: &Reader) -> String {
    let whole = joined(&reader.machine.folder.to_string_lossy(), file);
    let below = whole.strip_prefix(root).map(|rest| rest.trim_start_matches('/'));
    below.filter(|below| !below.is_empty()).unwrap_or(file).to_owned()
}

fn sections(past: &Past, tree: &dyn Tree) -> Vec<ProjectSection> {
    let all = past.sessions.len();
    let of = |kind, lines| ProjectSection { kind, lines };
    let rules = past.rules.iter().map(|rule| {
        let stale = rule.withdrawn.as_ref().map(|by| format!("the user took it back at {}", by.address()));
        let why =
            "a sentence that the user typed, says that it holds at any time, and was not withdrawn since";
        line(&rule.text, &rule.said, why).stale(stale)
    });
    let commands = past.commands.iter().map(|command| {
        let often = format!("{} in {} of {}", count_of(command.runs, "run"), command.sessions, count_of(all, "session"));
        let why = "passed by its exit code and its output; its folder, program, script and the files it names were looked up";
        line(&command.in_full(), &command.passed, why)
            .often(&often)
            .checked(of_command(command, tree))
    });
    let decisions = past.decisions.iter().map(|decision| {
        let why = "a question of the agent that the user answered, or a call that the user refused";
        ProjectLine { about: decision.about.clone(), ..line(&decision.answer, &decision.seen, why) }
    });
    let files = past.files.iter().map(|file| {
        let often = format!(
            "{}, {}, in {} of {}",
            count_of(file.changes, "change"),
            count_of(file.reads, "reading"),
            file.used_in,
            count_of(all, "session")
        );
        let why = "changed or read by a tool or a command; the latest sessions count most; it was looked up";
        line(&file.path, &file.last, why).often(&often).checked(of_file(file, tree))
    });
    let together = past.together.iter().map(|pair| {
        let why = "both were changed between two prompts, at least three times";
        let often = format!("for {}", count_of(pair.times, "request"));
        ProjectLine { about: pair.other.clone(), ..line(&pair.one, &pair.last, why).often(&often) }
    });
    let absent = past.absent.iter().map(|absent| {
        let why = "a read or a command said that it is not there, in several sessions; it was looked up";
        let often = format!("looked for in {}", count_of(absent.sessions, "session"));
        line(&absent.path, &absent.last, why).often(&often).checked(of_absence(absent, tree))
    });
    vec![
        of(ProjectKind::Rules, rules.collect()),
        of(ProjectKind::Commands, commands.collect()),
        of(ProjectKind::Decisions, decisions.collect()),
        of(ProjectKind::Files, files.collect()),
        of(ProjectKind::Together, together.collect()),
        of(ProjectKind::NotThere, absent.collect()),
    ]
}

/// What failed, with its error, and what was done until it passed.
fn fix(stored: &StoredFix) -> ProjectLine {
    let fix = &stored.fix;
    let steps: Vec<&str> = fix.steps.iter().map(|step| step.text.as_str()).collect();
    let subagent = Some(stored.thread.as_str()).filter(|id| !id.is_empty());
    ProjectLine {
        text: format!("passed at {} after {}", fix.passed, steps.join(", ")),
        about: format!("{} failed: {}", fix.command, fix.error),
        often: String::new(),
        place: address(&stored.session, subagent, &fix.failed.to_string()),
        at: fix.failed_at,
        person: stored.person.clone(),
        stale: None,
        why: Some(
            "the same command passed later, and what was changed or run in between is on record; the files were looked up"
                .to_owned(),
        ),
    }
}

fn line(text: &str, seen: &PastPlace, why: &str) -> ProjectLine {
    ProjectLine {
        text: text.to_owned(),
        about: String::new(),
        often: String::new(),
        place: seen.address(),
        at: seen.at,
        person: seen.person.clone().filter(|_| !seen.is_own),
        stale: None,
        why: Some(why.to_owned()),
    }
}

impl ProjectLine {
    fn often(self, often: &str) -> ProjectLine {
        ProjectLine { often: often.to_owned(), ..self }
    }

    fn stale(self, stale: Option<String>) -> ProjectLine {
        ProjectLine { stale, ..self }
    }

    fn checked(self, check: TreeCheck) -> ProjectLine {
        match check {
            TreeCheck::Holds => self,
            TreeCheck::Stale(why) => self.stale(Some(why)),
        }
    }
}
