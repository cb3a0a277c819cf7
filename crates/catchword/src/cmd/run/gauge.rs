//! How full the context of the running session is, and what that means.
//!
//! The one place of `run` that knows windows and thresholds. The client's own word counts most; until it has
//! spoken, the window is taken to be the common one, or the larger one once more has been used than that holds.

use catchword_engine::agent::claude_code::stream::{Background, Context};

use super::limits::Percent;

/// The common window and the large one.
const WINDOWS: [u64; 2] = [200_000, 1_000_000];
/// What the client keeps free for the answer and for the summary: it compacts this far below the window.
const KEPT_FREE: u64 = 33_000;

/// The context of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Tokens that go with the next request; `None` until the model has answered, or after a compaction.
    pub used: Option<u64>,
    window: Option<u64>,
    threshold: Option<u64>,
    /// The client has been heard, or will not speak.
    pub is_sure: bool,
}

impl Gauge {
    /// The client's own word. Where it will never compact, its window takes the place of the threshold.
    pub fn told(&mut self, context: Context) {
        self.window = context.window.or(self.window);
        self.threshold = context.threshold;
        self.is_sure = true;
    }

    /// Tokens at which the client compacts.
    pub fn threshold(&self) -> u64 {
        let used = self.used.unwrap_or(0);
        let guessed = if used <= WINDOWS[0] { WINDOWS[0] } else { WINDOWS[1] };
        self.threshold.unwrap_or_else(|| self.window.unwrap_or(guessed).saturating_sub(KEPT_FREE))
    }

    /// Less than `share` is left before a compaction.
    pub fn is_past(&self, share: Percent) -> bool {
        self.used.is_some_and(|used| used >= share.mark(self.threshold()))
    }
}

/// What there is to consider between two requests to the model.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The context.
    pub gauge: &'a Gauge,
    /// What runs in the background.
    pub background: &'a Background,
    /// Every prompt that was sent has reached the model.
    pub all_taken: bool,
    /// One more session is within the limits.
    pub may_reset: bool,
    /// The run has had its time.
    pub time_is_up: bool,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    GoOn,
    /// The client must say first how large its context is.
    Ask,
    /// End this session, and go on in a fresh one.
    Reset,
    /// End the run.
    End,
}

/// Decides. A subagent is waited for, whatever comes: its work would be lost. A shell is waited for as long as there
/// is room, a quarter of the share: it may be a test run, and it may be a server that never ends.
pub fn verdict(moment: &Moment, share: Percent) -> Verdict {
    let Moment { gauge, background, .. } = moment;
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

    const SHARE: Percent = Percent(20);

    fn gauge(used: u64) -> Gauge {
        let mut gauge = Gauge { used: Some(used), ..Gauge::default() };
        gauge.told(Context { window: Some(200_000), threshold: Some(167_000) });
        gauge
    }

    fn background(agents: usize, shells: usize) -> Background {
        Background { agents, shells: vec!["serve".into(); shells] }
    }

    #[test]
    fn the_threshold_is_the_clients_or_else_a_guess_from_what_was_used() {
        let known = |window, threshold, used| {
            let mut gauge = Gauge { used: Some(used), ..Gauge::default() };
            gauge.told(Context { window, threshold });
            gauge.threshold()
        };
        assert_eq!(Gauge::default().threshold(), 167_000);
        assert_eq!(Gauge { used: Some(210_000), ..Gauge::default() }.threshold(), 967_000);
        assert_eq!(known(Some(1_000_000), Some(967_000), 5), 967_000);
        assert_eq!(known(Some(200_000), Some(67_000), 5), 67_000);
        assert_eq!(known(Some(1_000_000), None, 5), 967_000, "never compacts: the window counts");
        assert_eq!(known(None, None, 5), 167_000, "an old client tells nothing");
    }

    #[test]
    fn a_verdict_needs_room_to_be_short_and_nothing_in_the_way() {
        let none = background(0, 0);
        let free = |gauge: &Gauge, background: &Background| {
            let moment = Moment { gauge, background, all_taken: true, may_reset: true, time_is_up: false };
            verdict(&moment, SHARE)
        };
        let unsure = Gauge { used: Some(140_000), ..Gauge::default() };
        let cases = [
            (Gauge::default(), none.clone(), Verdict::GoOn),
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
    fn limits_and_prompts_on_their_way_keep_a_session_going() {
        let (full, none) = (gauge(150_000), background(0, 0));
        let moment =
            Moment { gauge: &full, background: &none, all_taken: true, may_reset: true, time_is_up: false };
        assert_eq!(verdict(&Moment { all_taken: false, ..moment }, SHARE), Verdict::GoOn);
        assert_eq!(verdict(&Moment { may_reset: false, ..moment }, SHARE), Verdict::GoOn);
        assert_eq!(verdict(&Moment { time_is_up: true, may_reset: false, ..moment }, SHARE), Verdict::End);
    }
}
