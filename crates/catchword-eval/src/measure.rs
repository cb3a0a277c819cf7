//! Measures a transcript: what its compactions kept, and what a brief at each of them would have given back.

use std::io;
use std::path::Path;

use catchword_engine::brief::{self, Brief};
use catchword_engine::choose::{self, KnownText};
use catchword_engine::clients::replay::ReplayRow;
use catchword_engine::ops::brief::budget_for;
use catchword_engine::ops::history::{self, CompactionPoint};
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::Mask;
use catchword_engine::session::Session;
use catchword_engine::transcript::tail::{Cursor, Line, Tail};

use crate::needs::{self, ListedCount, Score};

/// The measurements of one file.
#[derive(Clone, Debug, Default)]
pub struct MeasuredFile {
    /// The folder that the session started in, or the source named in the file's name.
    pub project: Option<String>,
    /// All compactions, including those after which nothing was needed.
    pub compactions: usize,
    /// Those after which something was needed.
    pub outcomes: Vec<CaseResult>,
}

#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The number of the compaction in its file, from 1.
    pub number: usize,
    /// Number of lines before it.
    pub lines: u32,
    /// Length of the brief, in characters.
    pub characters: usize,
    /// Length of its head.
    pub head_characters: usize,
    pub score: Score,
    pub listed: ListedCount,
}

/// How briefs are made.
pub struct Briefs<'a> {
    /// Characters per brief.
    pub budget: usize,
    /// Names of extractors to skip.
    pub without: &'a [String],
    /// Ignore the summary.
    pub blind: bool,
}

/// The source of a transcript in a collection: everything in the file's name before the first `__`. Folders say little
/// there, because each contributor has different ones.
fn collected_from(path: &Path) -> Option<String> {
    let (source, rest) = path.file_stem()?.to_str()?.split_once("__")?;
    (!source.is_empty() && !rest.is_empty()).then(|| source.to_owned())
}

/// The name of a compaction in a file of key facts: the transcript's name, and the number of lines before it.
pub fn case_name(path: &Path, lines: u32) -> String {
    format!("{}@{lines}", path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Measures every compaction of a transcript.
pub fn measure(reader: RowReader, path: &Path, briefs: &Briefs) -> io::Result<MeasuredFile> {
    let (mut cases, folder) = cases(reader, path)?;
    let compactions = cases.len();
    let project = collected_from(path).or(folder);
    cases.retain(needs::Case::is_telling);
    let lines: Vec<u32> = cases.iter().map(|case| case.lines).collect();
    let mut outcomes = Vec::new();
    history::moments(reader, path, &lines, |at, session| {
        outcomes.push(result(&cases[at], &briefs.of(&cases[at], session, reader.mask)));
    })?;
    Ok(MeasuredFile { project, compactions, outcomes })
}

/// Every compaction of a transcript, and the folder that its session started in.
pub fn cases(reader: RowReader, path: &Path) -> io::Result<(Vec<needs::Case>, Option<String>)> {
    let rows = rows(reader, path)?;
    let cuts = history::cuts(reader, path)?;
    let point = |cut: &CompactionPoint| needs::CasePoint {
        at: cut.lines as usize,
        summary: cut.summary_line.map(|line| line as usize - 1),
    };
    let cases = needs::cases(&rows, &cuts.iter().map(point).collect::<Vec<_>>());
    Ok((cases, rows.into_iter().find_map(|row| row.cwd)))
}

/// Every row of a file with everything it shows, numbered by line.
pub fn rows(reader: RowReader, path: &Path) -> io::Result<Vec<ReplayRow>> {
    let mut rows = Vec::new();
    Tail::open(path, reader.mask)?.read(
        Cursor::default(),
        || true,
        |_, _, line| {
            rows.push(match line {
                Line::Whole(bytes) => (reader.client.replay)(bytes),
                Line::TooLong => ReplayRow::default(),
            });
        },
    )?;
    Ok(rows)
}

fn result(case: &needs::Case, brief: &Brief) -> CaseResult {
    let head = brief.head();
    CaseResult {
        number: case.number,
        lines: case.lines,
        characters: brief.text.chars().count(),
        head_characters: head.chars().count(),
        score: case.score(&head, &brief.text),
        listed: case.listed(&brief.text),
    }
}

impl Briefs<'_> {
    /// The brief that the agent would have got.
    fn of(&self, case: &needs::Case, session: &Session, mask: &Mask) -> Brief {
        let mut session = session.clone();
        if case.manual {
            session.compacts_on_order();
        }
        let summary = mask.text(&case.summary);
        let known = if self.blind {
            KnownText::default()
        } else {
            KnownText::audited(&session, Some(summary.trim()).filter(|_| !case.is_opaque))
        };
        let facts = choose::facts_without(&session, &known, self.without);
        brief::brief(facts, budget_for(&known, self.budget))
    }
}

#[cfg(test)]
mod tests {
    use catchword_engine::clients::CLIENTS;
    use catchword_engine::redact::SECRETS;
    use catchword_testkit::Transcript;

    use super::*;

    #[test]
    fn every_line_is_a_row() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let transcript = Transcript::new().prompt("a").raw("no row").compaction("auto", "s").prompt("c");
        transcript.write_to(file.path());
        let reader = RowReader { client: CLIENTS[0], mask: SECRETS };
        assert_eq!(rows(reader, file.path()).unwrap().len(), transcript.line_count());
    }

    #[test]
    fn file_name_of_a_collection_names_its_source() {
        let of = |name: &str| collected_from(Path::new(name));
        assert_eq!(of("/x/team-a__app__0a1b.jsonl"), Some("team-a".to_owned()));
        assert_eq!(of("/x/0a1b2c3d-1111.jsonl"), None);
        assert_eq!(of("/x/__a.jsonl"), None);
    }
}
