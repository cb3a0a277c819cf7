//! `catchword run`: a headless run in as many sessions as it needs.

mod event;
mod gauge;
mod handover;
mod limits;
mod output;
mod process;
mod reset;
mod signals;
mod supervise;

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use anyhow::{Context, bail};
use catchword_engine::clients::headless::{Headless, Spent, StreamFormat};
use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::text::numbers::grouped;
use catchword_engine::text::shell_words::quoted;

use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use event::RunEvent;
use gauge::RunGauge;
use limits::Percent;
use supervise::{Run, RunPlan};

/// How long to wait for the first byte on stdin if there is a prompt already; the client's own limit.
const STDIN_PATIENCE: Duration = Duration::from_secs(3);

/// Run the agent headless, with a fresh session before each compaction
///
/// Starts `claude -p …` and watches its context. When less than the given share is left before a compaction, it stops the
/// agent between two steps (tools have finished, the model has not been asked again), writes a handoff from the record,
/// and continues in a fresh session with your prompt word for word, the handoff, and your CLAUDE.md as always. A line on
/// stderr says so.
///
/// The output is that of one run, in the --output-format you ask for: text and json give the last answer, stream-json
/// every row (and a `catchword_reset` row at each reset). Exit codes are the client's; signals are passed on to it.
/// With --input-format stream-json, prompts may come at any time; none is lost in a reset.
///
/// A session is not ended while one of its subagents works. A background shell is waited for as long as there is room, and
/// ends with its session. The client's --max-turns and --max-budget-usd count for the whole run; --resume and --continue
/// apply to the first session. When the agent ends its turn by itself, the run is over.
#[derive(clap::Args)]
#[command(after_help = example())]
pub struct Args {
    /// Start a fresh session when less than this is left before a compaction
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = limits::percent)]
    reset_at: Percent,
    /// Most resets; after that the client compacts as usual
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_resets: u32,
    /// Time limit (2h, 90m); then the agent is stopped at its next step, with exit status 124
    #[arg(long, value_name = "TIME", value_parser = limits::span)]
    max_time: Option<Duration>,
    /// Show what would be started and when it would be reset; start nothing
    #[arg(long)]
    dry_run: bool,
    /// The command: `claude -p "…"` with whatever options it has
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn example() -> String {
    let (_, headless) = supervisable().next().expect("a client that runs headless");
    let (command, options) = (headless.example, headless.example_options);
    format!(
        "Example:\n  catchword run --reset-at 20% --max-time 2h -- \\\n    {command} \"Fix every failing test\" {options}"
    )
}

/// The clients whose headless runs can be supervised.
fn supervisable() -> impl Iterator<Item = (&'static Client, &'static Headless)> {
    CLIENTS.iter().filter_map(|client| Some((*client, client.headless.as_ref()?)))
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let plan = plan(args)?;
    if args.dry_run {
        dry_run(&plan, env, ui);
        return Ok(Exit::Ok);
    }
    let (sender, events) = mpsc::channel();
    let prompt = match plan.line.input {
        StreamFormat::Rows => None,
        _ => Some(prompt(plan.line.prompt.as_deref())?),
    };
    signals::listen(&sender).context("cannot listen for signals")?;
    if prompt.is_none() {
        read_rows(sender.clone());
    }
    Run::start(&plan, prompt.as_deref(), env, ui, (sender, events))?.until_the_end()
}

