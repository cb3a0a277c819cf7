//! Formats compactions: one line each, one in detail, and as JSON.

use catchword_engine::audit::GivenBy;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::{Finding, FindingKind};
use catchword_engine::ops::lost::{Checked, Compared, ComparedFinding};
use catchword_engine::store::Recorded;
use catchword_engine::text::numbers::{count_of, count_of_either, duration, grouped, rounded};
use jiff::Timestamp;
use serde::Serialize;

use super::LostCompaction;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::width::wrap;

/// Columns of a row's name in the detail, indent included.
const NAME: usize = 15;
/// Columns of a side's name below a finding, indent included.
const SIDE: usize = 11;

// ---- the list

/// One line per compaction. `one` is the command that shows one of them.
pub fn list(all: &[LostCompaction], one: &str, now: i64, ui: &Ui) {
    ui.line(ui.dim(&columns([
        "when (UTC)",
        "session",
        "N",
        "trigger",
        "tokens",
        "wrong",
        "left out",
        "arrived by",
    ])));
    for compaction in all {
        ui.line(row(compaction, now));
    }
    ui.say(ui.dim(&ui.paragraph(&format!(
        "wrong, left out: what the summary got wrong or left out, counting only what is certain; – means not known. \
         `{one}` shows both sides."
    ))));
}

fn row(one: &LostCompaction, now: i64) -> String {
    let unknown = || "–".to_owned();
    let counted = |count: fn(&[&Finding]) -> usize| {
        one.findings().map_or_else(unknown, |found| count(&found).to_string())
    };
    columns([
        &one.at().map_or_else(unknown, |at| when(at, now)),
        short_id(&one.session),
        &one.number.map_or_else(unknown, |number| number.to_string()),
        trigger(one),
        &tokens(one, "→").unwrap_or_else(unknown),
        &counted(|found| found.iter().filter(|f| f.is_told() && f.kind != FindingKind::Dropped).count()),
        &counted(|found| found.iter().filter(|f| f.is_told() && f.kind == FindingKind::Dropped).count()),
        one.recorded.as_ref().map_or("–", arrived),
    ])
}

fn columns([when, session, number, trigger, tokens, wrong, left_out, by]: [&str; 8]) -> String {
    let line = format!(
        "{when:<11}  {session:<8}  {number:>3}  {trigger:<7} {tokens:<9}  {wrong:>5}  {left_out:>8}  {by}"
    );
    line.trim_end().to_owned()
}

/// To the minute; the year if older than half a year.
fn when(at: i64, now: i64) -> String {
    const HALF_A_YEAR: i64 = 183 * 24 * 3_600_000;
    let format = if (now - at).abs() < HALF_A_YEAR { "%m-%d %H:%M" } else { "%Y-%m-%d" };
    Timestamp::from_millisecond(at).unwrap_or_default().strftime(format).to_string()
}

fn is_manual(one: &LostCompaction) -> bool {
    one.point.as_ref().map(|point| point.manual).or(one.recorded.as_ref().map(|r| r.manual)).unwrap_or(false)
}

/// The client's word for it.
fn trigger(one: &LostCompaction) -> &'static str {
    if is_manual(one) { "manual" } else { "auto" }
}

fn tokens_before_after(one: &LostCompaction) -> (Option<u64>, Option<u64>) {
    let (recorded, point) = (one.recorded.as_ref(), one.point.as_ref());
    let before = recorded.and_then(|r| r.before).or(point.and_then(|p| p.before));
    let after = recorded.and_then(|r| r.after).or(point.and_then(|p| p.after));
    (before, after)
}

fn tokens(one: &LostCompaction, arrow: &str) -> Option<String> {
    match tokens_before_after(one) {
        (Some(before), Some(after)) => Some(format!("{}{arrow}{}", rounded(before), rounded(after))),
        (Some(before), None) => Some(rounded(before)),
        _ => None,
    }
}

/// The event by which the brief reached the agent; a resent one came by another event than the start.
fn arrived(recorded: &Recorded) -> &str {
    match (&recorded.arrived_by, recorded.resent, recorded.brief) {
        (Some(event), ..) => event,
        (None, true, _) => "sent again",
        (None, false, Some(_)) => "not seen yet",
        (None, false, None) => "–",
    }
}

