//! What is open or in force according to the record and the summary does not mention.
//!
//! Something counts as mentioned if the summary has the same words, or most of them close together. With half of the
//! words there it is doubtful, and not told.

use std::collections::HashSet;

use super::claims::Cued;
use super::summary::Summary;
use super::tasks::is_recurring;
use crate::lexicon::outcomes::CRASHES;
use crate::lexicon::summaries::CRITERION;
use crate::model::entry::Place;
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SHOWN, SURE};
use crate::reading::command::ShellLine;
use crate::reading::report::never_ran;
use crate::record::CommandRun;
use crate::session::criteria::criteria_behind;
use crate::session::instructions::{self, Instruction};
use crate::session::shown::shown_path;
use crate::session::tasks::Task;
use crate::session::{Prompt, Session, checklists, decisions, one_line};
use crate::text::specifics::specifics;
use crate::text::speech::MENTIONED;
use crate::text::stems::{Stem, stem_set};
use crate::text::words::{subwords, words};

/// Below this share of its words, something is not mentioned.
const ABSENT: f32 = 0.5;
/// Below this share of its words, something is not even paraphrased.
const UNSPOKEN: f32 = 0.34;
/// A changed file is not reported after this many tool calls; an earlier summary covered or dropped it.
const IN_FLIGHT: u32 = 300;
/// A failure within this many tool calls belongs to the current work.
const FRESH: u32 = 30;

/// Everything that is not mentioned.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(session.tasks.open().into_iter().filter_map(|t| task(t, summary)));
    found.extend(
        checklists::open_boxes(session)
            .into_iter()
            .filter_map(|(place, text)| dropped(FindingSubject::Task, text, Some(place), summary, DOUBTFUL)),
    );
    found.extend(instructions::in_force(session).iter().filter_map(|rule| {
        // "Don't forget this" means nothing by itself.
        let sure = if lasts(session, rule) && stem_set(&rule.text).len() > 1 { SURE } else { DOUBTFUL };
        dropped(FindingSubject::Instruction, &rule.text, Some(rule.place), summary, sure)
    }));
    // What an earlier summary dropped is not reported again.
    let since = session.earlier_compactions().iter().filter(|c| c.summarised).map(|c| c.place).max();
    let asked = session.asked().first().into_iter().chain(session.asked().last());
    for prompt in asked.filter(|prompt| since.is_none_or(|since| prompt.place > since)) {
        let lists = criteria_behind(&prompt.text, 0);
        let all: Vec<&str> = lists.into_iter().flat_map(|list| list.items).collect();
        found.extend(all.iter().filter_map(|line| {
            dropped(
                FindingSubject::Criterion,
                line,
                Some(prompt.place),
                summary,
                if is_demanded(line) { SURE } else { DOUBTFUL },
            )
        }));
    }
    found.extend(changed_files(session, summary));
    found.extend(failing(session, summary));
    found.extend(jobs(session, summary));
    found.extend(
        decisions::decided(session).into_iter().filter_map(|(place, text)| {
            dropped(FindingSubject::Decision, text, Some(place), summary, DOUBTFUL)
        }),
    );
    found
}

/// A rule worded as lasting, in a short message. A pasted plan is full of "never".
fn lasts(session: &Session, rule: &Instruction) -> bool {
    let short = |p: &Prompt| p.place == rule.place && p.text.len() <= 1_500;
    rule.is_lasting && session.prompts.iter().any(short)
}

/// The line itself demands something. Other lines are criteria only because of their heading.
fn is_demanded(line: &str) -> bool {
    Cued::new(line).has(&CRITERION)
}

/// The finding that `text` is not mentioned, with confidence `sure` if less than half of its words are there.
fn dropped(
    fact: FindingSubject,
    text: &str,
    place: Option<Place>,
    summary: &Summary,
    sure: f32,
) -> Option<Finding> {
    let share = summary.speaks_of(text);
    if share >= MENTIONED {
        return None;
    }
    let confidence = if share >= ABSENT { DOUBTFUL } else { sure };
    let text = one_line(text, 400);
    Some(Finding { kind: FindingKind::Dropped, fact, text, place, summary_quote: None, confidence })
}

