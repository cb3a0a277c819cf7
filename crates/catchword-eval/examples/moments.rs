//! What would have been told at failures: `cargo run --release -p catchword-eval --example moments -- FOLDER… [--lines FILE]
//! [--without NAME]…`.
//!
//! A project is what stands before the last `__` of a transcript's name. Prints the figures of each, and with `--lines`
//! writes every line with its sources.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use catchword_engine::fixes::Did;
use catchword_engine::redact::SECRETS;
use catchword_eval::moments::{MomentFigures, ToldLine, read, replay, sum};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let mut arguments = std::env::args().skip(1);
    let (mut folders, mut without, mut list) = (Vec::new(), Vec::new(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--lines" => list = arguments.next().map(PathBuf::from),
            "--without" => without.extend(arguments.next()),
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    let mut projects: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in &folders {
        for entry in std::fs::read_dir(folder)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_left_out = without.iter().any(|start: &String| name.starts_with(start.as_str()));
            if let Some((project, _)) =
                name.strip_suffix(".jsonl").and_then(|name| name.rsplit_once("__")).filter(|_| !is_left_out)
            {
                projects.entry(project.to_owned()).or_default().push(entry.path());
            }
        }
    }
    let (mut figures, mut text) = (BTreeMap::new(), String::new());
    for (project, paths) in projects {
        let read = paths.iter().map(|path| read(path, SECRETS));
        let mut sessions = read.collect::<Result<Vec<_>, _>>()?;
        sessions.sort_by_key(|session| session.first_at);
        let (counted, lines) = replay(&sessions);
        for line in &lines {
            told(&project, line, &mut text)?;
        }
        say(&project, &counted);
        figures.insert(project, counted);
    }
    say("all", &sum(&figures));
    if let Some(path) = list {
        #[expect(clippy::disallowed_methods, reason = "a report, not a user's data")]
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn say(project: &str, counted: &MomentFigures) {
    let _ = writeln!(
        std::io::stdout().lock(),
        "{project}\t{}",
        serde_json::to_string(counted).unwrap_or_default()
    );
}

fn told(project: &str, line: &ToldLine, text: &mut String) -> Done<()> {
    let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Did::Ran { line: command, .. } = &line.failed.did else { return Ok(()) };
    let from = line.from.as_deref().map_or_else(|| "the same session".to_owned(), file);
    writeln!(text, "## {project}\n")?;
    writeln!(text, "- now: {} L{}, answer L{}", file(&line.path), line.failed.place.0, line.failed.until.0)?;
    writeln!(text, "  - command: `{}`", command.plain())?;
    writeln!(text, "  - error: `{}`", line.failed.error())?;
    writeln!(
        text,
        "- then: {from} L{} → L{}, error `{}`",
        line.line.fix.failed.0, line.line.fix.passed.0, line.line.fix.error
    )?;
    writeln!(
        text,
        "- next {} calls: passed {}, named thing used {}",
        catchword_eval::moments::WATCHED,
        line.passed,
        line.used
    )?;
    writeln!(text, "- line: {}\n", line.line.text)?;
    Ok(())
}
