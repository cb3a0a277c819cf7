//! What a fresh session is told: what was asked, word for word, and the record of the sessions before it.
//!
//! The person's words stand in blocks of their own, so that the new transcript holds them as theirs; everything
//! else begins with a tag and is taken for nobody's. So the goal does not drift however many sessions a run has,
//! and a record never quotes a record.

use std::path::{Path, PathBuf};

use catchword_engine::agent::claude_code;
use catchword_engine::agent::claude_code::stream::Prompt;
use catchword_engine::extract::WorkTree;
use catchword_engine::ops::{answer, history};
use catchword_engine::session::Session;

use crate::env::Env;
use crate::files::{self, Access};
use crate::git;

/// Characters of the records of all sessions but the latest.
const EARLIER: usize = 2_000;
/// Sessions before the latest that are told of; older ones live on in what came after them.
const MOST_EARLIER: usize = 3;
/// Characters of the person's earlier words that are repeated.
const MOST_ASKED: usize = 24_000;

/// A session that was ended.
pub struct Before {
    /// Its id.
    pub id: String,
    /// Its transcript.
    pub transcript: PathBuf,
    session: Session,
    tree: Option<WorkTree>,
}

impl Before {
    /// Reads the whole transcript. One that cannot be read gives an empty record: the task itself is known.
    pub fn read(id: &str, transcript: &Path) -> Before {
        let session = history::fold(&claude_code::AGENT, transcript, None).unwrap_or_default();
        let tree = session.cwd.as_deref().and_then(|cwd| git::look(Path::new(cwd)));
        Before { id: id.to_owned(), transcript: transcript.to_owned(), session, tree }
    }

    /// The handoff of this session: the one place that says what it consists of.
    pub fn handoff(&self, budget: usize) -> String {
        answer::brief(&self.session, None, self.tree.as_ref(), budget).text
    }
}

/// Puts the handoff where it outlives the run. Failing to is no reason to end it.
pub fn write(handoff: &str, before: &Before, env: &Env) -> Option<PathBuf> {
    let folder = env.data_dir.as_deref()?.join("handoffs");
    let name: String = before.id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let path = folder.join(format!("HANDOFF-{name}.md"));
    files::private_folder(&folder).ok()?;
    files::replace(&path, format!("{handoff}\n").as_bytes(), Access::Private).ok()?;
    Some(path)
}

/// Why and with what a fresh session begins.
pub struct Handover<'a> {
    /// Everything the person has asked for in this run, in order.
    pub asked: &'a [String],
    /// The sessions so far; the latest last.
    pub before: &'a [Before],
    /// Characters of the latest handoff.
    pub budget: usize,
    /// Shells that ended with the latest session.
    pub shells: &'a [String],
    /// A prompt that comes next; without one the work goes on.
    pub next: Option<Prompt>,
}

impl Handover<'_> {
    /// The first prompt of the fresh session. A run that was begun with a slash command begins with it again, and
    /// the client makes of it what it made the first time; it does so with the last block only.
    pub fn prompt(self, number: u64) -> Prompt {
        let command = self.asked.first().filter(|first| first.starts_with('/') && self.next.is_none());
        let mut blocks = repeated(if command.is_some() { &self.asked[1..] } else { self.asked });
        let (latest, earlier) = self.before.split_last().map_or((None, &[][..]), |(l, e)| (Some(l), e));
        let skipped = earlier.len().saturating_sub(MOST_EARLIER);
        blocks.extend(earlier[skipped..].iter().map(|before| record(before, EARLIER)));
        blocks.extend(latest.map(|before| record(before, self.budget)));
        let then = match (&self.next, command) {
            (Some(_), _) => "The user's next message follows.",
            (None, Some(_)) => "The command this run began with follows; please go on with it from there.",
            (None, None) => "Please go on from where it stopped.",
        };
        blocks.push(note(self.shells, then));
        blocks.extend(command.cloned());
        match self.next {
            Some(prompt) => prompt.after(&blocks),
            None => Prompt::of_texts(&blocks, number),
        }
    }
}

/// The person's words, word for word: the first, and of the others as many as there is room for, the latest first.
fn repeated(asked: &[String]) -> Vec<String> {
    let Some((first, others)) = asked.split_first() else { return Vec::new() };
    let mut room = MOST_ASKED.saturating_sub(first.len());
    let fitting = others.iter().rev().take_while(|text| {
        let fits = text.len() <= room;
        room = room.saturating_sub(text.len());
        fits
    });
    let kept = others.len() - fitting.count();
    let left_out = (kept > 0).then(|| tagged(&format!("{kept} messages of the user's are left out here.")));
    let words = others[kept..].iter().cloned();
    [first.clone()].into_iter().chain(left_out).chain(words).collect()
}

