//! The run: one session after the other, until the work is done.
//!
//! One thread decides; the others send it events: a row of the client's output, a line on our stdin, a signal. A prompt
//! that arrives while the agent works waits until the next boundary, where it is certain that this session continues. A
//! session is only ended when every prompt it was given has reached the model, so that none is lost between two
//! sessions.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use catchword_engine::clients::Client;
use catchword_engine::clients::headless::{
    Background, Boundary, CommandLine, EndedTurn, Headless, Spent, StreamFormat, StreamPrompt, StreamRow,
};
use serde_json::Value;

use super::event::RunEvent;
use super::gauge::{BetweenRequests, RunGauge, Verdict, verdict};
use super::handover::Before;
use super::limits::Percent;
use super::output::RunOutput;
use super::process::{self, ClientProcess};
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// How often the clock is checked.
pub(super) const TICK: Duration = Duration::from_millis(250);
/// How long rows are taken after the client's end: its own are in the pipe by then.
const DRAIN_WAIT: Duration = Duration::from_secs(2);
/// How long the client may take to report the size of its context.
const GAUGE_WAIT: Duration = Duration::from_secs(5);
/// Exit code of a run that reached its time limit, as with `timeout`.
const TIME_IS_UP: u8 = 124;

/// The parsed command line of `run`.
pub struct RunPlan {
    pub client: &'static Client,
    /// How that client runs without a terminal.
    pub headless: &'static Headless,
    /// The client's program, as typed.
    pub program: String,
    pub line: CommandLine,
    /// When less than this is left before a compaction, a new session starts.
    pub reset_at: Percent,
    pub max_resets: u32,
    pub max_time: Option<Duration>,
}

pub struct Run<'a> {
    pub(super) plan: &'a RunPlan,
    pub(super) env: &'a Env,
    pub(super) ui: &'a Ui,
    pub(super) output: RunOutput<'a>,
    pub(super) sender: Sender<RunEvent>,
    pub(super) events: Receiver<RunEvent>,
    pub(super) client: ClientProcess,
    pub(super) now: PresentSession,
    /// The sessions that were ended.
    pub(super) before: Vec<Before>,
    pub(super) spent: Spent,
    pub(super) asked: Vec<String>,
    pub(super) waiting: VecDeque<StreamPrompt>,
    pub(super) input_has_ended: bool,
    /// The first message of a program that drives the client.
    pub(super) hello: Option<Value>,
    pub(super) begun: Instant,
    pub(super) signalled: Option<i32>,
    /// A signal arrived between two sessions.
    pub(super) is_between: bool,
    /// The time limit was reached.
    pub(super) is_over: bool,
    pub(super) numbers: Numbers,
}

#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(super) struct PresentSession {
    pub(super) id: String,
    pub(super) transcript: PathBuf,
    pub(super) gauge: RunGauge,
    pub(super) background: Background,
    /// Prompts that were sent and have not reached the model yet.
    pub(super) on_their_way: HashSet<String>,
    /// Whether the client acknowledges that a prompt has reached the model.
    pub(super) acknowledges: bool,
    pub(super) turn_is_open: bool,
    pub(super) greeted: bool,
    /// Tokens with the first answer.
    pub(super) first: Option<u64>,
    /// Requests of the client that were answered.
    pub(super) answered: HashSet<String>,
    /// A boundary whose decision waits for the client's own numbers.
    pub(super) asking: Option<(Boundary, Instant)>,
    pub(super) stopping: Option<Verdict>,
    pub(super) spent: Spent,
    pub(super) said_limit: bool,
}

impl PresentSession {
    pub(super) fn new(client: &'static Client, env: &Env) -> Self {
        PresentSession {
            id: String::new(),
            transcript: PathBuf::new(),
            gauge: RunGauge::new(client, env.of(client).limits),
            background: Background::default(),
            on_their_way: HashSet::new(),
            acknowledges: false,
            turn_is_open: false,
            greeted: false,
            first: None,
            answered: HashSet::new(),
            asking: None,
            stopping: None,
            spent: Spent::default(),
            said_limit: false,
        }
    }
}

/// Numbers for prompts, unique across processes.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        self.0
    }
}

