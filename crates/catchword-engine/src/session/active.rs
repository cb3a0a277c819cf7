//! What the agent works by right now: slash commands and skills that were called and not ended, and modes.
//!
//! A command is at work until the person asks for something else; a compaction does not end it, the person does
//! (`/name stop`, "stop using /name"), and so does `/clear`. One whose file says that it holds for the session stays, so
//! it is remembered. Each counts once, with its latest arguments. What was registered with `catchword activate` lies in
//! the store and is joined in [`Active::now`].

use serde::{Deserialize, Serialize};

use crate::model::entry::{Mode, Place};
use crate::model::origin::Origin;
use crate::text::reply::is_reply;

/// Commands that are remembered; nobody works by more at a time.
const MAX_ACTIVE: usize = 32;
/// Arguments with which a person ends a command.
const ENDINGS: [&str; 7] = ["stop", "off", "end", "exit", "quit", "disable", "deactivate"];
/// Words before a command's name that end it.
const ENDING_PHRASES: [&str; 20] = [
    "stop using",
    "stop following",
    "stop applying",
    "stop with",
    "stop",
    "end",
    "quit",
    "exit",
    "leave",
    "drop",
    "disable",
    "deactivate",
    "turn off",
    "switch off",
    "no longer use",
    "no longer need",
    "no more",
    "don't use",
    "do not use",
    "done with",
];
/// Words before such a phrase that turn it around.
const NEGATIONS: [&str; 6] = ["don't", "dont", "not", "never", "no", "without"];

/// Commands, skills and modes as the transcript shows them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Active {
    uses: Vec<Use>,
    ended: Vec<(String, Place)>,
    cleared: Option<Place>,
    /// The person lets the agent plan only, since here.
    pub planning: Option<Place>,
    /// The style answers are worded in, by name.
    pub style: Option<String>,
}

/// A command or skill that was called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Use {
    place: Place,
    name: String,
    args: String,
    by: By,
    reattached: bool,
    /// Something else was asked for since.
    left: bool,
}

/// Who brought a command in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// The person, as a slash command.
    Person,
    /// The agent, as a skill.
    Agent,
    /// Somebody who registered it.
    Registration,
}

/// A command registered, or taken back, from outside the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Without a slash.
    pub name: String,
    /// As given.
    pub args: String,
    /// Registered, or taken back.
    pub on: bool,
    /// Lines the transcript had at that moment.
    pub line: u32,
}

/// A command the agent works by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Without a slash.
    pub name: String,
    /// The latest.
    pub args: String,
    /// Its latest call.
    pub place: Option<Place>,
    /// Who brought it in.
    pub by: By,
    /// The client has put its text back after an earlier compaction, since that call.
    pub reattached: bool,
    /// The person has asked for something else since: it counts only if its file says that it holds on.
    pub left: bool,
}

impl Active {
    /// Somebody calls a command or a skill.
    pub fn used(&mut self, place: Place, name: &str, args: &str, by: By) {
        let name = bare(name).to_owned();
        if name.is_empty() || is_ours(&name) {
            return;
        }
        if by == By::Person && ENDINGS.iter().any(|end| args.trim().eq_ignore_ascii_case(end)) {
            self.end(place, &name);
            return;
        }
        self.uses.retain(|used| used.name != name);
        self.ended.retain(|(ended, _)| *ended != name);
        self.uses.push(Use { place, name, args: args.to_owned(), by, reattached: false, left: false });
        let excess = self.uses.len().saturating_sub(MAX_ACTIVE);
        self.uses.drain(..excess);
    }

    /// The person says something, which may end a command, or asks for something else. A reply goes on with what was
    /// asked, and so does another command.
    pub fn heard(&mut self, place: Place, text: &str, origin: &Origin) {
        if self.uses.is_empty() {
            return;
        }
        let text = text.to_lowercase();
        let over: Vec<String> =
            self.uses.iter().map(|used| used.name.clone()).filter(|name| is_ended_in(&text, name)).collect();
        let asks = over.is_empty() && !is_reply(&text) && !text.starts_with('/');
        for name in over {
            self.end(place, &name);
        }
        if asks || *origin == Origin::Plan {
            self.uses.iter_mut().for_each(|used| used.left |= used.place < place);
        }
    }

    /// The conversation goes on from an earlier place.
    pub fn rewound(&mut self, to: Place) {
        self.uses.retain(|used| used.place <= to);
        self.ended.retain(|(_, place)| *place <= to);
    }

    /// The context was cleared: a new session, whatever file it is written to.
    pub fn clear(&mut self, place: Place) {
        *self = Active { cleared: Some(place), ..Active::default() };
    }

    /// A mode was switched.
    pub fn switched(&mut self, place: Place, mode: &Mode) {
        match mode {
            Mode::Plan(true) => _ = self.planning.get_or_insert(place),
            Mode::Plan(false) => self.planning = None,
            Mode::Style(name) => self.style = Some(name.clone()),
        }
    }