/// It names something, and none of its names occur: other words of it that do are about something else. A name may be
/// written without its folder and ending, or spelled out: `parseLine` as "the line is parsed".
fn names_are_missing(text: &str, summary: &Summary) -> bool {
    let squashed =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let is_mixed =
        |word: &&str| word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let mixed = words(text, &[]).map(|(_, word)| word).filter(is_mixed);
    let bare = |name: &'_ str| -> String {
        let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
        last.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| stem.len() > 3).unwrap_or(last).to_owned()
    };
    let all = squashed(summary.text);
    let lines: Vec<HashSet<Stem>> = summary.text.lines().map(stem_set).collect();
    let occurs = |name: &String| {
        let parts: HashSet<Stem> = subwords(name).flat_map(stem_set).collect();
        all.contains(&squashed(name)) || (!parts.is_empty() && lines.iter().any(|line| parts.is_subset(line)))
    };
    let mut names = specifics(text).chain(mixed).map(bare).filter(|name| name.len() > 3).peekable();
    names.peek().is_some() && !names.any(|name| occurs(&name))
}

fn task(task: &Task, summary: &Summary) -> Option<Finding> {
    let numbered = task.id.as_deref().is_some_and(|id| {
        [
            format!("task #{id}"),
            format!("task {id}:"),
            format!("task {id} "),
            format!("#{id}:"),
            format!("#{id} "),
        ]
        .iter()
        .any(|form| summary.says(form))
    });
    if numbered && summary.speaks_of(&task.subject) >= 0.3 {
        return None;
    }
    // "Run the tests" can be paraphrased in many ways, so hardly any of its words may be there.
    let is_paraphrased = is_recurring(&task.subject) && summary.speaks_of(&task.subject) >= UNSPOKEN;
    let sure = if is_paraphrased { SHOWN } else { SURE };
    let finding = dropped(FindingSubject::Task, &task.subject, Some(task.place), summary, sure)?;
    let is_unnamed = names_are_missing(&task.subject, summary);
    Some(Finding { confidence: if is_unnamed { sure } else { finding.confidence }, ..finding })
}

/// Changed files whose name the summary does not contain.
fn changed_files(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut met: HashSet<&str> = HashSet::new();
    for (path, file) in session.files.iter().filter(|(_, file)| file.is_changed()) {
        let age = session.clock.saturating_sub(file.changed);
        let shown = shown_path(session, path);
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        if age > IN_FLIGHT
            || summary.says(name)
            || (stem.len() > 6 && summary.says(stem))
            || !met.insert(shown)
        {
            continue;
        }
        found.push(Finding {
            kind: FindingKind::Dropped,
            fact: FindingSubject::File,
            text: shown.to_owned(),
            place: Some(file.changed_at),
            summary_quote: None,
            // Summaries name few of the changed files; the brief lists them.
            confidence: DOUBTFUL,
        });
    }
    found
}

/// Failing commands that the summary does not mention.
fn failing(session: &Session, summary: &Summary) -> Vec<Finding> {
    let is_named = |line: &ShellLine| {
        let family = line.work().next().map(|step| step.family().join(" "));
        summary.says(line.core()) || family.is_some_and(|family| summary.says(&family))
    };
    session
        .failing()
        .filter(|failure| !is_named(failure.line))
        .filter_map(|failure| {
            let (line, telling) = (failure.line, failure.error());
            // The summary may describe the error without the command.
            let told = !telling.is_empty() && summary.speaks_of(telling) >= ABSENT;
            let fresh = session.clock.saturating_sub(failure.clock) <= FRESH
                && !program_passed_since(session, line, failure.place);
            let is_script = is_broken_script(session, failure);
            let is_spoken_of =
                if is_script { calls_it_broken(line, summary) } else { names_its_matter(line, summary) };
            let unsure =
                told || !fresh || !(line.is_check() || is_script) || never_ran(telling) || is_spoken_of;
            let sure = if unsure { DOUBTFUL } else { SURE };
            let text = format!("`{}` failed: {}", one_line(line.core(), 160), one_line(telling, 160));
            let finding = dropped(FindingSubject::Command, line.core(), Some(failure.place), summary, sure)?;
            // Other scripts have some of the same options.
            let confidence = if is_script { sure } else { finding.confidence };
            Some(Finding { text, confidence, ..finding })
        })
        .collect()
}

