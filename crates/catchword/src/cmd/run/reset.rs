//! The change from one session to the next.

use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use catchword_engine::clients::headless::{StreamFormat, StreamPrompt};
use catchword_engine::model::event::short_id;
use catchword_engine::text::numbers::rounded;

use super::event::RunEvent;
use super::handover::{self, Before, Handover};
use super::process::ClientProcess;
use super::supervise::{PresentSession, Run, TICK};

/// How long a finished session may take to exit; its hooks run in that time.
const EXIT_WAIT: Duration = Duration::from_secs(20);

impl Run<'_> {
    /// Ends the current session and continues in a new one.
    pub(super) fn reset(&mut self, next: Option<StreamPrompt>) -> anyhow::Result<()> {
        let used = self.now.gauge.used.unwrap_or(0);
        let threshold = self.now.gauge.threshold();
        self.end_session();
        if self.signalled.is_some() {
            self.waiting.extend(next);
            self.is_between = true;
            let _ = self.sender.send(RunEvent::Closed(self.client.number));
            return Ok(());
        }
        self.spent.turns += self.now.spent.turns;
        self.spent.cost += self.now.spent.cost;
        let before = Before::read(self.plan.client, &self.now.id, &self.now.transcript, self.env);
        let handoff = before.handoff(self.env.now());
        let kept = handover::write(&handoff, &before, self.env);
        self.before.push(before);
        self.tell(used, threshold, handoff.chars().count());
        let shells = std::mem::take(&mut self.now.background.shells);
        let words = (self.plan.headless.words)(&self.plan.line, false, &self.spent);
        let number = self.before.len() as u32 + 1;
        self.client = ClientProcess::start(&self.plan.program, &words, number, &self.sender)
            .with_context(|| self.way_back(kept.as_deref()))?;
        self.now = PresentSession::new(self.plan.client, self.env);
        self.greet();
        let asked_next = next.as_ref().map(|prompt| prompt.texts.join("\n"));
        let (asked, before) = (&self.asked, &self.before);
        let headless = self.plan.headless;
        let handover = Handover { headless, asked, before, handoff: &handoff, shells: &shells, next };
        let prompt = handover.prompt(self.numbers.next());
        self.asked.extend(asked_next);
        self.say_prompt(&prompt);
        Ok(())
    }

    fn way_back(&self, handoff: Option<&Path>) -> String {
        let id = &self.now.id;
        let at = handoff.map(|path| format!("; its handoff is {}", path.display())).unwrap_or_default();
        let resume = (self.plan.client.phrases.resume)(id);
        format!("cannot start a fresh session; `{resume}` goes on with the former one{at}")
    }

    /// One line for the person, and a row for programs.
    fn tell(&mut self, used: u64, threshold: u64, handoff: usize) {
        let resets = self.before.len();
        let short = short_id(&self.now.id);
        self.ui.say(format!(
            "catchword: fresh session (reset {resets} of at most {}): {short} had used {} of {} tokens; its handoff has {handoff} characters",
            self.plan.max_resets,
            rounded(used),
            rounded(threshold),
        ));
        let row = (self.plan.headless.reset_row)(&self.now.id, used, threshold, resets as u32);
        if self.plan.line.output == StreamFormat::Rows {
            self.output.row(row.as_bytes());
        }
    }

    /// Lets the session end after its turn. Its background tasks end with it.
    fn end_session(&mut self) {
        self.client.hang_up();
        if !self.now.background.shells.is_empty() {
            self.client.terminate();
        }
        let begun = Instant::now();
        let mut asked_to = false;
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(RunEvent::Closed(number)) if number == self.client.number => break,
                Ok(RunEvent::Input(line)) => {
                    let number = self.numbers.next();
                    self.waiting.extend((self.plan.headless.prompt_of_row)(&line, number));
                }
                Ok(RunEvent::InputEnd) => self.input_has_ended = true,
                Ok(RunEvent::Signal(signal)) => self.signal(signal),
                Err(RecvTimeoutError::Disconnected) => break,
                _ => {}
            }
            if self.client.ended().is_some() {
                break;
            }
            if begun.elapsed() > 2 * EXIT_WAIT {
                self.client.kill();
                break;
            }
            if begun.elapsed() > EXIT_WAIT && !std::mem::replace(&mut asked_to, true) {
                self.client.terminate();
            }
        }
        let _ = self.client.wait();
    }
}
