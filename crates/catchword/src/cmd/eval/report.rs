//! The figures of `eval`, as tables and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use catchword_engine::model::event::short_id;
use catchword_engine::text::numbers::{count_of, grouped};
use catchword_eval::measure::{Briefs, CaseResult, MeasuredFile};
use catchword_eval::needs::{ListedCount, NeedCount, NeedKind, Score};
use catchword_eval::total::{Share, Total, total};
use serde::Serialize;

use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::width::{fit_end, padded};

/// Compactions that are listed; beyond that the total says more.
const MAX_CASES: usize = 30;

pub struct Report<'a> {
    pub measured: &'a [(PathBuf, MeasuredFile)],
    pub briefs: &'a Briefs<'a>,
    pub env: &'a Env,
    pub ui: &'a Ui,
}

/// One compaction with its file and project.
#[derive(Clone, Copy)]
struct EvalRow<'a> {
    project: &'a str,
    transcript: &'a Path,
    outcome: &'a CaseResult,
}

impl Report<'_> {
    /// The tables, or what to do if there are none.
    pub fn print(&self, all: bool) {
        let rows = self.rows();
        if rows.is_empty() {
            return self.ui.say(self.ui.paragraph(&self.nothing()));
        }
        self.ui.line(self.ui.bold(&self.line(&HEADINGS)));
        let listed = if all { rows.len() } else { rows.len().min(MAX_CASES) };
        rows[..listed].iter().for_each(|row| self.ui.line(self.row(row)));
        if listed < rows.len() {
            self.ui.line(self.ui.dim(&format!("… and {} more (--all)", rows.len() - listed)));
        }
        self.ui.line("");
        self.print_total(&rows);
        self.print_projects(&rows);
        self.ui.say(format!("\n{}", self.ui.paragraph(LEGEND)));
    }

    /// By project; within a session in order.
    fn rows(&self) -> Vec<EvalRow<'_>> {
        let mut rows: Vec<EvalRow> = Vec::new();
        for (transcript, measured) in self.measured {
            let folder = transcript.parent().and_then(Path::to_str).unwrap_or_default();
            let project = measured.project.as_deref().unwrap_or(folder);
            rows.extend(measured.outcomes.iter().map(|outcome| EvalRow { project, transcript, outcome }));
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
                count_of(files, "transcript")
            ),
            n => format!(
                "{} in {}, but after none of them the agent used something again that it had met before.",
                count_of(n, "compaction"),
                count_of(files, "transcript")
            ),
        }
    }

    fn compactions(&self) -> usize {
        self.measured.iter().map(|(_, measured)| measured.compactions).sum()
    }

    // ---- the table of compactions

    fn row(&self, row: &EvalRow) -> String {
        let needed = together(&row.outcome.score);
        self.line(&[
            &self.env.show(Path::new(row.project)),
            // In a collection the file's name starts with its source.
            short_id(session(row.transcript).rsplit("__").next().unwrap_or_default()),
            &row.outcome.number.to_string(),
            &grouped(u64::from(row.outcome.lines)),
            &needed.needed.to_string(),
            &share(needed.kept, needed.needed),
            &share(needed.with, needed.needed),
            &closed(&needed),
            &grouped(row.outcome.characters as u64),
        ])
    }

    fn line(&self, cells: &[&str; 9]) -> String {
        let [project, session, number, lines, needed, kept, with, closed, characters] = cells;
        let room = self.ui.width().saturating_sub(61).max(7);
        // The end of the path tells projects apart.
        let project = padded(&fit_end(project, room), room);
        format!(
            "{project}  {session:<8}  {number:>2}  {lines:>6}  {needed:>6}  {kept:>7}  {with:>4}  {closed:>6}  \
             {characters:>6}"
        )
    }

    // ---- the total

    fn print_total(&self, rows: &[EvalRow]) {
        let (ui, counts) = (self.ui, counts(rows));
        ui.line(ui.bold(&format!(
            "{:<9}{:>7}{:>9}{:>11}{:>15}{:>15}{:>12}",
            "", "needed", "summary", "with head", "and reference", "best possible", "gap closed"
        )));
        let (needed, others): (Vec<_>, Vec<_>) =
            counts.iter().partition(|(kind, _)| NeedKind::NEEDED.contains(kind));
        for (kind, count) in &needed {
            ui.line(total_line(kind.noun(), count));
        }
        if needed.len() > 1 {
            ui.line(total_line("together", &together(&counts)));
        }
        for (kind, count) in &others {
            ui.line(total_line(kind.noun(), count));
        }
        ui.line("");
        ui.line(ui.paragraph(&self.sentence(rows, &together(&counts))));
    }

    fn sentence(&self, rows: &[EvalRow], total: &NeedCount) -> String {
        let sessions: BTreeSet<&Path> = rows.iter().map(|row| row.transcript).collect();
        let projects: BTreeSet<&str> = rows.iter().map(|row| row.project).collect();
        let idle = self.compactions() - rows.len();
        let idle = match idle {
            0 => String::new(),
            n => format!(" (and {n} after which nothing was needed)"),
        };
        let listed = listed_view(rows);
        let gap = match gap_closed(total, total.with).zip(gap_closed(total, total.head)) {
            Some((closed, by_head)) => format!(
                "closes {} of the gap between what the summary kept and the best possible ({} with its head \
                 alone)",
                percent(closed),
                percent(by_head)
            ),
            None => "had no gap to close: the summaries kept all that could be kept".to_owned(),
        };
        let used =
            listed.used.map(|used| format!("; {} of them were used", percent(used))).unwrap_or_default();
        format!(
            "{}{idle} in {} of {}. A brief of {} characters on average {gap}. A brief lists {:.1} paths and names on \
             average{used}.",
            count_of(rows.len(), "compaction"),
            count_of(sessions.len(), "session"),
            count_of(projects.len(), "project"),
            grouped(mean(rows, |row| row.outcome.characters) as u64),
            listed.items,
        )
    }

    // ---- by project

    fn print_projects(&self, rows: &[EvalRow]) {
        let projects = project_views(rows);
        if projects.len() < 2 {
            return;
        }
        self.ui.line("");
        let headings = ["Project", "N", "Files", "Commands", "Names", "Listed", "Used", "Chars"];
        self.ui.line(self.ui.bold(&self.project_line(&headings.map(str::to_owned))));
        for (project, rows) in projects.iter().zip(rows.chunk_by(|a, b| a.project == b.project)) {
            let counts = counts(rows);
            let closed = |kind: NeedKind| counts.get(&kind).map_or(NONE.to_owned(), closed);
            let listed = project.total.listed.as_ref();
            let cells = [
                self.env.show(Path::new(project.project)),
                project.compactions.to_string(),
                closed(NeedKind::File),
                closed(NeedKind::Command),
                closed(NeedKind::Name),
                listed.map_or(NONE.to_owned(), |listed| format!("{:.0}", listed.items)),
                maybe(listed.and_then(|listed| listed.used)),
                grouped(project.characters as u64),
            ];
            self.ui.line(self.project_line(&cells));
        }
    }

    fn project_line(&self, cells: &[String; 8]) -> String {
        let [project, number, files, commands, names, listed, used, characters] = cells;
        let room = self.ui.width().saturating_sub(53).max(7);
        let project = padded(&fit_end(project, room), room);
        format!(
            "{project}  {number:>3}  {files:>6}  {commands:>8}  {names:>6}  {listed:>6}  {used:>5}  {characters:>5}"
        )
    }

    // ---- JSON

    pub fn view(&self) -> EvalView<'_> {
        let rows = self.rows();
        EvalView {
            budget: self.briefs.budget,
            without: self.briefs.without,
            transcripts: self.measured.len(),
            compactions: self.compactions(),
            total: total_view(&rows),
            projects: project_views(&rows),
            measured: rows.iter().map(row_view).collect(),
        }
    }
}