/// A script of the project ended with an error of its own, and no such code was changed since. Unlike a test, it is rarely
/// spoken of without being named, and being named is not enough: the summary may only say that it exists.
fn is_broken_script(session: &Session, failure: CommandRun) -> bool {
    let is_alone = failure.line.steps().len() == 1;
    let Some(script) = script(failure.line).filter(|_| is_alone) else { return false };
    let name = script.rsplit('/').next().unwrap_or(script);
    let is_known = session.files.iter().any(|(path, _)| path.ends_with(name));
    // A change of code that was there may have mended it; a new file has not.
    let ending = name.rsplit('.').next();
    let is_changed = session.files.iter().any(|(path, file)| {
        let is_new = file.created && file.edits == 0 && file.writes == 1;
        let is_code = path.rsplit('.').next() == ending && !is_new;
        is_code && file.is_changed() && file.changed > failure.clock
    });
    is_known && !is_changed && CRASHES.iter().any(|error| failure.error().contains(error))
}

/// The summary names the script and says that something is wrong.
fn calls_it_broken(line: &ShellLine, summary: &Summary) -> bool {
    let name = script(line).and_then(|script| script.rsplit('/').next()).unwrap_or(line.core());
    let is_wrong = |text: &str| {
        let cued = Cued::new(text);
        cued.any(|of| &of.fails) || cued.any(|of| &of.trouble)
    };
    summary.units().iter().any(|unit| unit.text.contains(name) && is_wrong(unit.text))
}

/// The script that a command runs.
fn script(line: &ShellLine) -> Option<&str> {
    let step = line.work().next()?;
    std::iter::once(step.called.as_str()).chain(step.texts()).take(3).find(|word| {
        let extension = word.rsplit_once('.').map(|(_, extension)| extension);
        matches!(extension, Some("py" | "sh" | "js" | "mjs" | "ts" | "rb" | "pl"))
    })
}

/// The summary names the test or file that the command is about, so it may describe the failure without the command.
fn names_its_matter(line: &ShellLine, summary: &Summary) -> bool {
    let words = line
        .core()
        .split([' ', '"', '\'', '=', '/'])
        .filter(|word| word.len() >= 10 && !word.starts_with('-'));
    words.into_iter().any(|word| summary.says(word))
}

/// The same program has passed since with other arguments: `make all` fails, but the work is on `make lib`.
fn program_passed_since(session: &Session, line: &ShellLine, place: Place) -> bool {
    let program = |line: &ShellLine| {
        let program = script(line).or(line.work().next().map(|step| step.program.as_str()));
        program.map(str::to_owned)
    };
    let wanted = program(line);
    let mut later = session.record.latest_runs().filter(|run| run.place > place && run.ok() == Some(true));
    later.any(|run| program(run.line) == wanted)
}

/// Shells and subagents that are still running.
fn jobs(session: &Session, summary: &Summary) -> Vec<Finding> {
    let running = session.running.iter().filter(|(id, _)| !summary.says(id));
    running
        .filter_map(|(id, job)| {
            // A summary rarely repeats a command line, and a job started long ago may have ended unnoticed.
            let fresh = session.clock.saturating_sub(job.clock) <= FRESH;
            let is_served =
                summary.says("server") && ["dev", "serve", "start"].iter().any(|w| job.what.contains(w));
            let sure =
                if !fresh || is_served || summary.speaks_of(&job.what) >= 0.3 { DOUBTFUL } else { SURE };
            let finding = dropped(FindingSubject::Job, &job.what, Some(job.place), summary, sure)?;
            Some(Finding { text: format!("{id}: {}", one_line(&job.what, 200)), ..finding })
        })
        .collect()
}
