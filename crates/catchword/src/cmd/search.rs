//! `catchword search`: searches everything that was said and done.

mod files;
mod fixes;

use std::ops::Range;

use anyhow::bail;
use catchword_engine::archive::history::query::Query;
use catchword_engine::model::event::short_id;
use catchword_engine::ops::read::search::{
    HitDocument, HitLine, PassageText, SearchDocument, SearchRequest, search,
};
use catchword_engine::ops::search::{Advice, MatchTier, SNIPPET};
use catchword_engine::text::cut::squashed;
use catchword_engine::text::numbers::count_of;

use super::recall;
use crate::app::env::Env;
use crate::app::read::fresh_reader;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{fit, fit_line, lines_in, start_in, width};

const FILTERS: &str = "Filters:
  file:src/a.rs      files that were read, changed or written
  command:cargo      commands, and the input of other tools
  error:E0308        output of failed calls; `error:` alone finds all of them
  project:app        part of the project's path
  session:0a1b       start of a session's id
  since:2d           or 3h, 2w, today, yesterday, 2026-11-01 (UTC)
  until:2026-11-01   the same, before
  role:user          or agent, tool, summary, note";

/// Search everything that was said and done in all sessions
///
/// Ask with the words you remember, or in a sentence. Hits with all of the words come first; if there are none, the best
/// with some of them, in any form. `"…"` is a phrase, `pars*` a prefix; these must match. What is recent, or
/// of this folder's project, ranks higher. Up to three passages of a session are shown; `session:ID` shows all.
///
/// `--file src/a.rs` shows what was done and decided about a file, `--fix E0308` what was done between a failed run and the
/// next one that passed. Both take filters, too.
///
/// Exits with 1 if nothing is found. For a phrase alone, protect its quotes from the shell: '"two words"'.
#[derive(clap::Args)]
#[command(after_long_help = FILTERS)]
pub struct Args {
    /// Words, phrases and filters; with --file a path, with --fix an error
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// How many hits to show, 1 to 1000 [default: 10; with --fix 3]
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u32>,
    /// Skip that many, for the next page
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Show the lines of hit N, as `catchword recall` does
    #[arg(long, value_name = "N", conflicts_with_all = ["limit", "skip"], value_parser = hit_number)]
    open: Option<u32>,
    /// Show what was done and decided about a file
    #[arg(long, conflicts_with_all = ["open", "fix"])]
    file: bool,
    /// Show what was done between a failed run and the next one that passed
    #[arg(long, conflicts_with = "open")]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Hits on a page, and fixes, which are longer.
const HITS: u32 = 10;
const FIXES: u32 = 3;

/// Most hits on a page.
const MAX_HITS: u32 = 1_000;

fn limit(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_HITS).contains(number));
    number.ok_or_else(|| format!("takes 1 to {MAX_HITS}"))
}

fn hit_number(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| "takes the number of a hit, from 1".to_owned())
}

impl Args {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(if self.fix { FIXES } else { HITS }) as usize
    }
}

/// Prints the hits, or suggestions.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let reader = fresh_reader(env)?;
    let query = Query::of_arguments(&args.query, env.now());
    let typed = args.query.join(" ");
    let request = SearchRequest {
        query: &query,
        typed: &typed,
        limit: if args.open.is_some() { 1 } else { args.limit() },
        skip: args.open.map_or(args.skip, |number| number as usize - 1),
        passage: SNIPPET,
    };
    if args.file {
        return files::run(&reader, &request, args.json, env, ui);
    }
    if args.fix {
        return fixes::run(&reader, &request, args.json, env, ui);
    }
    let found = search(&reader, &request)?;
    if args.open.is_some() {
        return open(&found, args, env, ui);
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&found)?);
    } else {
        print(&found, args, env, ui);
    }
    Ok(if found.hits.is_empty() { Exit::Nothing } else { Exit::Ok })
}

