//! What a session would have been told at its start, against what it went on to use: `cargo run --release -p
//! catchword-eval --example starts -- FOLDER [NOTICES [FILES]]`.
//!
//! Replays the transcripts of a folder, per project (everything in a file's name before the second `__`) and in the order
//! of their time: a session sees only what came before it began. There is no tree to check against. Of the files and
//! commands that a session used within 80 calls and that the past knew, counts those that the notice names. With NOTICES
//! every notice is written to that file, with its sources; FILES is how many a notice may name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catchword_engine::archive::history::{History, TranscriptOwner};
use catchword_engine::clients::replay::ReplayRow;
use catchword_engine::ops::index::{self, FoundTranscript};
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::ops::start::{LastSession, StartFacts, left_by, start_text};
use catchword_engine::project::notice::MOST_FILES;
use catchword_engine::project::{NoTree, Past, PastTranscript};
use catchword_engine::redact::SECRETS;
use catchword_eval::measure;
use catchword_eval::needs::{Case, NeedKind};
use serde_json::Value;

/// Projects that are neither read nor fitted, and the one that is counted apart.
const SEALED: [&str; 5] = ["DaniloTito01", "RickH555", "ShamsiievDmytro", "ikn7", "sumanthrangausa-06"];
const APART: &str = "entireio";
/// Characters of a notice.
const CHARACTERS: usize = 1_500;
/// Transcripts of a repository that the past is made of, the latest.
const MOST_TRANSCRIPTS: usize = 20;
/// A last session that is older is not offered.
const OFFERED_WITHIN: i64 = 7 * 86_400_000;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// A transcript of a project.
struct Told {
    path: PathBuf,
    /// When each line was written, in milliseconds since 1970; a line without a time has that of the one before.
    times: Vec<i64>,
}

#[derive(Default)]
struct Figures {
    starts: usize,
    spoken: usize,
    characters: usize,
    files: (usize, usize),
    commands: (usize, usize),
    /// What it names, and how much of that was used.
    listed: (usize, usize),
    time: Duration,
    slowest: Duration,
}

impl Figures {
    fn add(&mut self, other: &Figures) {
        self.starts += other.starts;
        self.spoken += other.spoken;
        self.characters += other.characters;
        for (own, more) in [
            (&mut self.files, other.files),
            (&mut self.commands, other.commands),
            (&mut self.listed, other.listed),
        ] {
            *own = (own.0 + more.0, own.1 + more.1);
        }
        self.time += other.time;
        self.slowest = self.slowest.max(other.slowest);
    }

    fn line(&self, name: &str) -> String {
        let share = |(part, all): (usize, usize)| match all {
            0 => "-".to_owned(),
            all => format!("{part}/{all} {:.0}%", part as f64 * 100.0 / all as f64),
        };
        format!(
            "{name}: {} starts, spoke at {}; {} characters; files {}; commands {}; of what it names {} used; {:.0} ms, \
             slowest {:.0}",
            self.starts,
            share((self.spoken, self.starts)),
            self.characters / self.spoken.max(1),
            share(self.files),
            share(self.commands),
            share((self.listed.1, self.listed.0)),
            self.time.as_secs_f64() * 1e3 / self.starts.max(1) as f64,
            self.slowest.as_secs_f64() * 1e3,
        )
    }
}

fn main() -> Done<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder with transcripts")?);
    let notices = arguments.next();
    let files = arguments.next().map_or(Ok(MOST_FILES), |files| files.parse::<usize>())?;
    let mut written = String::new();
    let (mut all, mut apart) = (Figures::default(), Figures::default());
    for (project, mut told) in projects(&folder)? {
        told.sort_by_key(|one| one.times.first().copied());
        let figures = replayed(&project, &told, files, &mut written)?;
        if figures.starts == 0 {
            continue;
        }
        say(&figures.line(&project));
        if project.starts_with(APART) { apart.add(&figures) } else { all.add(&figures) }
    }
    say(&all.line("ALL BUT ONE"));
    say(&apart.line(APART));
    if let Some(path) = notices {
        #[expect(clippy::disallowed_methods, reason = "a report, not a user's data")]
        std::fs::write(path, written)?;
    }
    Ok(())
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

