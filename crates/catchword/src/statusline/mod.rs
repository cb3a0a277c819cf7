//! `catchword statusline`: the client's JSON on stdin, one line on stdout, exit 0.
//!
//! Asked for after every answer, so it is held to the hook's rules: answered before the command line is parsed, no
//! network, no git process, a short wait for the store. Whatever goes wrong shows as a shorter line, never as words
//! about it; those go to the log. On the way it notes the window, which only the status line is told, and makes the
//! checkpoints that are due. Drawing is in [`segments`], somebody's own status line in [`wrapped`].

pub mod segments;
mod wrapped;

use std::time::{Duration, Instant};

use catchword_engine::agent::event::HookEvent;
use catchword_engine::agent::status::StatusLine;
use catchword_engine::agent::{self, Agent};
use catchword_engine::gauge::{Gauge, Learned, model_key};
use catchword_engine::ops::answer::Surroundings;
use catchword_engine::ops::catch_up::CatchUpError;
use catchword_engine::ops::checkpoint;
use catchword_engine::store::{Gauged, Store, StoreError};

use crate::config::Config;
use crate::env::Env;
use crate::hook::{guarded, print, read_stdin};
use crate::privacy::LeftOut;
use crate::{git, log};
use segments::{Context, Look};
use wrapped::Wrapped;

/// How long to wait for a hook that is writing: the next line comes soon.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a checkpoint may take.
const CHECKPOINT: Duration = Duration::from_millis(300);
/// Columns where nobody says how many there are.
const COLUMNS: usize = 120;

/// Prints one line. Never fails, never panics past this point.
pub fn run(env: &Env) {
    guarded(env, || {
        let payload = read_stdin();
        let theirs = Wrapped::start(env, &payload);
        let known = Known::of(env, &payload);
        let ours = known.as_ref().map(|known| known.line(env)).unwrap_or_default();
        let mut lines = theirs.map(Wrapped::lines).unwrap_or_default();
        // An empty line keeps the client from showing the former one.
        if !ours.is_empty() || lines.is_empty() {
            lines.push(ours);
        }
        print(&format!("{}\n", lines.join("\n")));
        let recorded = known
            .filter(|known| !LeftOut::load(env).holds(&known.status.session, known.status.cwd.as_deref()));
        recorded.map_or(Ok(()), |known| known.record(env))
    });
}

/// What a call tells, and what the store knows of its session.
struct Known {
    agent: &'static Agent,
    status: StatusLine,
    gauged: Gauged,
    gauge: Gauge,
    config: Config,
    store: Option<Store>,
}

impl Known {
    fn of(env: &Env, payload: &[u8]) -> Option<Known> {
        let (agent, status) =
            agent::AGENTS.iter().find_map(|agent| Some((agent, (agent.status)(payload)?)))?;
        let store = opened(env);
        let config = Config::load(env).0;
        let stored = store.as_ref().map(|store| store.gauged(&status.session));
        let gauged = told(env, stored).flatten().unwrap_or_default();
        let gauge = checkpoint::read(store.as_ref(), agent, &gauged, Some(&status.gauge), &env.limits);
        let gauge = told(env, Some(gauge)).unwrap_or_default();
        Some(Known { agent, status, gauged, gauge, config, store })
    }

    fn line(&self, env: &Env) -> String {
        let context = Context {
            model: self.status.model_name.as_deref().or(self.status.gauge.model.as_deref()),
            gauge: &self.gauge,
            gauged: &self.gauged,
            branch: &|| self.status.cwd.as_deref().and_then(git::branch),
        };
        let look = Look {
            colour: self.config.colour && !env.no_color,
            columns: env.columns.unwrap_or(COLUMNS),
            segments: self.config.segments.as_deref(),
        };
        segments::line(&context, &look)
    }

    /// Notes what is news; a store that is busy hears of it next time.
    fn record(mut self, env: &Env) -> Result<(), String> {
        let Some(mut store) = self.store.take() else { return Ok(()) };
        let status = &self.status;
        let event =
            checkpoint::event_of(&status.session, status.transcript.as_deref(), status.cwd.as_deref());
        let outcome = if event.names_a_session() { self.note(&mut store, &event, env) } else { Ok(()) };
        // Closing would tidy the store up, which is the business of quieter moments.
        std::mem::forget(store);
        match outcome {
            Err(error) if !error.is_busy() => Err(format!("statusline {}: {error}", event.session)),
            _ => Ok(()),
        }
    }

    /// The window where it has changed, and the checkpoints that are due.
    fn note(&self, store: &mut Store, event: &HookEvent, env: &Env) -> Result<(), CatchUpError> {
        // The line is out: what somebody's own took is not ours.
        let begun = Instant::now();
        let told = &self.status.gauge;
        let window = told.window.zip(told.model.as_deref());
        let learned = window.map(|(window, model)| Learned { window, model: model_key(model) });
        if let Some(learned) = learned.filter(|learned| self.gauged.learned.as_ref() != Some(learned)) {
            store.learn_window(&event.session, &learned, env.now())?;
        }
        let around = Surroundings {
            budget: self.config.budget,
            limits: env.limits,
            plan: &|| self.config.plan.clone(),
            go_on: &|| begun.elapsed() < CHECKPOINT,
            ..Surroundings::alone(env.now())
        };
        checkpoint::from_status(store, self.agent, event, &around, told, &self.gauged)
    }
}

fn opened(env: &Env) -> Option<Store> {
    let folder = env.data_dir.as_deref()?;
    told(env, Some(Store::open_existing(folder, PATIENCE)))?
}

/// What came of asking the store; a failure is for the log, a busy moment for nobody.
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