/// The lines of one hit.
fn open(found: &SearchDocument, args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    match (found.hits.first(), &found.advice) {
        (Some(hit), _) => recall::run(&recall::Args::at(hit.address.clone(), args.json), env, ui),
        (None, Some(advice)) => {
            print_advice(advice, ui);
            Ok(Exit::Nothing)
        }
        (None, None) => {
            let are = if found.fitting == 1 { "is" } else { "are" };
            bail!("there {are} {}; --open takes the number of one", count_of(found.fitting, "hit"))
        }
    }
}

fn print(found: &SearchDocument, args: &Args, env: &Env, ui: &Ui) {
    let mut last: Option<&HitDocument> = None;
    if !found.hits.is_empty() && !found.hits.iter().any(|hit| hit.has_all) {
        ui.say("No passage has all of these words. Best partial matches:");
    }
    for hit in &found.hits {
        if last.is_some_and(|last| last.tier == MatchTier::All) && hit.tier == MatchTier::Partial {
            ui.say("Best partial matches:");
        }
        if last.is_none_or(|last| last.session != hit.session) {
            let about = hit.about.as_deref().filter(|_| hit.subagent.is_none());
            print_session(&hit.session, hit.project.as_deref(), about, env, ui);
            if let Some(machine) = &hit.machine {
                let by = hit.person.as_ref().map(|person| format!(" by {person}")).unwrap_or_default();
                ui.line(ui.dim(&format!("     recorded on {machine}{by}")));
            }
        }
        print_hit(hit, last.filter(|last| last.session == hit.session), ui);
        last = Some(hit);
    }
    if let Some(why) = found.shared.as_ref().and_then(|shared| shared.why.as_ref()) {
        ui.say(ui.paragraph(&format!("Other projects in the shared archive were not searched: {why}.")));
    }
    if let Some(meant) = &found.meant {
        ui.say(ui.paragraph(&format!("Did you mean: {}?", ui.bold(meant))));
    }
    match (found.hits.first(), &found.advice) {
        (Some(first), _) => {
            let shown = args.skip + found.hits.len();
            let more = if found.fitting > shown {
                format!("{} results; --skip {shown} for more. ", found.count())
            } else {
                String::new()
            };
            ui.say(ui.paragraph(&format!(
                "{more}`catchword recall {}` shows the first in full, --open N any of them.",
                first.address,
            )));
        }
        (None, Some(advice)) => print_advice(advice, ui),
        (None, None) => ui.say("No more hits."),
    }
}

/// Prints the session that the next lines belong to. A subagent's first request is the agent's order, so it has no `about`.
fn print_session(session: &str, project: Option<&str>, about: Option<&str>, env: &Env, ui: &Ui) {
    let project = project.map(|p| env.show(std::path::Path::new(p))).unwrap_or_default();
    let head = short_id(session);
    let rest = format!("{project}  {}", squashed(about.unwrap_or_default()));
    ui.line(format!(
        "{}  {}",
        ui.bold(head),
        ui.dim(&fit(rest.trim(), ui.width().saturating_sub(head.len() + 2)))
    ));
}

fn print_hit(hit: &HitDocument, before: Option<&HitDocument>, ui: &Ui) {
    let when = hit.at.map(date).unwrap_or_default();
    let sub = if hit.subagent.is_some() { " (subagent)" } else { "" };
    let failed = if hit.failed { ", failed" } else { "" };
    let by = hit.author.map(|author| format!(", {author}'s")).unwrap_or_default();
    let head = format!("{:>3}  {}", hit.number, hit.address);
    let rest = format!("  {when}  {}{by}{failed}{sub}", hit.kind);
    let room = ui.width().saturating_sub(width(&head));
    let rest = fit(&rest, room);
    let rest = if hit.failed { rest.replacen("failed", &ui.red("failed"), 1) } else { rest };
    ui.line(format!("{}{rest}", ui.bold(&head)));
    let indent = "     ";
    let room = ui.width() - indent.len();
    if !hit.title.is_empty() && hit.passage.text != squashed(&hit.title) {
        ui.line(format!("{indent}{}", fit_line(&hit.title, room)));
    }
    for line in marked(&hit.passage, room, usize::MAX, ui) {
        ui.line(format!("{indent}{line}"));
    }
    let is_new = |asked: &_| before.and_then(|before| before.asked.as_ref()) != Some(asked);
    if let Some(HitLine { place, text }) = hit.asked.as_ref().filter(|asked| is_new(asked)) {
        ui.line(ui.dim(&format!("{indent}{}", fit(&format!("in reply to {place}: {text}"), room))));
    }
    if !hit.copies.is_empty() {
        let others: Vec<&str> = hit.copies.iter().map(|id| short_id(id)).collect();
        ui.line(ui.dim(&format!("{indent}{}", fit(&format!("also in {}", others.join(", ")), room))));
    }
    ui.line("");
}

