//! The figures of `eval`, as tables and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use catchword_engine::ops::eval::{Briefs, Measured, Outcome};
use catchword_engine::retention::total::{Share, gap_closed};
use catchword_engine::retention::{Kind, Score, Tally, Total, total};
use serde::Serialize;

use crate::env::Env;
use crate::ui::Ui;

/// Compactions that are listed; more of them say less than the total does.
const LISTED: usize = 30;

/// What was measured, and how.
pub struct Report<'a> {
    pub measured: &'a [(PathBuf, Measured)],
    pub briefs: &'a Briefs<'a>,
    pub env: &'a Env,
    pub ui: &'a Ui,
}

/// One compaction with where it was found.
struct Row<'a> {
    project: &'a str,
    transcript: &'a Path,
    outcome: &'a Outcome,
}

impl Report<'_> {
    /// The tables, or what there is to do where there are none.
    pub fn print(&self, all: bool) {
        let rows = self.rows();
        if rows.is_empty() {
            return self.ui.say(self.ui.paragraph(&self.nothing()));
        }
        self.ui.line(self.ui.bold(&self.line(&HEADINGS)));
        let listed = if all { rows.len() } else { rows.len().min(LISTED) };
        rows[..listed].iter().for_each(|row| self.ui.line(self.row(row)));
        if listed < rows.len() {
            self.ui.line(self.ui.dim(&format!("… and {} more (--all)", rows.len() - listed)));
        }
        self.ui.line("");
        self.print_total(&rows);
    }

    /// By project, each session's in their order.
    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row> = Vec::new();
        for (transcript, measured) in self.measured {
            let folder = transcript.parent().and_then(Path::to_str).unwrap_or_default();
            let project = measured.project.as_deref().unwrap_or(folder);
            rows.extend(measured.outcomes.iter().map(|outcome| Row { project, transcript, outcome }));
        }
        rows.sort_by_key(|row| row.project);
        rows
    }

    fn nothing(&self) -> String {
        let (files, compactions) = (self.measured.len(), self.compactions());
        match compactions {
            0 => format!(
                "No compaction in {}: nothing to measure yet. `catchword try` shows what an agent would be told \
                 if there were one now.",
                counted(files, "transcript")
            ),
            n => format!(
                "{} in {}, but after none of them the agent used something again that it had met before.",
                counted(n, "compaction"),
                counted(files, "transcript")
            ),
        }
    }

    fn compactions(&self) -> usize {
        self.measured.iter().map(|(_, measured)| measured.compactions).sum()
    }

    // ---- the table of compactions

    fn row(&self, row: &Row) -> String {
        let needed = sum(&row.outcome.score);
        let share = |part: usize| percent(part as f64 / needed.needed as f64);
        let best = needed.best.unwrap_or_default();
        let closed = gap_closed(needed.kept as f64, needed.with as f64, best as f64);
        self.line(&[
            &self.env.show(Path::new(row.project)),
            &session(row.transcript).chars().take(8).collect::<String>(),
            &row.outcome.number.to_string(),
            &thousands(row.outcome.lines as usize),
            &needed.needed.to_string(),
            &share(needed.kept),
            &share(needed.with),
            &if best > needed.kept { percent(closed) } else { "–".to_owned() },
            &thousands(row.outcome.characters),
        ])
    }

    fn line(&self, cells: &[&str; 9]) -> String {
        let [project, session, number, lines, needed, kept, with, closed, characters] = cells;
        let room = self.ui.width().saturating_sub(61).max(7);
        let project = ending(project, room);
        format!(
            "{project:<room$}  {session:<8}  {number:>2}  {lines:>6}  {needed:>6}  {kept:>7}  {with:>4}  {closed:>6}  \
             {characters:>6}"
        )
    }

    // ---- the total

    fn print_total(&self, rows: &[Row]) {
        let (ui, total) = (self.ui, total_of(rows));
        ui.line(ui.bold(&format!(
            "{:<9}{:>8}{:>15}{:>16}{:>15}{:>12}",
            "", "needed", "summary alone", "with catchword", "best possible", "gap closed"
        )));
        for (kind, share) in &total.kinds {
            ui.line(total_line(*kind, share));
        }
        ui.line("");
        ui.line(ui.paragraph(&self.sentence(rows, &total)));
    }

    fn sentence(&self, rows: &[Row], total: &Total) -> String {
        let sessions: BTreeSet<&Path> = rows.iter().map(|row| row.transcript).collect();
        let projects: BTreeSet<&str> = rows.iter().map(|row| row.project).collect();
        let idle = self.compactions() - rows.len();
        let idle = match idle {
            0 => String::new(),
            n => format!(" (and {n} after which nothing was needed)"),
        };
        format!(
            "{}{idle} in {} of {}. A brief of {} characters on average closes {} of the gap between what the summary \
             kept and the best possible.",
            counted(rows.len(), "compaction"),
            counted(sessions.len(), "session"),
            counted(projects.len(), "project"),
            thousands(mean_characters(rows)),
            total.gap_closed.map(percent).unwrap_or_default(),
        )
    }

    // ---- JSON

    /// Every figure.
    pub fn view(&self) -> EvalView<'_> {
        let rows = self.rows();
        let total = total_of(&rows);
        let shares = total.kinds.iter().map(|(kind, share)| (kind.noun(), share_view(share)));
        EvalView {
            budget: self.briefs.budget,
            without: self.briefs.without,
            transcripts: self.measured.len(),
            compactions: self.compactions(),
            total: TotalView {
                characters: mean_characters(&rows),
                gap_closed: total.gap_closed,
                kinds: shares.collect(),
            },
            measured: rows.iter().map(row_view).collect(),
        }
    }
}

