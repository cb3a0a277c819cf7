//! The status for programs.

use std::path::Path;

use catchword_engine::model::tokens::TokenCount;
use catchword_engine::ops::history::{CompactionPoint, TokenTotals};
use catchword_engine::ops::sessions::ListedSession;
use catchword_engine::ops::status::{SessionStatus, StatusCompaction};
use serde::Serialize;

use super::Seen;
use super::view::{counts, worst};
use crate::cmd::lost::view::FindingView;

#[derive(Serialize)]
pub struct StatusView<'a> {
    id: &'a str,
    client: &'a str,
    cwd: Option<&'a Path>,
    project: Option<&'a Path>,
    transcript: &'a Path,
    transcript_exists: bool,
    title: Option<&'a str>,
    state: &'static str,
    unfinished: bool,
    first_at: Option<i64>,
    active_at: i64,
    lines: u64,
    entries: u64,
    prompts: u64,
    calls: u64,
    compactions: u64,
    subagents: u64,
    context: Option<ContextView<'a>>,
    asked: Option<&'a [String]>,
    open: Option<&'a [String]>,
    failing: Option<&'a [String]>,
    last_checkpoint: Option<CheckpointView<'a>>,
    handoff: Option<&'a str>,
    last_compaction: Option<StatusCompactionView<'a>>,
    tokens: Option<TokensView>,
}

#[derive(Serialize)]
struct TokensView {
    input: u64,
    output: u64,
    answers: u64,
    compactions: Vec<CompactionTokensView>,
}

#[derive(Serialize)]
struct CompactionTokensView {
    line: u32,
    at: Option<i64>,
    trigger: &'static str,
    before: Option<u64>,
    after: Option<u64>,
}

#[derive(Serialize)]
struct ContextView<'a> {
    model: Option<&'a str>,
    used: Option<NumberView>,
    window: Option<NumberView>,
    threshold: Option<NumberView>,
    left: Option<LeftView>,
}

#[derive(Serialize)]
struct NumberView {
    tokens: u64,
    source: &'static str,
    from: String,
    line: Option<u32>,
}

#[derive(Serialize)]
struct LeftView {
    tokens: u64,
    percent: u64,
}

#[derive(Serialize)]
struct CheckpointView<'a> {
    at: i64,
    threshold: &'a str,
    used: Option<u64>,
    left: Option<u64>,
}

#[derive(Serialize)]
struct StatusCompactionView<'a> {
    begun_at: Option<i64>,
    trigger: &'static str,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    brief_arrived_by: Option<&'a str>,
    left_out: Option<usize>,
    wrong: Option<usize>,
    findings: Option<Vec<FindingView<'a>>>,
}

/// All of them, latest first.
pub fn views(seen: &Seen) -> Vec<StatusView<'_>> {
    seen.detailed.iter().map(detailed).chain(seen.listed.iter().map(listed)).collect()
}

fn listed(session: &ListedSession) -> StatusView<'_> {
    StatusView {
        id: &session.id,
        client: &session.client,
        cwd: session.cwd.as_deref(),
        project: session.project.as_deref(),
        transcript: &session.transcript,
        transcript_exists: session.there,
        title: session.title.as_deref(),
        state: session.state.word(),
        unfinished: session.unfinished,
        first_at: session.first_at,
        active_at: session.last_at,
        lines: session.lines,
        entries: session.entries,
        prompts: session.prompts,
        calls: session.calls,
        compactions: session.compactions,
        subagents: session.subagents,
        context: None,
        asked: None,
        open: None,
        failing: None,
        last_checkpoint: None,
        handoff: None,
        last_compaction: None,
        tokens: None,
    }
}

fn detailed(status: &SessionStatus) -> StatusView<'_> {
    StatusView {
        context: Some(context(status)),
        asked: Some(&status.asked),
        open: Some(&status.open),
        failing: Some(&status.failing),
        last_checkpoint: status.checkpoint.as_ref().map(|checkpoint| CheckpointView {
            at: checkpoint.at,
            threshold: &checkpoint.threshold,
            used: checkpoint.used,
            left: checkpoint.left,
        }),
        handoff: status.handoff.as_deref(),
        last_compaction: status.compaction.as_ref().map(compaction),
        tokens: status.tokens.as_ref().map(|(totals, cuts)| tokens(totals, cuts)),
        ..listed(&status.listed)
    }
}

fn tokens(totals: &TokenTotals, cuts: &[CompactionPoint]) -> TokensView {
    let of = |cut: &CompactionPoint| CompactionTokensView {
        line: cut.lines + 1,
        at: cut.at,
        trigger: if cut.manual { "manual" } else { "auto" },
        before: cut.before,
        after: cut.after,
    };
    let TokenTotals { input, output, answers } = *totals;
    TokensView { input, output, answers, compactions: cuts.iter().map(of).collect() }
}

fn context(status: &SessionStatus) -> ContextView<'_> {
    let gauge = &status.gauge;
    let number = |count: TokenCount| NumberView {
        tokens: count.tokens,
        source: count.from.name(),
        from: count.from.to_string(),
        line: count.from.place().map(|place| place.0),
    };
    let left = gauge.left().zip(gauge.percent_left());
    ContextView {
        model: status.tally.model.as_deref(),
        used: gauge.used.map(number),
        window: gauge.window.map(number),
        threshold: gauge.threshold.map(number),
        left: left.map(|(tokens, percent)| LeftView { tokens, percent }),
    }
}

fn compaction(compaction: &StatusCompaction) -> StatusCompactionView<'_> {
    let counted = compaction.found.as_deref().map(counts);
    let findings = || worst(compaction).into_iter().map(FindingView::new).collect();
    StatusCompactionView {
        begun_at: compaction.at,
        trigger: if compaction.manual { "manual" } else { "auto" },
        tokens_before: compaction.tokens.0,
        tokens_after: compaction.tokens.1,
        brief_arrived_by: compaction.recorded.as_ref().and_then(|recorded| recorded.arrived_by.as_deref()),
        left_out: counted.map(|(dropped, _)| dropped),
        wrong: counted.map(|(_, wrong)| wrong),
        findings: compaction.found.as_ref().map(|_| findings()),
    }
}
