//! Formats compactions: one line each, and one in detail.

use catchword_engine::audit::GivenBy;
use catchword_engine::brief::with_place;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::FindingKind;
use catchword_engine::ops::lost::Checked;
use catchword_engine::ops::read::compaction::{CarriedLine, CompactionDocument, FindingDocument};
use catchword_engine::ops::read::shared::recorded_by;
use catchword_engine::text::numbers::{count_of, count_of_either, duration, grouped, rounded};
use jiff::Timestamp;

use crate::ui::Ui;
use crate::ui::width::wrap;

/// Columns of a row's name in the detail, indent included.
const NAME: usize = 15;
/// Columns of a side's name below a finding, indent included.
const SIDE: usize = 11;

// ---- the list

/// One line per compaction. `one` is the command that shows one of them.
pub fn list(all: &[CompactionDocument], one: &str, now: i64, ui: &Ui) {
    ui.line(ui.dim(&columns([
        "when (UTC)",
        "session",
        "no.",
        "tokens",
        "left out",
        "differs",
        "given back",
    ])));
    let format = date_format(all, now);
    for compaction in all {
        ui.line(coloured(&row(compaction, format), compaction, ui));
    }
    ui.say(ui.dim(&ui.paragraph(&format!("`{one}` shows one in full."))));
}

fn row(one: &CompactionDocument, format: &str) -> String {
    let unknown = || "–".to_owned();
    let differs = if one.summary_broken.is_some() {
        "broken".to_owned()
    } else {
        one.differs().map_or_else(unknown, |differs| differs.to_string())
    };
    columns([
        &one.begun_at.map_or_else(unknown, |at| date(at, format)),
        short_id(&one.session),
        &one.number.map_or_else(unknown, |number| number.to_string()),
        &tokens(one, "→").unwrap_or_else(unknown),
        &left_out(one).unwrap_or_else(unknown),
        &differs,
        &given_back(one),
    ])
}

/// "6 of 7": of the lines worth carrying over, how many the model no longer has.
fn left_out(one: &CompactionDocument) -> Option<String> {
    one.carried.map(|carried| format!("{} of {}", carried.lost, carried.kept + carried.lost))
}

/// The row, with what arrived in green.
fn coloured(row: &str, one: &CompactionDocument, ui: &Ui) -> String {
    let given = given_back(one);
    match row.strip_suffix(&given) {
        Some(before) if one.arrived_by.is_some() => format!("{before}{}", ui.green(&given)),
        _ => row.to_owned(),
    }
}

fn columns([when, session, number, tokens, left_out, differs, given]: [&str; 7]) -> String {
    format!("{when:<11}  {session:<8}  {number:>3}  {tokens:<9}  {left_out:>10}  {differs:>7}  {given}")
}

/// To the minute, or all with their year if one is older than half a year.
fn date_format(all: &[CompactionDocument], now: i64) -> &'static str {
    const HALF_A_YEAR: i64 = 183 * 24 * 3_600_000;
    let is_old = |at: i64| (now - at).abs() >= HALF_A_YEAR;
    if all.iter().filter_map(|one| one.begun_at).any(is_old) { "%Y-%m-%d" } else { "%m-%d %H:%M" }
}

fn date(at: i64, format: &str) -> String {
    Timestamp::from_millisecond(at).unwrap_or_default().strftime(format).to_string()
}

/// The size of the brief, and whether it reached the agent; of another machine, whose it is.
fn given_back(one: &CompactionDocument) -> String {
    if let Some(machine) = &one.machine {
        return format!("on {}", recorded_by(machine, one.person.as_deref()));
    }
    let Some(characters) = one.brief_characters else { return "nothing".to_owned() };
    let arrived = match (&one.arrived_by, one.resent) {
        (Some(_), _) => "arrived",
        (None, true) => "resent",
        (None, false) => "not seen",
    };
    format!("{} chars, {arrived}", grouped(characters as u64))
}

fn tokens(one: &CompactionDocument, arrow: &str) -> Option<String> {
    match (one.tokens_before, one.tokens_after) {
        (Some(before), Some(after)) => Some(format!("{}{arrow}{}", rounded(before), rounded(after))),
        (Some(before), None) => Some(rounded(before)),
        _ => None,
    }
}

// ---- one in detail

/// Both sides of every difference, and what was checked.
pub fn detail(one: &CompactionDocument, ui: &Ui) {
    head(one, ui);
    for finding in one.findings.as_deref().unwrap_or_default() {
        ui.line("");
        difference(finding, one, ui);
    }
    not_mentioned(one.lines.as_deref().unwrap_or_default(), ui);
    ui.line("");
    conclusion(one, ui);
}