fn projects(folder: &Path) -> Done<BTreeMap<String, Vec<Told>>> {
    let mut projects: BTreeMap<String, Vec<Told>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let parts: Vec<&str> = stem.split("__").collect();
        if path.extension().is_none_or(|end| end != "jsonl") || parts.len() < 3 || SEALED.contains(&parts[0])
        {
            continue;
        }
        let mut times: Vec<i64> = Vec::new();
        for line in std::fs::read_to_string(&path)?.lines() {
            let row: Value = serde_json::from_str(line).unwrap_or_default();
            let time = row["timestamp"].as_str().and_then(|at| at.parse::<jiff::Timestamp>().ok());
            let time = time.map(jiff::Timestamp::as_millisecond);
            times.push(time.or(times.last().copied()).unwrap_or_default());
        }
        // Lines before the first time have that.
        let first = times.iter().copied().find(|time| *time > 0).unwrap_or_default();
        times.iter_mut().filter(|time| **time == 0).for_each(|time| *time = first);
        projects.entry(parts[..2].join("__")).or_default().push(Told { path, times });
    }
    Ok(projects)
}

/// Every start of a project that has a past.
fn replayed(project: &str, told: &[Told], files: usize, written: &mut String) -> Done<Figures> {
    let tmp = tempfile::tempdir()?;
    let mut history = History::open(tmp.path(), 0, Duration::from_secs(10))?;
    let mut rows: Vec<Vec<ReplayRow>> = Vec::new();
    let mut owners: Vec<TranscriptOwner> = Vec::new();
    for one in told {
        let found = FoundTranscript::at(&one.path, one.path.metadata()?.len())?;
        // A copy of a transcript has the same owner.
        index::transcript(&mut history, found.reader(SECRETS), &found.thread, &one.path, &|| true)?;
        let mut all = measure::rows(found.reader(SECRETS), &one.path)?;
        // A last line without an end is not read.
        all.resize(one.times.len(), ReplayRow::default());
        rows.push(all);
        owners.push(found.thread);
    }
    let mut figures = Figures::default();
    for (at, one) in told.iter().enumerate() {
        let Some(start) = one.times.first().copied() else { continue };
        // The lines of the others before this one began.
        let before: Vec<(usize, usize)> = (0..told.len())
            .filter(|other| *other != at && owners[*other] != owners[at])
            .filter(|other| repository(&rows[*other]) == repository(&rows[at]))
            .map(|other| (other, told[other].times.iter().take_while(|time| **time < start).count()))
            .filter(|(_, lines)| *lines > 0)
            .collect();
        let past_rows: Vec<ReplayRow> =
            before.iter().flat_map(|(other, lines)| rows[*other][..*lines].iter().cloned()).collect();
        if !past_rows.iter().any(|row| !row.calls.is_empty()) {
            continue;
        }
        let case = Case::of_start(&past_rows, &rows[at]);
        figures.starts += 1;
        let root = rows[at].iter().find_map(|row| row.cwd.clone()).unwrap_or_default();
        let begun = Instant::now();
        let past = past(&history, &before, &owners, start, &root)?;
        let last = last_session(&before, told, start)?;
        let made = begun.elapsed();
        let last = last.as_ref().map(|(other, session)| LastSession {
            id: &owners[*other].session,
            session,
            age: start - session.time.unwrap_or(start),
            handoff: None,
            left: left_by(session),
            uncommitted: Vec::new(),
            changed_since: Vec::new(),
            is_thread: false,
        });
        let facts =
            StartFacts { last, past: &past, tree: &NoTree, now: start, characters: CHARACTERS, files };
        let begun = Instant::now();
        let text = start_text(&facts);
        let made = made + begun.elapsed();
        (figures.time, figures.slowest) = (figures.time + made, figures.slowest.max(made));
        let text = text.map(|told| told.text).unwrap_or_default();
        let score = case.score("", &text);
        let of = |kind: NeedKind| score.get(&kind).map_or((0, 0), |count| (count.with, count.needed));
        let count = |sum: &mut (usize, usize), (with, needed)| *sum = (sum.0 + with, sum.1 + needed);
        count(&mut figures.files, of(NeedKind::File));
        count(&mut figures.commands, of(NeedKind::Command));
        let listed = case.listed(&text);
        count(&mut figures.listed, (listed.items, listed.used));
        figures.spoken += usize::from(!text.is_empty());
        figures.characters += text.chars().count();
        let _ = write_notice(written, project, one, &before, told, &text, &case, start);
    }
    Ok(figures)
}