impl<'a> Run<'a> {
    /// Starts the first session.
    pub fn start(
        plan: &'a RunPlan,
        prompt: Option<&str>,
        env: &'a Env,
        ui: &'a Ui,
        channel: (Sender<RunEvent>, Receiver<RunEvent>),
    ) -> anyhow::Result<Self> {
        use std::hash::{BuildHasher, Hasher};
        let (sender, events) = channel;
        let words = (plan.headless.words)(&plan.line, true, &Spent::default());
        let client = ClientProcess::start(&plan.program, &words, 1, &sender).with_context(|| {
            format!(
                "cannot start {}: is {} installed and on the PATH?",
                plan.program, plan.client.phrases.name
            )
        })?;
        let mut run = Run {
            output: RunOutput::new(ui, &plan.line),
            plan,
            env,
            ui,
            sender,
            events,
            client,
            now: PresentSession::new(plan.client, env),
            before: Vec::new(),
            spent: Spent::default(),
            asked: Vec::new(),
            waiting: VecDeque::new(),
            input_has_ended: plan.line.input == StreamFormat::Text,
            hello: None,
            begun: Instant::now(),
            signalled: None,
            is_between: false,
            is_over: false,
            numbers: Numbers(std::hash::RandomState::new().build_hasher().finish()),
        };
        if let Some(prompt) = prompt {
            run.greet();
            let number = run.numbers.next();
            run.send(&(plan.headless.prompt)(&[prompt.to_owned()], number));
        }
        Ok(run)
    }

    /// Runs until the last session has ended.
    pub fn until_the_end(mut self) -> anyhow::Result<Exit> {
        // Since when the client is known to have ended. A process that it left behind may keep its output open, and may
        // even go on writing.
        let mut ended: Option<Instant> = None;
        loop {
            let event = self.events.recv_timeout(TICK);
            let patience = if event.is_err() { TICK } else { DRAIN_WAIT };
            match event {
                Ok(RunEvent::Row(number, row)) if number == self.client.number => self.row(&row)?,
                Ok(RunEvent::Closed(number)) if number == self.client.number => return self.finish(),
                Ok(RunEvent::Row(..) | RunEvent::Closed(_)) => {}
                Ok(RunEvent::Input(line)) => self.input(&line)?,
                Ok(RunEvent::InputEnd) => {
                    self.input_has_ended = true;
                    self.next_prompt()?;
                }
                Ok(RunEvent::Signal(signal)) => self.signal(signal),
                Err(RecvTimeoutError::Timeout) => self.no_word_came(),
                Err(RecvTimeoutError::Disconnected) => return self.finish(),
            }
            if ended.is_some_and(|since| since.elapsed() >= patience) {
                return self.finish();
            }
            ended = self.client.ended().map(|_| ended.unwrap_or_else(Instant::now));
            if self.output.is_closed && self.signalled.is_none() {
                self.signal(super::signals::TERMINATE);
            }
        }
    }

    pub(super) fn signal(&mut self, signal: i32) {
        self.signalled = Some(signal);
        self.client.signal(signal);
    }

    /// A row of the current session.
    fn row(&mut self, line: &[u8]) -> anyhow::Result<()> {
        match (self.plan.headless.row)(line) {
            StreamRow::Begun { session, model } => {
                self.now.id = session;
                self.now.gauge.model(model);
                self.output.row(line);
            }
            StreamRow::Used { tokens, model } => {
                self.now.gauge.model(model);
                self.used(tokens);
                self.output.row(line);
            }
            StreamRow::Compacted => {
                self.now.gauge.used = None;
                self.output.row(line);
            }
            StreamRow::Background(background) => {
                self.now.background = background;
                self.output.row(line);
            }
            StreamRow::Taken { id, ours, replay } => {
                self.now.on_their_way.remove(&id);
                self.now.acknowledges = true;
                let wanted = if replay { self.plan.line.replay } else { !ours };
                if wanted {
                    self.output.row(line);
                }
            }
            StreamRow::Prompted(boundary) => {
                self.note_place(&boundary);
                self.answer(&boundary, true);
            }
            StreamRow::Boundary(boundary) => self.boundary(boundary),
            StreamRow::Context(context) => {
                self.now.gauge.told(context);
                self.decide();
            }
            StreamRow::Answered(id) if self.now.answered.contains(&id) => {}
            StreamRow::Ours => {}
            StreamRow::Ended(ended) => self.ended(line, ended)?,
            StreamRow::Answered(_) | StreamRow::Other => self.output.row(line),
        }
        Ok(())
    }