    /// The client has put the texts of these back into the context.
    pub fn reattached(&mut self, names: &[String]) {
        for used in &mut self.uses {
            used.reattached |= names.iter().any(|name| bare(name) == used.name);
        }
    }

    fn end(&mut self, place: Place, name: &str) {
        let known = self.uses.iter().any(|used| used.name == name);
        self.uses.retain(|used| used.name != name);
        if known {
            self.ended.push((name.to_owned(), place));
        }
    }

    /// What the agent works by, in the order of the latest calls. A registration holds against calls before it; a
    /// call, an end or a `/clear` after it holds against the registration.
    pub fn now(&self, registered: &[Registered]) -> Vec<Current> {
        let valid = |r: &&Registered| self.cleared.is_none_or(|cleared| cleared.0 <= r.line);
        let registration = |name: &str| registered.iter().filter(valid).rev().find(|r| bare(&r.name) == name);
        let mut now: Vec<Current> = Vec::new();
        for used in &self.uses {
            let later = registration(&used.name).filter(|r| r.line >= used.place.0);
            if later.is_some_and(|r| !r.on) {
                continue;
            }
            let args = later.map(|r| &r.args).filter(|args| !args.is_empty()).unwrap_or(&used.args);
            now.push(Current {
                name: used.name.clone(),
                args: args.clone(),
                place: Some(used.place),
                by: used.by,
                reattached: used.reattached,
                left: used.left && later.is_none(),
            });
        }
        for r in registered.iter().filter(valid) {
            let name = bare(&r.name);
            let latest = registration(name) == Some(r);
            let ended = self.ended.iter().any(|(ended, place)| ended == name && place.0 > r.line);
            if r.on && latest && !ended && !now.iter().any(|current| current.name == name) {
                now.push(Current {
                    name: name.to_owned(),
                    args: r.args.clone(),
                    place: None,
                    by: By::Registration,
                    reattached: false,
                    left: false,
                });
            }
        }
        now
    }

    /// Commands that were called and ended since, with the place of their end where the transcript has it. The
    /// client goes on giving their texts back, so that they are over is worth saying.
    pub fn over(&self, registered: &[Registered]) -> Vec<(String, Option<Place>)> {
        let now = self.now(registered);
        let is_active = |name: &str| now.iter().any(|current| current.name == name);
        let said = self.ended.iter().map(|(name, place)| (name.clone(), Some(*place)));
        let taken_back = self.uses.iter().map(|used| (used.name.clone(), None));
        said.chain(taken_back).filter(|(name, _)| !is_active(name)).collect()
    }
}

/// What we bring ourselves is used for a moment, and nothing of it has to outlive that.
fn is_ours(name: &str) -> bool {
    name.split(':').next() == Some("catchword")
}

/// A name without its slash.
pub fn bare(name: &str) -> &str {
    name.trim().trim_start_matches('/')
}

/// Whether these words, in lower case, end the command. A question ends nothing, and neither does "don't stop".
fn is_ended_in(text: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let sentences = text.split_inclusive(['.', '!', '?', '\n', ';']);
    sentences.filter(|sentence| !sentence.ends_with('?')).any(|sentence| ends_in(sentence, &name))
}

fn ends_in(sentence: &str, name: &str) -> bool {
    sentence.match_indices(name).any(|(at, _)| {
        let after = &sentence[at + name.len()..];
        let before = &sentence[..at];
        let slashed = before.ends_with('/');
        let before = before.trim_end_matches(['/', '`', '"', '\'']).trim_end();
        let before = [" the", " your", " this", " that"]
            .iter()
            .find_map(|word| before.strip_suffix(word))
            .unwrap_or(before);
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '/'));
        let after = after.trim_start_matches(['`', '"', '\'', ' ']);
        let kind = ["skill", "command", "mode"].iter().any(|kind| after.starts_with(kind));
        let turned = after.starts_with("off") && ends_with_word(before, "turn", "switch");
        whole && (slashed || kind || turned) && (turned || ends_with_phrase(before))
    })
}

fn ends_with_word(text: &str, one: &str, other: &str) -> bool {
    text.ends_with(one) || text.ends_with(other)
}