/// What the model no longer has, as the brief words it.
fn not_mentioned(lines: &[CarriedLine], ui: &Ui) {
    let lost: Vec<&CarriedLine> = lines.iter().filter(|line| !line.kept).collect();
    if lost.is_empty() {
        return;
    }
    ui.line("\nLeft out, or told in other words:");
    for line in lost {
        let place = line.place.as_deref().filter(|place| !line.text.contains(place));
        let text = place.map_or_else(|| line.text.clone(), |place| with_place(&line.text, place));
        let wrapped = wrap(&format!("{}: {text}", line.heading), ui.width().saturating_sub(4));
        for (at, text) in wrapped.iter().enumerate() {
            ui.line(format!("{}{text}", if at == 0 { "  " } else { "    " }));
        }
    }
}

fn head(one: &CompactionDocument, ui: &Ui) {
    let number = one.number.map(|number| format!(" {number}")).unwrap_or_default();
    ui.line(ui.bold(&format!("Compaction{number} of session {}", short_id(&one.session))));
    let when = one.begun_at.map(|at| format!("{} UTC, ", date(at, "%Y-%m-%d %H:%M"))).unwrap_or_default();
    let how = if one.is_manual() { "manual" } else { "automatic" };
    let place = one.line.map(|line| format!(", before L{}", line + 1)).unwrap_or_default();
    fact("when", &format!("{when}{how}{place}"), ui);
    if let Some(tokens) = tokens(one, " → ") {
        fact("tokens", &tokens, ui);
    }
    if let Some(characters) = one.summary_characters {
        fact("summary", &format!("{} characters", grouped(characters as u64)), ui);
    }
    if let (Some(carried), Some(left_out)) = (one.carried, left_out(one)) {
        let what = if carried.kept + carried.lost == 1 { "thing" } else { "things" };
        fact("left out", &format!("{left_out} {what} worth carrying over"), ui);
    }
    if !one.seen_by_hook && one.machine.is_some() {
        return fact("given back", "not known: what hooks recorded did not come with it", ui);
    }
    if !one.seen_by_hook {
        return fact("given back", "nothing: no hook saw this compaction", ui);
    }
    fact("given back", &brief(one), ui);
    if let Some(micros) = one.micros {
        fact("hooks took", &duration(micros), ui);
    }
}

fn brief(one: &CompactionDocument) -> String {
    let Some(characters) = one.brief_characters else { return "nothing".to_owned() };
    let items =
        one.items_given_back.map(|items| format!(", {}", count_of(items, "item"))).unwrap_or_default();
    let arrived = match (&one.arrived_by, one.resent) {
        (Some(event), false) => format!("arrived by {event}"),
        (Some(event), true) => format!("sent again, arrived by {event}"),
        (None, true) => "had not arrived and was sent again".to_owned(),
        (None, false) => "not seen to arrive".to_owned(),
    };
    format!("{} characters{items}; {arrived}", grouped(characters as u64))
}

/// The verdict, then the summary beside the record.
fn difference(finding: &FindingDocument, one: &CompactionDocument, ui: &Ui) {
    let place = finding.place.as_ref().map(|place| format!(" {place}")).unwrap_or_default();
    let given = finding.given_back.map(|by| {
        let words = given(by, one);
        let words = match by {
            GivenBy::Nothing => ui.red(words),
            GivenBy::Brief if one.arrived_by.is_some() => ui.green(words),
            GivenBy::Late if one.told_later_at.is_some() => ui.green(words),
            GivenBy::Brief | GivenBy::Late => ui.dim(words),
        };
        format!(" ({words})")
    });
    ui.line(format!("● {}{place}{}", ui.red(&finding.verdict), given.unwrap_or_default()));
    if let Some(quote) = finding.summary_quote.as_deref() {
        side("summary", quote, ui);
    }
    match finding.kind {
        FindingKind::Invented => side("record", "(no message of the user says so)", ui),
        _ => side("record", &finding.text, ui),
    }
}

fn given(by: GivenBy, one: &CompactionDocument) -> &'static str {
    match by {
        GivenBy::Brief if one.arrived_by.is_some() => "given back",
        GivenBy::Brief => "in the brief",
        GivenBy::Late if one.told_later_at.is_some() => "told later",
        GivenBy::Late => "to be told",
        GivenBy::Nothing => "not given back",
    }
}