const HEADINGS: [&str; 9] =
    ["Project", "Session", "No", "Lines", "Needed", "Summary", "With", "Closed", "Chars"];

fn total_of(rows: &[Row]) -> Total {
    total(rows.iter().map(|row| (row.project, &row.outcome.score)))
}

fn total_line(kind: Kind, share: &Share) -> String {
    let maybe = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    format!(
        "{:<9}{:>8}{:>15}{:>16}{:>15}{:>12}",
        kind.noun(),
        thousands(share.needed),
        percent(share.kept),
        percent(share.with),
        maybe(share.best),
        maybe(share.gap_closed)
    )
}

/// Files, commands and names together.
fn sum(score: &Score) -> Tally {
    let tallies = Kind::NEEDED.iter().filter_map(|kind| score.get(kind));
    tallies.fold(Tally::default(), |sum, tally| Tally {
        needed: sum.needed + tally.needed,
        kept: sum.kept + tally.kept,
        with: sum.with + tally.with,
        best: Some(sum.best.unwrap_or_default() + tally.best.unwrap_or_default()),
    })
}

fn mean_characters(rows: &[Row]) -> usize {
    let all: usize = rows.iter().map(|row| row.outcome.characters).sum();
    all / rows.len().max(1)
}

fn session(transcript: &Path) -> String {
    transcript.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The end of `text`, which is what tells one project from another.
fn ending(text: &str, room: usize) -> String {
    let length = text.chars().count();
    if length <= room {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length + 1 - room).collect();
    format!("…{end}")
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Everything that was measured.
#[derive(Serialize)]
pub struct EvalView<'a> {
    budget: usize,
    without: &'a [String],
    transcripts: usize,
    compactions: usize,
    total: TotalView,
    measured: Vec<RowView<'a>>,
}

#[derive(Serialize)]
struct TotalView {
    characters: usize,
    gap_closed: Option<f64>,
    kinds: BTreeMap<&'static str, ShareView>,
}

#[derive(Serialize)]
struct ShareView {
    needed: usize,
    kept: f64,
    with: f64,
    best: Option<f64>,
    gap_closed: Option<f64>,
}

fn share_view(share: &Share) -> ShareView {
    let Share { needed, kept, with, best, gap_closed } = *share;
    ShareView { needed, kept, with, best, gap_closed }
}

#[derive(Serialize)]
struct RowView<'a> {
    project: &'a str,
    transcript: String,
    session: String,
    compaction: usize,
    lines: u32,
    characters: usize,
    kinds: BTreeMap<&'static str, TallyView>,
}

#[derive(Serialize)]
struct TallyView {
    needed: usize,
    kept: usize,
    with: usize,
    best: Option<usize>,
}

fn row_view<'a>(row: &Row<'a>) -> RowView<'a> {
    let view = |tally: &Tally| {
        let Tally { needed, kept, with, best } = *tally;
        TallyView { needed, kept, with, best }
    };
    RowView {
        project: row.project,
        transcript: row.transcript.display().to_string(),
        session: session(row.transcript),
        compaction: row.outcome.number,
        lines: row.outcome.lines,
        characters: row.outcome.characters,
        kinds: row.outcome.score.iter().map(|(kind, tally)| (kind.noun(), view(tally))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ending, thousands};

    #[test]
    fn numbers_are_read_in_threes() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn a_long_project_is_known_by_its_end() {
        assert_eq!(ending("~/work/élan", 20), "~/work/élan");
        assert_eq!(ending("~/work/élan", 6), "…/élan");
    }
}
