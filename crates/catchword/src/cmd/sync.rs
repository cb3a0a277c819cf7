//! `catchword sync`: exchanges what is new with the shared archive.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use catchword_engine::archive::history::History;
use catchword_engine::archive::history::shared::LocalArchive;
use catchword_engine::archive::{Archive, Copied, SharedSource, SharedWith, project};
use catchword_engine::ops::sync::{self, Pushed, SyncRules};
use catchword_engine::text::numbers::{byte_size, count_of, count_of_either};
use serde_json::json;

use crate::app::archive::{self, ForgottenOnBothSides, ProjectShares, SyncState};
use crate::app::env::Env;
use crate::app::privacy::LeaveOutRules;
use crate::app::read;
use crate::app::sessions::LOCK_WAIT;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Push what is new to the shared archive, and pull what others share
///
/// Sends what this machine recorded, masked, to the PostgreSQL server in `archive.address`, and fetches what your other
/// machines and your team share of the projects on this machine. Projects in `privacy.leave_out` never leave it. Interrupted
/// at any point, the next call goes on. docs/archive.md explains it.
#[derive(clap::Args)]
pub struct Args {
    /// Show what would be sent and send nothing
    #[arg(long)]
    dry_run: bool,
    /// Who may read the words of this project from now on: none (figures only), me or team
    #[arg(long, value_name = "WHO", value_parser = ["none", "me", "team"])]
    share: Option<String>,
    /// Started by a hook: say nothing, and end within a minute
    #[arg(long, hide = true)]
    in_background: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How long a sync in the background may take. What it did not get to, the next one does: every batch is recorded whole.
const IN_BACKGROUND: Duration = Duration::from_secs(60);

/// Synchronises once.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if !args.in_background {
        return remembered(args, env, ui);
    }
    // In a thread, because nothing else can be stopped wherever it is: it ends with the process.
    let (send, receive) = mpsc::channel();
    let (stopped, begun) = (env, env.now());
    let env = env.clone();
    std::thread::spawn(move || {
        let args = Args { dry_run: false, share: None, in_background: true, json: false };
        let _ = send.send(remembered(&args, &env, &Ui::new(Some(false), None)).is_ok());
    });
    // Nobody reads why it failed; `status` and `doctor` say so.
    match receive.recv_timeout(IN_BACKGROUND) {
        Ok(true) => Ok(Exit::Ok),
        Ok(false) => Ok(Exit::Failed),
        Err(_) => {
            let data = archive::data_folder(stopped)?;
            let seconds = IN_BACKGROUND.as_secs();
            let why = format!("it was not finished after {seconds} s; the next one goes on from there");
            SyncState { failed_at: Some(begun), why: Some(why), ..SyncState::load(data) }.save(data)?;
            Ok(Exit::Failed)
        }
    }
}

/// Remembers how it went.
fn remembered(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let data = archive::data_folder(env)?;
    let begun = env.now();
    let done = exchange(args, data, env, ui);
    let state = match &done {
        _ if args.dry_run => return done.map(|_| Exit::Ok),
        // Another one is running, which remembers how it went.
        Ok(None) => return Ok(Exit::Ok),
        Ok(Some(taken)) => SyncState { done_at: Some(begun), taken: taken.clone(), ..SyncState::default() },
        Err(error) => {
            let why = Some(format!("{error:#}"));
            SyncState { failed_at: Some(begun), why, ..SyncState::load(data) }
        }
    };
    state.save(data)?;
    done.map(|_| Exit::Ok)
}

/// Exchanges everything; marks of what it took up, `None` if another process does it.
fn exchange(args: &Args, data: &Path, env: &Env, ui: &Ui) -> anyhow::Result<Option<Vec<u64>>> {
    let Some(_lock) = archive::lock(data)? else {
        ui.say("Another `catchword sync` is running; it takes everything that is new.");
        return Ok(None);
    };
    let is_first = ProjectShares::is_new(data);
    let shares = shares(args, data, env, ui)?;
    let (mut remote, _) = archive::connect(env)?;
    if is_first && !args.dry_run && !args.in_background {
        ui.say(ui.paragraph(
            "What is sent can be read on your own machines only (--share team shares this project, --share none sends \
             figures only). Whoever administers the server could read it, too.",
        ));
        shares.save(data)?;
    }
    let person = remote.person()?;
    let reader = read::fresh_reader(env)?;
    let mut history = match reader.history {
        Some(history) => history,
        None => History::open(data, env.now(), LOCK_WAIT)?,
    };
    let machine = archive::machine(data)?;
    let forgotten = if args.dry_run {
        ForgottenOnBothSides::default()
    } else {
        archive::exchange_tombstones(env, data, &mut history, &machine, &mut remote)?
    };
    // What was forgotten elsewhere is masked from now on.
    let rules = LeaveOutRules::load(env);
    let store = reader.store.as_ref();
    let mask = rules.mask();
    sync::prepare(&mut history, store, &mask)?;
    let left_out = archive::left_out(&history, &rules)?;
    let share = |source: &SharedSource| shares.of(source, &left_out);
    let rules = SyncRules { machine: &machine, person: &person, share: &share, mask: &mask, store };
    if args.dry_run {
        let would = sync::would_push(&mut history, &mut remote, &rules)?;
        report_dry_run(args, &would, env, ui);
        return Ok(Some(Vec::new()));
    }
    let mut own = LocalArchive::new(&mut history, "").sources()?;
    own.retain(|source| source.key.machine.is_empty());
    let taken: Vec<u64> = own.iter().map(archive::mark_of).collect();
    let recorded = taken.len();
    if recorded == 0 && !args.in_background {
        ui.say(ui.paragraph("Nothing is recorded here yet: `catchword index` takes in existing sessions."));
    }
    let bar = ui.progress(recorded, "transcripts");
    let pushed = sync::push(&mut history, &mut remote, &rules, &|| bar.inc(1));
    // How many there are to fetch, only the archive knows.
    let pulls = || {
        bar.inc_length(1);
        bar.inc(1);
    };
    let pulled =
        pushed.and_then(|pushed| Ok((pushed, sync::pull(&mut history, &mut remote, &rules, &pulls)?)));
    bar.finish_and_clear();
    let (pushed, pulled) = pulled?;
    if let Some(name) = &env.machine {
        remote.name_machine(&machine, name)?;
    }
    archive::keep_machine_names(data, &remote.machines()?)?;
    report(args, &pushed, pulled, forgotten, ui);
    Ok(Some(taken))
}