    fn used(&mut self, tokens: u64) {
        self.now.gauge.used = Some(tokens);
        self.now.first.get_or_insert(tokens);
        if !self.now.acknowledges {
            // A client that does not acknowledge prompts has received them when it answers.
            self.now.on_their_way.clear();
        }
    }

    /// The boundary between two requests. Subagents' boundaries are ignored.
    fn boundary(&mut self, boundary: Boundary) {
        if boundary.sub {
            self.answer(&boundary, true);
            return;
        }
        self.note_place(&boundary);
        self.now.asking = Some((boundary, Instant::now()));
        self.decide();
    }

    /// Notes where the session's transcript is.
    fn note_place(&mut self, boundary: &Boundary) {
        if !boundary.sub {
            self.now.id.clone_from(&boundary.session);
            self.now.transcript.clone_from(&boundary.transcript);
        }
    }

    /// Answers the pending boundary, if there is one.
    fn decide(&mut self) {
        let Some((boundary, since)) = self.now.asking.take() else { return };
        match self.verdict() {
            Verdict::Ask => self.now.asking = Some((boundary, since)),
            Verdict::GoOn => {
                self.say_limit();
                self.hand_over_waiting();
                self.answer(&boundary, true);
            }
            stop => {
                self.now.stopping = Some(stop);
                self.answer(&boundary, false);
            }
        }
    }

    /// Handles time-outs: of the client's report on its context, and of the run.
    fn no_word_came(&mut self) {
        if self.time_is_up() && !self.now.turn_is_open && !self.is_over {
            self.end_run();
        }
        if self.now.asking.as_ref().is_some_and(|(_, since)| since.elapsed() > GAUGE_WAIT) {
            self.now.gauge.is_sure = true;
            self.decide();
        }
    }

    fn verdict(&self) -> Verdict {
        let moment = BetweenRequests {
            gauge: &self.now.gauge,
            background: &self.now.background,
            all_taken: self.now.on_their_way.is_empty(),
            may_reset: self.may_reset(),
            time_is_up: self.time_is_up(),
        };
        verdict(&moment, self.plan.reset_at)
    }

    fn may_reset(&self) -> bool {
        self.signalled.is_none()
            && !self.began_full()
            && (self.before.len() as u32) < self.plan.max_resets
            && self.plan.line.has_left(&self.spent)
    }

    /// The first answer of a new session was already past the mark: another one would be no better.
    fn began_full(&self) -> bool {
        let mark = self.plan.reset_at.mark(self.now.gauge.threshold());
        !self.before.is_empty() && self.now.first.is_some_and(|first| first >= mark)
    }

    fn time_is_up(&self) -> bool {
        self.plan.max_time.is_some_and(|most| self.begun.elapsed() >= most)
    }

    /// Says once why a full session is not ended.
    fn say_limit(&mut self) {
        if self.now.said_limit || !self.now.gauge.is_past(self.plan.reset_at) || self.may_reset() {
            return;
        }
        self.now.said_limit = true;
        if self.began_full() {
            self.ui.say("catchword: the fresh session began nearly full; another one would not help, so the client compacts as usual");
        } else if self.signalled.is_none() {
            self.ui.say(format!(
                "catchword: no further reset ({} so far is the limit); the client compacts as usual",
                self.before.len()
            ));
        }
    }

    fn answer(&mut self, boundary: &Boundary, in_time: bool) {
        self.now.answered.insert(boundary.request.clone());
        self.client.say(&(self.plan.headless.answer)(&boundary.request, in_time));
    }

