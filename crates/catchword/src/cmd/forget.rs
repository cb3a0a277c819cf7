//! `catchword forget`: removes sessions or a text from everything we store.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use catchword_engine::archive::history::query;
use catchword_engine::archive::{ForgottenThing, project};
use catchword_engine::model::event::is_named;
use catchword_engine::ops::forget::{self, Forgot, Traces};
use catchword_engine::redact::forgotten;
use catchword_engine::store::Trace;
use catchword_engine::text::numbers::{count_of, count_of_either};

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::forgetting::{self, ForgottenSessions, NOT_RECORDS};
use crate::app::read::viewer;
use crate::app::{archive, privacy};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Sessions named in the confirmation prompt.
const MAX_NAMED: usize = 10;
/// Delete sessions, or a text, from everything catchword keeps
///
/// Deletes everything recorded about sessions: what was said and done, briefs, notes, backups, handoffs and log lines,
/// including notes and handoffs in your projects. They are not recorded again, unless you run `catchword index --again`.
///
/// A text (--pattern, plain words, no wildcards) is masked wherever it is, and from then on in everything that is read. Only a
/// hash of it is remembered.
///
/// --computed deletes only what was computed about the sessions: their cached state, summaries of tasks, differences found in
/// summaries. It is computed again from the transcripts; nothing that was recorded is lost.
///
/// Both databases are rewritten, and every file is searched for what should be gone. The clients' own transcripts are not
/// touched; you are told which of them still contain it.
#[derive(clap::Args)]
#[command(override_usage = "catchword forget [OPTIONS] --session <ID>
       catchword forget [OPTIONS] --project <PATH>
       catchword forget [OPTIONS] --before <DATE>
       catchword forget [OPTIONS] --pattern <TEXT>")]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// Only what can be computed again from the transcripts
    #[arg(long, conflicts_with = "pattern")]
    computed: bool,
    /// Show what would be deleted and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct What {
    /// One session, by the start of its id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// All sessions of a project, by its folder
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,
    /// All sessions inactive since before then (90d, 2026-11-01)
    #[arg(long, value_name = "DATE")]
    before: Option<String>,
    /// A text, wherever it is; at least four characters
    #[arg(long, value_name = "TEXT")]
    pattern: Option<String>,
}

/// Forgets, and verifies it.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let data = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    if !data.is_dir() {
        ui.line("Nothing is recorded: there is no data directory.");
        return Ok(Exit::Ok);
    }
    match &args.what.pattern {
        Some(text) => forget_text(args, text, data, env, ui),
        None => forget_sessions(args, data, env, ui),
    }
}

// ---- sessions

