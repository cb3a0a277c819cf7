//! `catchword hook <client>`: reads one JSON object from stdin, prints what the client should get, exits 0.
//!
//! Runs on every tool use, all day long. So it uses no network, no async runtime, no model, no directory walk and no
//! long transaction, and keeps its deadline. After the end of a turn, a subagent or the session, when the client has
//! its answer, history and backup may take a moment longer. The hooks of a compaction leave both to the next such end:
//! the person waits for the client then, and the client for us. Errors go to the log and the client gets nothing: no
//! output is better than a wrong one.

mod history;
mod machine;

use std::path::Path;
use std::time::{Duration, Instant};

use catchword_engine::clients::Client;
use catchword_engine::clients::strangers::{self, stranger};
use catchword_engine::model::event::{EventKind, HookEvent, StartKind};
use catchword_engine::model::problem::Problem;
use catchword_engine::ops::catch_up::CatchUpError;
use catchword_engine::ops::forget;
use catchword_engine::ops::handoff::Handoff;
use catchword_engine::ops::hook::{self, HeadlessStart, HookAnswer, HookContext, HookSettings};
use catchword_engine::ops::read::doctor::newer_schema;
use catchword_engine::ops::start::unread;
use catchword_engine::session::one_line;
use catchword_engine::store::{HookRun, Store};

use crate::app::call::{caller, guarded, print, read_stdin, unasked_payload};
use crate::app::config::{self, Config};
use crate::app::env::{self, Env};
use crate::app::privacy::LeaveOutRules;
use crate::app::{archive, backup, handoff, log, mirror, workspace};
use machine::ThisMachine;

/// How long a hook may read a transcript. A tick stops early and the next one continues; around a compaction the whole
/// transcript is needed.
const TICK: Duration = Duration::from_millis(300);
const COMPACTION: Duration = Duration::from_secs(5);
/// A person waits for a session to start.
const START: Duration = Duration::from_secs(1);
/// By default the client allows 1.5 seconds for the end of a session; git and the disk need part of it.
const END: Duration = Duration::from_millis(600);
/// Limit for the whole end, including history and backup.
const ALL_OF_END: Duration = Duration::from_millis(1_200);
/// How long to wait for another process that writes to the store.
const LOCK_WAIT: Duration = Duration::from_millis(500);
/// Answers one hook event. Neither errors nor panics get past this function.
pub fn run(env: &Env) {
    let begun = Instant::now();
    guarded(env, || {
        let payload = read_stdin();
        caller(env).map_or(Ok(()), |client| answer(env, client, &payload, begun))
    });
}

/// Answers a call without any argument, if a payload comes with it: other clients run the hooks in a client's settings
/// and drop the arguments. Returns whether one came. That client itself passes them, so nobody knows who writes like it
/// and drops them: such a caller gets nothing.
pub fn run_without_arguments(env: &Env) -> bool {
    let begun = Instant::now();
    let payload = unasked_payload();
    if let Some(payload) = payload.as_deref().filter(|payload| stranger(payload).is_some()) {
        guarded(env, || answer(env, strangers::host(), payload, begun));
    }
    payload.is_some()
}

struct HookCall<'a> {
    env: &'a Env,
    client: &'static Client,
    event: HookEvent,
    config: Config,
    begun: Instant,
}