/// What is shared; changed by `--share`, whether or not the archive can be reached now.
fn shares(args: &Args, data: &Path, env: &Env, ui: &Ui) -> anyhow::Result<ProjectShares> {
    let mut shares = ProjectShares::load(data);
    if let Some(share) = args.share.as_deref().and_then(SharedWith::of)
        && !args.dry_run
    {
        shares.set(&project::key(&env.cwd), share);
        shares.save(data)?;
        ui.say(ui.paragraph(match share {
            SharedWith::None => {
                "This project sends figures only; what was sent of its words is deleted there."
            }
            SharedWith::Me => "The words of this project are for your own machines.",
            SharedWith::Team => "The words of this project are for the team.",
        }));
    }
    Ok(shares)
}

fn report_dry_run(args: &Args, would: &Pushed, env: &Env, ui: &Ui) {
    let Pushed { copied, left_out, bytes, masked, projects } = would;
    if args.json {
        let view = json!({
            "transcripts": copied.sources, "items": copied.items, "bytes": bytes, "masked": masked,
            "folders": projects, "left_out": left_out,
        });
        ui.line(format!("{view:#}"));
        return;
    }
    let told = match copied.sources {
        0 => "There is nothing new to send.".to_owned(),
        transcripts => format!(
            "Would send {} of {} ({}), with {} in them.",
            count_of(copied.items, "item"),
            count_of(transcripts, "transcript"),
            byte_size(*bytes),
            count_of_either(*masked, "masked stretch", "masked stretches"),
        ),
    };
    let some = count_of_either(*left_out, "transcript never leaves", "transcripts never leave");
    let kept = if *left_out > 0 { format!(" {some} this machine.") } else { String::new() };
    ui.line(ui.paragraph(&(told + &kept)));
    for folder in projects {
        ui.line(format!("  {}", env.show(Path::new(folder))));
    }
}

fn report(args: &Args, pushed: &Pushed, pulled: Copied, forgotten: ForgottenOnBothSides, ui: &Ui) {
    if args.json {
        let view = json!({
            "pushed": { "transcripts": pushed.copied.sources, "items": pushed.copied.items },
            "pulled": { "transcripts": pulled.sources, "items": pulled.items },
            "forgotten": { "there": forgotten.there, "here": forgotten.here },
            "left_out": pushed.left_out, "refused": pushed.copied.refused,
        });
        ui.line(format!("{view:#}"));
        return;
    }
    let moved = |done: &str, copied: &Copied| {
        let (items, transcripts) = (count_of(copied.items, "item"), count_of(copied.sources, "transcript"));
        format!("{done} {items} of {transcripts}.")
    };
    let told: Vec<String> = [("Sent", &pushed.copied), ("Got", &pulled)]
        .into_iter()
        .filter(|(_, copied)| copied.sources > 0)
        .map(|(done, copied)| moved(done, copied))
        .collect();
    ui.line(if told.is_empty() { "Nothing new here or there.".to_owned() } else { told.join(" ") });
    if forgotten.there > 0 {
        ui.line(format!("Forgot {} in the shared archive.", count_of(forgotten.there, "item")));
    }
    if forgotten.here > 0 {
        let here = count_of(forgotten.here, "thing");
        ui.line(format!("Forgot {here} here that another machine forgot."));
    }
    if pushed.copied.refused > 0 {
        let refused = count_of_either(pushed.copied.refused, "transcript was", "transcripts were");
        ui.line(ui.paragraph(&format!("{refused} not sent: forgotten, or being sent by another process.")));
    }
}
