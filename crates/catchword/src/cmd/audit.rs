//! `catchword audit`: where a compaction's summary differs from the record.

use catchword_engine::audit;
use catchword_engine::model::finding::{Finding, FindingKind};
use serde::Serialize;

use super::target::Target;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

/// Compare a compaction's summary with the record: what it dropped, contradicts, changed or invented
///
/// Of the latest compaction of this folder's latest session, of any recorded session and compaction, or of any
/// transcript file. Findings marked with ● are sure enough to be told to the agent; those marked with ○ are for
/// you to judge.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints both sides of every difference.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let compacted = args.target.resolve_compaction(env, ui)?;
    let findings = audit::audit(&compacted.session, &compacted.summary);
    let cannot_tell = audit::cannot_tell(&compacted.session);
    if args.json {
        let view = AuditView { findings: findings.iter().map(FindingView::new).collect(), cannot_tell };
        ui.line(serde_json::to_string_pretty(&view)?);
        return Ok(Exit::Ok);
    }
    if let Some(cannot_tell) = &cannot_tell {
        ui.say(ui.paragraph(cannot_tell));
    }
    if findings.is_empty() {
        ui.say("No difference found between the summary and the record.");
        return Ok(Exit::Ok);
    }
    for group in findings.chunk_by(|a, b| a.kind == b.kind) {
        ui.line(ui.bold(&format!("{}: {}", title(group[0].kind), group.len())));
        for finding in group {
            show(finding, ui);
        }
        ui.line("");
    }
    let told = findings.iter().filter(|f| f.is_told()).count();
    ui.line(ui.dim(&ui.paragraph(&format!(
        "{told} of {} are sure enough to be told to the agent (●); the rest is for you to judge (○).",
        findings.len()
    ))));
    Ok(Exit::Ok)
}

fn title(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Contradicted => "Contradicted by the record",
        FindingKind::Mutated => "Changed on the way",
        FindingKind::Invented => "Never said by the user",
        FindingKind::Dropped => "Not in the summary",
    }
}

fn show(finding: &Finding, ui: &Ui) {
    let mark = if finding.is_told() { "●" } else { "○" };
    let place = finding.place.map(|p| format!(" {p}")).unwrap_or_default();
    let sure = (finding.confidence * 100.0).round();
    ui.line(format!("{mark} {}{place} {}", finding.fact.name(), ui.dim(&format!("{sure}%"))));
    if finding.kind != FindingKind::Invented {
        side("record", &finding.text, ui);
    }
    if let Some(quote) = &finding.summary_quote {
        side("summary", quote, ui);
    }
}

/// One side, in its own column.
fn side(name: &str, words: &str, ui: &Ui) {
    let lines = wrap(words, ui.width().saturating_sub(11));
    for (at, line) in lines.iter().enumerate() {
        let name = if at == 0 { name } else { "" };
        ui.line(format!("  {}{line}", ui.dim(&format!("{name:<9}"))));
    }
}

#[derive(Serialize)]
struct AuditView<'a> {
    findings: Vec<FindingView<'a>>,
    /// What could not be judged, and why; null where everything could.
    cannot_tell: Option<String>,
}

/// A finding as programs read it.
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
    /// Of this finding.
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
