//! Formats compactions: one line each, one in detail, and as JSON.

use catchword_engine::audit::GivenBy;
use catchword_engine::model::event::short_id;
use catchword_engine::model::finding::{Finding, FindingKind, FindingSubject};
use catchword_engine::ops::lost::{Checked, Compared, ComparedFinding};
use catchword_engine::store::Recorded;
use catchword_engine::text::numbers::{count_of, count_of_either, duration, grouped, rounded};
use jiff::Timestamp;
use serde::Serialize;

use super::LostCompaction;
use crate::ui::Ui;
use crate::ui::width::{fit, wrap};

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

fn row(one: &LostCompaction, format: &str) -> String {
    let unknown = || "–".to_owned();
    let differs = |found: Vec<&Finding>| {
        found.iter().filter(|f| f.is_told() && f.kind != FindingKind::Dropped).count().to_string()
    };
    columns([
        &one.at().map_or_else(unknown, |at| date(at, format)),
        short_id(&one.session),
        &one.number.map_or_else(unknown, |number| number.to_string()),
        &tokens(one, "→").unwrap_or_else(unknown),
        &one.left_out.map_or_else(unknown, |(missing, all)| format!("{missing} of {all}")),
        &one.findings().map_or_else(unknown, differs),
        &given_back(one.recorded.as_ref()),
    ])
}

/// The row, with what arrived in green.
fn coloured(row: &str, one: &LostCompaction, ui: &Ui) -> String {
    let given = given_back(one.recorded.as_ref());
    let is_there = one.recorded.as_ref().is_some_and(|recorded| recorded.arrived_by.is_some());
    match row.strip_suffix(&given) {
        Some(before) if is_there => format!("{before}{}", ui.green(&given)),
        _ => row.to_owned(),
    }
}

fn columns([when, session, number, tokens, left_out, differs, given]: [&str; 7]) -> String {
    format!("{when:<11}  {session:<8}  {number:>3}  {tokens:<9}  {left_out:>8}  {differs:>7}  {given}")
}

/// To the minute, or all with their year if one is older than half a year.
fn date_format(all: &[LostCompaction], now: i64) -> &'static str {
    const HALF_A_YEAR: i64 = 183 * 24 * 3_600_000;
    let is_old = |at: i64| (now - at).abs() >= HALF_A_YEAR;
    if all.iter().filter_map(LostCompaction::at).any(is_old) { "%Y-%m-%d" } else { "%m-%d %H:%M" }
}

fn date(at: i64, format: &str) -> String {
    Timestamp::from_millisecond(at).unwrap_or_default().strftime(format).to_string()
}

