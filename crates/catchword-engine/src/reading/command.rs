//! A command line, parsed once into the steps it runs.
//!
//! `cd web && npm test 2>&1 | tail -5` is three steps: where they run, what they are for, how they are joined. Wrappers
//! (`sudo`, `docker exec web`, `bash -c '…'`, `ssh host '…'`) are taken off, so that a step names the program that does
//! the work. A line that does not parse is marked: then nothing may be concluded from what is not in it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use serde::{Deserialize, Serialize};

use super::lexer::{self, Token};
pub use super::lexer::{Direction, ShellWord};
use crate::lexicon::programs::{
    ANSWERS, BUILD_TOOLS, COSMETIC, EVERYTHING, FILTERS, FOLDER_OPTIONS, GIT_ANSWERS, GIT_MERGES,
    INLINE_OPTIONS, INTERPRETERS, LOOK_VERBS, PICKS, PROGRAMS, Program, Purpose, RUNNERS, SAME_SCRIPTS,
    SCRIPTS, SEARCHERS, SHORTENERS, TEST_FILES, TaskRunner, UNKNOWN_WRAPPER, WRAPPERS, Wrapper,
};
use crate::text::cut::squashed;

/// Scripts inside scripts (`bash -c "ssh host '…'"`) are followed this far.
const MAX_DEPTH: u32 = 4;
/// Verbs stand within the first words after a program.
const VERB_WITHIN: usize = 3;

/// A command line as typed. It is parsed when somebody first asks what is in it, and only once; what is stored is the
/// text, so that loading a session parses nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShellLine {
    text: String,
    #[serde(skip)]
    parsed: OnceLock<Box<ParsedLine>>,
}

impl PartialEq for ShellLine {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[derive(Clone, Debug, Default)]
struct ParsedLine {
    steps: Vec<Step>,
    is_whole: bool,
    plain: String,
    /// Where [`ShellLine::core`] begins in `plain`.
    core: usize,
}

/// How a step is joined with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Joint {
    /// It runs whatever happened before.
    #[default]
    Then,
    /// It runs only if the step before it passed.
    And,
    /// It runs only if the step before it failed.
    Or,
    /// It reads what the step before it prints.
    Pipe,
}

/// One program that a line runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub joint: Joint,
    /// As typed, on one line: settings, wrappers, program, words, files.
    pub text: String,
    /// Settings before the program: `RUST_LOG=debug`.
    pub settings: Vec<String>,
    /// What runs the program: `sudo`, `docker exec web`.
    pub wrappers: Vec<String>,
    /// Its name without folder and version.
    pub program: String,
    /// As written.
    pub called: String,
    /// The words after it.
    pub words: Vec<ShellWord>,
    pub purpose: Purpose,
    /// The word that decides the purpose, or the script that a runner runs.
    pub verb: Option<String>,
    pub files: Vec<(Direction, ShellWord)>,
    /// The text of a here-document.
    pub input: Option<String>,
    /// The folder it runs in, if the line changes it; relative to where the line starts.
    pub folder: Option<Folder>,
    /// It runs on another machine or in a container.
    pub is_elsewhere: bool,
    /// It may run several times or not at all: it is part of a loop or a condition.
    pub is_conditional: bool,
}

/// Where a step runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    At(String),
    /// `cd $X`, `cd -`.
    Unknown,
}

impl ShellLine {
    /// `line` without the comments that it begins with.
    pub fn parse(line: &str) -> Self {
        let mut text = line.trim();
        while let Some((_, after)) = text.split_once('\n').filter(|(first, _)| first.starts_with('#')) {
            text = after.trim_start();
        }
        ShellLine { text: text.to_owned(), parsed: OnceLock::new() }
    }