/// What the columns mean, in short.
const LEGEND: &str = "Needed: files, commands and names used again after the compaction. Summary, With: how many of them the agent \
     saw without and with a brief; the head of a brief is what is certain, the reference the quoted lines below it. \
     Closed: how far a brief gets from Summary to the best possible; – if there is no gap. `catchword eval --help` \
     explains the rest.";

const HEADINGS: [&str; 9] =
    ["Project", "Session", "#", "Lines", "Needed", "Summary", "With", "Closed", "Chars"];

/// Weighted by project, for comparison with other collections; what is printed is counted ([`counts`]).
fn total_of(rows: &[EvalRow]) -> Total {
    total(rows.iter().map(|row| (row.project, &row.outcome.score)))
}

/// The counts of these compactions, so that a reader can check them against the list.
fn counts(rows: &[EvalRow]) -> Score {
    let mut counts = Score::new();
    for (kind, count) in rows.iter().flat_map(|row| &row.outcome.score) {
        let sum = counts.entry(*kind).or_insert(NOTHING);
        *sum = plus(*sum, count);
    }
    counts
}

/// Shown if there is no figure.
const NONE: &str = "–";

fn maybe(share: Option<f64>) -> String {
    share.map_or(NONE.to_owned(), percent)
}

fn total_line(name: &str, count: &NeedCount) -> String {
    format!(
        "{name:<9}{:>7}{:>9}{:>11}{:>15}{:>15}{:>12}",
        grouped(count.needed as u64),
        share(count.kept, count.needed),
        share(count.head, count.needed),
        share(count.with, count.needed),
        count.best.map_or(NONE.to_owned(), |best| share(best, count.needed)),
        closed(count)
    )
}