/// The name of the repository that a session began in, whatever the work tree: a collection has a contributor's other
/// projects, too.
fn repository(rows: &[ReplayRow]) -> Option<String> {
    let folder = rows.iter().find_map(|row| row.cwd.clone())?.replace('\\', "/");
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let of_trees = parts.iter().position(|part| part.contains("worktrees"));
    let name = match of_trees {
        Some(at) if parts[at].starts_with(".worktrees") => parts.get(at.checked_sub(1)?),
        Some(at) => parts.get(at),
        None => parts.last(),
    };
    name.map(|name| name.split(".worktrees").next().unwrap_or(name).to_owned())
}

fn past(
    history: &History,
    before: &[(usize, usize)],
    owners: &[TranscriptOwner],
    start: i64,
    root: &str,
) -> Done<Past> {
    let mut transcripts = Vec::new();
    for (other, lines) in before {
        let Some(mut source) = history.source(&owners[*other])? else { continue };
        let mut items = history.items(source.no, 0, *lines as u32, usize::MAX >> 1)?;
        // What was answered later was not answered yet.
        items.retain(|item| item.place.0 <= *lines as u32);
        for item in &mut items {
            item.until = item.until.filter(|until| until.0 <= *lines as u32);
        }
        source.last_at = source.last_at.map(|at| at.min(start));
        transcripts.push(PastTranscript { source, items });
    }
    transcripts.sort_by_key(|one| std::cmp::Reverse(one.source.last_at));
    transcripts.truncate(MOST_TRANSCRIPTS);
    Ok(Past::of(transcripts, root))
}

/// The last session before the start, as it stood then.
fn last_session(
    before: &[(usize, usize)],
    told: &[Told],
    start: i64,
) -> Done<Option<(usize, catchword_engine::session::Session)>> {
    let latest = before.iter().max_by_key(|(other, lines)| told[*other].times[lines - 1]);
    let Some((other, lines)) = latest else { return Ok(None) };
    let is_recent = start - told[*other].times[lines - 1] < OFFERED_WITHIN;
    // One that goes on has not ended.
    let goes_on = *lines < told[*other].times.len();
    if !is_recent || goes_on {
        return Ok(None);
    }
    let record = TranscriptLines::of_file(&told[*other].path);
    Ok(Some((*other, record.fold(SECRETS, Some(*lines as u32))?)))
}

#[expect(clippy::too_many_arguments, reason = "all that a reader needs to check a notice")]
fn write_notice(
    written: &mut String,
    project: &str,
    one: &Told,
    before: &[(usize, usize)],
    told: &[Told],
    text: &str,
    case: &Case,
    start: i64,
) -> std::fmt::Result {
    writeln!(written, "\n# {project}, start of {} at {start} ms\n", one.path.display())?;
    for (other, lines) in before {
        writeln!(written, "- past: {} up to line {lines}", told[*other].path.display())?;
    }
    let text = if text.is_empty() { "(silent)" } else { text };
    writeln!(written, "\n{text}\n")?;
    for kind in [NeedKind::File, NeedKind::Command] {
        for needed in case.needed(kind) {
            writeln!(written, "    used {}: {needed}", kind.noun())?;
        }
    }
    Ok(())
}
