//! Reads a corpus: a folder of transcripts, with a list of compactions in them and key facts for some.
//!
//! ```text
//! cases.tsv     the columns `file` and `line`: a transcript in the folder, and the lines before the compaction
//! facts.jsonl   key facts ([`crate::key_facts`])
//! ```
//!
//! A [`CorpusCase`] has what the model saw without a brief, the session up to the compaction, and the brief that it would
//! have got, made in this process by the function that the hook calls. What a hook's delivery adds to that:
//!
//! - The hook also asks the workspace (git, files of slash commands, the repository's history, notes). A corpus is read
//!   far from its workspaces, so the brief is that of an empty one.
//! - The hook's session is folded in several passes from its store. By the fold law it is the same.
//! - The hook has the summary as the client passes it on, and this has the summary's row. Both are the same text, masked.
//! - The next event after a compaction may repeat or correct what was delivered. Nothing here can get lost, and the summary
//!   does not change, so there is no such text.

use std::io;
use std::path::{Path, PathBuf};

use catchword_engine::brief::Brief;
use catchword_engine::choose::Model;
use catchword_engine::choose::weights::FITTED;
use catchword_engine::choose::{KnownText, WorkspaceState};
use catchword_engine::clients::Client;
use catchword_engine::ops::active;
use catchword_engine::ops::brief::brief_by;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::redact::{Mask, SECRETS};
use catchword_engine::session::Session;

use crate::key_facts::{KeyFact, KeyFacts};
use crate::measure;
use crate::needs::Case;
use crate::score::FactScorer;

/// The files of a corpus besides the transcripts.
const CASES: &str = "cases.tsv";
const FACTS: &str = "facts.jsonl";

#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path}, {what}")]
    Content { path: PathBuf, what: String },
    #[error("{name}: the transcript has no compaction after that many lines")]
    NoCompaction { name: String },
}

/// The list of a corpus and its key facts. Transcripts are read one at a time ([`CorpusPoint::load`]).
#[derive(Clone, Debug)]
pub struct Corpus {
    /// In the order of the list; those whose transcript is missing are left out.
    pub points: Vec<CorpusPoint>,
    pub facts: KeyFacts,
}

/// A compaction in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusPoint {
    /// As key facts name it: the transcript's name without its extension, `@`, the lines before the compaction.
    pub name: String,
    pub path: PathBuf,
    /// Lines before the compaction.
    pub lines: u32,
}

/// A compaction with everything that a brief is made of.
#[derive(Clone, Debug)]
pub struct CorpusCase {
    pub point: CorpusPoint,
    pub client: &'static Client,
    /// The summary, what the model saw without a brief (`native`), and what it went on to need.
    pub case: Case,
    /// The session up to the compaction, as the hook has it.
    pub session: Session,
}

impl Corpus {
    /// Reads the list and the key facts of a folder.
    pub fn open(folder: &Path) -> Result<Corpus, CorpusError> {
        Corpus::with_facts(folder, &folder.join(FACTS))
    }

    /// The same with key facts from another file.
    pub fn with_facts(folder: &Path, facts: &Path) -> Result<Corpus, CorpusError> {
        let list = folder.join(CASES);
        let points =
            points(folder, &text_of(&list)?).map_err(|what| CorpusError::Content { path: list, what })?;
        let read = KeyFacts::read(&text_of(facts)?);
        let facts = read.map_err(|what| CorpusError::Content { path: facts.to_owned(), what })?;
        Ok(Corpus { points, facts })
    }

    /// Those with key facts, in the order of the list.
    pub fn labelled(&self) -> impl Iterator<Item = &CorpusPoint> {
        self.points.iter().filter(|point| !self.facts.of(&point.name).is_empty())
    }

    /// Cases of the key facts that the list lacks, or whose transcript is missing.
    pub fn unlisted(&self) -> Vec<&str> {
        let is_listed = |case: &str| self.points.iter().any(|point| point.name == case);
        self.facts.cases().filter(|case| !is_listed(case)).collect()
    }

    /// The key facts of a compaction.
    pub fn facts_of(&self, point: &CorpusPoint) -> &[KeyFact] {
        self.facts.of(&point.name)
    }

    /// Scores briefs of a compaction.
    pub fn scorer(&self, case: &CorpusCase) -> Result<FactScorer<'_>, CorpusError> {
        let scorer = FactScorer::new(self.facts_of(&case.point), &case.case.native);
        scorer.map_err(|what| CorpusError::Content { path: PathBuf::from(&case.point.name), what })
    }
}

fn text_of(path: &Path) -> Result<String, CorpusError> {
    std::fs::read_to_string(path).map_err(|source| CorpusError::Read { path: path.to_owned(), source })
}