fn date(at: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or_default().to_string();
    at.get(..16).unwrap_or(&at).replace('T', " ")
}

/// The passage wrapped to the width, with its matches in bold; ends in `…` if it has more lines than `most`.
fn marked(passage: &PassageText, width: usize, most: usize, ui: &Ui) -> Vec<String> {
    let text = &passage.text;
    let byte = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let matches: Vec<(usize, usize)> =
        passage.spans.iter().map(|(from, to)| (byte(*from), byte(*to))).collect();
    let line = |line: Range<usize>| {
        let mut out = String::new();
        let mut kept = line.start;
        for (from, to) in matches.iter().filter(|(from, to)| *from >= line.start && *to <= line.end) {
            out.push_str(&text[kept..*from]);
            out.push_str(&ui.bold(&text[*from..*to]));
            kept = *to;
        }
        out + &text[kept..line.end]
    };
    let mut lines = lines_in(text, width);
    let is_cut = lines.len() > most;
    lines.truncate(most);
    let last = lines.last_mut().filter(|_| is_cut);
    if let Some(last) = last {
        let shown = start_in(&text[last.clone()], width.saturating_sub(2));
        let is_whole = shown.len() == last.len();
        let words = if is_whole { shown } else { shown.rsplit_once(' ').map_or(shown, |(words, _)| words) };
        last.end = last.start + words.trim_end_matches(' ').len();
    }
    let mut lines: Vec<String> = lines.into_iter().map(line).collect();
    if let Some(last) = lines.last_mut().filter(|_| is_cut) {
        last.push_str(" …");
    }
    lines
}

fn print_advice(advice: &Advice, ui: &Ui) {
    ui.say("Nothing found.");
    for word in &advice.words {
        let line = match (word.items, &word.near[..]) {
            (0, []) => format!("`{}` isn't in the history.", word.word),
            (0, near) => format!("`{}` isn't in the history; similar: {}.", word.word, near.join(", ")),
            (1, _) if advice.words.len() > 1 => format!("`{}` alone is in 1 item.", word.word),
            (n, _) if advice.words.len() > 1 => format!("`{}` alone has {n} hits.", word.word),
            _ => continue,
        };
        ui.say(ui.paragraph(&line));
    }
    if advice.without_filters > 0 {
        ui.say(ui.paragraph(&format!("Without the filters there are {} hits.", advice.without_filters)));
    }
    if advice.words.is_empty() {
        ui.say(ui.paragraph(
            "To widen the search: other filters, or `catchword index` for sessions from before the installation.",
        ));
        return;
    }
    ui.say(ui.paragraph(
        "To widen the search: fewer words, a prefix (`pars*`), or `catchword index` for sessions from before the installation.",
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_the_width_with_any_content() {
        let ui = Ui::new(Some(false), None);
        let text = format!("a short word, then {} end", "x".repeat(200));
        let snippet = PassageText { text: text.clone(), matches: vec!["short".into()], spans: vec![(2, 7)] };
        let lines = marked(&snippet, 40, usize::MAX, &ui);
        assert!(lines.iter().all(|line| width(line) <= 40), "{lines:?}");
        assert_eq!(lines.join("").replace(' ', ""), text.replace(' ', ""));
        for most in 1..lines.len() {
            let cut = marked(&snippet, 40, most, &ui);
            assert!(cut.len() == most && cut.iter().all(|line| width(line) <= 40), "{cut:?}");
            assert!(cut[most - 1].ends_with(" …"), "{cut:?}");
        }
        assert_eq!(marked(&snippet, 12, 1, &ui), ["a short …"], "no word is cut");
    }
}