fn record(before: &Before, budget: usize) -> String {
    let from = format!(
        "Handoff of an earlier session of this run, {}. Lines such as L12 are those of its transcript, {}",
        before.id,
        before.transcript.display()
    );
    format!("{}\n{}", tagged(&from), before.handoff(budget))
}

fn note(shells: &[String], then: &str) -> String {
    let ended = match shells {
        [] => String::new(),
        shells => format!(" Background shells ended with it: {}.", shells.join("; ")),
    };
    tagged(&format!(
        "This session takes the place of an earlier one, which catchword ended between two steps because its \
         context was nearly full; every tool it had called had finished.{ended} Above: what the user has asked \
         for in this run, word for word, and the record of what was done. Where records differ, the later one \
         counts. What is finished there need not be done again. {then}"
    ))
}

fn tagged(text: &str) -> String {
    format!("<catchword-run>\n{text}\n</catchword-run>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchword_testkit::Transcript;

    fn before(folder: &Path, id: &str, prompt: &str, task: &str) -> Before {
        let path = folder.join(format!("{id}.jsonl"));
        Transcript::new().prompt(prompt).task_create(task).write_to(&path);
        Before::read(id, &path)
    }

    fn handover<'a>(asked: &'a [String], before: &'a [Before]) -> Handover<'a> {
        Handover { asked, before, budget: 4_000, shells: &[], next: None }
    }

    #[test]
    fn the_goal_stands_first_word_for_word_and_the_records_follow() {
        let folder = tempfile::tempdir().unwrap();
        let goal = "Add a parser.\n\nNever touch the lock file.".to_owned();
        let all = [
            before(folder.path(), "one", &goal, "write the lexer"),
            before(folder.path(), "two", &goal, "write the grammar"),
        ];
        let prompt = handover(std::slice::from_ref(&goal), &all).prompt(1);
        let texts = prompt.texts();
        assert_eq!(texts[0], goal);
        assert!(texts[1].contains("one") && texts[1].contains("write the lexer"), "{}", texts[1]);
        assert!(texts[2].contains("two") && texts[2].contains("write the grammar"), "{}", texts[2]);
        assert!(texts[3].contains("Please go on") && texts.len() == 4);
        for text in &texts[1..] {
            assert!(text.starts_with("<catchword-run>"), "nobody's words: {text}");
        }
    }

    #[test]
    fn only_so_many_earlier_sessions_are_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<Before> =
            (0..6).map(|n| before(folder.path(), &format!("s{n}"), "Add a parser.", "a task")).collect();
        let prompt = handover(&[], &all).prompt(1);
        let told: Vec<bool> =
            (0..6).map(|n| prompt.texts().iter().any(|t| t.contains(&format!("run, s{n}.")))).collect();
        assert_eq!(told, [false, false, true, true, true, true]);
    }

    #[test]
    fn what_does_not_fit_of_the_persons_words_is_counted() {
        let long = "x".repeat(10_000);
        let asked = ["goal".to_owned(), long.clone(), long.clone(), long.clone(), "last".to_owned()];
        let words = repeated(&asked);
        assert_eq!((words[0].as_str(), words.last().map(String::as_str)), ("goal", Some("last")));
        assert!(words[1].contains("1 messages"), "{}", words[1]);
        assert_eq!(words.len(), 5);
        assert_eq!(repeated(&asked[..1]), ["goal"]);
    }

    #[test]
    fn the_next_prompt_follows_the_record() {
        let next = Prompt::of_texts(&["And the docs.".into()], 5);
        let shells = ["serve".to_owned()];
        let handover =
            Handover { asked: &["goal".into()], before: &[], budget: 400, shells: &shells, next: Some(next) };
        let prompt = handover.prompt(6);
        let texts = prompt.texts();
        assert_eq!((texts[0], texts.last().copied()), ("goal", Some("And the docs.")));
        assert!(texts[1].contains("next message follows") && texts[1].contains("it: serve."), "{}", texts[1]);
    }

    #[test]
    fn a_slash_command_comes_last_so_that_it_is_one() {
        let asked = ["/fix add".to_owned(), "Use tabs.".to_owned()];
        let prompt = handover(&asked, &[]).prompt(1);
        let texts = prompt.texts();
        assert_eq!((texts[0], texts.last().copied(), texts.len()), ("Use tabs.", Some("/fix add"), 3));
        assert!(texts[1].contains("The command this run began with follows"), "{}", texts[1]);
    }

    #[test]
    fn a_handoff_is_private_and_named_after_its_session() {
        let folder = tempfile::tempdir().unwrap();
        let env = Env { data_dir: Some(folder.path().join("data")), ..Env::default() };
        let before = before(folder.path(), "one", "Add a parser.", "x");
        let path = write("text", &before, &env).unwrap();
        assert!(path.ends_with("handoffs/HANDOFF-one.md"), "{}", path.display());
        assert_eq!(std::fs::read_to_string(path).unwrap(), "text\n");
    }
}