fn forget_sessions(args: &Args, data: &Path, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let known = seen(data, env)?;
    let mut chosen = choose(&args.what, known.clone(), env)?;
    if args.computed {
        // Without its transcript nothing could be recomputed.
        chosen.retain(|trace| trace.transcript.as_ref().is_some_and(|path| path.exists()));
    }
    // The shared archive may have what is not here any more.
    let travels = args.what.before.is_some() || project_of(&args.what, env).is_some();
    let is_beyond = !args.computed && travels && archive::is_set(env, &Config::load(env));
    if chosen.is_empty() {
        ui.line("No such session is recorded.");
        if !is_beyond {
            return Ok(Exit::Ok);
        }
    } else {
        ui.line(format!("{}:", count_of(chosen.len(), "session")));
    }
    for trace in chosen.iter().take(MAX_NAMED) {
        let folder = trace.folders.first().map(|folder| env.show(folder)).unwrap_or_default();
        ui.line(format!("  {}  {folder}", trace.session));
    }
    if chosen.len() > MAX_NAMED {
        ui.line(format!("  and {} more", chosen.len() - MAX_NAMED));
    }
    let forks = if args.computed { Vec::new() } else { forgetting::forks_of(&chosen, &known) };
    if !forks.is_empty() {
        ui.line(ui.paragraph(&format!(
            "{} on from it. What is recorded of it there goes, too, with briefs and compactions; the fork's own part is \
             recorded again, and its notes stay:",
            if forks.len() == 1 { "1 fork goes".to_owned() } else { format!("{} forks go", forks.len()) }
        )));
        for fork in &forks {
            ui.line(format!("  {}", fork.session));
        }
    }
    let question = if args.computed {
        "Forget what was computed about this? It is computed again when it is needed.".to_owned()
    } else {
        let there = "what your other machines and the shared archive have of it";
        let here = count_of(chosen.len(), "session");
        let all = match (chosen.is_empty(), is_beyond) {
            (true, _) => there.to_owned(),
            (false, true) => format!("{here}, and {there}"),
            (false, false) => here,
        };
        format!("Forget {all}? This cannot be undone.")
    };
    if let Some(exit) = declined(args, &question, ui) {
        return Ok(exit);
    }
    if args.computed {
        let ids: Vec<&str> = chosen.iter().map(|trace| trace.session.as_str()).collect();
        let rows = forget::computed(data, &ids)?;
        ui.line(format!(
            "Removed {}; recording goes on.",
            count_of_either(rows, "computed entry", "computed entries")
        ));
        return Ok(Exit::Ok);
    }
    let ids: Vec<&str> = chosen.iter().map(|trace| trace.session.as_str()).collect();
    let there: Vec<&PathBuf> =
        chosen.iter().filter_map(|trace| trace.transcript.as_ref()).filter(|path| path.exists()).collect();
    let whole_projects = args.what.project.is_some();
    let ForgottenSessions { forgot, documents, traces } =
        forgetting::sessions(env, data, &chosen, &forks, whole_projects)?;
    let everywhere = forgotten_things(&args.what, &ids, env);
    let shared = archive::forget_everywhere(env, data, everywhere)?;
    ui.line(ui.paragraph(&format!(
        "Removed {}, {} and {}.",
        count_of_either(forgot.store + forgot.history, "entry", "entries"),
        count_of(forgot.backups, "backed-up transcript"),
        count_of(documents, "document")
    )));
    if let Some(words) = shared {
        ui.line(ui.paragraph(&words));
    }
    Ok(report(&traces, &there, env, ui))
}

/// What the other machines and the shared archive forget: these sessions, and whatever else they have of the project or from
/// that time.
fn forgotten_things(what: &What, ids: &[&str], env: &Env) -> Vec<ForgottenThing> {
    let mut things: Vec<ForgottenThing> = ids.iter().map(|id| ForgottenThing::session(id)).collect();
    things.extend(project_of(what, env));
    let before = what.before.as_deref().and_then(|text| query::moment(text, env.now()));
    things.extend(before.map(ForgottenThing::Before));
    things
}

/// The project that is meant. `None` if it is a folder inside a repository, whose other folders stay.
fn project_of(what: &What, env: &Env) -> Option<ForgottenThing> {
    let folder = what.project.as_deref()?;
    // `../other` is not in the repository of this folder.
    let mut whole = PathBuf::new();
    for part in env.cwd.join(folder).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    let key = project::key(&whole);
    let is_whole = !project::is_repository(&key) || whole.join(".git").exists();
    is_whole.then_some(ForgottenThing::Project(key))
}

fn choose(what: &What, known: Vec<Trace>, env: &Env) -> anyhow::Result<Vec<Trace>> {
    if let Some(start) = &what.session {
        let mut fitting: Vec<Trace> =
            known.into_iter().filter(|trace| is_named(&trace.session, start)).collect();
        return match fitting.len() {
            1 => Ok(fitting),
            // There may be a note before anything else; a complete id is accepted, from an agent only its own.
            0 if start.len() >= 36 && (!env.in_agent || env.session.as_ref() == Some(start)) => {
                fitting.push(Trace { session: start.clone(), ..Trace::default() });
                Ok(fitting)
            }
            0 => bail!("nothing recorded begins with {start}; `catchword status --all` lists sessions"),
            n => bail!("{n} sessions begin with {start}; give more of the id"),
        };
    }
    if let Some(folder) = &what.project {
        let folder = env.cwd.join(folder);
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let is_of =
            |trace: &Trace| trace.folders.iter().any(|of| of.starts_with(&folder) || of.starts_with(&real));
        return Ok(known.into_iter().filter(is_of).collect());
    }
    let text = what.before.as_deref().unwrap_or_default();
    let Some(before) = query::moment(text, env.now()) else {
        bail!("`{text}` isn't a valid date: use a day (2026-11-01) or an age (90d)")
    };
    Ok(known.into_iter().filter(|trace| trace.last_at < before).collect())
}