/// Parses the list. The first line names the columns.
fn points(folder: &Path, list: &str) -> Result<Vec<CorpusPoint>, String> {
    let mut lines = list.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        columns.iter().position(|column| *column == name).ok_or_else(|| format!("no column {name}"))
    };
    let (file, line) = (column("file")?, column("line")?);
    let point = |row: &str| {
        let cells: Vec<&str> = row.split('\t').collect();
        let path = folder.join(cells.get(file)?);
        let lines = cells.get(line)?.parse().ok()?;
        Some(CorpusPoint { name: measure::case_name(&path, lines), path, lines })
    };
    let mut points = Vec::new();
    for (number, row) in lines.enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        points.push(point(row).ok_or_else(|| format!("line {}: no file and number of lines", number + 2))?);
    }
    points.retain(|point| point.path.exists());
    Ok(points)
}

impl CorpusPoint {
    /// The project: everything in the name before the first `__`.
    pub fn project(&self) -> &str {
        self.name.split("__").next().unwrap_or_default()
    }

    /// Reads the transcript, with secrets masked as a hook masks them.
    pub fn load(&self) -> Result<CorpusCase, CorpusError> {
        self.load_masked(SECRETS)
    }

    pub fn load_masked(&self, mask: &Mask) -> Result<CorpusCase, CorpusError> {
        let read = |source| CorpusError::Read { path: self.path.clone(), source };
        let lines = TranscriptLines::of_file(&self.path);
        let (cases, _) = measure::cases(lines.reader(mask), &self.path).map_err(read)?;
        let case = cases.into_iter().find(|case| case.lines == self.lines);
        let mut case = case.ok_or_else(|| CorpusError::NoCompaction { name: self.name.clone() })?;
        case.summary = mask.text(&case.summary).trim().to_owned();
        let mut session = lines.fold(mask, Some(case.lines)).map_err(read)?;
        if case.manual {
            session.compacts_on_order();
        }
        Ok(CorpusCase { point: self.clone(), client: lines.client, case, session })
    }
}

impl CorpusCase {
    /// What the model has already, as the hook knows it: the summary and the session's own trace of what was kept.
    pub fn known(&self) -> KnownText {
        KnownText::audited(&self.session, Some(self.case.summary.as_str()).filter(|_| !self.case.is_opaque))
    }

    /// What the hook adds to the session, as far as a transcript tells it.
    pub fn workspace(&self) -> WorkspaceState {
        let active = active::joined(&self.client.commands, &self.session, &[], None, &|_, _| None);
        WorkspaceState {
            id: Some(self.session_id().to_owned()),
            active: Some(active),
            ..WorkspaceState::default()
        }
    }

    /// The brief that the model would have got.
    pub fn brief(&self, budget: usize) -> Brief {
        self.brief_by(&FITTED, budget)
    }

    /// The same with other weights.
    pub fn brief_by(&self, model: &Model, budget: usize) -> Brief {
        brief_by(model, &self.known(), &self.session, &self.workspace(), budget, self.client.room)
    }

    /// In a corpus the name of a transcript ends with its session's id.
    fn session_id(&self) -> &str {
        let stem = self.point.name.rsplit_once('@').map_or(self.point.name.as_str(), |(stem, _)| stem);
        stem.rsplit("__").next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use catchword_engine::brief::DEFAULT_BUDGET;
    use catchword_testkit::{Transcript, files};

    use super::*;
    use crate::score::{Figures, ScoredCase};

    const LIST: &str = "file\tline\nteam-a__app__0a1b2c3d-1111.jsonl\t10\nteam-a__app__0a1b2c3d-1111.jsonl\t20\n\
                        team-b__gone__1.jsonl\t3\nteam-b__app__2.jsonl\t2\n";
    const FACTS_OF_ONE: &str = r#"
{"case": "team-a__app__0a1b2c3d-1111@10", "kind": "command", "weight": 3, "fact": "how to test", "place": "L4", "all": ["cargo test", "-p +parser\\b"]}
{"case": "team-a__app__0a1b2c3d-1111@10", "kind": "request", "weight": 1, "fact": "a better parser", "all": ["better parser|skip comments"]}
{"case": "team-a__app__0a1b2c3d-1111@10", "kind": "lesson", "weight": 2, "fact": "nobody wrote it", "all": ["turtles"]}
{"case": "team-a__app__0a1b2c3d-1111@10", "kind": "trap", "weight": 1, "fact": "it was never released", "wrong": "released"}
{"case": "team-a__app__0a1b2c3d-1111@10", "kind": "trap", "weight": 1, "fact": "made to spring", "wrong": "nested (?!parsers)comments"}
{"case": "team-b__gone__1@3", "kind": "value", "weight": 1, "fact": "the port", "all": ["port"]}
{"case": "team-b__app__2@2", "kind": "value", "weight": 1, "fact": "the port", "all": ["port"]}
"#;

    /// Two compactions: the first summary lacks everything that is used afterwards.
    fn twice_compacted() -> Transcript {
        Transcript::new()
            .prompt("Make the parser skip comments, and keep it as fast as it is now.")
            .read("/home/user/project/src/parser.rs")
            .edit("/home/user/project/src/lexer.rs", "a", "b")
            .bash("cargo test -p parser --quiet")
            .fails("Exit code 101\nskip_comments failed")
            .task_create("Skip nested comments")
            .prompt("Yes, go on with it.")
            .compaction("auto", "The user wants a better parser.")
            .edit("/home/user/project/src/lexer.rs", "b", "c")
            .grep("skip_comments")
            .bash("cargo test -p parser --quiet 2>&1 | tail -3")
            .ok("fine")
            .prompt("And now the benchmarks.")
            .compaction("manual", "Working on src/lexer.rs.")
            .read("/home/user/project/src/lexer.rs")
    }

    fn corpus() -> (tempfile::TempDir, Corpus) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        twice_compacted().write_to(at("team-a__app__0a1b2c3d-1111.jsonl"));
        let idle =
            Transcript::new().prompt("Choose a port.").says("4010 it is.").compaction("auto", "A port.");
        idle.write_to(at("team-b__app__2.jsonl"));
        files::write(at(CASES), LIST);
        files::write(at(FACTS), FACTS_OF_ONE);
        let corpus = Corpus::open(folder.path()).unwrap();
        (folder, corpus)
    }

