//! `catchword run`: a headless run in as many sessions as it needs.

mod client;
mod gauge;
mod handover;
mod limits;
mod output;
mod reset;
mod signals;
mod supervise;

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use anyhow::{Context, bail};
use catchword_engine::agent::claude_code::AGENT;
use catchword_engine::agent::claude_code::arguments::{self, Format, Spent};

use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;
use client::Event;
use gauge::Gauge;
use limits::Percent;
use supervise::{Plan, Run};

/// How long the first word on stdin is waited for where there is a prompt already; as long as the client does.
const STDIN_PATIENCE: Duration = Duration::from_secs(3);

/// Run the agent headless, with a fresh session in place of each compaction
///
/// Starts `claude -p …` and watches how full its context gets. When less than the given share is left before it
/// would be compacted, the agent is stopped between two steps (the tools it has called have finished, the model has
/// not been asked again), a handoff is made from the record, and a fresh session goes on with it: it is given your
/// prompt word for word, the handoff, and what is in your CLAUDE.md as always. A line on stderr says so.
///
/// The output is that of one run, in the --output-format you ask for: text and json give the last answer, stream-json
/// every row (and a `catchword_reset` row at each reset). Exit codes are the client's; signals are passed on to it.
/// With --input-format stream-json prompts may come at any time; none is lost in a reset.
///
/// A session is not ended while a subagent of it works; a background shell is waited for as long as there is room, and
/// ends with its session. --max-turns and --max-budget-usd of the client count for the whole run. --resume and
/// --continue hold for the first session. An agent that ends its turn by itself has finished: no reset follows.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  catchword run --reset-at 20% --max-time 2h -- claude -p \"Fix every failing test\" --permission-mode acceptEdits"
)]
pub struct Args {
    /// Begin a fresh session when less than this is left before a compaction
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = limits::percent)]
    reset_at: Percent,
    /// How often at most; after that the client compacts as usual
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_resets: u32,
    /// How long at most (2h, 90m); then the agent is stopped at its next step, with exit code 124
    #[arg(long, value_name = "TIME", value_parser = limits::span)]
    max_time: Option<Duration>,
    /// Say what would be started and when it would be reset; start nothing
    #[arg(long)]
    dry_run: bool,
    /// The command: `claude -p "…"` with whatever options it has
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Supervises the run.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let plan = plan(args)?;
    if args.dry_run {
        dry_run(&plan, env, ui);
        return Ok(Exit::Ok);
    }
    let (sender, events) = mpsc::channel();
    let prompt = match plan.headless.input {
        Format::Rows => None,
        _ => Some(prompt(plan.headless.prompt.as_deref())?),
    };
    signals::listen(&sender).context("cannot listen for signals")?;
    if prompt.is_none() {
        read_rows(sender.clone());
    }
    Run::start(&plan, prompt.as_deref(), env, ui, (sender, events))?.until_the_end()
}

fn plan(args: &Args) -> anyhow::Result<Plan> {
    let (program, words) =
        args.command.split_first().context("no command: catchword run -- claude -p \"…\"")?;
    let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if name != "claude" {
        bail!(
            "{program} is not Claude Code: what follows -- must be `claude -p \"…\"`, or a path that ends in claude"
        );
    }
    Ok(Plan {
        program: program.clone(),
        headless: arguments::parse(words)?,
        reset_at: args.reset_at,
        max_resets: args.max_resets,
        max_time: args.max_time,
    })
}

/// What would happen.
fn dry_run(plan: &Plan, env: &Env, ui: &Ui) {
    let command = |first| {
        let words = plan.headless.words(first, &Spent::default());
        let all = std::iter::once(&plan.program).chain(&words);
        format!("  {}", all.map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
    };
    ui.line("Would start:");
    ui.line(command(true));
    if command(false) != command(true) {
        ui.line("and after a reset:");
        ui.line(command(false));
    }
    match &plan.headless.prompt {
        Some(prompt) => ui.line(format!("with the prompt (and what is on stdin):\n  {prompt}")),
        None if plan.headless.input == Format::Rows => {
            ui.line("with the prompts that come on stdin, as rows");
        }
        None => ui.line("with the prompt that is on stdin"),
    }
    let model = plan.headless.model().filter(|model| (AGENT.window)(model).is_some());
    let mut gauge = Gauge::new(env.limits);
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

/// As a shell would take it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

/// The prompt of the command line and what is piped in, as the client joins them.
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

/// Everything on stdin; nothing where nothing comes, and nobody closes it.
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

/// Tells of every line on stdin.
fn read_rows(events: Sender<Event>) {
    std::thread::spawn(move || {
        let stdin = std::io::BufReader::new(std::io::stdin());
        client::listen(stdin, |line| {
            events.send(Event::Input(String::from_utf8_lossy(&line).into_owned())).is_ok()
        });
        let _ = events.send(Event::InputEnd);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_takes_them() {
        assert_eq!(quoted("--model=x"), "--model=x");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!((quoted(""), quoted("a b")), ("''".to_owned(), "'a b'".to_owned()));
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(133_600), "133,600");
        assert_eq!(grouped(1_000_000), "1,000,000");
    }
}