    fn parsed(&self) -> &ParsedLine {
        self.parsed.get_or_init(|| {
            let mut parser = LineParser { is_whole: true, ..LineParser::default() };
            let [whole, core] = parser.parse(&self.text, Joint::Then, None, MAX_DEPTH);
            let plain = one_line(&self.text[whole]);
            let core = plain.len() - one_line(&self.text[core]).len();
            Box::new(ParsedLine { steps: parser.steps, is_whole: parser.is_whole, plain, core })
        })
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// On one line, without pipes that only shorten the output.
    pub fn plain(&self) -> &str {
        &self.parsed().plain
    }

    /// The part that is the same in every run: [`ShellLine::plain`] without a leading `cd`.
    pub fn core(&self) -> &str {
        let parsed = self.parsed();
        &parsed.plain[parsed.core..]
    }

    /// Everything it runs, in order.
    pub fn steps(&self) -> &[Step] {
        &self.parsed().steps
    }

    /// Every quotation and here-document in it ends.
    pub fn is_whole(&self) -> bool {
        self.parsed().is_whole
    }

    /// Two lines with this key run the same. What is run by `ssh` varies, so that there the host is the key.
    pub fn key(&self) -> String {
        let keys = self.work().map(|step| match step.wrappers.first() {
            Some(wrapper) if wrapper.starts_with("ssh ") => Cow::from(wrapper),
            _ => step.key().into(),
        });
        let mut keys: Vec<Cow<str>> = keys.collect();
        keys.dedup();
        keys.join(" && ")
    }

    /// The steps that neither prepare others nor only shorten their output.
    pub fn work(&self) -> impl Iterator<Item = &Step> {
        self.steps().iter().filter(|step| step.purpose != Purpose::Prepare && !step.is_filter())
    }

    /// The exit code of the line is that of this step; `None` for a line without steps. Filters behind a pipe have an
    /// exit code of their own, so this may be one of them.
    pub fn last(&self) -> Option<&Step> {
        self.steps().last()
    }

    /// The steps that have certainly passed if the line passed: the last one and those it needed by `&&`.
    pub fn passed_with_line(&self) -> Vec<&Step> {
        let mut passed = Vec::new();
        let mut needed = true;
        for step in self.steps().iter().rev() {
            if needed {
                passed.push(step);
            }
            match step.joint {
                Joint::And => needed = true,
                // What fed the pipe may have failed, and what came before a `;` or `||`, too.
                Joint::Pipe => needed = false,
                Joint::Then | Joint::Or => break,
            }
        }
        passed.reverse();
        passed
    }

    /// The steps that test, build, format or look for mistakes.
    pub fn checks(&self) -> impl Iterator<Item = &Step> {
        self.steps().iter().filter(|step| step.is_check())
    }

    pub fn is_check(&self) -> bool {
        self.checks().next().is_some()
    }

    pub fn runs_tests(&self) -> bool {
        self.steps().iter().any(|step| step.purpose == Purpose::Test)
    }

    /// It only shows something.
    pub fn only_looks(&self) -> bool {
        self.steps().iter().all(Step::only_looks)
    }

    /// It may check something, here or on another machine.
    pub fn may_check(&self) -> bool {
        let runs = |step: &Step| matches!(step.purpose, Purpose::Run | Purpose::Unknown) && !step.is_filter();
        self.steps().iter().any(|step| step.is_check() || runs(step))
    }

    /// A step works on single tests or files.
    pub fn is_narrow(&self) -> bool {
        self.work().any(|step| step.is_work() && step.is_narrow())
    }

    /// All it works on is to start servers, which checks nothing.
    pub fn serves(&self) -> bool {
        let mut work = self.work().filter(|step| step.is_work()).peekable();
        work.peek().is_some() && work.all(|step| step.purpose == Purpose::Serve)
    }

    /// A step that may stop at a conflict.
    pub fn merges(&self) -> bool {
        let merges = |step: &Step| step.git_verb().is_some_and(|verb| has(GIT_MERGES, verb));
        self.steps().iter().any(|step| merges(step) || step.is_git("stash") && step.has("pop"))
    }

    /// Everything that it runs, it runs while the work is stashed: `git stash && make test`.
    pub fn sets_work_aside(&self) -> bool {
        let (mut is_aside, mut runs) = (false, false);
        for step in self.steps() {
            match step.arguments().next() {
                verb if step.is_git("stash") => match verb {
                    Some("pop" | "apply") => is_aside = false,
                    None | Some("push" | "save") => is_aside = true,
                    Some(verb) => is_aside |= verb.starts_with('-'),
                },
                _ if step.is_minor() => {}
                _ if !is_aside => return false,
                _ => runs = true,
            }
        }
        runs
    }

    pub fn commits(&self) -> bool {
        self.steps().iter().any(|step| step.is_git("commit") && !step.is_elsewhere)
    }

    /// It says itself what to do if it fails, or prints how it ended: `curl x || echo down`, `make; echo $?`.
    pub fn expects_failure(&self) -> bool {
        self.steps().iter().any(|step| step.joint == Joint::Or && step.purpose == Purpose::Prepare)
            || self.last().is_some_and(Step::prints_exit_code)
    }

    /// What it complains about is not shown.
    pub fn hides_errors(&self) -> bool {
        self.text.contains("2>/dev/null") || self.text.contains("&>/dev/null")
    }

    /// The line's own exit code does not say how `step` went.
    pub fn hides(&self, step: &Step) -> bool {
        !self.passed_with_line().iter().any(|passed| std::ptr::eq(*passed, step))
            || self.steps().iter().any(|other| other.joint == Joint::Or)
    }

    /// [`ShellLine::core`] without its commit message, which belongs to one commit.
    pub fn without_message(&self) -> String {
        let core = self.core();
        let Some(at) = core.find(" -m ") else { return core.to_owned() };
        let rest = core[at + 4..].find(" && ").map_or("", |end| &core[at + 4 + end..]);
        format!("{} -m …{rest}", &core[..at])
    }
}

impl Step {
    /// The words after the program, without quotation marks.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.text.as_str())
    }

    pub fn has(&self, word: &str) -> bool {
        self.texts().any(|text| text == word)
    }

    /// The verb, if the program is git.
    pub fn git_verb(&self) -> Option<&str> {
        self.verb.as_deref().filter(|_| self.program == "git")
    }

    pub fn is_git(&self, verb: &str) -> bool {
        self.git_verb() == Some(verb)
    }

