//! A command line, parsed once into the steps it runs.
//!
//! `cd web && npm test 2>&1 | tail -5` is three steps: where they run, what they are for, how they are joined. Wrappers
//! (`sudo`, `docker exec web`, `bash -c '…'`, `ssh host '…'`) are taken off, so that a step names the program that does
//! the work. A line that does not parse is marked: then nothing may be concluded from what is not in it.

use super::lexer::{self, Token};
pub use super::lexer::{Direction, ShellWord};
use crate::lexicon::programs::{
    ANSWERS, COSMETIC, FILTERS, GIT_ANSWERS, INTERPRETERS, PICKS, PROGRAMS, Program, Purpose, RUNNERS,
    SCRIPTS, TEST_FILES, TaskRunner, WRAPPERS, Wrapper,
};

/// Scripts inside scripts (`bash -c "ssh host '…'"`) are followed this far.
const MAX_DEPTH: u32 = 4;
/// Verbs stand within the first words after a program.
const VERB_WITHIN: usize = 3;

/// A command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellLine {
    pub steps: Vec<Step>,
    /// Every quotation and here-document in it ends.
    pub is_whole: bool,
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
    pub fn parse(line: &str) -> Self {
        let mut parser =
            LineParser { steps: Vec::new(), is_whole: true, elsewhere: false, wrappers: Vec::new() };
        parser.parse(line, Joint::Then, None, MAX_DEPTH);
        ShellLine { steps: parser.steps, is_whole: parser.is_whole }
    }

    /// The exit code of the line is that of this step; `None` for a line without steps. Filters behind a pipe have an
    /// exit code of their own, so this may be one of them.
    pub fn last(&self) -> Option<&Step> {
        self.steps.last()
    }

    /// The steps that have certainly passed if the line passed: the last one and those it needed by `&&`.
    pub fn passed_with_line(&self) -> Vec<&Step> {
        let mut passed = Vec::new();
        let mut needed = true;
        for step in self.steps.iter().rev() {
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
        self.steps.iter().filter(|step| step.is_check())
    }

    /// The line's own exit code does not say how `step` went.
    pub fn hides(&self, step: &Step) -> bool {
        !self.passed_with_line().iter().any(|passed| std::ptr::eq(*passed, step))
            || self.steps.iter().any(|other| other.joint == Joint::Or)
    }
}

impl Step {
    /// The words after the program, without quotation marks.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.text.as_str())
    }

    /// It tests, builds, formats or looks for mistakes: how it ends is news about the work.
    pub fn is_check(&self) -> bool {
        matches!(self.purpose, Purpose::Test | Purpose::Build | Purpose::Lint | Purpose::Format)
    }

    /// It only passes on or shortens what it is given.
    pub fn is_filter(&self) -> bool {
        self.joint == Joint::Pipe && has(FILTERS, &self.program)
    }

    /// Exit code 1 is an answer, not a failure.
    pub fn answers_with_exit_code(&self) -> bool {
        has(ANSWERS, &self.program)
            || (self.program == "git" && self.verb.as_deref().is_some_and(|verb| has(GIT_ANSWERS, verb)))
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
}

