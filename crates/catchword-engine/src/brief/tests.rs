use proptest::prelude::*;

use super::*;
use crate::choose::{Pool, Tier};
use crate::model::entry::Place;

fn fact(section: Section, text: &str) -> Fact {
    Fact::new(section, text, text).at(Place(7))
}

fn any_fact() -> impl Strategy<Value = Fact> {
    let section = prop_oneof![
        Just(Section::Asked),
        Just(Section::Answers),
        Just(Section::Work),
        Just(Section::Changed),
        Just(Section::Person),
        Just(Section::Runs),
        Just(Section::Printed),
    ];
    (
        section,
        ".{0,300}",
        proptest::option::of(".{0,40}"),
        0.0_f32..5.0,
        prop_oneof![
            Just(Tier::Head),
            Just(Tier::Beside),
            Just(Tier::Reference(Pool::Run)),
            Just(Tier::Reference(Pool::Output))
        ],
        proptest::option::of(0_u32..99999),
    )
        .prop_map(|(section, text, short, score, tier, place)| Fact {
            place: place.map(Place),
            short,
            tier,
            score,
            ..Fact::new(section, text.clone(), text)
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
fn no_facts_give_an_empty_brief() {
    assert_eq!(brief(Vec::new(), 6_000).text, "");
}

#[test]
fn the_head_keeps_its_limit_in_the_order_of_its_rules() {
    let head: Vec<Fact> =
        (0..40).map(|n| fact(Section::Work, &format!("task {n} {}", "x".repeat(80)))).collect();
    let request = fact(Section::Asked, &format!("Latest: \"{}\"", "y".repeat(2_000))).beside();
    let short = fact(Section::Git, "branch main");
    let text = brief(head.into_iter().chain([request, short]).collect(), 6_000).text;
    let of_head: usize =
        text.lines().filter(|line| !line.contains("Latest")).map(|line| line.len() + 1).sum();
    assert!((1_300..=1_500 + 400).contains(&of_head), "{of_head}");
    assert!(text.contains("task 0 ") && text.contains("task 10 ") && !text.contains("task 20 "), "{text}");
    assert!(text.contains(&"y".repeat(2_000)), "what stands beside it has its own limit: {text}");
    assert!(text.contains("branch main"), "what follows may still fit: {text}");
}

#[test]
fn longer_form_is_used_if_it_fits() {
    let with_forms = Fact { short: Some("short".into()), ..fact(Section::Work, "the long form of it") };
    assert!(brief(vec![with_forms], 6_000).text.contains("the long form of it"));
}

#[test]
fn files_are_listed_below_their_folders_with_what_happened() {
    let file =
        |path: &str, note: &str| Fact::new(Section::Changed, path, format!("{path}{note}")).at(Place(1));
    let facts = vec![
        file("src/auth/login.rs", " (3 edits)"),
        file("README.md", ""),
        file("src/auth/token.rs", " (new)"),
        file("docs/a (old)/b.md", " (1 edit)"),
    ];
    let text = brief(facts, 6_000).text;
    assert!(text.contains("\nsrc/auth/: login.rs (3 edits), token.rs (new)\nREADME.md\n"), "{text}");
    assert!(text.contains("b.md (1 edit)"), "{text}");
}

/// A verbatim line; the model lacks every specific thing in it.
fn line(text: &str) -> Fact {
    let new = crate::text::specifics::specifics(text).map(crate::text::specifics::hash).collect();
    let fact = Fact::new(Section::Said, text, text).at(Place(3));
    Fact { tier: Tier::Reference(Pool::Agent), score: 0.0, new, ..fact }
}

#[test]
fn verbatim_lines_say_each_thing_once() {
    let facts = vec![
        line("The gateway listens on port 4010."),
        line("Port 4010 is what the gateway is given."),
        line("Tokens expire after 900 seconds."),
        fact(Section::Work, "raise the limit to 900 seconds"),
    ];
    let text = brief(facts, 6_000).text;
    assert_eq!(text.matches("4010").count(), 1, "{text}");
    assert!(text.contains("Tokens expire after 900 seconds."), "the same number of another thing: {text}");
}

#[test]
fn verbatim_lines_fill_the_page_below_everything_else() {
    let mut facts: Vec<Fact> = (0..300)
        .map(|n| Fact {
            place: Some(Place(n)),
            ..line(&format!("Step {n} of the migration took {n}0 ms to finish."))
        })
        .collect();
    facts.push(fact(Section::Work, "raise the limit"));
    let text = |budget| brief(facts.clone(), budget).text;
    for budget in [3_000, DEFAULT_BUDGET, HARD_LIMIT] {
        assert!((budget - 400..=budget).contains(&text(budget).chars().count()), "{budget}");
    }
    let text = text(3_000);
    let (head, reference) = text.split_once(REFERENCE).expect("the reference has its sentence");
    assert!(head.contains("raise the limit") && !head.contains("migration"), "{text}");
    let places: Vec<u32> =
        reference.lines().filter_map(|line| line.rsplit_once(" L")?.1.parse().ok()).collect();
    assert!(places.len() > 20 && places.is_sorted(), "oldest first: {text}");
}