    #[test]
    fn cases_are_listed_in_order_and_missing_files_are_left_out() {
        let (_folder, corpus) = corpus();
        let names: Vec<&str> = corpus.points.iter().map(|point| point.name.as_str()).collect();
        let first = "team-a__app__0a1b2c3d-1111@10";
        assert_eq!(names, [first, "team-a__app__0a1b2c3d-1111@20", "team-b__app__2@2"]);
        let labelled: Vec<&str> = corpus.labelled().map(CorpusPoint::project).collect();
        assert_eq!(labelled, ["team-a", "team-b"]);
        assert_eq!(corpus.unlisted(), ["team-b__gone__1@3"]);
    }

    #[test]
    fn case_is_cut_at_its_compaction() {
        let (_folder, corpus) = corpus();
        let first = corpus.points[0].load().unwrap();
        assert_eq!(first.case.lines, 10);
        assert!(first.case.summary.ends_with("a better parser."), "{}", first.case.summary);
        assert!(first.case.native.contains("a better parser") && !first.case.manual);
        let brief = first.brief(DEFAULT_BUDGET).text;
        assert!(brief.contains("0a1b2c3d") && brief.contains("cargo test -p parser"), "{brief}");
        assert!(!brief.contains("benchmarks"), "{brief}");
        assert!(first.brief(400).text.chars().count() <= 400);
        let second = corpus.points[1].load().unwrap();
        assert!(second.case.manual && second.session.entries > first.session.entries);
    }

    #[test]
    fn key_facts_are_counted_as_known_given_back_or_lost() {
        let (_folder, corpus) = corpus();
        let scored: Vec<ScoredCase> = corpus
            .labelled()
            .map(|point| {
                let case = point.load().unwrap();
                let brief = case.brief(DEFAULT_BUDGET).text;
                let score = corpus.scorer(&case).unwrap().score(&brief).unwrap();
                ScoredCase { project: point.project(), characters: brief.chars().count(), score }
            })
            .collect();
        let kind = |name: &str| {
            let known = scored[0].score.kinds[name];
            [known.all, known.kept, known.with]
        };
        assert_eq!((kind("command"), kind("request"), kind("lesson")), ([3, 0, 3], [1, 1, 1], [2, 0, 0]));
        assert_eq!((scored[0].score.traps, scored[0].score.sprung), (2, 1));
        let share = Figures::of(&scored[..1]).unwrap().share;
        assert!((share.kept - 1.0 / 6.0).abs() < 1e-9 && (share.with - 4.0 / 6.0).abs() < 1e-9);
        assert!((share.given_back() - 0.6).abs() < 1e-9);
        // In the second project nothing was needed again; its fact counts all the same.
        let both = Figures::of(&scored).unwrap();
        assert!((both.share.with - f64::midpoint(4.0 / 6.0, 1.0)).abs() < 1e-9);
        assert_eq!(both.projects, 2);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let (folder, _) = corpus();
        let error = || Corpus::open(folder.path()).unwrap_err().to_string();
        files::write(
            folder.path().join(FACTS),
            "\n{\"case\": \"s@1\", \"kind\": \"value\", \"weight\": 1, \"all\": [\"(a\"]}\n",
        );
        assert!(error().contains("facts.jsonl, line 2: Parsing error at position 2"), "{}", error());
        files::write(folder.path().join(CASES), "file\tline\nx.jsonl\tmany\n");
        assert!(error().contains("cases.tsv, line 2"), "{}", error());
        files::write(folder.path().join(CASES), "path\tline\n");
        assert!(error().contains("no column file"), "{}", error());
        std::fs::remove_file(folder.path().join(CASES)).unwrap();
        assert!(error().starts_with("cannot read "), "{}", error());
    }

    #[test]
    fn line_without_a_compaction_is_an_error() {
        let (_folder, corpus) = corpus();
        let point = CorpusPoint { lines: 7, ..corpus.points[0].clone() };
        assert!(matches!(point.load(), Err(CorpusError::NoCompaction { .. })));
    }
}
