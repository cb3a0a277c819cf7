//! Measures the masking rate with thousands of made-up secrets.
//!
//! The generators are in `catchword-testkit` (`secrets/`) and do not know the rules. `docs/masking.md` has the figures;
//! a test fails if they are stale. To see every miss: `cargo test -p catchword-engine --test masking -- --nocapture
//! --ignored`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use catchword_engine::redact::SECRETS;
use catchword_testkit::secrets::{
    NamedSecret, Secret, format_counts, in_every_context, look_alikes, named_values,
};

/// Number of secrets tried, and those that were not masked.
#[derive(Default)]
struct MaskRate {
    of: usize,
    missed: Vec<String>,
}

impl MaskRate {
    fn add(&mut self, secret: &Secret) {
        self.of += 1;
        if let Some(left) = secret.left_in(&SECRETS.text(&secret.text)) {
            self.missed.push(format!("{}: {:?} (left: {left:?})", secret.kind, secret.text));
        }
    }

    fn percent(&self) -> f64 {
        100.0 * (self.of - self.missed.len()) as f64 / self.of as f64
    }
}

fn rate<'a>(secrets: impl Iterator<Item = &'a Secret>) -> MaskRate {
    let mut rate = MaskRate::default();
    secrets.for_each(|secret| rate.add(secret));
    rate
}

fn rates<'a>(
    named: &'a [NamedSecret],
    by: impl Fn(&'a NamedSecret) -> &'a str,
) -> BTreeMap<&'a str, MaskRate> {
    let mut rates: BTreeMap<&str, MaskRate> = BTreeMap::new();
    for one in named {
        rates.entry(by(one)).or_default().add(&one.secret);
    }
    rates
}

#[test]
fn formats_are_masked_in_every_context() {
    let (formats, contexts) = format_counts();
    assert!(formats >= 150 && contexts >= 30, "{formats} formats, {contexts} contexts");
    let all = in_every_context();
    let rate = rate(all.iter());
    assert!(rate.percent() >= 99.8, "{:.2} %\n{}", rate.percent(), rate.missed.join("\n"));
}

#[test]
fn named_values_are_masked_in_every_form() {
    let all = named_values();
    let whole = rate(all.iter().map(|one| &one.secret));
    assert!(whole.percent() >= 98.0, "{:.2} %\n{}", whole.percent(), whole.missed.join("\n"));
    for (form, rate) in rates(&all, |one| one.form) {
        assert!(rate.percent() >= 90.0, "{form}: {:.1} %\n{}", rate.percent(), rate.missed.join("\n"));
    }
}

#[test]
fn look_alikes_are_not_masked() {
    let all = look_alikes();
    assert!(all.len() >= 350, "{}", all.len());
    let masked: Vec<String> = all
        .iter()
        .filter(|text| SECRETS.text(text) != text.as_str())
        .map(|text| format!("{text}\n  => {}\n", SECRETS.text(text)))
        .collect();
    assert!(masked.is_empty(), "{} masked:\n{}", masked.len(), masked.concat());
}

/// The table in the docs.
fn figures() -> String {
    let (formats, contexts) = format_counts();
    let (every, named) = (in_every_context(), named_values());
    let mut table = "| what | texts | not masked | masked |\n|---|---|---|---|\n".to_owned();
    let mut line = |what: &str, rate: &MaskRate| {
        let missed = rate.missed.len();
        let _ = writeln!(table, "| {what} | {} | {missed} | {:.2} % |", rate.of, rate.percent());
    };
    line(&format!("{formats} formats in {contexts} contexts"), &rate(every.iter()));
    line("named values", &rate(named.iter().map(|one| &one.secret)));
    for (value, rate) in rates(&named, |one| one.value) {
        line(&format!("— {value}"), &rate);
    }
    let all = look_alikes();
    let stay = all.iter().filter(|text| SECRETS.text(text) == text.as_str()).count();
    let masked = 100.0 * (all.len() - stay) as f64 / all.len() as f64;
    let _ = writeln!(table, "| look-alikes, which must stay | {} | {stay} | {masked:.2} % |", all.len());
    table
}

#[test]
fn docs_have_the_measured_figures() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/masking.md");
    let document = std::fs::read_to_string(path).expect("docs/masking.md is part of the repository");
    let figures = figures();
    assert!(document.contains(&figures), "docs/masking.md should say:\n{figures}");
}

#[test]
#[ignore = "a list to read, not a claim"]
#[expect(clippy::print_stdout, reason = "the list is what it is for")]
fn print_every_miss() {
    let named = named_values();
    for (form, rate) in rates(&named, |one| one.form) {
        println!("{form}: {:.1} % of {}", rate.percent(), rate.of);
    }
    let missed = |rate: MaskRate| rate.missed.join("\n");
    println!(
        "\n{}\n\n{}",
        missed(rate(in_every_context().iter())),
        missed(rate(named.iter().map(|one| &one.secret)))
    );
}