    /// The words after the verb.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        let at = self.texts().position(|text| Some(text) == self.verb.as_deref());
        self.texts().skip(at.map_or(0, |at| at + 1))
    }

    /// It tests, builds, formats or looks for mistakes: how it ends is news about the work.
    pub fn is_check(&self) -> bool {
        matches!(
            self.purpose,
            Purpose::Test | Purpose::Build | Purpose::Types | Purpose::Lint | Purpose::Format
        )
    }

    /// It checks, runs, starts or publishes something.
    pub fn is_work(&self) -> bool {
        self.is_check() || matches!(self.purpose, Purpose::Run | Purpose::Serve | Purpose::Deploy)
    }

    /// It only shows something, or prepares what does.
    pub fn only_looks(&self) -> bool {
        let writes = self.files.iter().any(|(direction, _)| *direction != Direction::Read);
        matches!(self.purpose, Purpose::Look | Purpose::Prepare) && !writes
    }

    /// It prints nothing unless something is wrong.
    pub fn is_silent(&self) -> bool {
        self.purpose == Purpose::Change || self.is_git("add")
    }

    /// It only prepares others, or looks at, searches or cuts what is there: its failure says nothing about the work.
    pub fn is_minor(&self) -> bool {
        self.only_looks()
            || matches!(self.purpose, Purpose::Prepare | Purpose::Change)
            || has(FILTERS, &self.program)
            || self.is_filter()
            || self.searches()
    }

    /// It only passes on or shortens what it is given, or shows it in another form.
    pub fn is_filter(&self) -> bool {
        self.shows_its_input() || (self.joint == Joint::Pipe && has(FILTERS, &self.program))
    }

    /// It shows what the step before it prints in another form, and may fail on that: `| jq .rows`, `| python -c '…'`.
    pub fn shows_its_input(&self) -> bool {
        self.joint == Joint::Pipe && self.purpose == Purpose::Look && !has(FILTERS, &self.program)
    }

    /// `echo $?`
    pub fn prints_exit_code(&self) -> bool {
        self.program == "echo" && self.texts().any(|text| text.contains("$?"))
    }

    /// Exit code 1 is an answer, not a failure.
    pub fn answers_with_exit_code(&self) -> bool {
        has(ANSWERS, &self.program) || self.git_verb().is_some_and(|verb| has(GIT_ANSWERS, verb))
    }

    /// It prints the lines or files it finds.
    pub fn searches(&self) -> bool {
        has(SEARCHERS, &self.program) || self.is_git("grep") || self.is_git("ls-files")
    }

    /// It works on single tests or files, not on all of them.
    pub fn is_narrow(&self) -> bool {
        let is_pick = |word: &&str| {
            let name = word.split('=').next().unwrap_or_default();
            (self.purpose == Purpose::Test && has(PICKS, name)) || word.contains("::")
        };
        let is_file = |word: &&str| {
            let name = word.rsplit('/').next().unwrap_or_default();
            let end = name.rsplit_once('.').map(|(_, end)| end);
            !word.starts_with('-')
                && Some(*word) != self.verb.as_deref()
                && end.is_some_and(|end| !end.is_empty() && end.bytes().all(|b| b.is_ascii_alphanumeric()))
        };
        // The first file is what an interpreter runs.
        let own = usize::from(has(INTERPRETERS, &self.program));
        self.texts().any(|word| is_pick(&word)) || self.texts().filter(is_file).count() > own
    }

    /// Two runs with this key are runs of the same thing: program and words without what changes only the output.
    pub fn key(&self) -> String {
        let mut key = self.program.clone();
        for word in self.texts().filter(|word| !has(COSMETIC, word.split('=').next().unwrap_or(word))) {
            key.push(' ');
            key.push_str(word);
        }
        key
    }

    /// What it runs, in any spelling: program, verb and targets, without options, folders and words for everything.
    pub fn target(&self) -> Vec<&str> {
        let runner = TABLES.get(self.program.as_str()).and_then(|known| known.runner);
        let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        let mut is_folder = false;
        let is_target = |word: &&str| {
            let was_folder = std::mem::replace(&mut is_folder, has(FOLDER_OPTIONS, word));
            !was_folder
                && !word.starts_with('-')
                && !has(EVERYTHING, word)
                && !is_setting(word)
                && !is_number(word.trim_end_matches(['s', 'm']))
                && !runner.is_some_and(|runner| has(runner.before, word))
        };
        let program = if has(SAME_SCRIPTS, &self.program) { "npm" } else { &self.program };
        // Scripts that also mend what they find are the same check.
        let spelled = |word: &'_ str| word.trim_end_matches(":fix").trim_end_matches("-fix").len();
        let targets =
            self.texts().filter(is_target).map(|word| word[..spelled(word)].trim_start_matches(['.', '/']));
        std::iter::once(program).chain(targets).collect()
    }

    /// Program and subcommand.
    pub fn family(&self) -> Vec<&str> {
        let mut family = self.target();
        family.truncate(2);
        family
    }

    /// It runs everything that `given` runs: each of its targets contains one of those.
    pub fn covers(&self, given: &Step) -> bool {
        let (wide, narrow) = (self.target(), given.target());
        // `TestA|TestB` selects both.
        let contains = |w: &str, n: &str| n.split('|').all(|n| w.split('|').any(|w| is_below(n, w)));
        let is_covered = |w: &&str| narrow.iter().skip(1).any(|n| contains(w, n));
        // A script may be named like a program: `tasks/lint/go`.
        let is_program = self.verb.is_some() || given.verb.is_none();
        is_program && narrow.first() == wide.first() && wide.iter().skip(1).all(is_covered)
    }

    /// Whether its passing resolves the failure of another. A test or build is resolved only by a run that covers it:
    /// another passing test proves nothing. For anything else a run of the same program and subcommand is enough,
    /// because the agent has found out how to call it.
    pub fn settles(&self, failed: &Step) -> bool {
        if failed.is_check() { self.covers(failed) } else { self.family() == failed.family() }
    }
}

/// `tests/a.py::test_x` is below `tests/a.py` and `tests`, even as an absolute path. Runners also treat a test name as
/// a prefix.
fn is_below(narrow: &str, wide: &str) -> bool {
    let wide = wide.trim_end_matches("/...").trim_end_matches('/');
    let is_path = wide.contains(['/', '.']);
    let begins = |narrow: &str| {
        narrow.strip_prefix(wide).is_some_and(|rest| {
            // `lint` does not run `lint:full`.
            let is_inside = rest.starts_with('/') || rest.starts_with(if is_path { ":" } else { "::" });
            rest.is_empty() || is_inside || (!is_path && wide.len() >= 6)
        })
    };
    begins(narrow)
        || (is_path
            && narrow.find(wide).is_some_and(|at| narrow[..at].ends_with('/') && begins(&narrow[at..])))
}

#[derive(Default)]
struct LineParser {
    steps: Vec<Step>,
    is_whole: bool,
    elsewhere: bool,
    wrappers: Vec<String>,
    /// What the line itself has set: `R=/tmp/r`.
    variables: Vec<(String, String)>,
}

/// The words and files of a step, as they come out of the lexer.
#[derive(Default)]
struct Raw {
    words: Vec<ShellWord>,
    files: Vec<(Direction, ShellWord)>,
    input: Option<String>,
}

impl Raw {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.files.is_empty()
    }

    fn text(&self) -> String {
        let mut parts: Vec<String> = self.words.iter().map(|word| one_line(&word.raw)).collect();
        for (direction, file) in &self.files {
            let sign = match direction {
                Direction::Write => ">",
                Direction::Append => ">>",
                Direction::Read => "<",
            };
            parts.push(format!("{sign} {}", file.raw));
        }
        parts.join(" ")
    }
}