// ---- a text

fn forget_text(args: &Args, text: &str, data: &Path, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let Some(forgotten) = forgotten::Forgotten::of(text, privacy::salt()) else {
        bail!("this text is too short to be distinctive: give at least {} characters", forgotten::SHORTEST)
    };
    let texts = [text.to_owned()];
    let before = forget::traces(data, &texts, NOT_RECORDS)?;
    let transcripts: Vec<PathBuf> = seen(data, env)?
        .into_iter()
        .filter_map(|trace| trace.transcript)
        .filter(|path| path.exists())
        .collect();
    let holding = holding(&transcripts, text)?;
    ui.line(ui.paragraph(&format!(
        "The text is in {} of catchword's {} files, and in {} of the clients' {} transcripts.",
        before.left.len(),
        before.files,
        holding.len(),
        transcripts.len()
    )));
    if let Some(exit) = declined(args, "Mask it everywhere, now and from now on?", ui) {
        return Ok(exit);
    }
    let Forgot { store, history, backups } = forgetting::text(env, data, &forgotten)?;
    ui.line(ui.paragraph(&format!(
        "Masked in {} and {}.",
        count_of_either(store + history, "entry", "entries"),
        count_of(backups, "backed-up transcript")
    )));
    if let Some(words) = archive::forget_everywhere(env, data, vec![ForgottenThing::text(&forgotten)])? {
        ui.line(ui.paragraph(&words));
    }
    let traces = forget::traces(data, &texts, NOT_RECORDS)?;
    Ok(report(&traces, &holding.iter().collect::<Vec<_>>(), env, ui))
}

/// What is recorded of the sessions that whoever asks may see.
fn seen(data: &Path, env: &Env) -> anyhow::Result<Vec<Trace>> {
    let (mut known, viewer) = (forget::known(data)?, viewer(env));
    known.retain(|trace| {
        let folder = trace.folders.first().map(PathBuf::as_path);
        viewer.sees(&trace.session, folder, trace.transcript.as_deref())
    });
    Ok(known)
}

/// The files that contain a text.
fn holding(paths: &[PathBuf], text: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if forget::is_in_file(path, text).with_context(|| format!("cannot read {}", path.display()))? {
            found.push(path.clone());
        }
    }
    Ok(found)
}

// ---- both

/// Asks for confirmation; the exit code if that ends the command.
fn declined(args: &Args, question: &str, ui: &Ui) -> Option<Exit> {
    if args.dry_run {
        ui.say("Nothing was changed.");
        return Some(Exit::Ok);
    }
    if args.yes {
        return None;
    }
    match ui.ask_before_loss(question) {
        Some(true) => None,
        Some(false) => {
            ui.say("Nothing was changed.");
            Some(Exit::Ok)
        }
        None => {
            ui.say(ui.paragraph(
                "There is no terminal to ask on, so nothing was changed. Run it again with --yes, or with --dry-run.",
            ));
            Some(Exit::Failed)
        }
    }
}

fn report(traces: &Traces, transcripts: &[&PathBuf], env: &Env, ui: &Ui) -> Exit {
    ui.line(format!("{} traces in {} files.", traces.left.len(), traces.files));
    for path in &traces.left {
        ui.say(format!("  left in {}", env.show(path)));
    }
    if !transcripts.is_empty() {
        ui.say("The client still has it. To get rid of it there, delete these transcripts:");
        for path in transcripts.iter().take(MAX_NAMED) {
            ui.say(format!("  {}", env.show(path)));
        }
        if transcripts.len() > MAX_NAMED {
            ui.say(format!("  and {} more", transcripts.len() - MAX_NAMED));
        }
    }
    if traces.left.is_empty() { Exit::Ok } else { Exit::Attention }
}