// ---- one in detail

/// Both sides of every difference, and what was checked.
pub fn detail(one: &LostCompaction, env: &Env, ui: &Ui) {
    let Some(compared) = &one.compared else { return };
    head(one, env, ui);
    for finding in &compared.findings {
        ui.line("");
        difference(finding, one.recorded.as_ref(), ui);
    }
    ui.line("");
    conclusion(compared, ui);
}

fn head(one: &LostCompaction, env: &Env, ui: &Ui) {
    let number = one.number.map(|number| format!(" {number}")).unwrap_or_default();
    ui.line(ui.bold(&format!("Compaction{number} of session {}", short_id(&one.session))));
    let when = one.at().map(|at| format!("{} UTC, ", when(at, env.now()))).unwrap_or_default();
    let how = if is_manual(one) { "manual" } else { "automatic" };
    let place = one.point.as_ref().map(|point| format!(", before L{}", point.lines + 1)).unwrap_or_default();
    fact("when", &format!("{when}{how}{place}"), ui);
    if let Some(tokens) = tokens(one, " → ") {
        fact("tokens", &tokens, ui);
    }
    if let Some(characters) = summary_characters(one) {
        fact("summary", &count_of(characters, "character"), ui);
    }
    let Some(recorded) = &one.recorded else {
        return fact("brief", "none: no hook saw this compaction", ui);
    };
    fact("brief", &brief(recorded), ui);
    if let Some(micros) = recorded.micros {
        fact("hooks took", &duration(micros), ui);
    }
}

fn brief(recorded: &Recorded) -> String {
    let Some(characters) = recorded.brief else { return "none was given".to_owned() };
    let items = recorded.items.map(|items| format!(", {}", count_of(items, "item"))).unwrap_or_default();
    let arrived = match (&recorded.arrived_by, recorded.resent) {
        (Some(event), false) => format!("arrived by {event}"),
        (Some(event), true) => format!("sent again, arrived by {event}"),
        (None, true) => "had not arrived and was sent again".to_owned(),
        (None, false) => "not seen to arrive".to_owned(),
    };
    format!("{} characters{items}; {arrived}", grouped(characters as u64))
}

/// The verdict, then the summary beside the record.
fn difference(compared: &ComparedFinding, recorded: Option<&Recorded>, ui: &Ui) {
    let finding = &compared.finding;
    let mark = if finding.is_told() { "●" } else { "○" };
    let place = finding.place.map(|place| format!(" {place}")).unwrap_or_default();
    let sure = (finding.confidence * 100.0).round();
    let given = recorded.zip(compared.given_by).map(|(recorded, by)| format!(", {}", given(by, recorded)));
    let verdict = format!(
        "{mark} {}: {}{place} {}",
        verdict(finding.kind),
        finding.fact.name(),
        ui.dim(&format!("({sure}% sure{})", given.unwrap_or_default()))
    );
    ui.line(verdict);
    side("summary", finding.summary_quote.as_deref().unwrap_or("(does not mention it)"), ui);
    match finding.kind {
        FindingKind::Invented => side("record", "(no message of the user says so)", ui),
        _ => side("record", &finding.text, ui),
    }
}

fn verdict(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Contradicted => "contradicted by the record",
        FindingKind::Mutated => "differs from the record",
        FindingKind::Invented => "never said by the user",
        FindingKind::Dropped => "not in the summary",
    }
}

fn given(by: GivenBy, recorded: &Recorded) -> &'static str {
    match by {
        GivenBy::Brief if recorded.arrived_by.is_some() => "given back",
        GivenBy::Brief => "in the brief",
        GivenBy::Late if recorded.late_at.is_some() => "told later",
        GivenBy::Late => "to be told",
        GivenBy::Nothing => "not given back",
    }
}