impl LineParser {
    /// Returns where in `line` the commands stand, and where without a leading `cd`; both without what only shortens the
    /// output.
    fn parse(&mut self, line: &str, first: Joint, folder: Option<Folder>, depth: u32) -> [Range<usize>; 2] {
        let (tokens, closed) = lexer::tokens(line);
        self.is_whole &= closed;
        let bounds = bounds(&tokens);
        let (mut raw, mut joint, mut folder) = (Raw::default(), first, folder);
        // Folders to go back to at the end of a subshell; nesting of loops and conditions.
        let (mut outer, mut conditions) = (Vec::new(), 0_u32);
        for (token, _) in tokens {
            let next = match token {
                Token::Word(word) => {
                    raw.words.push(word);
                    continue;
                }
                Token::File(direction, word) => {
                    raw.files.push((direction, word));
                    continue;
                }
                Token::Input(text) => {
                    raw.input = Some(text);
                    continue;
                }
                Token::Open => {
                    outer.push(folder.clone());
                    continue;
                }
                Token::Close => {
                    self.step(std::mem::take(&mut raw), joint, &mut folder, &mut conditions, depth);
                    folder = outer.pop().unwrap_or(folder);
                    continue;
                }
                Token::And => Joint::And,
                Token::Or => Joint::Or,
                Token::Then => Joint::Then,
                Token::Pipe => Joint::Pipe,
            };
            if !raw.is_empty() || next != Joint::Then {
                self.step(std::mem::take(&mut raw), joint, &mut folder, &mut conditions, depth);
                joint = next;
            } else if self.steps.is_empty() || next == Joint::Then {
                // An empty line after `&&` or `|` goes on with the step.
                joint = if matches!(joint, Joint::Then) { next } else { joint };
            }
        }
        self.step(raw, joint, &mut folder, &mut conditions, depth);
        bounds
    }

