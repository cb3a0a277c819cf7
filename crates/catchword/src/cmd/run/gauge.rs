//! How full the context of the running session is, and what to do about it.
//!
//! The client's own numbers count most. Until it reports them, or if it never does, the engine's gauge is used, with
//! its table of models and the client's rules. For an unknown model the smallest window is assumed, because a session
//! that ends early loses less than one that is compacted.

use catchword_engine::clients::Client;
use catchword_engine::clients::headless::{Background, ToldContext};
use catchword_engine::context::{self, Inputs, SMALL_WINDOW, Tally};
use catchword_engine::model::tokens::{ClientLimits, StatusLineTokens};

use super::limits::Percent;

#[derive(Clone, Debug)]
pub struct RunGauge {
    client: &'static Client,
    /// Tokens of the next request; `None` until the model has answered, and after a compaction.
    pub used: Option<u64>,
    model: Option<String>,
    limits: ClientLimits,
    window: Option<u64>,
    threshold: Option<u64>,
    /// The client has reported its numbers, or never will.
    pub is_sure: bool,
}

impl RunGauge {
    pub fn new(client: &'static Client, limits: ClientLimits) -> RunGauge {
        RunGauge { client, limits, used: None, model: None, window: None, threshold: None, is_sure: false }
    }

    /// Sets the model. An answer names it without the suffix for a larger window, which is then kept.
    pub fn model(&mut self, model: Option<String>) {
        let key = self.client.model_key;
        let is_other = |now: &String| self.model.as_deref().map(key) != Some(key(now));
        if let Some(model) = model.filter(is_other) {
            self.model = Some(model);
        }
    }

    /// Takes the client's own numbers. If they include a window but no threshold, the client will not compact.
    pub fn told(&mut self, context: ToldContext) {
        self.window = context.window.or(self.window);
        self.threshold = context.threshold;
        self.limits.off |= context.window.is_some() && context.threshold.is_none();
        self.is_sure = true;
    }

    /// Tokens at which the client compacts or accepts no more prompts.
    pub fn threshold(&self) -> u64 {
        self.threshold.unwrap_or_else(|| self.by_rule())
    }

    fn by_rule(&self) -> u64 {
        let most = self.used.unwrap_or(0);
        let tally = Tally { used: self.used, model: self.model.clone(), most, ..Tally::default() };
        let status = StatusLineTokens { model: self.model.clone(), window: self.window, used: self.used };
        let (learned, elsewhere, chosen, limits) = (None, None, None, &self.limits);
        let (tally, status) = (&tally, Some(&status));
        let read = context::Gauge::read(&Inputs {
            client: self.client,
            tally,
            status,
            learned,
            elsewhere,
            chosen,
            limits,
        });
        let model = self.model.as_deref().unwrap_or_default();
        read.threshold.unwrap_or_else(|| (self.client.threshold)(SMALL_WINDOW, model, limits)).tokens
    }

    /// Whether less than `share` is left before a compaction.
    pub fn is_past(&self, share: Percent) -> bool {
        self.used.is_some_and(|used| used >= share.mark(self.threshold()))
    }
}

/// The state between two requests to the model.
#[derive(Clone, Copy, Debug)]
pub struct BetweenRequests<'a> {
    pub gauge: &'a RunGauge,
    /// Tasks that run in the background.
    pub background: &'a Background,
    /// Every prompt that was sent has reached the model.
    pub all_taken: bool,
    /// Another session is within the limits.
    pub may_reset: bool,
    /// The run has reached its time limit.
    pub time_is_up: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    GoOn,
    /// Ask the client for the size of its context first.
    Ask,
    /// End this session and continue in a new one.
    Reset,
    End,
}