/// The size of the brief, and whether it reached the agent.
fn given_back(recorded: Option<&Recorded>) -> String {
    let Some((recorded, characters)) = recorded.and_then(|r| r.brief.map(|brief| (r, brief))) else {
        return "nothing".to_owned();
    };
    let arrived = match (&recorded.arrived_by, recorded.resent) {
        (Some(_), _) => "arrived",
        (None, true) => "resent",
        (None, false) => "not seen",
    };
    format!("{} chars, {arrived}", grouped(characters as u64))
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

// ---- one in detail

/// Both sides of every difference, and what was checked. `all`: also what is probably no difference.
pub fn detail(one: &LostCompaction, all: bool, ui: &Ui) {
    let Some(compared) = &one.compared else { return };
    head(one, ui);
    let (shown, weak): (Vec<_>, Vec<_>) =
        compared.findings.iter().partition(|one| all || one.finding.is_shown());
    for finding in &shown {
        ui.line("");
        difference(finding, one.recorded.as_ref(), ui);
    }
    let is_message = |one: &&ComparedFinding| {
        one.finding.kind == FindingKind::Dropped && one.finding.fact == FindingSubject::Request
    };
    let (messages, weak): (Vec<_>, Vec<_>) = weak.into_iter().partition(is_message);
    not_mentioned(&one.left_out_lines, ui);
    unlisted(&messages, ui);
    ui.line("");
    conclusion(compared, &shown, (messages.len(), weak.len()), ui);
}

/// What the summary leaves out, as the brief words it.
fn not_mentioned(lines: &[String], ui: &Ui) {
    if !lines.is_empty() {
        ui.line("\nLeft out, or told in other words:");
        for line in lines {
            let wrapped = wrap(line, ui.width().saturating_sub(4));
            for (at, text) in wrapped.iter().enumerate() {
                ui.line(format!("{}{text}", if at == 0 { "  " } else { "    " }));
            }
        }
    }
}

/// Messages that the summary does not repeat. Their matter may be in it all the same.
fn unlisted(messages: &[&ComparedFinding], ui: &Ui) {
    if messages.is_empty() {
        return;
    }
    let count = count_of_either(messages.len(), "message is", "messages are");
    ui.line(format!("\n{count} not in the summary, or not in these words:"));
    for one in messages {
        let place = one.finding.place.map(|place| place.to_string()).unwrap_or_default();
        ui.line(fit(&format!("  {place:<6} {}", one.finding.text), ui.width()));
    }
}

fn head(one: &LostCompaction, ui: &Ui) {
    let number = one.number.map(|number| format!(" {number}")).unwrap_or_default();
    ui.line(ui.bold(&format!("Compaction{number} of session {}", short_id(&one.session))));
    let when = one.at().map(|at| format!("{} UTC, ", date(at, "%Y-%m-%d %H:%M"))).unwrap_or_default();
    let how = if is_manual(one) { "manual" } else { "automatic" };
    let place = one.point.as_ref().map(|point| format!(", before L{}", point.lines + 1)).unwrap_or_default();
    fact("when", &format!("{when}{how}{place}"), ui);
    if let Some(tokens) = tokens(one, " → ") {
        fact("tokens", &tokens, ui);
    }
    if let Some(characters) = summary_characters(one) {
        fact("summary", &format!("{} characters", grouped(characters as u64)), ui);
    }
    if let Some((missing, all)) = one.left_out {
        let what = if all == 1 { "thing" } else { "things" };
        fact("left out", &format!("{missing} of {all} {what} worth carrying over"), ui);
    }
    let Some(recorded) = &one.recorded else {
        return fact("given back", "nothing: no hook saw this compaction", ui);
    };
    fact("given back", &brief(recorded), ui);
    if let Some(micros) = recorded.micros {
        fact("hooks took", &duration(micros), ui);
    }
}

fn brief(recorded: &Recorded) -> String {
    let Some(characters) = recorded.brief else { return "nothing".to_owned() };
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
    let given = recorded.zip(compared.given_by).map(|(recorded, by)| {
        let words = given(by, recorded);
        let words = match by {
            GivenBy::Nothing => ui.red(words),
            GivenBy::Brief if recorded.arrived_by.is_some() => ui.green(words),
            GivenBy::Late if recorded.late_at.is_some() => ui.green(words),
            GivenBy::Brief | GivenBy::Late => ui.dim(words),
        };
        format!(" ({words})")
    });
    ui.line(format!("{mark} {}{place}{}", ui.red(&verdict(finding)), given.unwrap_or_default()));
    if let Some(quote) = finding.summary_quote.as_deref() {
        side("summary", quote, ui);
    }
    match finding.kind {
        FindingKind::Invented => side("record", "(no message of the user says so)", ui),
        _ => side("record", &finding.text, ui),
    }
}

fn verdict(finding: &Finding) -> String {
    use FindingSubject::{
        Branch, Command, Criterion, Decision, File, Instruction, Job, Number, Quote, Request, Task,
    };
    let text = finding.text.as_str();
    let words = match (finding.kind, finding.fact) {
        (FindingKind::Contradicted, Task) if text.starts_with("[completed]") => "called open, but done",
        (FindingKind::Contradicted, Task) => "called done, but open",
        (FindingKind::Contradicted, Criterion) => "called done, but asked for and without a trace",
        (FindingKind::Contradicted, Command) if text.contains("was edited after it") => {
            "called passing, but edited since the last run"
        }
        (FindingKind::Contradicted, Command) if text.contains("` passed: ") => "called failing, but passed",
        (FindingKind::Contradicted, Command) => "called passing, but failed",
        (FindingKind::Contradicted, Instruction) => "an instruction that was taken back",
        (FindingKind::Contradicted, Decision) => "statement reversed",
        (FindingKind::Contradicted, Request) => "not the latest request",
        (FindingKind::Contradicted, Branch) => "branch differs",
        (_, Number) => "number differs",
        (FindingKind::Mutated, File) => "path differs",
        (FindingKind::Mutated, Quote) => "not what the user said",
        (FindingKind::Invented, _) => "never said by the user",
        (FindingKind::Dropped, Task) => "open task not mentioned",
        (FindingKind::Dropped, Instruction) => "standing instruction not mentioned",
        (FindingKind::Dropped, Command) => "failed command not mentioned",
        (FindingKind::Dropped, File) => "changed file not mentioned",
        (FindingKind::Dropped, Job) => "running job not mentioned",
        (FindingKind::Dropped, Request) => "message not mentioned",
        (FindingKind::Dropped, fact) => return format!("{} not mentioned", fact.name()),
        (FindingKind::Contradicted | FindingKind::Mutated, fact) => {
            return format!("{} differs", fact.name());
        }
    };
    words.to_owned()
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

/// `messages` are listed, `weak` findings are not shown.
fn conclusion(compared: &Compared, shown: &[&ComparedFinding], (messages, weak): (usize, usize), ui: &Ui) {
    let is_any_unsure = shown.iter().any(|one| !one.finding.is_told());
    let found = match (&compared.broken, shown.len()) {
        (Some(what), _) => Some(format!("The summary is broken: {what}. Nothing was compared.")),
        (None, 0) if messages > 0 => Some("No other differences in what was checked.".to_owned()),
        (None, 0) => Some("No differences in what was checked.".to_owned()),
        (None, _) => is_any_unsure.then(|| "● sure enough to tell the agent, ○ for you to judge.".to_owned()),
    };
    let signs = count_of_either(weak, "weak sign is", "weak signs are");
    let hidden = (weak > 0).then(|| format!("{signs} not shown: add --all."));
    let said: Vec<String> = found.into_iter().chain(hidden).collect();
    if !said.is_empty() {
        ui.line(ui.paragraph(&said.join(" ")));
    }
    let (checked, absent) = checked(&compared.checked);
    if compared.broken.is_none() && !checked.is_empty() {
        fact("checked", &checked.join(", "), ui);
    }
    if !absent.is_empty() {
        fact("not checked", &format!("{} (none in the record)", absent.join(", ")), ui);
    }
    if let Some(cannot_tell) = &compared.cannot_tell {
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
    left_out: Option<NotMentionedView>,
    checked: Option<CheckedView>,
    cannot_tell: Option<&'a str>,
}

/// Things worth carrying over, and how many of them the summary does not mention.
#[derive(Clone, Copy, Serialize)]
struct NotMentionedView {
    missing: usize,
    all: usize,
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
        left_out: one.left_out.map(|(missing, all)| NotMentionedView { missing, all }),
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
            left_out: Some((99, 99)),
            left_out_lines: Vec::new(),
        }
    }

    #[test]
    fn line_fits_into_80_columns_and_stays_aligned() {
        let now = 1_767_268_800_000;
        let wide = row(&largest(), date_format(&[largest()], now));
        assert_eq!(wide, "01-01 12:00  11111111  123  1.2M→123k  99 of 99        0  6,000 chars, arrived");
        assert!(wide.chars().count() <= 80, "{}", wide.chars().count());
        // Recorded by a version without findings, and no transcript.
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
        let old = LostCompaction { recorded: Some(old), number: None, left_out: None, ..largest() };
        let later = now + 300 * 24 * 3_600_000;
        assert_eq!(
            row(&old, date_format(std::slice::from_ref(&old), later)),
            "2026-01-01   11111111    –  –                 –        –  6,000 chars, not seen"
        );
        let new = LostCompaction { recorded: None, ..largest() };
        assert_eq!(date_format(&[new.clone(), old], later), "%Y-%m-%d", "all in one format");
        assert!(row(&new, "%Y-%m-%d").ends_with("  –  nothing"), "no hook saw it");
    }
}