fn ends_with_phrase(before: &str) -> bool {
    ENDING_PHRASES.iter().any(|phrase| {
        let Some(rest) = before.strip_suffix(phrase) else { return false };
        let whole = rest.is_empty() || rest.ends_with(|c: char| !c.is_alphanumeric());
        let negated = rest.split_whitespace().next_back().is_some_and(|word| NEGATIONS.contains(&word));
        whole && !negated
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(uses: &[(&str, &str)]) -> Active {
        let mut active = Active::default();
        for (at, (name, args)) in uses.iter().enumerate() {
            active.used(Place(at as u32 + 1), name, args, By::Person);
        }
        active
    }

    fn names(active: &Active, registered: &[Registered]) -> Vec<String> {
        active.now(registered).iter().map(|c| format!("{} {}", c.name, c.args).trim().to_owned()).collect()
    }

    fn registered(name: &str, args: &str, on: bool, line: u32) -> Registered {
        Registered { name: name.into(), args: args.into(), on, line }
    }

    #[test]
    fn each_counts_once_and_the_latest_arguments_win() {
        let active = with(&[("/deploy", "staging"), ("/tdd", ""), ("/deploy", "production")]);
        assert_eq!(names(&active, &[]), ["tdd", "deploy production"]);
    }

    #[test]
    fn our_own_skill_and_command_are_never_active() {
        let active = with(&[("/catchword:note", "x"), ("catchword", ""), ("catchword:catchword", "")]);
        assert!(names(&active, &[]).is_empty());
        assert_eq!(names(&with(&[("/catchwords", "")]), &[]), ["catchwords"]);
    }

    #[test]
    fn a_skill_and_a_command_of_one_name_are_one() {
        let mut active = with(&[("/tdd", "a")]);
        active.used(Place(9), "tdd", "b", By::Agent);
        assert_eq!(names(&active, &[]), ["tdd b"]);
    }

    #[test]
    fn the_person_ends_a_command_by_its_argument_or_in_words() {
        for end in ["stop", "off", " END "] {
            let mut active = with(&[("/tdd", "x"), ("/tdd", end)]);
            assert_eq!(names(&active, &[]), [] as [&str; 0], "{end}");
            active.used(Place(8), "/tdd", "again", By::Person);
            assert_eq!(names(&active, &[]), ["tdd again"]);
        }
        for words in [
            "Please stop using /tdd now.",
            "OK. Stop /tdd",
            "stop using the tdd skill",
            "Turn off `/tdd` and go on.",
            "turn /tdd off",
            "From here on do not use /tdd.",
            "We are done with /tdd, thanks.",
        ] {
            let mut active = with(&[("/tdd", "x"), ("/other", "")]);
            active.heard(Place(5), words, &Origin::Typed);
            assert_eq!(names(&active, &[]), ["other"], "{words}");
            assert_eq!(active.over(&[]), [("tdd".to_owned(), Some(Place(5)))], "{words}");
        }
    }

    #[test]
    fn words_that_only_mention_a_command_end_nothing() {
        for words in [
            "don't stop using /tdd",
            "Never stop /tdd.",
            "Should I stop using /tdd?",
            "use /tdd until the end",
            "stop using /tdd-strict",
            "stop the tdd server",
            "stop using src/tdd.rs",
            "the /tdd run should stop at the first failure",
        ] {
            let mut active = with(&[("/tdd", "x")]);
            active.heard(Place(5), words, &Origin::Typed);
            assert_eq!(names(&active, &[]), ["tdd x"], "{words}");
        }
    }

    #[test]
    fn what_was_registered_counts_until_it_is_taken_back_or_ended() {
        let active = with(&[("/tdd", "x")]);
        let on = registered("review", "strictly", true, 1);
        assert_eq!(names(&active, std::slice::from_ref(&on)), ["tdd x", "review strictly"]);
        assert_eq!(names(&active, &[registered("tdd", "", false, 1)]), [] as [&str; 0]);
        assert_eq!(active.over(&[registered("tdd", "", false, 1)]), [("tdd".to_owned(), None)]);
        assert_eq!(names(&active, &[registered("/tdd", "", false, 0)]), ["tdd x"], "called after that");
        assert_eq!(names(&active, &[registered("tdd", "y", true, 3)]), ["tdd y"]);
        let mut ended = with(&[("/review", "x")]);
        ended.heard(Place(7), "stop using /review", &Origin::Typed);
        assert_eq!(names(&ended, std::slice::from_ref(&on)), [] as [&str; 0]);
        assert_eq!(names(&ended, &[registered("review", "anew", true, 8)]), ["review anew"]);
    }

    #[test]
    fn a_cleared_context_has_nothing_active() {
        let mut active = with(&[("/tdd", "x")]);
        active.switched(Place(2), &Mode::Plan(true));
        active.clear(Place(4));
        assert_eq!(names(&active, &[registered("old", "", true, 2)]), [] as [&str; 0]);
        assert_eq!(active.planning, None);
        assert_eq!(names(&active, &[registered("new", "", true, 4)]), ["new"]);
    }

    #[test]
    fn a_reattached_text_is_old_news_after_the_next_call() {
        let mut active = with(&[("/tdd", "x")]);
        active.reattached(&["tdd".to_owned()]);
        assert!(active.now(&[])[0].reattached);
        active.used(Place(3), "/tdd", "y", By::Person);
        assert!(!active.now(&[])[0].reattached);
    }
}
