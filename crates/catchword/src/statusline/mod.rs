//! `catchword statusline <client>`: the client's JSON on stdin, one line on stdout, exit 0.
//!
//! The client calls it after every answer, so the rules for hooks apply: answered before the command line is parsed, no
//! network, no git process, a short wait for the store. Any failure only makes the line shorter; the error goes to the
//! log. Right after a compaction it reads the new rows of the transcript. As a side effect it stores the window, which only the status line is told, and makes the checkpoints that are
//! due. Drawing is in [`segments`], the user's own status line in [`wrapped`].

pub mod segments;
mod wrapped;

use std::time::{Duration, Instant};

use catchword_engine::clients::Client;
use catchword_engine::clients::status::StatusInput;
use catchword_engine::context::{Gauge, Learned};
use catchword_engine::model::event::{HookEvent, is_session_id};
use catchword_engine::ops::catch_up::{CatchUp, CatchUpError, Depth};
use catchword_engine::ops::checkpoint::{self, GaugeSettings, StatusReport};
use catchword_engine::store::{Gauged, Store, StoreError};

use crate::app::call::{caller, guarded, print, read_stdin};
use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::privacy::LeaveOutRules;
use crate::app::{git, log};
use segments::{LineStyle, SegmentInput};
use wrapped::Wrapped;

/// How long to wait for a hook that is writing: the next call comes soon.
const LOCK_WAIT: Duration = Duration::from_millis(50);
/// How long to read a transcript: mostly a few rows.
const READ: Duration = Duration::from_millis(100);
/// Columns if unknown.
const COLUMNS: usize = 120;

/// Prints one line. Never fails; panics are caught.
pub fn run(env: &Env) {
    guarded(env, || {
        let payload = read_stdin();
        let theirs = Wrapped::start(env, &payload);
        let known = LineInput::of(env, &payload);
        let ours = known.as_ref().map(|known| known.line(env)).unwrap_or_default();
        let mut lines = theirs.map(Wrapped::lines).unwrap_or_default();
        // An empty line replaces the previous one in the client.
        if !ours.is_empty() || lines.is_empty() {
            lines.push(ours);
        }
        print(&format!("{}\n", lines.join("\n")));
        let recorded = known.filter(|LineInput { status, .. }| {
            !LeaveOutRules::load(env).holds(
                &status.session,
                status.cwd.as_deref(),
                status.transcript.as_deref(),
            )
        });
        recorded.map_or(Ok(()), |known| known.record(env))
    });
}

/// The input of a call, and what the store knows about its session.
struct LineInput {
    client: &'static Client,
    status: StatusInput,
    gauged: Gauged,
    gauge: Gauge,
    config: Config,
    store: Option<Store>,
}

impl LineInput {
    fn of(env: &Env, payload: &[u8]) -> Option<LineInput> {
        let client = caller(env)?;
        let status = (client.status)(payload)?;
        let mut store = opened(env);
        let config = Config::load(env);
        if let Some(store) = &mut store {
            told(env, Some(read_compaction(env, client, &status, store)));
        }
        let stored = store.as_ref().map(|store| store.gauged(&status.session));
        let gauged = told(env, stored).flatten().unwrap_or_default();
        let limits = env.of(client).limits;
        let gauge = checkpoint::read(
            store.as_ref(),
            client,
            &gauged,
            Some(&status.gauge),
            &GaugeSettings::of(&limits),
        );
        let gauge = told(env, Some(gauge)).unwrap_or_default();
        Some(LineInput { client, status, gauged, gauge, config, store })
    }

    fn line(&self, env: &Env) -> String {
        let context = SegmentInput {
            model: self.status.model_name.as_deref().or(self.status.gauge.model.as_deref()),
            gauge: &self.gauge,
            gauged: &self.gauged,
            branch: &|| self.status.cwd.as_deref().and_then(|folder| git::branch(folder, &env.mask)),
        };
        let look = LineStyle {
            colour: self.config.colour && env.colour != Some(false),
            columns: env.columns.unwrap_or(COLUMNS),
            segments: self.config.segments.as_deref(),
        };
        segments::line(&context, &look)
    }

    /// Stores what is new; if the store is busy, the next call does.
    fn record(mut self, env: &Env) -> Result<(), String> {
        let Some(mut store) = self.store.take() else { return Ok(()) };
        let session = &self.status.session;
        let outcome = if is_session_id(session) { self.note(&mut store, env) } else { Ok(()) };
        // Leave the checkpoint of the WAL to quieter moments.
        store.close_leaving_log();
        match outcome {
            Err(error) if !error.is_busy() => Err(format!("statusline {session}: {error}")),
            _ => Ok(()),
        }
    }

    /// Stores the window if it has changed, and the checkpoints that are due.
    fn note(&self, store: &mut Store, env: &Env) -> Result<(), StoreError> {
        let (session, told) = (&self.status.session, &self.status.gauge);
        let window = told.window.zip(told.model.as_deref());
        let learned = window.map(|(window, model)| Learned { window, model: (self.client.model_key)(model) });
        if let Some(learned) = learned.filter(|learned| self.gauged.learned.as_ref() != Some(learned)) {
            store.learn_window(session, &learned, env.now())?;
        }
        let report = StatusReport {
            client: self.client,
            session,
            status: told,
            gauged: &self.gauged,
            plan: &self.config.plan,
            limits: &env.of(self.client).limits,
            now: env.now(),
        };
        checkpoint::from_status(store, &report)
    }
}

/// Reads the rows of a compaction that has just taken place. The client writes them after its last hook, and asks for the
/// line before any other hook comes: without them it would show the context from before.
fn read_compaction(
    env: &Env,
    client: &Client,
    status: &StatusInput,
    store: &mut Store,
) -> Result<(), StoreError> {
    let StatusInput { session, transcript, cwd, .. } = status;
    let is_left_out = || LeaveOutRules::load(env).holds(session, cwd.as_deref(), transcript.as_deref());
    if !store.compaction_is_unread(session)? || is_left_out() {
        return Ok(());
    }
    let (session, transcript, cwd) = (session.clone(), transcript.clone(), cwd.clone());
    let event = HookEvent { session, transcript, cwd, ..HookEvent::default() };
    let deadline = Instant::now() + READ;
    let in_time = || Instant::now() < deadline;
    let pass = CatchUp { client, mask: &env.mask, event: &event, now: env.now(), in_time: &in_time };
    match pass.run(store, Depth::Index) {
        Err(CatchUpError::Store(error)) => Err(error),
        // The next hook reads the rest, and reports what it cannot read.
        _ => Ok(()),
    }
}

fn opened(env: &Env) -> Option<Store> {
    let folder = env.data_dir.as_deref()?;
    told(env, Some(Store::open_existing(folder, LOCK_WAIT)))?
}

/// The result of a store query; a failure is logged unless the store was busy.
fn told<T>(env: &Env, outcome: Option<Result<T, StoreError>>) -> Option<T> {
    match outcome? {
        Ok(value) => Some(value),
        Err(error) => {
            if !error.is_busy() {
                log::problem(env, &format!("statusline: {error}"));
            }
            None
        }
    }
}
