//! `catchword search --fix`: what was done between a failed run and the next one that passed.

use catchword_engine::ops::read::Reader;
use catchword_engine::ops::read::search::{
    FixDocument, FixStepDocument, FixesDocument, SearchRequest, fixes,
};
use catchword_engine::ops::search::MatchTier;
use catchword_engine::ops::search::fixes::StepVerb;
use catchword_engine::text::cut::squashed;
use catchword_engine::text::numbers::count_of;
use catchword_engine::text::shell_words::quoted;

use super::{date, marked, print_session};
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{fit, padded, width};

/// Columns of a verb and of a place.
const VERB: usize = 9;
const PLACE: usize = 7;
/// Most lines of an error.
const ERROR_LINES: usize = 3;

/// Prints the errors that fit, each with what happened until it passed.
pub fn run(
    reader: &Reader,
    request: &SearchRequest,
    json: bool,
    env: &Env,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let found = fixes(reader, request)?;
    if json {
        ui.line(serde_json::to_string_pretty(&found)?);
    } else {
        print(&found, request, env, ui);
    }
    Ok(if found.fixes.is_empty() { Exit::Nothing } else { Exit::Ok })
}

fn print(found: &FixesDocument, request: &SearchRequest, env: &Env, ui: &Ui) {
    let elsewhere = format!(
        "`catchword search {}` looks at everything that was said and done.",
        as_argument(&squashed(request.typed))
    );
    let Some(first) = found.fixes.first() else {
        ui.say(ui.paragraph(&match found.fitting {
            0 => format!("No failed call has these words. {elsewhere}"),
            _ => "No more.".to_owned(),
        }));
        return;
    };
    let is_partial = first.tier == MatchTier::Partial;
    if is_partial {
        ui.say(ui.paragraph("No failed call has all of these words. Similar errors:"));
    }
    for fix in &found.fixes {
        let about = fix.about.as_deref().filter(|_| fix.subagent.is_none());
        print_session(&fix.session, fix.project.as_deref(), about, env, ui);
        print_fix(fix, ui);
    }
    let shown = request.skip + found.fixes.len();
    let more = if found.fitting > shown {
        format!("{} results; --skip {shown} for more. ", found.fitting)
    } else {
        String::new()
    };
    let widen = if is_partial { format!(" {elsewhere}") } else { String::new() };
    ui.say(
        ui.paragraph(&format!("{more}`catchword recall {}` shows the first in full.{widen}", first.range)),
    );
}

/// Quoted for a shell, in the way that is easiest to read.
fn as_argument(text: &str) -> String {
    let is_plain = !text.contains(['"', '$', '`', '\\', '!']);
    if text.contains('\'') && is_plain { format!("\"{text}\"") } else { quoted(text) }
}

fn print_fix(fix: &FixDocument, ui: &Ui) {
    let indent = " ".repeat(2 + VERB);
    let when = fix.failed.at.map(date).unwrap_or_default();
    let times =
        if fix.times > 1 { format!(", failed {} times before it passed", fix.times) } else { String::new() };
    print_step(&fix.failed, ui);
    let told = format!("{} {when}{times}", fix.failed.address);
    ui.line(ui.dim(&format!("{indent}{}", fit(&told, ui.width() - indent.len()))));
    for line in marked(&fix.error, ui.width() - indent.len(), ERROR_LINES, ui) {
        ui.line(format!("{indent}{line}"));
    }
    if fix.left_out > 0 {
        ui.line(ui.dim(&format!("{indent}… {} left out", count_of(fix.left_out, "step"))));
    }
    for step in &fix.steps {
        print_step(step, ui);
    }
    match &fix.passed {
        Some(passed) => print_step(passed, ui),
        None => ui.line(format!("  {}", ui.dim("No later run of it passed in this transcript."))),
    }
    if let Some(explained) = &fix.explained {
        print_step(explained, ui);
    }
    ui.line("");
}

fn print_step(step: &FixStepDocument, ui: &Ui) {
    let verb = padded(step.verb.noun(), VERB);
    let verb = match step.verb {
        StepVerb::Failed => ui.red(&verb),
        StepVerb::Passed => ui.green(&verb),
        _ => verb,
    };
    let times = if step.times > 1 { format!(" ({} times)", step.times) } else { String::new() };
    let place = padded(&format!("{} ", step.place), PLACE);
    let room = ui.width().saturating_sub(2 + VERB + width(&place) + width(&times));
    ui.line(format!("  {verb}{place}{}{times}", fit(&step.text, room)));
}