fn answer(env: &Env, client: &'static Client, payload: &[u8], begun: Instant) -> Result<(), String> {
    let own = (client.event)(payload);
    let by = if own.is_none() { stranger(payload).map(|by| by.name(&env::variable)) } else { None };
    let Some((client, mut event)) = own.map(|event| (client, event)).or_else(|| guest(env, by?, payload))
    else {
        return by.map_or_else(|| Err(not_understood(payload)), |by| note_stranger(env, by));
    };
    if !event.names_a_session() {
        // It may be anything, so mask and cut it.
        let shown = |text: &str| one_line(&env.mask.text(text), 80);
        return Err(format!("{}: not a session id: {:?}", shown(&event.name), shown(&event.session)));
    }
    // Some payloads do not say it.
    let below = client.transcripts.path.filter(|_| event.transcript.is_none()).zip(env.config_dir(client));
    if let Some((path, folder)) = below {
        event.transcript = Some(folder.join(path(&event.session)));
    }
    if LeaveOutRules::load(env).holds(&event.session, event.cwd.as_deref(), event.transcript.as_deref()) {
        return Ok(());
    }
    let mut store = opened(env).or_else(|problem| {
        say_unread(env, client, &event, &problem);
        without_store(env, &event, problem)
    })?;
    if let Some(by) = by {
        // What it calls for matters more than the count.
        let _ = store.stranger_called(by, env.now());
    }
    if matches!(event.kind, EventKind::Start(_)) {
        tell_of_newer(&store, env);
    }
    let config = settings(env, &event);
    let call = HookCall { env, client, event, config, begun };
    let answered = call.answer(&mut store);
    let (problems, failed) = match answered {
        Ok(answer) => call.deliver(&mut store, answer),
        Err(error) => (Vec::new(), Some(error)),
    };
    let problem = in_one_text(&problems, failed.as_ref());
    // If the store was busy, this would wait for it again.
    if !failed.is_some_and(|f| f.is_busy()) {
        call.note_run(&mut store, problem.as_deref());
    }
    call.keep(&store);
    close(store, &call.event);
    if LeaveOutRules::load(env).is_forgotten(&call.event.session) {
        return forget_again(env, &call.event.session);
    }
    problem.map_or(Ok(()), |p| Err(call.named(&p)))
}

/// The supported client that called with another one's settings, and the event as that client understands it. A variable
/// may be inherited, so the session must be where that client keeps its own. If it has hooks of its own, too, both calls
/// are the same, and what one of them claims in the store the other does not say.
fn guest(env: &Env, by: &str, payload: &[u8]) -> Option<(&'static Client, HookEvent)> {
    let client = strangers::client_of(by)?;
    let event = (client.event)(payload).filter(HookEvent::names_a_session)?;
    let file = env.config_dir(client)?.join(client.transcripts.path?(&event.session));
    let is_there = file.parent().is_some_and(Path::is_dir);
    let is_its = |path: &Path| (client.transcripts.is_of)(path, &event.session);
    (is_there && event.transcript.as_deref().is_none_or(is_its)).then_some((client, event))
}

/// Another program called, with the client's settings: counted for `doctor`, and nothing else.
fn note_stranger(env: &Env, by: &str) -> Result<(), String> {
    let mut store = opened(env)?;
    let noted = store.stranger_called(by, env.now());
    store.close_leaving_log();
    noted.map_err(|error| error.to_string())
}

/// The session was forgotten while this hook ran: remove what the hook wrote.
fn forget_again(env: &Env, session: &str) -> Result<(), String> {
    let Some(data) = env.data_dir.as_deref() else { return Ok(()) };
    let failed = |error: &dyn std::fmt::Display| format!("a forgotten session was written again: {error}");
    handoff::forget(env, session, None).map_err(|error| failed(&error))?;
    log::rewrite(data, |line| (!line.contains(session)).then(|| line.to_owned()))
        .map_err(|error| failed(&error))?;
    forget::sessions(data, &[session]).map_err(|error| failed(&error))?;
    Ok(())
}