fn conclusion(one: &CompactionDocument, ui: &Ui) {
    let found = match (&one.summary_broken, one.findings.as_deref().unwrap_or_default()) {
        _ if one.summary.is_none() => {
            Some("Only the client can read this summary: nothing was compared.".to_owned())
        }
        _ if one.machine.is_some() && one.findings.is_none() => {
            Some("Whether it differs is not known: nothing that was found came with it.".to_owned())
        }
        (Some(what), _) => Some(format!("The summary is broken: {what}. Nothing was compared.")),
        (None, []) => Some("No differences in what was checked.".to_owned()),
        (None, _) => None,
    };
    if let Some(found) = found {
        ui.line(ui.paragraph(&found));
    }
    let (checked, absent) = one.checked.as_ref().map(checked).unwrap_or_default();
    if one.summary_broken.is_none() && !checked.is_empty() {
        fact("checked", &checked.join(", "), ui);
    }
    if !absent.is_empty() {
        fact("not checked", &format!("{} (none in the record)", absent.join(", ")), ui);
    }
    if let Some(cannot_tell) = &one.cannot_tell {
        ui.line(ui.paragraph(cannot_tell));
    }
}

/// The counts per kind, and the kinds with none.
fn checked(checked: &Checked) -> (Vec<String>, Vec<&'static str>) {
    let all = [
        (checked.tasks, "task", "tasks"),
        (checked.instructions, "standing instruction", "standing instructions"),
        (checked.messages, "user message", "user messages"),
        (checked.commands, "command", "commands"),
        (checked.changed_files, "changed file", "changed files"),
        (checked.jobs, "running job", "running jobs"),
    ];
    let (there, absent): (Vec<_>, Vec<_>) = all.into_iter().partition(|(count, ..)| *count > 0);
    let there = there.into_iter().map(|(count, one, many)| count_of_either(count, one, many)).collect();
    (there, absent.into_iter().map(|(_, _, many)| many).collect())
}

fn fact(name: &str, words: &str, ui: &Ui) {
    named(name, NAME, words, ui);
}

fn side(name: &str, words: &str, ui: &Ui) {
    named(name, SIDE, words, ui);
}

/// A name, and text in a column of its own.
fn named(name: &str, indent: usize, words: &str, ui: &Ui) {
    for (at, line) in wrap(words, ui.width().saturating_sub(indent)).iter().enumerate() {
        let name = if at == 0 { name } else { "" };
        ui.line(format!("  {}{line}", ui.dim(&format!("{name:<0$}", indent - 2))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use catchword_engine::ops::read::compaction::CarriedCounts;

    /// Fills each column to its maximum.
    fn largest() -> CompactionDocument {
        CompactionDocument {
            session: "11111111-1111".into(),
            number: Some(123),
            begun_at: Some(1_767_268_800_000),
            tokens_before: Some(1_234_567),
            tokens_after: Some(123_456),
            carried: Some(CarriedCounts { kept: 0, lost: 123, handed_back: 99, arrived: 99 }),
            dropped: Some(12),
            contradicted: Some(0),
            mutated: Some(0),
            invented: Some(0),
            brief_characters: Some(6_000),
            arrived_by: Some("UserPromptSubmit".into()),
            resent: true,
            seen_by_hook: true,
            ..CompactionDocument::default()
        }
    }

    #[test]
    fn line_fits_into_80_columns_and_stays_aligned() {
        let now = 1_767_268_800_000;
        let wide = row(&largest(), date_format(&[largest()], now));
        assert_eq!(wide, "01-01 12:00  11111111  123  1.2M→123k  123 of 123        0  6,000 chars, arrived");
        assert!(wide.chars().count() <= 80, "{}", wide.chars().count());
        // Recorded by a version without findings, and no transcript.
        let old = CompactionDocument {
            session: "11111111-1111".into(),
            begun_at: Some(now),
            brief_characters: Some(6_000),
            ..CompactionDocument::default()
        };
        let later = now + 300 * 24 * 3_600_000;
        assert_eq!(
            row(&old, date_format(std::slice::from_ref(&old), later)),
            "2026-01-01   11111111    –  –                   –        –  6,000 chars, not seen"
        );
        let broken = CompactionDocument { summary_broken: Some("an error".into()), ..largest() };
        assert!(row(&broken, "%m-%d %H:%M").contains("   broken  "), "{}", row(&broken, "%m-%d %H:%M"));
        assert_eq!(date_format(&[largest(), old.clone()], later), "%Y-%m-%d", "all in one format");
        let unseen = CompactionDocument { brief_characters: None, ..old };
        assert!(row(&unseen, "%Y-%m-%d").ends_with("  –  nothing"), "no hook saw it");
    }
}
