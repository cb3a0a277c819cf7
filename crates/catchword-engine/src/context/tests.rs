use proptest::prelude::*;

use super::*;
use crate::clients::CLIENTS;
use crate::model::entry::Place;

fn tally(used: u64, model: &str) -> Tally {
    let mut tally = Tally::default();
    tally.apply(&Mark::Answer { place: Place(7), tokens: used, model: Some(model.into()), window: None });
    tally
}

fn inputs<'a>(tally: &'a Tally, limits: &'a ClientLimits) -> Inputs<'a> {
    Inputs { client: CLIENTS[0], tally, status: None, learned: None, elsewhere: None, chosen: None, limits }
}

fn shown(measured: Option<TokenCount>) -> Option<(u64, &'static str)> {
    measured.map(|m| (m.tokens, m.from.name()))
}

#[test]
fn every_number_has_its_source() {
    let set = ClientLimits { window: Some(200_000), ..ClientLimits::default() };
    let none = ClientLimits::default();
    let large = Learned { window: 1_000_000, model: "claude-sonnet-4-5".to_owned() };
    let status =
        StatusLineTokens { model: Some("claude-opus-9".to_owned()), window: Some(500_000), used: Some(77) };
    let (small, past, stranger) =
        (tally(100_000, "claude-sonnet-4-5-20250929"), tally(250_000, "claude-sonnet-4-5"), tally(9, "gpt"));
    let no_large = ClientLimits { small: true, ..none };
    let asked = Tally { window: Some(200_000), ..small.clone() };
    let asked_large = Tally { window: Some(1_000_000), ..small.clone() };
    let read = |inputs: Inputs| {
        let gauge = Gauge::read(&inputs);
        (shown(gauge.used), shown(gauge.window), shown(gauge.threshold), gauge.left())
    };
    let cases = [
        (inputs(&small, &set), (100_000, "usage"), None, Some((167_000, "configured")), Some(67_000)),
        (inputs(&small, &none), (100_000, "usage"), None, None, None),
        (
            inputs(&asked, &none),
            (100_000, "usage"),
            Some((200_000, "requested")),
            Some((200_000, "refusal")),
            Some(100_000),
        ),
        (
            inputs(&asked_large, &none),
            (100_000, "usage"),
            Some((1_000_000, "requested")),
            Some((1_000_000, "refusal")),
            Some(900_000),
        ),
        (
            Inputs { chosen: Some(1_000_000), ..inputs(&small, &none) },
            (100_000, "usage"),
            Some((1_000_000, "chosen")),
            Some((1_000_000, "refusal")),
            Some(900_000),
        ),
        (
            Inputs { chosen: Some(1_000_000), ..inputs(&small, &no_large) },
            (100_000, "usage"),
            Some((200_000, "chosen")),
            Some((200_000, "refusal")),
            Some(100_000),
        ),
        (Inputs { elsewhere: Some(200_000), ..inputs(&small, &none) }, (100_000, "usage"), None, None, None),
        (
            Inputs { learned: Some(&large), ..inputs(&small, &set) },
            (100_000, "usage"),
            Some((1_000_000, "status-line")),
            Some((167_000, "configured")),
            Some(67_000),
        ),
        (
            inputs(&past, &none),
            (250_000, "usage"),
            Some((1_000_000, "exceeded")),
            Some((1_000_000, "refusal")),
            Some(750_000),
        ),
        (inputs(&stranger, &none), (9, "usage"), None, None, None),
        (inputs(&stranger, &set), (9, "usage"), None, Some((167_000, "configured")), Some(166_991)),
        (
            Inputs { elsewhere: Some(300_000), ..inputs(&stranger, &none) },
            (9, "usage"),
            Some((300_000, "other-session")),
            Some((267_000, "rule")),
            Some(266_991),
        ),
        (
            Inputs { status: Some(&status), ..inputs(&small, &none) },
            (77, "status-line"),
            Some((500_000, "status-line")),
            Some((467_000, "rule")),
            Some(466_923),
        ),
    ];
    for (at, (inputs, used, window, threshold, left)) in cases.into_iter().enumerate() {
        assert_eq!(read(inputs), (Some(used), window, threshold, left), "case {at}");
    }
}

#[test]
fn learned_window_applies_to_its_model_only() {
    let learned = Learned { window: 1_000_000, model: "claude-sonnet-4-5".to_owned() };
    let (opus, limits) = (tally(10, "claude-opus-4-1"), ClientLimits::default());
    let gauge = Gauge::read(&Inputs { learned: Some(&learned), ..inputs(&opus, &limits) });
    assert_eq!(shown(gauge.window), Some((200_000, "model")));
}