    /// A turn has ended, by itself or because we stopped it.
    fn ended(&mut self, line: &[u8], ended: EndedTurn) -> anyhow::Result<()> {
        self.now.turn_is_open = !self.now.on_their_way.is_empty();
        self.now.id.clone_from(&ended.session);
        self.now.spent = Spent { turns: self.now.spent.turns + ended.turns, cost: ended.cost };
        let stopping = self.now.stopping.take().filter(|_| ended.stopped && self.signalled.is_none());
        if stopping == Some(Verdict::Reset) {
            return self.reset(None);
        }
        self.output.ended(line, ended);
        if stopping.is_some() {
            self.end_run();
            return Ok(());
        }
        self.next_prompt()
    }

    /// The run has reached its time limit.
    fn end_run(&mut self) {
        self.is_over = true;
        self.client.hang_up();
        if self.now.background != Background::default() {
            self.client.terminate();
        }
    }

    /// A line on our stdin: a prompt, or a message of a program that drives the client.
    fn input(&mut self, line: &str) -> anyhow::Result<()> {
        let number = self.numbers.next();
        if let Some(prompt) = (self.plan.headless.prompt_of_row)(line, number) {
            self.greet();
            self.waiting.push_back(prompt);
            return self.next_prompt();
        }
        match serde_json::from_str::<Value>(line) {
            Ok(row) if (self.plan.headless.is_hello)(&row) && !self.now.greeted => {
                self.hello = Some(row);
                self.greet();
            }
            _ => {
                self.greet();
                self.client.say(line);
            }
        }
        Ok(())
    }

    /// Initialises the client, once per session.
    pub(super) fn greet(&mut self) {
        if std::mem::replace(&mut self.now.greeted, true) {
            return;
        }
        let theirs = self.hello.as_ref();
        let headless = self.plan.headless;
        let hello =
            if self.before.is_empty() { (headless.hello)(theirs) } else { (headless.hello_again)(theirs) };
        self.client.say(&hello);
        self.client.say(&(headless.ask_context)());
    }

    /// Sends the next prompt if the agent waits for one; in a new session if this one is nearly full.
    fn next_prompt(&mut self) -> anyhow::Result<()> {
        if self.now.turn_is_open || self.is_over {
            return Ok(());
        }
        if self.signalled.is_some() {
            self.client.hang_up();
            return Ok(());
        }
        if self.time_is_up() {
            self.end_run();
            return Ok(());
        }
        match self.waiting.pop_front() {
            Some(prompt) if !prompt.is_slash() && self.verdict() == Verdict::Reset => {
                return self.reset(Some(prompt));
            }
            Some(prompt) => self.send(&prompt),
            // While a subagent works the client is not done: it continues by itself when the subagent ends.
            None if self.input_has_ended && self.now.background.agents == 0 => self.client.hang_up(),
            None => {}
        }
        Ok(())
    }

    /// Sends prompts that arrived while the agent worked, now that it is certain that the session continues.
    fn hand_over_waiting(&mut self) {
        if self.now.acknowledges {
            while self.waiting.front().is_some_and(|prompt| !prompt.is_slash()) {
                let prompt = self.waiting.pop_front().expect("there is a first one");
                self.send(&prompt);
            }
        }
    }

    fn send(&mut self, prompt: &StreamPrompt) {
        self.asked.push(prompt.texts.join("\n"));
        self.say_prompt(prompt);
    }

    pub(super) fn say_prompt(&mut self, prompt: &StreamPrompt) {
        self.now.on_their_way.insert(prompt.id.clone());
        self.now.turn_is_open = true;
        self.client.say(&prompt.line());
    }

    /// The end of the last session ends the run.
    fn finish(mut self) -> anyhow::Result<Exit> {
        let status = self.client.wait().context("the client has vanished")?;
        self.output.finish();
        if !self.waiting.is_empty() {
            self.ui.say(format!("catchword: {} prompts were not sent any more", self.waiting.len()));
        }
        if self.is_over {
            self.ui.say(format!(
                "catchword: the time is up; `{}` goes on from here",
                (self.plan.client.phrases.resume)(&self.now.id)
            ));
            return Ok(Exit::Like(TIME_IS_UP));
        }
        // Between two sessions there is no client whose exit code would reflect the signal.
        let between = self.signalled.filter(|_| self.is_between);
        Ok(Exit::Like(between.map_or_else(|| process::code(status), |signal| (128 + signal) as u8)))
    }
}