/// Decides what to do. Always waits for a subagent, whose work would be lost. Waits for a shell until only a quarter of
/// the share is left: it may be a test run, or a server that never ends.
pub fn verdict(moment: &BetweenRequests, share: Percent) -> Verdict {
    let BetweenRequests { gauge, background, .. } = moment;
    if moment.time_is_up {
        return Verdict::End;
    }
    if !gauge.is_past(share) || !moment.may_reset || !moment.all_taken || background.agents > 0 {
        return Verdict::GoOn;
    }
    let waits = !background.shells.is_empty() && !gauge.is_past(Percent(share.0.div_ceil(4)));
    match (gauge.is_sure, waits) {
        (false, _) => Verdict::Ask,
        (true, true) => Verdict::GoOn,
        (true, false) => Verdict::Reset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchword_engine::clients::CLIENTS;

    const SHARE: Percent = Percent(20);

    fn unknown() -> RunGauge {
        RunGauge::new(CLIENTS[0], ClientLimits::default())
    }

    fn gauge(used: u64) -> RunGauge {
        let mut gauge = RunGauge { used: Some(used), ..unknown() };
        gauge.told(ToldContext { window: Some(200_000), threshold: Some(167_000) });
        gauge
    }

    fn background(agents: usize, shells: usize) -> Background {
        Background { agents, shells: vec!["serve".into(); shells] }
    }

    #[test]
    fn threshold_comes_from_the_client_or_else_the_engine() {
        let known = |window, threshold, used| {
            let mut gauge = RunGauge { used: Some(used), ..unknown() };
            gauge.told(ToldContext { window, threshold });
            gauge.threshold()
        };
        assert_eq!(unknown().threshold(), 167_000);
        assert_eq!(RunGauge { used: Some(210_000), ..unknown() }.threshold(), 967_000);
        assert_eq!(known(Some(1_000_000), Some(967_000), 5), 967_000);
        assert_eq!(known(Some(200_000), Some(67_000), 5), 67_000);
        assert_eq!(known(Some(1_000_000), None, 5), 977_000, "never compacts: it stops there");
        assert_eq!(known(None, None, 5), 167_000, "an old client tells nothing");
    }

    #[test]
    fn model_and_environment_count_until_the_client_reports() {
        let of = |models: &[&str], limits: ClientLimits| {
            let mut gauge = RunGauge::new(CLIENTS[0], limits);
            for model in models {
                gauge.model(Some((*model).to_owned()));
            }
            gauge.threshold()
        };
        let set = ClientLimits { window: Some(100_000), ..ClientLimits::default() };
        assert_eq!(of(&["claude-opus-4-7"], ClientLimits::default()), 967_000);
        assert_eq!(of(&["claude-opus-4-7"], set), 67_000);
        assert_eq!(of(&["claude-sonnet-4-6[1m]", "claude-sonnet-4-6"], ClientLimits::default()), 967_000);
        assert_eq!(of(&["claude-sonnet-4-6[1m]", "claude-opus-4-6"], ClientLimits::default()), 167_000);
        assert_eq!(of(&["gpt-9"], ClientLimits::default()), 167_000, "nobody knows: the smallest");
        assert_eq!(
            of(&["claude-sonnet-4-5"], ClientLimits::default()),
            200_000,
            "compacted once the API refuses"
        );
    }

    #[test]
    fn reset_needs_a_nearly_full_context_and_nothing_pending() {
        let none = background(0, 0);
        let free = |gauge: &RunGauge, background: &Background| {
            let moment =
                BetweenRequests { gauge, background, all_taken: true, may_reset: true, time_is_up: false };
            verdict(&moment, SHARE)
        };
        let unsure = RunGauge { used: Some(140_000), ..unknown() };
        let cases = [
            (unknown(), none.clone(), Verdict::GoOn),
            (gauge(133_599), none.clone(), Verdict::GoOn),
            (gauge(133_600), none.clone(), Verdict::Reset),
            (gauge(500_000), none.clone(), Verdict::Reset),
            (unsure, none.clone(), Verdict::Ask),
            (gauge(140_000), background(1, 0), Verdict::GoOn),
            (gauge(166_000), background(1, 0), Verdict::GoOn),
            (gauge(140_000), background(0, 1), Verdict::GoOn),
            (gauge(158_649), background(0, 1), Verdict::GoOn),
            (gauge(158_650), background(0, 1), Verdict::Reset),
            (gauge(158_650), background(1, 1), Verdict::GoOn),
        ];
        for (gauge, background, expected) in cases {
            assert_eq!(free(&gauge, &background), expected, "{gauge:?} {background:?}");
        }
    }

    #[test]
    fn limits_and_prompts_in_flight_prevent_a_reset() {
        let (full, none) = (gauge(150_000), background(0, 0));
        let moment = BetweenRequests {
            gauge: &full,
            background: &none,
            all_taken: true,
            may_reset: true,
            time_is_up: false,
        };
        assert_eq!(verdict(&BetweenRequests { all_taken: false, ..moment }, SHARE), Verdict::GoOn);
        assert_eq!(verdict(&BetweenRequests { may_reset: false, ..moment }, SHARE), Verdict::GoOn);
        assert_eq!(
            verdict(&BetweenRequests { time_is_up: true, may_reset: false, ..moment }, SHARE),
            Verdict::End
        );
    }
}