struct LineParser {
    steps: Vec<Step>,
    is_whole: bool,
    elsewhere: bool,
    wrappers: Vec<String>,
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
    fn parse(&mut self, line: &str, first: Joint, folder: Option<Folder>, depth: u32) {
        let (tokens, closed) = lexer::tokens(line);
        self.is_whole &= closed;
        let (mut raw, mut joint, mut folder) = (Raw::default(), first, folder);
        // Folders to go back to at the end of a subshell; nesting of loops and conditions.
        let (mut outer, mut conditions) = (Vec::new(), 0_u32);
        for token in tokens {
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
            Some(script) if depth > 0 => self.parse(&script, joint, folder.clone(), depth - 1),
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
        let mut words = raw.words.into_iter();
        let called = words.next().map(|word| word.text).unwrap_or_default();
        let rest: Vec<ShellWord> = words.collect();
        let program = name_of(&called);
        let (purpose, verb) = purpose_of(&called, &program, &rest);
        if matches!(program.as_str(), "cd" | "pushd") {
            *folder = Some(entered(folder.as_ref(), &rest));
        } else if program == "popd" {
            *folder = Some(Folder::Unknown);
        }
        let own = rest.iter().position(|word| word.text == "-C").and_then(|at| rest.get(at + 1));
        let runs_in = match own {
            Some(_) => Some(entered(folder.as_ref(), &own.cloned().into_iter().collect::<Vec<_>>())),
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
}

fn entered(folder: Option<&Folder>, words: &[ShellWord]) -> Folder {
    let Some(to) = words.iter().find(|word| !word.text.starts_with("--")) else { return Folder::Unknown };
    match folder {
        _ if to.expands || to.text.starts_with('-') || to.text.starts_with('~') => Folder::Unknown,
        _ if to.text.starts_with('/') => Folder::At(to.text.clone()),
        Some(Folder::Unknown) => Folder::Unknown,
        Some(Folder::At(before)) => Folder::At(format!("{}/{}", before.trim_end_matches('/'), to.text)),
        None => Folder::At(to.text.clone()),
    }
}

/// `word` is one of `words`, which are separated by spaces.
pub(super) fn has(words: &str, word: &str) -> bool {
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
    let name = if bare.is_empty() { name } else { bare };
    name.trim_end_matches(".exe").to_owned()
}

/// The wrapper that a step begins with, and how many words belong to it.
fn wrapper_of(words: &[ShellWord]) -> Option<(&'static Wrapper, usize)> {
    let first = name_of(&words.first()?.text);
    let starts = |wrapper: &&Wrapper| wrapper.words.split(' ').next() == Some(first.as_str());
    let fitting =
        WRAPPERS.iter().filter(starts).filter_map(|wrapper| Some((wrapper, own_words(wrapper, words)?)));
    // `uv run` is longer than `uv`.
    fitting.max_by_key(|(wrapper, _)| wrapper.words.len()).filter(|(_, long)| *long < words.len())
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

/// What a step is for, and the word that says so.
fn purpose_of(called: &str, program: &str, words: &[ShellWord]) -> (Purpose, Option<String>) {
    if words.iter().any(|word| matches!(word.text.as_str(), "--help" | "--version" | "-V")) {
        return (Purpose::Look, None);
    }
    if let Some(runner) = RUNNERS.iter().find(|runner| has(runner.names, program)) {
        let is_file = |word: &&ShellWord| word.text.contains('.') && !word.text.contains(':');
        if !(has(INTERPRETERS, program) && words.first().is_some_and(|word| is_file(&word))) {
            return run_by(runner, words);
        }
    }
    if let Some(known) = PROGRAMS.iter().find(|known| has(known.names, program)) {
        if program == "sed" {
            let writes = words.iter().any(|word| word.text.starts_with("-i") || word.text == "--in-place");
            return (if writes { Purpose::Change } else { Purpose::Look }, None);
        }
        return by_verb(known, words);
    }
    if has(INTERPRETERS, program) {
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
    (Purpose::Unknown, None)
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::programs::Purpose::{Build, Lint, Look, Prepare, Run, Serve, VersionControl};

    fn purposes(line: &str) -> Vec<Purpose> {
        ShellLine::parse(line).steps.iter().map(|step| step.purpose).collect()
    }

    #[test]
    fn every_entry_of_the_tables_has_an_example_that_holds() {
        let lines =
            PROGRAMS.iter().map(|program| program.example).chain(RUNNERS.iter().map(|runner| runner.example));
        for (line, purpose) in lines {
            assert_eq!(purposes(line).first(), Some(&purpose), "{line}");
        }
        for (line, program) in WRAPPERS.iter().map(|wrapper| wrapper.example) {
            let parsed = ShellLine::parse(line);
            let first = parsed.steps.first().unwrap_or_else(|| panic!("{line}"));
            assert_eq!(first.program, program, "{line}");
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
        let all: Vec<(Joint, &str, Option<&Folder>)> =
            line.steps.iter().map(|step| (step.joint, step.program.as_str(), step.folder.as_ref())).collect();
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
        assert_eq!(line.steps[1].settings, ["A=1"]);
        assert_eq!(line.steps[1].wrappers, ["sudo"]);
        assert!(line.steps[2].is_filter() && !line.steps[1].is_filter());
        assert_eq!(purposes("cd a && git status && npm run dev"), [Prepare, Look, Serve]);
        assert_eq!(purposes("git -C ../x commit -m y && python a.py"), [VersionControl, Run]);
        assert_eq!(purposes("make && make lint"), [Build, Lint]);
        assert_eq!(purposes("cat a | python -m json.tool"), [Look, Purpose::Unknown]);
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
        assert_eq!(line.steps.len(), 2, "{line:#?}");
        let written =
            |at: usize| line.steps[at].files.iter().map(|(_, file)| file.text.as_str()).collect::<Vec<_>>();
        assert_eq!(written(0), ["a.md"]);
        assert_eq!(line.steps[0].input.as_deref(), Some("run make test\n"));
        assert_eq!(line.steps[1].purpose, Purpose::Test);
        assert_eq!(written(1), ["log.txt"]);
        assert!(line.is_whole && !ShellLine::parse("bash -c 'cargo test").is_whole);
    }

    #[test]
    fn a_run_of_single_tests_or_files_is_narrow() {
        let narrow = |line: &str| ShellLine::parse(line).steps[0].is_narrow();
        for line in ["go test ./x -run TestA", "ruff check src/a.py", "pytest tests/test_a.py::test_b"] {
            assert!(narrow(line), "{line}");
        }
        for line in
            ["go test ./...", "ruff check src tests", "cargo test", "cmake ..", "python a.py", "make -k all"]
        {
            assert!(!narrow(line), "{line}");
        }
    }

    #[test]
    fn output_flags_do_not_make_another_command() {
        let key = |line: &str| ShellLine::parse(line).steps[0].key();
        assert_eq!(key("pytest -q --no-header tests"), key("pytest --no-header tests"));
        assert_ne!(key("pytest -k a"), key("pytest -k b"));
    }
}