    fn step(
        &mut self,
        mut raw: Raw,
        joint: Joint,
        folder: &mut Option<Folder>,
        conditions: &mut u32,
        depth: u32,
    ) {
        // Keywords of loops and conditions stand before the first word of a step.
        while let Some(word) = raw.words.first() {
            match word.raw.as_str() {
                "if" | "while" | "until" | "case" | "for" | "select" => *conditions += 1,
                "do" | "then" | "else" | "elif" | "!" | "{" => {}
                "done" | "fi" | "esac" | "}" => *conditions = conditions.saturating_sub(1),
                _ => break,
            }
            let is_list = matches!(word.raw.as_str(), "for" | "select" | "case");
            raw.words.remove(0);
            if is_list {
                return;
            }
        }
        if raw.words.is_empty() {
            return self.redirected_only(raw, joint, folder.as_ref());
        }
        let text = raw.text();
        let settings = raw.words.iter().take_while(|word| is_setting(&word.text)).count();
        let settings: Vec<String> = raw.words.drain(..settings).map(|word| word.text).collect();
        let (wrappers, elsewhere) = (self.wrappers.len(), self.elsewhere);
        let mut words = raw.words;
        let mut inner = None;
        while let Some((wrapper, long)) = wrapper_of(&words) {
            self.elsewhere |= wrapper.elsewhere;
            let own: Vec<ShellWord> = words.drain(..long).collect();
            self.wrappers.push(own.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
            words.drain(..words.iter().take_while(|word| is_setting(&word.text)).count());
            if wrapper.script {
                inner = Some(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
                break;
            }
            // `docker compose up` is a program of two words.
            if wrapper.words == "docker compose" {
                words.insert(
                    0,
                    ShellWord { text: "docker-compose".into(), raw: "docker-compose".into(), expands: false },
                );
            }
        }
        match inner.filter(|script| !script.is_empty()) {
            Some(script) if depth > 0 => _ = self.parse(&script, joint, folder.clone(), depth - 1),
            Some(_) => self.is_whole = false,
            None => {
                let raw = Raw { words, ..raw };
                self.push(raw, text, settings, joint, folder, *conditions > 0);
            }
        }
        self.wrappers.truncate(wrappers);
        self.elsewhere = elsewhere;
    }

    /// `> file` alone empties it; so does the end of a loop whose output goes to a file.
    fn redirected_only(&mut self, raw: Raw, joint: Joint, folder: Option<&Folder>) {
        if raw.files.is_empty() {
            return;
        }
        let (text, mut folder) = (raw.text(), folder.cloned());
        self.push(raw, text, Vec::new(), joint, &mut folder, false);
    }

    fn push(
        &mut self,
        raw: Raw,
        text: String,
        settings: Vec<String>,
        joint: Joint,
        folder: &mut Option<Folder>,
        is_conditional: bool,
    ) {
        if raw.words.is_empty() {
            let set = settings.iter().filter_map(|set| set.split_once('='));
            self.variables.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        let mut words = raw.words.into_iter();
        let called = words.next().map(|word| word.text).unwrap_or_default();
        let rest: Vec<ShellWord> = words.collect();
        let program = name_of(&called);
        let (purpose, verb) = match purpose_of(&called, &program, &rest) {
            (Purpose::Run, _) if joint == Joint::Pipe && is_inline(&program, &rest) => (Purpose::Look, None),
            of => of,
        };
        if matches!(program.as_str(), "cd" | "pushd") {
            *folder = Some(self.entered(folder.as_ref(), &rest));
        } else if program == "popd" {
            *folder = Some(Folder::Unknown);
        }
        let own = rest.iter().position(|word| word.text == "-C").and_then(|at| rest.get(at + 1));
        let runs_in = match own {
            Some(own) => Some(self.entered(folder.as_ref(), std::slice::from_ref(own))),
            None => folder.clone(),
        };
        self.steps.push(Step {
            joint,
            text,
            settings,
            wrappers: self.wrappers.clone(),
            program,
            called,
            words: rest,
            purpose,
            verb,
            files: raw.files,
            input: raw.input,
            folder: runs_in,
            is_elsewhere: self.elsewhere,
            is_conditional,
        });
    }

    fn entered(&self, folder: Option<&Folder>, words: &[ShellWord]) -> Folder {
        let Some(to) = words.iter().find(|word| !word.text.starts_with("--")) else { return Folder::Unknown };
        let name = to.text.strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
        let known = self.variables.iter().rev().find(|(known, _)| Some(known.as_str()) == name);
        let path = known.map_or(to.text.as_str(), |(_, value)| value);
        match folder {
            _ if (to.expands && known.is_none()) || path.starts_with(['-', '~', '$']) => Folder::Unknown,
            _ if path.starts_with('/') => Folder::At(path.to_owned()),
            Some(Folder::Unknown) => Folder::Unknown,
            Some(Folder::At(before)) => Folder::At(format!("{}/{path}", before.trim_end_matches('/'))),
            None => Folder::At(path.to_owned()),
        }
    }
}

/// See [`LineParser::parse`].
fn bounds(tokens: &[(Token, Range<usize>)]) -> [Range<usize>; 2] {
    let word = |at: usize| match tokens.get(at) {
        Some((Token::Word(word), _)) => Some(word.text.as_str()),
        _ => None,
    };
    let is_joint = |at: usize| matches!(tokens.get(at), Some((Token::And | Token::Then, _)));
    let mut first = 0;
    while word(first) == Some("cd")
        && word(first + 1).is_some()
        && is_joint(first + 2)
        && tokens.len() > first + 3
    {
        first += 3;
    }
    let mut end = tokens.len();
    while let Some(pipe) = tokens[..end].iter().rposition(|(token, _)| *token == Token::Pipe)
        && word(pipe + 1).is_some_and(|program| has(SHORTENERS, program))
        && (pipe + 1..end).all(|at| word(at).is_some())
    {
        end = pipe;
    }
    let start = |at: usize| tokens.get(at).map_or(0, |(_, span)| span.start);
    let end = tokens[..end].last().map_or(0, |(_, span)| span.end);
    [start(0)..end, start(first).min(end)..end]
}

/// `word` is one of `words`, which are separated by spaces.
pub fn has(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|one| one == word)
}

/// `NAME=value`.
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// A program's name without folder and version: `python` of `/usr/bin/python3.11`.
fn name_of(called: &str) -> String {
    let name = called.rsplit(['/', '\\']).next().unwrap_or(called);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let name = if bare.len() < name.len() && is_known(bare) { bare } else { name };
    name.trim_end_matches(".exe").to_owned()
}

/// What the tables have under a name.
#[derive(Default)]
struct TableEntry {
    program: Option<&'static Program>,
    runner: Option<&'static TaskRunner>,
    is_interpreter: bool,
    /// Those whose first word it is.
    wrappers: Vec<&'static Wrapper>,
}

/// The tables by name: nobody goes through hundreds of names for each step.
static TABLES: LazyLock<HashMap<&str, TableEntry, foldhash::fast::RandomState>> = LazyLock::new(|| {
    let mut tables: HashMap<&str, TableEntry, _> = HashMap::default();
    for (program, name) in
        PROGRAMS.iter().flat_map(|program| program.names.split(' ').map(move |name| (program, name)))
    {
        tables.entry(name).or_default().program.get_or_insert(program);
    }
    for (runner, name) in
        RUNNERS.iter().flat_map(|runner| runner.names.split(' ').map(move |name| (runner, name)))
    {
        tables.entry(name).or_default().runner.get_or_insert(runner);
    }
    for name in INTERPRETERS.split(' ') {
        tables.entry(name).or_default().is_interpreter = true;
    }
    for wrapper in WRAPPERS {
        let name = wrapper.words.split(' ').next().unwrap_or_default();
        tables.entry(name).or_default().wrappers.push(wrapper);
    }
    tables
});

fn is_known(program: &str) -> bool {
    let of = |entry: &TableEntry| entry.is_interpreter || entry.program.is_some() || entry.runner.is_some();
    TABLES.get(program).is_some_and(of)
}

/// The wrapper that a step begins with, and how many words belong to it.
fn wrapper_of(words: &[ShellWord]) -> Option<(&'static Wrapper, usize)> {
    let first = name_of(&words.first()?.text);
    let starts = TABLES.get(first.as_str()).map(|entry| entry.wrappers.as_slice()).unwrap_or_default();
    let fitting = starts.iter().filter_map(|wrapper| Some((*wrapper, own_words(wrapper, words)?)));
    // `uv run` is longer than `uv`.
    let longest = fitting.max_by_key(|(wrapper, _)| wrapper.words.len());
    let runs_tool = || words.len() > 2 && has(BUILD_TOOLS, &words[1].text) && !is_known(&first);
    longest.or_else(|| runs_tool().then_some((&UNKNOWN_WRAPPER, 1))).filter(|(_, long)| *long < words.len())
}

/// How many of the words belong to the wrapper; `None` if it is another program.
fn own_words(wrapper: &Wrapper, words: &[ShellWord]) -> Option<usize> {
    let (mut at, mut missing) = (1, wrapper.words.split(' ').skip(1).peekable());
    let mut own = wrapper.own;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if missing.peek() == Some(&text) {
            missing.next();
        } else if text == "--" && missing.peek().is_none() {
            return Some(at + 1).filter(|_| own == 0);
        } else if has(wrapper.valued, text) {
            at += 1;
        } else if text.starts_with('-') || (is_setting(text) && missing.peek().is_none()) {
        } else if missing.peek().is_none() && own > 0 {
            own -= 1;
        } else {
            break;
        }
        at += 1;
        // What follows `-c` is the script.
        if wrapper.script && missing.peek().is_none() && own == 0 {
            break;
        }
    }
    let is_whole = missing.peek().is_none() && own == 0;
    // A wrapper without its own verbs may be a runner: `uv sync`.
    let is_plain_uv = wrapper.words == "uv" && words.get(1).is_none_or(|word| word.text != "pip");
    (is_whole && !is_plain_uv).then(|| if wrapper.words == "uv" { 1 } else { at })
}

/// An interpreter that runs what is written in the line itself.
fn is_inline(program: &str, words: &[ShellWord]) -> bool {
    has(INTERPRETERS, program) && words.first().is_some_and(|word| has(INLINE_OPTIONS, &word.text))
}

/// What a step is for, and the word that says so.
fn purpose_of(called: &str, program: &str, words: &[ShellWord]) -> (Purpose, Option<String>) {
    if called.is_empty() {
        return (Purpose::Prepare, None);
    }
    if words.iter().any(|word| matches!(word.text.as_str(), "--help" | "--version" | "-V")) {
        return (Purpose::Look, None);
    }
    let known = TABLES.get(program);
    let is_interpreter = known.is_some_and(|known| known.is_interpreter);
    if let Some(runner) = known.and_then(|known| known.runner) {
        let is_file = |word: &&ShellWord| word.text.contains('.') && !word.text.contains(':');
        if !(is_interpreter && words.first().is_some_and(|word| is_file(&word))) {
            return run_by(runner, words);
        }
    }
    if let Some(known) = known.and_then(|known| known.program) {
        if program == "sed" {
            let writes = words.iter().any(|word| word.text.starts_with("-i") || word.text == "--in-place");
            return (if writes { Purpose::Change } else { Purpose::Look }, None);
        }
        return by_verb(known, words);
    }
    if is_interpreter {
        let file = words.iter().find(|word| !word.text.starts_with('-')).map(|word| word.text.as_str());
        return match (words.first().map(|word| word.text.as_str()), file) {
            (Some("--test"), _) => (Purpose::Test, None),
            (_, Some(file)) if is_test_file(file) => (Purpose::Test, None),
            _ => (Purpose::Run, None),
        };
    }
    if called.contains('/')
        || called.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "sh" | "py" | "js" | "mjs"))
    {
        return (if is_test_file(called) { Purpose::Test } else { Purpose::Run }, None);
    }
    let verb = plain_words(words, "").next();
    let purpose = match verb {
        Some(verb) if has(LOOK_VERBS, verb) => Purpose::Look,
        Some(verb) if named(verb) == Some(Purpose::Deploy) => Purpose::Deploy,
        _ => Purpose::Unknown,
    };
    (purpose, verb.filter(|_| purpose != Purpose::Unknown).map(str::to_owned))
}

