use proptest::prelude::*;

use super::*;
use crate::agent::entry::Place;
use crate::extract::Turn;

fn fact(section: Section, text: &str, weight: f32, must: bool) -> Fact {
    let turn = if must { Turn::Must } else { Turn::Weighed };
    Fact { turn, ..Fact::new(section, text, text).at(Place(7)).worth(weight, "") }
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let section = prop_oneof![
        Just(Section::Asked),
        Just(Section::Standing),
        Just(Section::Work),
        Just(Section::Files),
        Just(Section::Commands),
        Just(Section::Names),
    ];
    (
        section,
        ".{0,300}",
        proptest::option::of(".{0,40}"),
        0.0_f32..5.0,
        prop_oneof![Just(Turn::Must), Just(Turn::Reserved), Just(Turn::Weighed)],
        proptest::option::of(0_u32..99999),
    )
        .prop_map(|(section, text, short, weight, turn, place)| Fact {
            place: place.map(Place),
            short,
            turn,
            ..Fact::new(section, text.clone(), text).worth(weight, "")
        })
}

proptest! {
    #[test]
    fn a_brief_never_exceeds_its_budget(facts in proptest::collection::vec(any_fact(), 0..60), budget in 0_usize..20_000) {
        let brief = brief(facts, budget);
        prop_assert!(brief.text.chars().count() <= clamped(budget));
        prop_assert!(brief.text.chars().count() <= HARD_LIMIT);
        prop_assert!(brief.text.is_empty() || (brief.text.starts_with(OPENING) && brief.text.ends_with(CLOSING)));
    }

    #[test]
    fn the_same_facts_give_the_same_bytes(facts in proptest::collection::vec(any_fact(), 0..40), budget in 400_usize..9_500) {
        prop_assert_eq!(brief(facts.clone(), budget), brief(facts, budget));
    }
}

#[test]
fn nothing_to_say_is_an_empty_brief() {
    assert_eq!(brief(Vec::new(), 6_000).text, "");
}

#[test]
fn what_must_be_there_comes_before_what_is_worth_more() {
    let must = fact(Section::Standing, &"m".repeat(60), 0.1, true);
    let rich = fact(Section::Files, &"r".repeat(100), 99.0, false);
    let text = brief(vec![rich, must], SMALLEST).text;
    assert!(text.contains("mmmm"), "{text}");
}

#[test]
fn what_the_page_already_shows_is_not_listed_again() {
    let command = fact(Section::Commands, "`cargo test --test parse_line`", 2.0, false);
    let name = fact(Section::Names, "parse_line", 1.0, false);
    let text = brief(vec![command, name], 6_000).text;
    assert!(!text.contains("Names"), "{text}");
}

#[test]
fn a_longer_form_is_used_when_there_is_room() {
    let with_forms =
        Fact { short: Some("short".into()), ..fact(Section::Work, "the long form of it", 1.0, true) };
    assert!(brief(vec![with_forms], 6_000).text.contains("the long form of it"));
}

proptest! {
    #[test]
    fn the_guide_keeps_its_limit_and_is_no_brief(
        facts in proptest::collection::vec(any_fact(), 0..60),
        own in proptest::option::of(".{0,3000}"),
    ) {
        let text = guide(facts, own.as_deref());
        prop_assert!(text.chars().count() <= GUIDE_BUDGET);
        prop_assert!(!text.starts_with(OPENING));
    }
}

#[test]
fn the_guide_says_nothing_when_there_is_nothing_to_keep() {
    assert_eq!(
        guide(
            vec![
                fact(Section::Names, "parse_line", 1.0, false),
                fact(Section::Git, "branch main", 1.0, false)
            ],
            None
        ),
        ""
    );
}

#[test]
fn the_persons_own_instructions_reach_the_summariser_with_and_without_facts() {
    let alone = guide(Vec::new(), Some("  Keep all SQL.\n"));
    assert_eq!(alone, "The user's own instructions for this summary:\nKeep all SQL.\n");
    let both = guide(vec![fact(Section::Work, "write the parser", 1.0, true)], Some("Keep all SQL."));
    assert!(both.starts_with(&alone) && both.contains("write the parser"), "{both}");
    assert_eq!(guide(Vec::new(), Some(" \n")), "");
}

#[test]
fn a_brief_ends_where_names_are_hardly_needed_unless_more_is_asked_for() {
    let name = |n: usize| {
        let weight = if n < 5 { 0.2 } else { 0.001 };
        Fact::new(Section::Names, format!("handler{n:03}"), format!("handler{n:03}")).worth(weight, "")
    };
    let shown = |budget| brief((0..50).map(name).collect(), budget).text.matches("handler").count();
    assert_eq!((shown(DEFAULT_BUDGET), shown(HARD_LIMIT)), (5, 50));
}

#[test]
fn what_something_later_shows_as_well_is_not_listed() {
    let name = |text: &str, weight| Fact::new(Section::Names, text, text).worth(weight, "");
    let text = brief(vec![name("parse_line", 0.5), name("try_parse_line_again", 0.2)], 6_000).text;
    assert_eq!(text.matches("parse_line").count(), 1, "{text}");
}