#[test]
fn earlier_compaction_below_the_rule_sets_the_threshold() {
    let limits = ClientLimits::default();
    let mut tally = tally(66_000, "claude-opus-4-7");
    tally.apply(&Mark::Compaction { place: Place(9), at: Some(67_030), after: Some(3_000) });
    let gauge = Gauge::read(&inputs(&tally, &limits));
    assert_eq!(shown(gauge.used), Some((3_000, "compaction")));
    assert_eq!((shown(gauge.threshold), gauge.left()), (Some((67_030, "before")), Some(64_030)));
    tally.apply(&Mark::Answer { place: Place(12), tokens: 80_000, model: None, window: None });
    assert_eq!(shown(Gauge::read(&inputs(&tally, &limits)).threshold), Some((967_000, "rule")));
}

#[test]
fn compaction_counts_once_with_or_without_a_boundary() {
    let mut tally = tally(66_000, "m");
    tally.apply(&Mark::Compaction { place: Place(9), at: None, after: Some(3_000) });
    tally.apply(&Mark::Summary(Place(10)));
    assert_eq!((tally.used, tally.compactions), (Some(3_000), 1));
    tally.apply(&Mark::Answer { place: Place(12), tokens: 5_000, model: None, window: None });
    tally.apply(&Mark::Summary(Place(13)));
    assert_eq!((tally.used, tally.compactions, tally.compacted), (None, 2, true), "an old client's");
}

fn gauge_at(used: u64) -> Gauge {
    let limits = ClientLimits { window: Some(200_000), ..ClientLimits::default() };
    Gauge::read(&inputs(&tally(used, "claude-sonnet-4-5"), &limits))
}

#[test]
fn thresholds_are_reached_in_order_and_once() {
    use Threshold::{Left, Used};
    let plan = CheckpointPlan::default();
    let due = |used, reached: Reached| plan.due(&gauge_at(used), &reached);
    let none = Reached::default();
    assert_eq!(due(49_999, none), []);
    assert_eq!(due(50_000, none), [Used(50_000)]);
    assert_eq!(due(75_000, none), [Used(50_000), Used(60_000), Used(70_000)], "a jump reaches all");
    let at = Reached { step: Some(110_000), ..none };
    assert_eq!(due(116_900, at), [Left(30)], "30% of 167,000 are 50,100");
    assert_eq!(due(116_899, at), []);
    let last = Reached { step: Some(160_000), left: Some(30), told: Some(30) };
    assert_eq!(due(165_000, last), [Left(15), Left(5)]);
    assert_eq!(plan.to_tell(&gauge_at(165_000), &last), Some(5), "the most urgent one");
    assert_eq!(due(190_000, Reached { step: Some(190_000), left: Some(5), told: Some(5) }), []);
    assert_eq!(CheckpointPlan::none().due(&gauge_at(165_000), &none), []);
}

proptest! {
    #[test]
    fn gauge_and_plan_never_panic_and_left_is_threshold_minus_used(
        used in any::<u64>(), window in proptest::option::of(any::<u64>()), status in proptest::option::of(any::<u64>()),
        set in proptest::option::of(any::<u64>()), percent in proptest::option::of(any::<f64>()),
        output in proptest::option::of(any::<u64>()), off in any::<bool>(), model in "(claude-)?(sonnet|opus)?-?[0-9]?(\\[1m\\])?.{0,9}",
        left in proptest::collection::vec(any::<u8>(), 0..5), from in any::<u64>(), every in any::<u64>(),
    ) {
        let (limits, mut tally) = (ClientLimits { window: set, percent, output, off, ..ClientLimits::default() }, tally(used, &model));
        tally.apply(&Mark::Compaction { place: Place(9), at: window, after: Some(used) });
        let status = StatusLineTokens { model: Some(model), window, used: status };
        for status in [None, Some(&status)] {
            let gauge = Gauge::read(&Inputs { status, ..inputs(&tally, &limits) });
            let numbers = gauge.threshold.zip(gauge.used);
            prop_assert_eq!(gauge.left(), numbers.map(|(t, u)| t.tokens.saturating_sub(u.tokens)));
            prop_assert!(gauge.percent_left().is_none_or(|percent| percent <= 100));
            let plan = CheckpointPlan { left: left.clone(), from, every: every.max(used / 1_000) };
            let due = plan.due(&gauge, &Reached::default());
            let urgent = |a: &Threshold, b: &Threshold| match (a, b) {
                (Threshold::Left(a), Threshold::Left(b)) => a > b,
                (a, b) => a < b,
            };
            prop_assert!(due.is_sorted_by(urgent), "{:?}", due);
        }
    }
}