fn by_verb(program: &Program, words: &[ShellWord]) -> (Purpose, Option<String>) {
    let plain = plain_words(words, program.valued).take(VERB_WITHIN);
    let found = plain.into_iter().find_map(|word| {
        let purpose =
            program.verbs.iter().find(|(_, verbs)| has(verbs, word)).map(|(purpose, _)| *purpose)?;
        Some((purpose, word))
    });
    found.map_or((program.alone, None), |(purpose, verb)| (purpose, Some(verb.to_owned())))
}

fn run_by(runner: &TaskRunner, words: &[ShellWord]) -> (Purpose, Option<String>) {
    let mut plain = plain_words(words, runner.valued).skip_while(|word| has(runner.before, word));
    let Some(name) = plain.next() else { return (runner.alone, None) };
    let own = runner.own.iter().find(|(_, verbs)| has(verbs, name)).map(|(purpose, _)| *purpose);
    (own.or_else(|| named(name)).unwrap_or(Purpose::Run), Some(name.to_owned()))
}

/// The words that are neither options nor their values; what comes after `--` belongs to the script.
fn plain_words<'a>(words: &'a [ShellWord], valued: &'a str) -> impl Iterator<Item = &'a str> {
    let mut skip = false;
    words.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--").filter(move |word| {
        let is_value = std::mem::replace(&mut skip, has(valued, word));
        !is_value && !word.starts_with('-') && !is_setting(word)
    })
}

/// What a script is for by its name.
fn named(script: &str) -> Option<Purpose> {
    let parts = script.split([':', '-', '_', '.', '/']).filter(|part| !part.is_empty());
    parts
        .into_iter()
        .find_map(|part| SCRIPTS.iter().find(|(_, names)| has(names, part)).map(|(purpose, _)| *purpose))
}

/// A file whose name says that it has or runs tests.
fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split(['-', '_', '.']).any(|part| has(TEST_FILES, part))
}

