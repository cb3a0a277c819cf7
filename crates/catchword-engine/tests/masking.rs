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
use serde_json::json;

/// Number of secrets tried, and those that were not masked.
#[derive(Default)]
struct MaskRate {
    of: usize,
    missed: Vec<String>,
}

impl MaskRate {
    fn add(&mut self, secret: &Secret) {
        self.judge(secret, &SECRETS.text(&secret.text));
    }

    fn judge(&mut self, secret: &Secret, masked: &str) {
        self.of += 1;
        if let Some(left) = secret.left_in(masked) {
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

/// Rows of a transcript with this text in them, as clients write them: in a string, as the arguments of a call, which are
/// JSON in a string, and as the lines of a patch.
fn rows(text: &str) -> [(&'static str, String); 3] {
    let arguments = json!({"cmd": text, "workdir": "/p"}).to_string();
    let lines: Vec<&str> = text.lines().collect();
    [
        ("text", json!({"type": "user", "message": {"role": "user", "content": text}, "n": 1})),
        ("arguments", json!({"payload": {"type": "function_call", "arguments": arguments}, "n": 1})),
        ("lines", json!({"patch": [{"start": 1, "lines": lines}], "n": 1})),
    ]
    .map(|(kind, row)| (kind, row.to_string()))
}

/// What a backup keeps of each row.
fn row_rates<'a>(
    secrets: impl Iterator<Item = (&'a str, &'a Secret)>,
) -> BTreeMap<(&'static str, &'a str), MaskRate> {
    let mut rates: BTreeMap<_, MaskRate> = BTreeMap::new();
    for (form, secret) in secrets {
        for (kind, row) in rows(&secret.text) {
            let masked = SECRETS.line(row.as_bytes());
            assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{row}\n  => {masked}");
            rates.entry((kind, form)).or_default().judge(secret, &masked);
        }
    }
    rates
}

fn whole(rates: &BTreeMap<(&str, &str), MaskRate>) -> MaskRate {
    let missed = rates.values().flat_map(|rate| rate.missed.iter().cloned()).collect();
    MaskRate { of: rates.values().map(|rate| rate.of).sum(), missed }
}

#[test]
fn formats_are_masked_in_rows_of_a_backup() {
    let all = in_every_context();
    let whole = whole(&row_rates(all.iter().map(|secret| ("", secret))));
    assert!(whole.percent() >= 99.8, "{:.2} %\n{}", whole.percent(), whole.missed.join("\n"));
}

#[test]
fn named_values_are_masked_in_rows_of_a_backup() {
    let all = named_values();
    let rates = row_rates(all.iter().map(|one| (one.form, &one.secret)));
    for ((kind, form), rate) in &rates {
        assert!(
            rate.percent() >= 85.0,
            "{kind}, {form}: {:.1} %\n{}",
            rate.percent(),
            rate.missed.join("\n")
        );
    }
    let whole = whole(&rates);
    assert!(whole.percent() >= 98.0, "{:.2} %\n{}", whole.percent(), whole.missed.join("\n"));
}

#[test]
fn look_alikes_are_not_masked_in_rows_of_a_backup() {
    let mut masked = Vec::new();
    for text in look_alikes() {
        for (kind, row) in rows(&text) {
            let shown = SECRETS.line(row.as_bytes());
            if shown != row {
                masked.push(format!("{kind}: {row}\n  => {shown}\n"));
            }
        }
    }
    assert!(masked.is_empty(), "{} masked:\n{}", masked.len(), masked.concat());
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
