//! The slash commands, skills and modes in effect.
//!
//! A command stays in effect until the person asks for something else or ends it (`/name stop`, "stop using /name"), or
//! until `/clear`; a compaction does not end it. We also remember commands that were left, because a command file can
//! declare that it applies for the whole session. Each command is listed once, with its latest arguments. Registrations
//! from `catchword commands add` are in the store; [`Active::now`] merges them in.

use serde::{Deserialize, Serialize};

use crate::lexicon::languages::Sense;
use crate::model::entry::{Mode, Place};
use crate::model::origin::Origin;
use crate::text::phrases::ReadSentence;
use crate::text::reply::is_reply;

/// Maximum number of commands kept; no session uses more at a time.
const MAX_ACTIVE: usize = 32;
/// Commands, skills and modes, as seen in the transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Active {
    uses: Vec<Use>,
    ended: Vec<(String, Place)>,
    cleared: Option<Place>,
    /// Plan mode is on since this row.
    pub planning: Option<Place>,
    /// Name of the output style.
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
    /// The person has asked for something else since.
    left: bool,
}

/// Who started a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// The person, as a slash command.
    Person,
    /// The agent, as a skill.
    Agent,
    /// `catchword commands add`.
    Registration,
}

/// A registration from outside the transcript, or its withdrawal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Without a slash.
    pub name: String,
    pub args: String,
    /// False if the registration was withdrawn.
    pub on: bool,
    /// Number of lines in the transcript at that time.
    pub line: u32,
}

/// A command in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Without a slash.
    pub name: String,
    /// From the latest call.
    pub args: String,
    /// Row of the latest call.
    pub place: Option<Place>,
    pub by: By,
    /// The client has restored its text after a compaction since that call.
    pub reattached: bool,
    /// The person has asked for something else since, so it is in effect only if its file says it applies for the
    /// session.
    pub left: bool,
}

impl Active {
    /// Records a call of a command or skill.
    pub fn used(&mut self, place: Place, name: &str, args: &str, by: By) {
        let name = bare(name).to_owned();
        if name.is_empty() || is_ours(&name) {
            return;
        }
        if by == By::Person && is_ending(args) {
            self.end(place, &name);
            return;
        }
        self.uses.retain(|used| used.name != name);
        self.ended.retain(|(ended, _)| *ended != name);
        self.uses.push(Use { place, name, args: args.to_owned(), by, reattached: false, left: false });
        let excess = self.uses.len().saturating_sub(MAX_ACTIVE);
        self.uses.drain(..excess);
    }

    /// The latest command that the person typed after a row: its row, name and arguments.
    pub fn called_since(&self, place: Place) -> Option<(Place, &str, &str)> {
        let typed = self.uses.iter().rfind(|used| used.by == By::Person && used.place > place)?;
        Some((typed.place, &typed.name, &typed.args))
    }

    /// Records a prompt. It may end a command by name; a new request marks all commands as left. Replies and slash
    /// commands do not.
    pub fn heard(&mut self, place: Place, text: &str, origin: &Origin) {
        if self.uses.is_empty() {
            return;
        }
        let over: Vec<String> =
            self.uses.iter().map(|used| used.name.clone()).filter(|name| is_ended_in(text, name)).collect();
        let asks = over.is_empty() && !is_reply(text) && !text.starts_with('/');
        for name in over {
            self.end(place, &name);
        }
        if asks || *origin == Origin::Plan {
            self.uses.iter_mut().for_each(|used| used.left |= used.place < place);
        }
    }

    /// Drops everything after `to`: the person rewound the conversation.
    pub fn rewound(&mut self, to: Place) {
        self.uses.retain(|used| used.place <= to);
        self.ended.retain(|(_, place)| *place <= to);
    }

    /// Resets everything: `/clear` starts a new session even if the file stays the same.
    pub fn clear(&mut self, place: Place) {
        *self = Active { cleared: Some(place), ..Active::default() };
    }

    pub fn switched(&mut self, place: Place, mode: &Mode) {
        match mode {
            Mode::Plan(true) => _ = self.planning.get_or_insert(place),
            Mode::Plan(false) => self.planning = None,
            Mode::Style(name) => self.style = Some(name.clone()),
        }
    }

    /// The client has restored the texts of these commands into the context.
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

    /// The commands in effect, in order of their latest call. Whichever is later wins: a registration, or a call, an
    /// end or a `/clear` in the transcript.
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