/// On one line; a backslash at the end of a line joins it with the next.
fn one_line(text: &str) -> String {
    if text.contains("\\\n") { squashed(&text.replace("\\\n", " ")) } else { squashed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::programs::Purpose::{Build, Lint, Look, Prepare, Run, Serve, VersionControl};

    fn purposes(line: &str) -> Vec<Purpose> {
        ShellLine::parse(line).steps().iter().map(|step| step.purpose).collect()
    }

    #[test]
    fn every_entry_of_the_tables_has_an_example_that_holds() {
        let lines =
            PROGRAMS.iter().map(|program| program.example).chain(RUNNERS.iter().map(|runner| runner.example));
        for (line, purpose) in lines {
            assert_eq!(purposes(line).first(), Some(&purpose), "{line}");
        }
        for (line, program) in WRAPPERS.iter().chain([&UNKNOWN_WRAPPER]).map(|wrapper| wrapper.example) {
            let parsed = ShellLine::parse(line);
            let first = parsed.steps().first().unwrap_or_else(|| panic!("{line}"));
            assert_eq!(first.program, program, "{line}");
        }
    }

    #[test]
    fn code_in_the_line_behind_a_pipe_only_shows_what_it_is_given() {
        for (line, looks, may_check) in [
            ("cat x.json | python3 -c 'import json, sys; print(json.load(sys.stdin))'", true, false),
            ("curl -s localhost:3000/health | python -m json.tool", true, false),
            ("cat x.json | node -e 'console.log(1)' | head -3", true, false),
            ("pytest -q | python -c 'print(1)'", false, true),
            ("cat script.py | python", false, true),
            ("cat x.json | python check.py", false, true),
            ("python -c 'import app'", false, true),
            ("curl -s https://example.org/install.sh | bash", false, true),
        ] {
            let line = ShellLine::parse(line);
            assert_eq!((line.only_looks(), line.may_check()), (looks, may_check), "{}", line.text());
        }
    }

    #[test]
    fn a_program_stands_in_one_entry() {
        let mut names: Vec<&str> = PROGRAMS.iter().flat_map(|program| program.names.split(' ')).collect();
        names.sort_unstable();
        let twice: Vec<&&str> =
            names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn a_check_is_known_by_program_and_verb_never_by_a_word_in_the_line() {
        for line in [
            "git checkout dev",
            "git commit -m \"fix the build\"",
            "git checkout feature-x",
            "test -f Cargo.toml",
            "Rscript check_math.R",
            "cat build/test.log",
            "grep -rn lint src",
            "mkdir -p tests/build",
            "npm install --save-dev jest-extended",
            "gh pr create --body \"run it; go test ./... && cargo test\"",
            "echo make test",
            "cargo tree",
        ] {
            assert!(ShellLine::parse(line).checks().next().is_none(), "{line}: {:?}", purposes(line));
        }
        for line in [
            "cargo test -p x",
            "RUST_LOG=debug cargo nextest run",
            "python3 -m pytest",
            "python -m unittest discover",
            "npm test",
            "npm run test:unit",
            "go vet ./... && go test ./...",
            "timeout 60 make test",
            "sh run-tests.sh",
            "./scripts/test.sh --fast",
            "node --test",
            "docker compose exec -T web sh -c 'cd /app && pytest -q'",
            "ssh prod \"cd /srv/app && make check\"",
            "(cd web && npm run build)",
            "for i in 1 2 3; do cargo test; done",
            "if ! cargo build; then echo broken; fi",
            "R -e \"x\" ; bun test",
        ] {
            assert!(ShellLine::parse(line).checks().next().is_some(), "{line}: {:?}", purposes(line));
        }
    }

    #[test]
    fn steps_have_their_joints_folders_and_wrappers() {
        let line =
            ShellLine::parse("cd web && A=1 sudo npm test 2>&1 | tail -5 || echo no; (cd api; make) ; ls");
        let all: Vec<(Joint, &str, Option<&Folder>)> = line
            .steps()
            .iter()
            .map(|step| (step.joint, step.program.as_str(), step.folder.as_ref()))
            .collect();
        let web = Folder::At("web".into());
        let api = Folder::At("web/api".into());
        assert_eq!(
            all,
            [
                (Joint::Then, "cd", Some(&web)),
                (Joint::And, "npm", Some(&web)),
                (Joint::Pipe, "tail", Some(&web)),
                (Joint::Or, "echo", Some(&web)),
                (Joint::Then, "cd", Some(&api)),
                (Joint::Then, "make", Some(&api)),
                (Joint::Then, "ls", Some(&web)),
            ]
        );
        assert_eq!(line.steps()[1].settings, ["A=1"]);
        assert_eq!(line.steps()[1].wrappers, ["sudo"]);
        assert!(line.steps()[2].is_filter() && !line.steps()[1].is_filter());
        assert_eq!(purposes("cd a && git status && npm run dev"), [Prepare, Look, Serve]);
        assert_eq!(purposes("git -C ../x commit -m y && python a.py"), [VersionControl, Run]);
        assert_eq!(purposes("make && make lint"), [Build, Lint]);
        assert_eq!(purposes("cat a | python -m json.tool"), [Look, Look]);
    }

    #[test]
    fn only_steps_that_the_last_one_needed_have_passed_with_the_line() {
        let programs = |line: &str| -> Vec<String> {
            ShellLine::parse(line).passed_with_line().iter().map(|step| step.text.clone()).collect()
        };
        assert_eq!(programs("make lint && make test"), ["make lint", "make test"]);
        assert_eq!(programs("make lint; make test"), ["make test"]);
        assert_eq!(programs("make a && make b | tail -1"), ["make a", "tail -1"]);
        assert_eq!(programs("make || true"), ["true"]);
    }

    #[test]
    fn here_documents_scripts_and_files_belong_to_their_step() {
        let line = ShellLine::parse("cat > a.md <<'EOF'\nrun make test\nEOF\nbash -c 'cargo test > log.txt'");
        assert_eq!(line.steps().len(), 2, "{line:#?}");
        let written =
            |at: usize| line.steps()[at].files.iter().map(|(_, file)| file.text.as_str()).collect::<Vec<_>>();
        assert_eq!(written(0), ["a.md"]);
        assert_eq!(line.steps()[0].input.as_deref(), Some("run make test\n"));
        assert_eq!(line.steps()[1].purpose, Purpose::Test);
        assert_eq!(written(1), ["log.txt"]);
        assert!(line.is_whole() && !ShellLine::parse("bash -c 'cargo test").is_whole());
    }

    #[test]
    fn a_run_of_single_tests_or_files_is_narrow() {
        let narrow = |line: &str| ShellLine::parse(line).steps()[0].is_narrow();
        for line in ["go test ./x -run TestA", "ruff check src/a.py", "pytest tests/test_a.py::test_b"] {
            assert!(narrow(line), "{line}");
        }
        for line in [
            "go test ./...",
            "ruff check src tests",
            "cargo test",
            "./run.sh",
            "cmake ..",
            "python a.py",
            "make -k all",
        ] {
            assert!(!narrow(line), "{line}");
        }
    }

    #[test]
    fn output_flags_do_not_make_another_command() {
        let key = |line: &str| ShellLine::parse(line).steps()[0].key();
        assert_eq!(key("pytest -q --no-header tests"), key("pytest --no-header tests"));
        assert_ne!(key("pytest -k a"), key("pytest -k b"));
    }

    #[test]
    fn a_run_covers_only_what_it_runs() {
        let cases = [
            ("cargo test", "cargo test parse_line", true),
            ("cargo test b", "cargo test a", false),
            ("cargo test -p x", "cargo test -p x parse", true),
            ("cargo test --workspace", "RUST_LOG=debug cargo test -p x", true),
            ("cargo test -p x", "cargo test", false),
            ("pytest tests/a.py", "pytest tests/a.py::test_x -q", true),
            ("pytest tests/b.py", "pytest tests/a.py", false),
            ("pytest tests/a.py", "pytest /repo/tests/a.py::test_x", true),
            ("go test ./a -run TestParse", "go test ./a -run TestParse_Tabs", true),
            ("go test ./a -run 'TestB|TestC'", "go test ./a -run TestB", true),
            ("go test ./a -run TestB", "go test ./a -run 'TestB|TestC'", false),
            ("go test ./...", "go test ./pkg/x", true),
            ("go test ./pkg/...", "go test ./pkg/x", true),
            ("npm test", "npm run test", true),
            ("pnpm test", "npm run test", true),
            ("npm run lint", "npm run test", false),
            ("npm run lint:fix", "npm run lint", true),
            ("timeout 60 make check", "make check", true),
            ("make -C build all", "make -j8", true),
            ("uv run pytest", "python3 -m pytest tests/a.py", true),
            ("bun run test", "wrapped bun run test", true),
            ("~/tasks/lint/go", "go test ./a", false),
            ("mise run lint", "mise run lint:full", false),
        ];
        for (wide, narrow, expected) in cases {
            let [wide_line, narrow_line] = [wide, narrow].map(ShellLine::parse);
            let covers = wide_line.steps()[0].covers(&narrow_line.steps()[0]);
            assert_eq!(covers, expected, "{wide} / {narrow}");
        }
    }

    #[test]
    fn core_is_the_same_in_every_run() {
        let cases = [
            ("cd /repo && cargo test -p x 2>&1 | tail -20", "cargo test -p x"),
            ("cd a; cd b && make", "make"),
            ("go test ./... 2>&1 | grep FAIL | head -5", "go test ./..."),
            ("cat a | sort", "cat a | sort"),
            ("  npm   run\n build ", "npm run build"),
            ("make \\\n all", "make all"),
            ("cd /only/there", "cd /only/there"),
            ("cd \"/a b\" && make", "make"),
            ("cd '/a b'; make", "make"),
            ("rg 'a | head b' src", "rg 'a | head b' src"),
            ("echo \"it's\" | head -1", "echo \"it's\""),
            ("# run them\ncargo test", "cargo test"),
            ("RUST_LOG=debug cargo test | tail -3", "RUST_LOG=debug cargo test"),
            ("make | tail -3 && make test | head -1", "make | tail -3 && make test"),
            ("cat > a <<'E'\nx | tail\nE", "cat > a <<'E' x | tail E"),
        ];
        for (typed, expected) in cases {
            assert_eq!(ShellLine::parse(typed).core(), expected, "{typed}");
        }
        assert_eq!(ShellLine::parse("cd a && make 2>&1 | tail -5").plain(), "cd a && make");
    }

    #[test]
    fn servers_are_told_from_checks() {
        for line in ["pnpm --filter web dev", "npm start", "uvicorn app:main", "docker compose up -d web"] {
            assert!(ShellLine::parse(line).serves(), "{line}");
        }
        for line in [
            "npm test",
            "cargo build",
            "npm start && npm test",
            "make dev-image && make test",
            "pytest tests/start",
        ] {
            assert!(!ShellLine::parse(line).serves(), "{line}");
        }
    }

    #[test]
    fn running_tests_differs_from_naming_them() {
        let runs = [
            "cargo test -p x",
            "RUST_LOG=debug cargo nextest run",
            "pytest -q tests/a.py",
            "python3 -m pytest",
            "python -m unittest discover",
            "npm test",
            "npm run test:unit",
            "pnpm --filter api test",
            "npx vitest run",
            "go vet ./... && go test ./...",
            "timeout 60 make test",
            "sh run-tests.sh",
            "./scripts/test.sh --fast",
            "./gradlew test",
            "mise run test",
            "node --test",
        ];
        for core in runs {
            assert!(ShellLine::parse(core).runs_tests(), "{core}");
        }
        let others = [
            "git commit -m \"add a test\"",
            "ls tests",
            "cat tests/a.py",
            "grep -rn test src",
            "cargo build --tests",
            "mkdir -p tests/fixtures",
            "npm install --save-dev jest-extended",
            "git add crates/x/tests/it.rs",
            "gh pr create --body \"run it; go test ./... && cargo test\"",
            "cargo check",
        ];
        for core in others {
            assert!(!ShellLine::parse(core).runs_tests(), "{core}");
        }
    }

    #[test]
    fn line_is_split_into_its_commands() {
        let texts = |command: &str| {
            let line = ShellLine::parse(command);
            line.steps()
                .iter()
                .filter(|step| !step.is_filter())
                .map(|step| step.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts("cd x && make 2>&1 | tail -3; ./run"), ["cd x", "make", "./run"]);
        assert_eq!(
            texts("git commit -m \"a && b; c\" && git push"),
            ["git commit -m \"a && b; c\"", "git push"]
        );
        assert_eq!(texts("python3 - <<'EOF'\nimport a; b\nEOF\nmake"), ["python3 -", "make"]);
        assert_eq!(texts("make \\\n  all || (cd y && make)"), ["make all", "cd y", "make"]);
        assert_eq!(texts("cat <<< 'x'\necho \"it's\""), ["cat", "echo \"it's\""]);
    }
}