fn plan(args: &Args) -> anyhow::Result<RunPlan> {
    let examples: Vec<&str> = supervisable().map(|(_, headless)| headless.example).collect();
    let example = examples.join(" or ");
    let (program, words) = args
        .command
        .split_first()
        .with_context(|| format!("no command: catchword run -- {example} \"…\""))?;
    let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((client, headless)) = supervisable().find(|(client, _)| client.setup.program == name) else {
        if let Some(other) = CLIENTS.iter().find(|client| client.setup.program == name) {
            let name = other.phrases.name;
            bail!(
                "catchword cannot supervise {name}, only `{example}`. Run {name} by itself: its hooks record it."
            );
        }
        let known: Vec<&str> = supervisable().map(|(client, _)| client.phrases.name).collect();
        let programs: Vec<&str> = supervisable().map(|(client, _)| client.setup.program).collect();
        bail!(
            "{program} is not {}: what follows -- must be `{example} \"…\"`, or a path that ends in {}",
            known.join(" or "),
            programs.join(" or ")
        );
    };
    Ok(RunPlan {
        client,
        headless,
        program: program.clone(),
        line: (headless.parse)(words)?,
        reset_at: args.reset_at,
        max_resets: args.max_resets,
        max_time: args.max_time,
    })
}

/// Prints what would happen.
fn dry_run(plan: &RunPlan, env: &Env, ui: &Ui) {
    let command = |first| {
        let words = (plan.headless.words)(&plan.line, first, &Spent::default());
        let all = std::iter::once(&plan.program).chain(&words);
        format!("  {}", all.map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
    };
    ui.line("Would start:");
    ui.line(command(true));
    if command(false) != command(true) {
        ui.line("and after a reset:");
        ui.line(command(false));
    }
    match &plan.line.prompt {
        Some(prompt) => ui.line(format!("with the prompt (and what is on stdin):\n  {prompt}")),
        None if plan.line.input == StreamFormat::Rows => {
            ui.line("with the prompts that come on stdin, as rows");
        }
        None => ui.line("with the prompt that is on stdin"),
    }
    let model = plan.line.model.as_deref().filter(|model| (plan.client.window)(model).is_some());
    let mut gauge = RunGauge::new(plan.client, env.of(plan.client).limits);
    gauge.model(model.map(str::to_owned));
    let threshold = gauge.threshold();
    ui.line(ui.paragraph(&format!(
        "Would begin a fresh session at a step's end with {} or more of {} tokens used (less than {}% left), at most {} times{}. That is for {}; the running client is asked for its own.",
        grouped(plan.reset_at.mark(threshold)),
        grouped(threshold),
        plan.reset_at.0,
        plan.max_resets,
        plan.max_time.map(|time| format!(", and end after {}", limits::shown(time))).unwrap_or_default(),
        model.unwrap_or("a window of 200,000 tokens"),
    )));
    ui.line("Nothing was started.");
}

/// The prompt of the command line and what is piped in, joined as the client does.
fn prompt(given: Option<&str>) -> anyhow::Result<String> {
    let piped = if std::io::stdin().is_terminal() { String::new() } else { piped()? };
    let prompt = match given {
        Some(given) if piped.is_empty() => given.to_owned(),
        Some(given) => format!("{given}\n{piped}"),
        None => piped,
    };
    if prompt.trim().is_empty() {
        bail!("no prompt: give one after -p, or on stdin");
    }
    Ok(prompt)
}

/// Everything on stdin; empty if nothing arrives and nobody closes it.
fn piped() -> anyhow::Result<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut chunk = [0; 8_192];
        while let Ok(read) = stdin.read(&mut chunk) {
            if sender.send(chunk[..read].to_vec()).is_err() || read == 0 {
                return;
            }
        }
    });
    let mut all = receiver.recv_timeout(STDIN_PATIENCE).unwrap_or_default();
    if !all.is_empty() {
        all.extend(receiver.iter().flatten());
    }
    String::from_utf8(all).context("what is on stdin is not text")
}

/// Sends every line on stdin as an event.
fn read_rows(events: Sender<RunEvent>) {
    std::thread::spawn(move || {
        let stdin = std::io::BufReader::new(std::io::stdin());
        process::listen(stdin, |line| {
            events.send(RunEvent::Input(String::from_utf8_lossy(&line).into_owned())).is_ok()
        });
        let _ = events.send(RunEvent::InputEnd);
    });
}