    /// Commands that have ended, with the row that ended them if it is in the transcript. The client keeps restoring
    /// their texts, so the brief has to say that they are over.
    pub fn over(&self, registered: &[Registered]) -> Vec<(String, Option<Place>)> {
        let now = self.now(registered);
        let is_active = |name: &str| now.iter().any(|current| current.name == name);
        let said = self.ended.iter().map(|(name, place)| (name.clone(), Some(*place)));
        let taken_back = self.uses.iter().map(|used| (used.name.clone(), None));
        said.chain(taken_back).filter(|(name, _)| !is_active(name)).collect()
    }
}

/// Our own commands are one-shot, so none needs to survive a compaction.
fn is_ours(name: &str) -> bool {
    name.split(':').next() == Some("catchword")
}

/// A name without its slash.
pub fn bare(name: &str) -> &str {
    name.trim().trim_start_matches('/')
}

/// "stop", "off": arguments that end a command.
fn is_ending(args: &str) -> bool {
    let read = ReadSentence::new(args);
    read.words.len() == 1 && read.has(Sense::Ends)
}

/// Whether this text ends the command. Questions do not, and neither does "don't stop".
fn is_ended_in(text: &str, name: &str) -> bool {
    let sentences =
        text.split_inclusive(['.', '!', '?', '\n', ';']).filter(|sentence| !sentence.ends_with('?'));
    sentences.map(ReadSentence::new).any(|read| (0..read.words.len()).any(|at| is_ended_at(&read, at, name)))
}

/// Whether the command is named at this word, after a phrase that ends it.
fn is_ended_at(read: &ReadSentence, at: usize, name: &str) -> bool {
    let is_article = |word: &str| matches!(word, "the" | "your" | "this" | "that");
    let end = if at > 0 && is_article(read.word(at - 1)) { at - 1 } else { at };
    let from = read.words[at].raw.as_ptr() as usize - read.text.as_ptr() as usize;
    let (before, after) = (&read.text[..from], &read.text[from + read.words[at].raw.len()..]);
    let slashed = before.ends_with('/') && !after.starts_with(|c: char| "-_:/".contains(c));
    let is_kind = matches!(read.word(at + 1), "skill" | "command" | "mode" | "off");
    let is_negated = |hit: usize| hit > 0 && read.is_part_of(hit - 1, &[Sense::Negation]);
    let mut endings = read.all(Sense::Ends).filter(|hit| hit.to == end && !is_negated(hit.at));
    let is_whole = |word: &str| !matches!(word, "turn" | "switch") || read.word(at + 1) == "off";
    read.word(at).eq_ignore_ascii_case(name)
        && (slashed || is_kind)
        && endings.any(|hit| is_whole(read.word(hit.to - 1)))
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
    fn command_is_listed_once_with_its_latest_arguments() {
        let active = with(&[("/deploy", "staging"), ("/tdd", ""), ("/deploy", "production")]);
        assert_eq!(names(&active, &[]), ["tdd", "deploy production"]);
    }

    #[test]
    fn catchword_commands_are_never_active() {
        let active = with(&[("/catchword:note", "x"), ("catchword", ""), ("catchword:catchword", "")]);
        assert!(names(&active, &[]).is_empty());
        assert_eq!(names(&with(&[("/catchwords", "")]), &[]), ["catchwords"]);
    }

    #[test]
    fn skill_and_command_with_the_same_name_are_one() {
        let mut active = with(&[("/tdd", "a")]);
        active.used(Place(9), "tdd", "b", By::Agent);
        assert_eq!(names(&active, &[]), ["tdd b"]);
    }

    #[test]
    fn stop_argument_or_phrase_ends_a_command() {
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
    fn mentioning_a_command_does_not_end_it() {
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
    fn registration_is_active_until_withdrawn_or_ended() {
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
    fn clear_ends_all_commands_and_modes() {
        let mut active = with(&[("/tdd", "x")]);
        active.switched(Place(2), &Mode::Plan(true));
        active.clear(Place(4));
        assert_eq!(names(&active, &[registered("old", "", true, 2)]), [] as [&str; 0]);
        assert_eq!(active.planning, None);
        assert_eq!(names(&active, &[registered("new", "", true, 4)]), ["new"]);
    }

    #[test]
    fn next_call_resets_reattached() {
        let mut active = with(&[("/tdd", "x")]);
        active.reattached(&["tdd".to_owned()]);
        assert!(active.now(&[])[0].reattached);
        active.used(Place(3), "/tdd", "y", By::Person);
        assert!(!active.now(&[])[0].reattached);
    }
}
