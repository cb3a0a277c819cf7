//! Measuring a transcript: what its compactions kept, and what a brief at each would have given back.

use std::io;
use std::path::Path;

use super::history;
use crate::agent::Agent;
use crate::extract::{self, Known};
use crate::mask::mask;
use crate::render;
use crate::retention::{self, Score};

/// What was measured in one file.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The folder that the session began in, or the source that the file's name tells.
    pub project: Option<String>,
    /// Compactions, those included after which nothing was needed.
    pub compactions: usize,
    /// Those after which something was needed.
    pub outcomes: Vec<Outcome>,
}

/// One compaction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which of the file's compactions it is, from 1.
    pub number: usize,
    /// Lines before it.
    pub lines: u32,
    /// Characters of the brief.
    pub characters: usize,
    /// What is there with it and without.
    pub score: Score,
}

/// How briefs are made.
pub struct Briefs<'a> {
    /// Characters each may have.
    pub budget: usize,
    /// Extractors that are left out, by name.
    pub without: &'a [String],
    /// Made without knowing the summary.
    pub blind: bool,
}

/// Whose a transcript is, where a collection says so in the file's name: everything before the first `__`. Folders
/// tell little there, since every contributor has others.
fn collected_from(path: &Path) -> Option<String> {
    let (source, rest) = path.file_stem()?.to_str()?.split_once("__")?;
    (!source.is_empty() && !rest.is_empty()).then(|| source.to_owned())
}

/// Measures every compaction of a transcript.
pub fn measure(agent: &Agent, path: &Path, briefs: &Briefs) -> io::Result<Measured> {
    let rows = history::rows(agent, path)?;
    let (cases, compactions) = retention::cases(&rows);
    let project = collected_from(path).or_else(|| rows.iter().find_map(|row| row.cwd.clone()));
    // The rows are the whole file: they need not stay while it is read once more.
    drop(rows);
    let lines: Vec<u32> = cases.iter().map(|case| case.lines).collect();
    let mut outcomes = Vec::new();
    history::moments(agent, path, &lines, |at, session| {
        let case = &cases[at];
        let summary = mask(&case.summary);
        let known = if briefs.blind { Known::default() } else { Known::after(session, Some(summary.trim())) };
        let facts = extract::facts_without(session, &known, briefs.without);
        let brief = render::brief(facts, briefs.budget).text;
        outcomes.push(Outcome {
            number: case.number,
            lines: case.lines,
            characters: brief.chars().count(),
            score: case.score(&brief),
        });
    })?;
    Ok(Measured { project, compactions, outcomes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_names_its_sources() {
        let of = |name: &str| collected_from(Path::new(name));
        assert_eq!(of("/x/team-a__app__0a1b.jsonl"), Some("team-a".to_owned()));
        assert_eq!(of("/x/0a1b2c3d-1111.jsonl"), None);
        assert_eq!(of("/x/__a.jsonl"), None);
    }
}