impl HookCall<'_> {
    fn answer(&self, store: &mut Store) -> Result<HookAnswer, CatchUpError> {
        let deadline = self.begun + time_for(&self.event.kind);
        hook::answer(&mut HookContext {
            store,
            client: self.client,
            event: &self.event,
            mask: &self.env.mask,
            settings: &hook_settings(self.client, &self.config, self.env, self.event.cwd.as_deref()),
            machine: &ThisMachine::new(self.env, &self.config, self.client),
            now: self.env.now(),
            in_time: &|| Instant::now() < deadline,
        })
    }

    /// Answers the client first, then writes the documents.
    fn deliver(&self, store: &mut Store, answer: HookAnswer) -> (Vec<Problem>, Option<CatchUpError>) {
        print(&answer.stdout);
        if answer.resent {
            self.log("the brief had not arrived; sent again");
        }
        let busy = answer.failed.as_ref().is_some_and(CatchUpError::is_busy);
        if let Some(document) = &answer.handoff
            && let Err(problem) = self.hand_over(store, document, busy)
        {
            log::problem(self.env, &problem);
        }
        if let (Some(document), Some(path)) = (&answer.notes, &self.config.mirror)
            && let Err(problem) = mirror::write(path, document, &self.event)
        {
            log::problem(self.env, &problem);
        }
        (answer.problems, answer.failed)
    }

    /// Writes a handoff. If the store is `busy`, it is not recorded there.
    fn hand_over(&self, store: &mut Store, document: &Handoff, busy: bool) -> Result<(), String> {
        let path = handoff::put(self.env, &self.config, document)?;
        if busy {
            return Err(format!("{}: the store is busy; only the handoff was written", document.session));
        }
        store.handoff_written(&document.session, &path).map_err(|error| error.to_string())
    }

    /// What comes after the client has its answer: the history, then the backup; at the end of a session a sync, if set.
    fn keep(&self, store: &Store) {
        if let Err(problem) = history::keep(self, store) {
            self.log(&format!("history: {problem}"));
        }
        let deadline = self.begun + time_for_all(&self.event.kind);
        if let Err(problem) = backup::after(self.env, store, &self.config, &self.event, deadline) {
            self.log(&problem.to_string());
        }
        if matches!(self.event.kind, EventKind::End(_))
            && let Err(problem) = archive::start_sync(self.env, &self.config)
        {
            self.log(&format!("cannot start a sync: {problem}"));
        }
    }

    fn note_run(&self, store: &mut Store, problem: Option<&str>) {
        let (env, event) = (self.env, &self.event);
        let run = HookRun {
            at: env.now(),
            event: event.name.clone(),
            session: event.session.clone(),
            micros: self.begun.elapsed().as_micros() as i64,
            problem: problem.map(str::to_owned),
        };
        let noted = if is_of_compaction(event) { store.ran_in_compaction(&run) } else { store.ran(&run) };
        let Err(error) = noted else { return };
        // The hook did its work; it does not matter that a run at a busy moment is not recorded.
        if error.is_busy() {
            return;
        }
        log::problem(env, &error.to_string());
        if error.is_damage()
            && let Err(error) = store.begin_anew(env.now())
        {
            log::problem(env, &error.to_string());
        }
    }

    fn log(&self, problem: &str) {
        log::problem(self.env, &self.named(problem));
    }

    fn named(&self, problem: &str) -> String {
        format!("{} {}: {problem}", self.event.name, self.event.session)
    }
}

/// Ticks of subagents and events that are only recorded need no settings. Problems with the file are not logged on a
/// tick, which would repeat them all day.
fn settings(env: &Env, event: &HookEvent) -> Config {
    let is_tick = is_tick(&event.kind);
    let is_answered = matches!(event.kind, EventKind::Tools | EventKind::Prompt) && event.subagent.is_none();
    if is_tick && !is_answered {
        return Config::default();
    }
    if !is_tick {
        for problem in config::problems(env) {
            log::problem(env, &problem);
        }
    }
    Config::load(env)
}

fn hook_settings(client: &Client, config: &Config, env: &Env, folder: Option<&Path>) -> HookSettings {
    let root = folder.filter(|_| !config.projects.is_empty()).map(workspace::root);
    HookSettings {
        budget: config.budget,
        guide: config.guide,
        guide_lines: config.guide_lines,
        instructions: config.instructions_in(root.as_deref(), env),
        announce: config.announce,
        notes: config.mirror.is_some(),
        handoffs: config.handoff.on,
        offer_within: config.next_start.longest(),
        start_characters: config.next_start.characters,
        plan: config.plan.clone(),
        limits: env.of(client).limits,
        headless: config.next_start.headless,
        cold: config.cold,
        failures: config.failures,
    }
}