fn conclusion(compared: &Compared, ui: &Ui) {
    let told = compared.findings.iter().filter(|one| one.finding.is_told()).count();
    let found = match (&compared.broken, compared.findings.len()) {
        (Some(what), _) => format!("The summary is broken: {what}. Nothing was compared."),
        (None, 0) => "No differences in what was checked.".to_owned(),
        (None, all) => certainty(told, all),
    };
    ui.line(ui.paragraph(&found));
    let (checked, absent) = checked(&compared.checked);
    if compared.broken.is_none() && !checked.is_empty() {
        fact("checked", &checked.join(", "), ui);
    }
    if !absent.is_empty() {
        fact("cannot tell", &format!("{} (none in the record)", absent.join(", ")), ui);
    }
    if let Some(cannot_tell) = &compared.cannot_tell {
        ui.line(ui.paragraph(cannot_tell));
    }
}

/// Explains the marks.
fn certainty(told: usize, all: usize) -> String {
    let to_be_told = "certain enough to tell the agent";
    match (told, all) {
        (0, _) => format!("None is {to_be_told}: judge for yourself (○)."),
        (1, 1) => format!("It is {to_be_told} (●)."),
        (2, 2) => format!("Both are {to_be_told} (●)."),
        (told, all) if told == all => format!("All {all} are {to_be_told} (●)."),
        (1, all) => format!("1 of {all} is {to_be_told} (●); the rest is for you to judge (○)."),
        (told, all) => format!("{told} of {all} are {to_be_told} (●); the rest is for you to judge (○)."),
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

fn summary_characters(one: &LostCompaction) -> Option<usize> {
    let written = one.point.as_ref().map(|point| point.summary.chars().count());
    one.recorded.as_ref().and_then(|recorded| recorded.summary).or(written)
}

// ---- for programs

/// A compaction as JSON; docs/audit.md has the fields.
#[derive(Serialize)]
pub struct CompactionView<'a> {
    session: &'a str,
    cwd: Option<&'a str>,
    number: Option<usize>,
    line: Option<u32>,
    begun_at: Option<i64>,
    ended_at: Option<i64>,
    trigger: &'static str,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    summary_characters: Option<usize>,
    summary_broken: Option<&'a str>,
    dropped: Option<CountView>,
    contradicted: Option<CountView>,
    mutated: Option<CountView>,
    invented: Option<CountView>,
    items_given_back: Option<usize>,
    brief_characters: Option<usize>,
    arrived_by: Option<&'a str>,
    resent: bool,
    told_later_at: Option<i64>,
    person_told_at: Option<i64>,
    micros: Option<i64>,
    findings: Option<Vec<LostFindingView<'a>>>,
    checked: Option<CheckedView>,
    cannot_tell: Option<&'a str>,
}

/// The number of findings, and of those certain enough to be told.
#[derive(Clone, Copy, Serialize)]
struct CountView {
    told: usize,
    all: usize,
}

#[derive(Serialize)]
pub struct FindingView<'a> {
    kind: &'static str,
    fact: &'static str,
    text: &'a str,
    place: Option<String>,
    summary_quote: Option<&'a str>,
    confidence: f32,
    told: bool,
}

impl<'a> FindingView<'a> {
    pub fn new(finding: &'a Finding) -> FindingView<'a> {
        FindingView {
            kind: finding.kind.name(),
            fact: finding.fact.name(),
            text: &finding.text,
            place: finding.place.map(|p| p.to_string()),
            summary_quote: finding.summary_quote.as_deref(),
            confidence: finding.confidence,
            told: finding.is_told(),
        }
    }
}

#[derive(Serialize)]
struct LostFindingView<'a> {
    #[serde(flatten)]
    finding: FindingView<'a>,
    given_back: Option<&'static str>,
}

#[derive(Serialize)]
struct CheckedView {
    tasks: usize,
    instructions: usize,
    messages: usize,
    commands: usize,
    changed_files: usize,
    jobs: usize,
}