fn share(part: usize, all: usize) -> String {
    percent(part as f64 / all as f64)
}

/// How far what was there with the brief, or with its head, gets from what was kept to the best; `None` if there is no gap.
fn gap_closed(count: &NeedCount, with: usize) -> Option<f64> {
    let gap = count.best?.checked_sub(count.kept).filter(|gap| *gap > 0)?;
    Some((with as f64 - count.kept as f64) / gap as f64)
}

fn closed(count: &NeedCount) -> String {
    maybe(gap_closed(count, count.with))
}

const NOTHING: NeedCount = NeedCount { needed: 0, kept: 0, head: 0, with: 0, best: Some(0) };

fn plus(sum: NeedCount, count: &NeedCount) -> NeedCount {
    NeedCount {
        needed: sum.needed + count.needed,
        kept: sum.kept + count.kept,
        head: sum.head + count.head,
        with: sum.with + count.with,
        best: sum.best.zip(count.best).map(|(sum, best)| sum + best),
    }
}

/// Files, commands and names together.
fn together(score: &Score) -> NeedCount {
    NeedKind::NEEDED.iter().filter_map(|kind| score.get(kind)).fold(NOTHING, plus)
}

fn mean(rows: &[EvalRow], of: fn(&EvalRow) -> usize) -> usize {
    let all: usize = rows.iter().map(of).sum();
    all / rows.len().max(1)
}

fn session(transcript: &Path) -> String {
    transcript.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

#[derive(Serialize)]
pub struct EvalView<'a> {
    budget: usize,
    without: &'a [String],
    transcripts: usize,
    compactions: usize,
    total: TotalView,
    projects: Vec<ProjectFigures<'a>>,
    measured: Vec<RowView<'a>>,
}

/// Of the compactions after which something was needed.
#[derive(Serialize)]
struct TotalView {
    characters: usize,
    head_characters: usize,
    /// With the head alone.
    head_closed: Option<f64>,
    gap_closed: Option<f64>,
    listed: Option<ListedView>,
    kinds: BTreeMap<&'static str, Share>,
}

fn total_view(rows: &[EvalRow]) -> TotalView {
    let total = total_of(rows);
    let shares = total.kinds.iter().map(|(kind, share)| (kind.noun(), *share));
    TotalView {
        characters: mean(rows, |row| row.outcome.characters),
        head_characters: mean(rows, |row| row.outcome.head_characters),
        head_closed: total.head_closed,
        gap_closed: total.gap_closed,
        listed: (!rows.is_empty()).then(|| listed_view(rows)),
        kinds: shares.collect(),
    }
}

/// Paths and names that briefs list.
#[derive(Serialize)]
struct ListedView {
    /// Mean number per brief.
    items: f64,
    /// The share of them that was used; `None` if none is listed.
    used: Option<f64>,
}

fn listed_view(rows: &[EvalRow]) -> ListedView {
    let sum =
        |of: fn(&ListedCount) -> usize| rows.iter().map(|row| of(&row.outcome.listed)).sum::<usize>() as f64;
    let (items, used) = (sum(|listed| listed.items), sum(|listed| listed.used));
    let used = (items > 0.0).then(|| used / items);
    ListedView { items: items / f64::max(rows.len() as f64, 1.0), used }
}

#[derive(Serialize)]
struct ProjectFigures<'a> {
    project: &'a str,
    compactions: usize,
    characters: usize,
    total: TotalView,
}

fn project_views<'a>(rows: &[EvalRow<'a>]) -> Vec<ProjectFigures<'a>> {
    let of = |rows: &[EvalRow<'a>]| ProjectFigures {
        project: rows[0].project,
        compactions: rows.len(),
        characters: mean(rows, |row| row.outcome.characters),
        total: total_view(rows),
    };
    rows.chunk_by(|a, b| a.project == b.project).map(of).collect()
}

#[derive(Serialize)]
struct RowView<'a> {
    project: &'a str,
    transcript: String,
    session: String,
    compaction: usize,
    lines: u32,
    characters: usize,
    head_characters: usize,
    listed: usize,
    used: usize,
    kinds: BTreeMap<&'static str, NeedCount>,
}

fn row_view<'a>(row: &EvalRow<'a>) -> RowView<'a> {
    RowView {
        project: row.project,
        transcript: row.transcript.display().to_string(),
        session: session(row.transcript),
        compaction: row.outcome.number,
        lines: row.outcome.lines,
        characters: row.outcome.characters,
        head_characters: row.outcome.head_characters,
        listed: row.outcome.listed.items,
        used: row.outcome.listed.used,
        kinds: row.outcome.score.iter().map(|(kind, tally)| (kind.noun(), *tally)).collect(),
    }
}