/// Opens the store, waiting as long as a hook may.
fn opened(env: &Env) -> Result<Store, String> {
    let folder =
        env.data_dir.as_deref().ok_or("no data directory: neither CATCHWORD_HOME nor HOME is set")?;
    let store = Store::open(folder, env.now(), LOCK_WAIT).map_err(|e| e.to_string())?;
    if let Some(why) = store.replaced() {
        log::problem(env, why);
    }
    Ok(store)
}

/// After a compaction the agent gets its brief even without a store: the transcript has what it needs. Everything else
/// can wait until the store works again.
fn without_store(env: &Env, event: &HookEvent, problem: String) -> Result<Store, String> {
    let told =
        matches!(event.kind, EventKind::Start(StartKind::Compact) | EventKind::BeforeCompaction { .. });
    if !told || event.subagent.is_some() {
        return Err(problem);
    }
    log::problem(env, &problem);
    Store::for_now().map_err(|e| e.to_string())
}

/// At a start, that the record could not be read, where something of it might have been told.
fn say_unread(env: &Env, client: &Client, event: &HookEvent, problem: &str) {
    let is_start = matches!(event.kind, EventKind::Start(StartKind::Startup | StartKind::Clear));
    // Where nothing was ever recorded, nothing is missing.
    if !env.data_dir.as_deref().is_some_and(|folder| folder.join("catchword.db").exists()) {
        return;
    }
    let config = Config::load(env).next_start;
    let is_told = env.of(client).attended != Some(false) || config.headless != HeadlessStart::Off;
    if is_start && event.subagent.is_none() && is_told && config.on {
        print(&(client.say)(event, &unread(problem), ""));
    }
}

/// A store with a newer schema is used as far as this version understands it. Logged once.
fn tell_of_newer(store: &Store, env: &Env) {
    if let Ok(Some((found, known))) = store.newer() {
        log::once(env, &newer_schema(found, known));
    }
}

fn time_for(kind: &EventKind) -> Duration {
    match kind {
        EventKind::Start(StartKind::Compact) => COMPACTION,
        EventKind::Start(_) => START,
        EventKind::End(_) => END,
        kind if is_tick(kind) => TICK,
        _ => COMPACTION,
    }
}

/// The deadline for everything, including history and backup.
fn time_for_all(kind: &EventKind) -> Duration {
    if matches!(kind, EventKind::End(_)) { ALL_OF_END } else { time_for(kind) }
}

fn is_tick(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Tools
            | EventKind::Prompt
            | EventKind::Note { .. }
            | EventKind::SubagentEnd
            | EventKind::Other
    )
}

/// Whether this is one of the four hooks of a main conversation's compaction. The summariser is a subagent.
fn is_of_compaction(event: &HookEvent) -> bool {
    match event.kind {
        EventKind::SummaryReady { .. } => true,
        EventKind::BeforeCompaction { .. }
        | EventKind::Start(StartKind::Compact)
        | EventKind::AfterCompaction { .. } => event.subagent.is_none(),
        _ => false,
    }
}

fn not_understood(payload: &[u8]) -> String {
    match payload.len() {
        0 => "empty stdin: a hook is called by the client with a JSON object".to_owned(),
        n => format!("not a hook payload ({n} bytes)"),
    }
}

/// All problems in one text.
fn in_one_text(problems: &[Problem], failed: Option<&CatchUpError>) -> Option<String> {
    let rows = problems.iter().map(Problem::to_string);
    let texts: Vec<String> = rows.chain(failed.map(ToString::to_string)).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Closing the last connection checkpoints and deletes `SQLite`'s WAL, for which neither a tick nor a compaction has
/// time. The end of a turn has checkpointed it already ([`Store::tidy`]) and then started a new one: if that is left in
/// place, the next hook need not create one and wait until it is synced.
fn close(store: Store, event: &HookEvent) {
    if is_tick(&event.kind) || is_of_compaction(event) || event.kind == EventKind::TurnEnd {
        store.close_leaving_log();
    }
}