pub fn compaction(one: &LostCompaction) -> CompactionView<'_> {
    let (recorded, compared) = (one.recorded.as_ref(), one.compared.as_ref());
    let (tokens_before, tokens_after) = tokens_before_after(one);
    let found = one.findings();
    let counted = |kind| found.as_ref().map(|found| count(found, kind));
    CompactionView {
        session: &one.session,
        cwd: recorded.and_then(|r| r.cwd.as_deref()),
        number: one.number,
        line: one.point.as_ref().map(|point| point.lines).or(recorded.map(|r| r.line)),
        begun_at: one.at(),
        ended_at: recorded.and_then(|r| r.ended_at),
        trigger: trigger(one),
        tokens_before,
        tokens_after,
        summary_characters: summary_characters(one),
        summary_broken: compared.and_then(|compared| compared.broken.as_deref()),
        dropped: counted(FindingKind::Dropped),
        contradicted: counted(FindingKind::Contradicted),
        mutated: counted(FindingKind::Mutated),
        invented: counted(FindingKind::Invented),
        items_given_back: recorded.and_then(|r| r.items),
        brief_characters: recorded.and_then(|r| r.brief),
        arrived_by: recorded.and_then(|r| r.arrived_by.as_deref()),
        resent: recorded.is_some_and(|r| r.resent),
        told_later_at: recorded.and_then(|r| r.late_at),
        person_told_at: recorded.and_then(|r| r.person_at),
        micros: recorded.and_then(|r| r.micros),
        findings: findings(one),
        checked: compared.map(|compared| {
            let Checked { tasks, instructions, messages, commands, changed_files, jobs } = compared.checked;
            CheckedView { tasks, instructions, messages, commands, changed_files, jobs }
        }),
        cannot_tell: compared.and_then(|compared| compared.cannot_tell.as_deref()),
    }
}

fn findings(one: &LostCompaction) -> Option<Vec<LostFindingView<'_>>> {
    let view = |finding, given_by: Option<GivenBy>| LostFindingView {
        finding: FindingView::new(finding),
        given_back: given_by.map(given_name),
    };
    match &one.compared {
        Some(compared) => {
            Some(compared.findings.iter().map(|one| view(&one.finding, one.given_by)).collect())
        }
        None => {
            Some(one.recorded.as_ref()?.findings.as_ref()?.iter().map(|found| view(found, None)).collect())
        }
    }
}

fn count(findings: &[&Finding], kind: FindingKind) -> CountView {
    let of = || findings.iter().filter(|f| f.kind == kind);
    CountView { told: of().filter(|f| f.is_told()).count(), all: of().count() }
}

fn given_name(by: GivenBy) -> &'static str {
    match by {
        GivenBy::Brief => "brief",
        GivenBy::Late => "later",
        GivenBy::Nothing => "no",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills each column to its maximum.
    fn largest() -> LostCompaction {
        let finding = Finding {
            kind: FindingKind::Dropped,
            fact: catchword_engine::model::finding::FindingSubject::Task,
            text: "x".into(),
            place: None,
            summary_quote: None,
            confidence: 0.9,
        };
        let recorded = Recorded {
            session: "11111111-1111".into(),
            cwd: None,
            begun_at: 1_767_268_800_000,
            ended_at: None,
            manual: true,
            line: 812,
            before: Some(1_234_567),
            after: Some(123_456),
            summary: Some(99_999),
            brief: Some(6_000),
            arrived_by: Some("UserPromptSubmit".into()),
            resent: true,
            items: Some(123),
            micros: Some(876_543),
            findings: Some(vec![finding; 12]),
            late_at: None,
            person_at: None,
        };
        LostCompaction {
            session: "11111111-1111".into(),
            number: Some(123),
            point: None,
            recorded: Some(recorded),
            compared: None,
        }
    }

    #[test]
    fn line_fits_into_80_columns_and_stays_aligned() {
        let now = 1_767_268_800_000;
        let wide = row(&largest(), now);
        assert_eq!(wide, "01-01 12:00  11111111  123  manual  1.2M→123k      0        12  UserPromptSubmit");
        assert!(wide.chars().count() <= 80, "{}", wide.chars().count());
        // Recorded by a version without findings.
        let old = Recorded {
            before: None,
            findings: None,
            items: None,
            micros: None,
            arrived_by: None,
            resent: false,
            summary: Some(812),
            ..largest().recorded.expect("recorded")
        };
        let later = now + 300 * 24 * 3_600_000;
        assert_eq!(
            row(&LostCompaction { recorded: Some(old), number: None, ..largest() }, later),
            "2026-01-01   11111111    –  manual  –              –         –  not seen yet"
        );
    }
}
