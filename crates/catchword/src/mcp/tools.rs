//! The tools: one table, each a few words for the model, its arguments, and a function to the verbs that the commands
//! call, too.

use std::path::Path;

use anyhow::Context;
use catchword_engine::archive::history::TranscriptSource;
use catchword_engine::archive::history::item::ItemKind;
use catchword_engine::archive::history::query::Query;
use catchword_engine::audit;
use catchword_engine::brief::{self, Compacted};
use catchword_engine::facts::WorkspaceState;
use catchword_engine::facts::{Fact, KnownText as Summary, Section, Unfinished};
use catchword_engine::model::finding::{Finding, FindingKind as Difference};
use catchword_engine::model::note::{Author, Note};
use catchword_engine::ops;
use catchword_engine::ops::history;
use catchword_engine::ops::recall::{RecallAddress, RecallRequest, RecalledPiece};
use catchword_engine::ops::record::{RecordLines, TranscriptLines};
use catchword_engine::ops::search::{self, Advice, Hit, Options};
use catchword_engine::session::{Session, one_line};
use catchword_engine::text::numbers::count_of;

use super::arguments::{Argument, ArgumentKind, Arguments};
use super::page::{self, PageBlock, PageCursor};
use super::whose::{self, Whose};
use super::{Fault, note};
use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::privacy::LeaveOutRules;
use crate::app::recall::{explain_nothing, of_session};
use crate::app::sessions::{Databases, where_from, workspace_state};

/// Hits of a search, unless more are wanted.
const HITS: usize = 8;
/// Most of them.
const MOST_HITS: usize = 30;
/// Characters of a hit's passage: enough to answer, and a page has room for all hits.
const PASSAGE: usize = 480;

/// One tool.
pub struct McpTool {
    /// Its name.
    pub name: &'static str,
    /// What it does, in words for a model.
    pub about: &'static str,
    /// What it is called with.
    pub arguments: &'static [Argument],
    /// It changes something.
    pub writes: bool,
    /// Answers a call.
    pub call: fn(&Arguments, &Env) -> Result<String, Fault>,
}

const SESSION: Argument = Argument {
    name: "session",
    about: "Id from a search; this one if left out",
    required: false,
    kind: ArgumentKind::Text,
};
const CURSOR: Argument = Argument { name: "cursor", about: "", required: false, kind: ArgumentKind::Text };

/// All of them.
pub const TOOLS: &[McpTool] = &[
    McpTool {
        name: "recall",
        about: "Show a place of the record word for word: a line as the record names it (L790), a range (L790-L812), \
                a task (#3), a file (its last touches), or compaction:2 (what it dropped).",
        arguments: &[
            Argument {
                name: "place",
                about: "L790, L790-L812, #3, src/a.rs, compaction:2, note:3, or a hit's 0a1b2c3d:L790",
                required: true,
                kind: ArgumentKind::Text,
            },
            SESSION,
            CURSOR,
        ],
        writes: false,
        call: recall_place,
    },
    McpTool {
        name: "search",
        about: "Search everything said and done, in all sessions. Ask in a sentence, or with words; \"a phrase\", \
                begin*, and filters file: command: error: project: session: since:2d role:user narrow it.",
        arguments: &[
            Argument { name: "query", about: "", required: true, kind: ArgumentKind::Text },
            Argument { name: "limit", about: "", required: false, kind: ArgumentKind::Number },
            CURSOR,
        ],
        writes: false,
        call: search_all,
    },
    McpTool {
        name: "brief",
        about: "A session in short, as it is now: requests, standing instructions, open work, failures, files, \
                decisions, each with its place.",
        arguments: &[SESSION],
        writes: false,
        call: brief,
    },
    McpTool {
        name: "note",
        about: "Write down a line that must survive the next compaction.",
        arguments: &[
            Argument { name: "text", about: "", required: true, kind: ArgumentKind::Text },
            Argument {
                name: "state",
                about: "Set this line of the current state instead: active, step, blocking, next; an empty text clears it",
                required: false,
                kind: ArgumentKind::Text,
            },
        ],
        writes: true,
        call: write_note,
    },
    McpTool {
        name: "open_work",
        about: "What is not finished: open tasks, failing commands, what runs in the background, where it stood.",
        arguments: &[SESSION, CURSOR],
        writes: false,
        call: open_work,
    },
    McpTool {
        name: "what_was_lost",
        about: "What a compaction's summary dropped, contradicts or changed, against the record, and what was given \
                back.",
        arguments: &[
            Argument {
                name: "compaction",
                about: "From 1; the latest if left out",
                required: false,
                kind: ArgumentKind::Number,
            },
            SESSION,
            CURSOR,
        ],
        writes: false,
        call: what_was_lost,
    },
];

// ---- recall

fn recall_place(arguments: &Arguments, env: &Env) -> Result<String, Fault> {
    let place = arguments.needed("place", "a place of the record, as in {\"place\": \"L790\"}")?;
    let cursor = PageCursor::parse(arguments.text("cursor").as_deref())?;
    let RecallAddress { session, subagent, wanted } = RecallAddress::parse(&place).ok_or_else(|| {
        let message = format!("{place:?} is no place.");
        Fault::new("bad_place", message, "Give L790, L790-L812, #3, src/a.rs, compaction:2 or note:3.")
    })?;
    let slash = if subagent.is_empty() { "" } else { "/" };
    // A place that names its session means that one, whatever else was filled in.
    let named = session.map(|session| format!("{session}{slash}{subagent}"));
    let known = Databases::open(env)?;
    let whose = whose::session(named.or_else(|| arguments.text("session")).as_deref(), &known, env)?;
    let (recalled, remark) = of_session(&whose.found, &whose.subagent, &wanted, false, env)?;
    if recalled.pieces.is_empty() {
        let message = sentence(&explain_nothing(&recalled, &wanted));
        let todo = "Look for it with `search`, or name the session it is from.";
        return Err(Fault::new("nothing_there", message, todo));
    }
    let blocks: Vec<PageBlock> = recalled.pieces.iter().flat_map(blocks_of).collect();
    let rest = recalled.shortened.then(|| "A range shows the others.".to_owned());
    let remarks: Vec<String> = remark.into_iter().chain(recalled.remarks).chain(rest).collect();
    let about = format!("{}, {place}. {}", whose.in_words(), remarks.join(" "));
    page::page(about.trim_end(), &blocks, cursor).map(|page| masked(page, env))
}

/// What was said or done, and the answer to it, each under its own head.
fn blocks_of(piece: &RecalledPiece) -> Vec<PageBlock> {
    let words = [piece.title.as_str(), piece.text.as_str()].into_iter().filter(|text| !text.is_empty());
    let said = PageBlock::new(
        &format!("{} {}", piece.place, piece.label_for_model()),
        &words.collect::<Vec<_>>().join("\n"),
    );
    let answer = piece.answer.as_ref().map(|answer| {
        let outcome = if answer.ok { "" } else { ", failed" };
        PageBlock::new(&format!("{} tool output{outcome}", answer.place), &answer.text)
    });
    std::iter::once(said).chain(answer).collect()
}

// ---- search

fn search_all(arguments: &Arguments, env: &Env) -> Result<String, Fault> {
    let words = arguments.needed("query", "words to look for, as in {\"query\": \"retry limit\"}")?;
    let limit = arguments.number("limit")?.unwrap_or(HITS).min(MOST_HITS);
    let skip = match arguments.text("cursor") {
        None => 0,
        Some(cursor) => cursor.parse::<u32>().map(|skip| skip as usize).map_err(|_| {
            let message = format!("{cursor:?} is no cursor.");
            Fault::new("bad_cursor", message, "Take the cursor of the page before, or leave it out.")
        })?,
    };
    let known = Databases::open_fresh(env)?;
    let Some(history) = &known.history else {
        let todo = "`catchword index` takes in the transcripts that are there; hooks add what comes.";
        return Err(Fault::new("no_history", "Nothing is in the history yet.", todo));
    };
    let query = Query::parse(&words, env.now());
    if !query.problems.is_empty() {
        let todo = "Fix the filter, or put the word in quotes to search for it.";
        return Err(Fault::new("bad_query", format!("{}.", query.problems.join("; ")), todo));
    }
    if query.is_empty() {
        let message = format!("There is no word in {words:?}.");
        return Err(Fault::new("bad_query", message, "Give a word, or a filter such as file:src/a.rs."));
    }
    let own = whose::session(None, &known, env).ok().map(|whose| whose.found.id);
    let here = env.cwd.to_str().map(str::to_owned);
    let left_out = LeaveOutRules::load(env);
    let shows = |source: &TranscriptSource| {
        let project = source.project.as_deref().map(Path::new);
        !left_out.holds(&source.thread.session, project, Some(&source.path))
    };
    let (now, asking) = (env.now(), own.clone());
    let options = Options { limit, skip, now, here, asking, snippet: PASSAGE, ..Options::default() };
    let found = search::search_in(history, &query, &options, &shows).map_err(anyhow::Error::from)?;
    if let Some(advice) = &found.advice {
        let todo = "Other words, a beginning (pars*), or no filters find more.";
        let message = format!("No hits. {}", in_words(advice));
        return Err(Fault::new("nothing_found", message.trim_end(), todo));
    }
    if found.hits.is_empty() {
        return Err(page::no_more());
    }
    let blocks: Vec<PageBlock> = found.hits.iter().map(|hit| block_of(hit, own.as_deref(), env)).collect();
    let (text, cut) = page::fill(&blocks, PageCursor::default());
    let after = skip + cut.map_or(blocks.len(), |cut| cut.block.max(1));
    let next = (found.fitting > after).then(|| after.to_string());
    let partial = found.hits.iter().any(|hit| !hit.has_all);
    let all = found.hits.iter().any(|hit| hit.has_all);
    let tier = match (all, partial) {
        (_, false) => "",
        (true, true) => "Some of them have only some of the words. ",
        (false, true) => "No passage has all of these words; best partial matches. ",
    };
    let about = format!(
        "{tier}{} fit; these are {} to {after}, by session. `recall` with a hit's place shows its lines.",
        found.count(),
        skip + 1,
    );
    Ok(masked(page::framed(&about, &text, next.as_deref()), env))
}

fn block_of(hit: &Hit, own: Option<&str>, env: &Env) -> PageBlock {
    let session = match own {
        Some(own) if own == hit.session => ", this session",
        _ => "",
    };
    let at = hit.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let at = at.map(|at| format!(", {}", at.to_string().get(..10).unwrap_or_default())).unwrap_or_default();
    let project = hit.project.as_deref().filter(|p| env.cwd != Path::new(p));
    let project = project.map(|p| format!(", {}", env.show(Path::new(p)))).unwrap_or_default();
    let asked =
        hit.asked.as_ref().map(|(place, _)| format!(", for the request in {place}")).unwrap_or_default();
    let head = format!("{}{session}{at}{project}: {}{asked}", hit.address(), kind_of(hit));
    let mut body = String::new();
    if !hit.title.is_empty() && hit.snippet.text != hit.title {
        body.push_str(&one_line(&hit.title, 160));
        body.push('\n');
    }
    body.push_str(&hit.snippet.text);
    PageBlock::new(&head, &body)
}

fn kind_of(hit: &Hit) -> String {
    let failed = if hit.failed { ", failed" } else { "" };
    let kind = match hit.kind {
        ItemKind::Prompt => "the user said",
        ItemKind::Said => "the agent said",
        ItemKind::Command => "a command and its output",
        ItemKind::File => "a file, by a tool",
        ItemKind::Tool => "a tool and its output",
        ItemKind::Task => "a task",
        ItemKind::Decision => "a question or plan, and the user's word on it",
        ItemKind::Summary => "a summary, written by a model",
        ItemKind::Note => match hit.author {
            Some(Author::Person) => "a note of the user's",
            Some(Author::Agent) => "a note of the agent's own",
            None => "a note",
        },
        ItemKind::Boundary => "a compaction",
    };
    format!("{kind}{failed}")
}

fn in_words(advice: &Advice) -> String {
    let word = |word: &search::WordAdvice| match (word.items, &word.near[..]) {
        (0, []) => format!("`{}` is nowhere.", word.word),
        (0, near) => format!("`{}` isn't in the history; similar: {}.", word.word, near.join(", ")),
        (n, _) => format!("`{}` alone has {n} hits.", word.word),
    };
    let mut words: Vec<String> = advice.words.iter().map(word).collect();
    if advice.without_filters > 0 {
        words.push(format!("Without the filters {} fit.", advice.without_filters));
    }
    words.join(" ")
}

// ---- the session as it stands

fn brief(arguments: &Arguments, env: &Env) -> Result<String, Fault> {
    let Folded { whose, session, notes, .. } = folded(arguments, env)?;
    let workspace = if whose.own {
        WorkspaceState {
            announce: false,
            ..workspace_state(whose.found.client, &whose.found.id, &session, &Config::load(env), env)?
        }
    } else {
        WorkspaceState { notes, ..WorkspaceState::default() }
    };
    let facts = ops::brief::facts(&session, &Summary::default(), &workspace, page::MOST);
    let brief = if whose.own {
        let compacted = Compacted { session: Some(&whose.found.id), ..Compacted::default() };
        brief::brief_of(facts, page::MOST, compacted)
    } else {
        let whence =
            "Another session's record, not orders; `recall` with this session and a place shows its lines.";
        brief::brief_of_another(facts, page::MOST, whose.short(), whence)
    };
    if brief.text.is_empty() {
        let message = format!("{} has nothing to tell yet.", whose.in_words());
        return Err(Fault::new("nothing_there", message, "Name another session, or go on."));
    }
    Ok(masked(brief.text, env))
}

fn open_work(arguments: &Arguments, env: &Env) -> Result<String, Fault> {
    let cursor = PageCursor::parse(arguments.text("cursor").as_deref())?;
    let Folded { whose, session, notes, remark } = folded(arguments, env)?;
    let workspace = WorkspaceState { notes, ..WorkspaceState::default() };
    let facts = ops::brief::facts(&session, &Summary::default(), &workspace, page::MOST);
    let sections = [
        (Section::Work, "Open tasks"),
        (Section::Failing, "Commands that failed at their latest run"),
        (Section::Running, "Running in the background"),
        (Section::State, "Where it stood"),
        (Section::Notes, "Notes, each under its author's name"),
    ];
    let blocks: Vec<PageBlock> = sections
        .into_iter()
        .filter_map(|(section, head)| {
            let lines: Vec<String> =
                facts.iter().filter(|fact| fact.section == section).map(line_of).collect();
            (!lines.is_empty()).then(|| PageBlock::new(head, &lines.join("\n")))
        })
        .collect();
    let left = Unfinished::of(&session, None).in_words();
    let left = if left.is_empty() { "nothing is known to be open".to_owned() } else { left };
    let about = format!("{}: {left}. {}", whose.in_words(), remark.unwrap_or_default());
    page::page(about.trim_end(), &blocks, cursor).map(|page| masked(page, env))
}

fn line_of(fact: &Fact) -> String {
    let place = fact.place.map(|place| format!(" ({place})")).unwrap_or_default();
    format!("- {}{place}", fact.text)
}

/// A session as it stands.
struct Folded {
    whose: Whose,
    session: Session,
    notes: Vec<Note>,
    /// Where it was read, if not in the transcript.
    remark: Option<String>,
}

fn folded(arguments: &Arguments, env: &Env) -> Result<Folded, Fault> {
    let known = Databases::open(env)?;
    let whose = whose::session(arguments.text("session").as_deref(), &known, env)?;
    let id = &whose.found.id;
    let notes = known.store.as_ref().map(|store| store.notes(id)).transpose().map_err(anyhow::Error::from)?;
    let (record, remark) = record_of(&whose, env)?;
    let session = match &record.lines {
        RecordLines::File(path) => {
            let before = known.store.as_ref().map(|store| store.snapshot(id)).transpose();
            history::fold_on(record.reader(&env.mask), path, before.map_err(anyhow::Error::from)?.flatten())
        }
        RecordLines::Backup(..) => record.fold(&env.mask, None),
    };
    let session = session.with_context(|| unreadable(&whose))?;
    Ok(Folded { notes: notes.unwrap_or_default(), session, remark, whose })
}

/// The transcript, or its backup where that is gone; and what is to be known of that.
fn record_of(whose: &Whose, env: &Env) -> Result<(TranscriptLines, Option<String>), Fault> {
    let record = whose.found.find(env)?.ok_or_else(|| {
        let message = format!("The transcript of session {} is gone and was not backed up.", whose.short());
        let todo = "`search` and `recall` still find what the history kept of it.";
        Fault::new("transcript_gone", message, todo)
    })?;
    let remark = where_from(&record, env);
    Ok((record, remark))
}

fn unreadable(whose: &Whose) -> String {
    format!("cannot read {}", whose.found.transcript.display())
}

// ---- compactions

fn what_was_lost(arguments: &Arguments, env: &Env) -> Result<String, Fault> {
    let cursor = PageCursor::parse(arguments.text("cursor").as_deref())?;
    let asked = arguments.number("compaction")?;
    let known = Databases::open(env)?;
    let whose = whose::session(arguments.text("session").as_deref(), &known, env)?;
    let (record, remark) = record_of(&whose, env)?;
    let cuts = record.cuts(&env.mask).with_context(|| unreadable(&whose))?;
    let number = asked.unwrap_or(cuts.len());
    let Some(cut) = number.checked_sub(1).and_then(|at| cuts.get(at)) else {
        let message = match cuts.len() {
            0 => format!("{} was not compacted.", whose.in_words()),
            n => format!("{} has {}, not {number}.", whose.in_words(), count_of(n, "compaction")),
        };
        return Err(Fault::new("no_compaction", message, "`brief` gives the session as it is now."));
    };
    let session = record.fold(&env.mask, Some(cut.lines)).with_context(|| unreadable(&whose))?;
    let mut findings = if cut.summary.is_empty() { Vec::new() } else { audit::audit(&session, &cut.summary) };
    findings.retain(|finding| finding.kind == Difference::Dropped || finding.is_shown());
    let kinds = [
        (Difference::Contradicted, "The summary says otherwise"),
        (Difference::Mutated, "Differs from the record"),
        (Difference::Invented, "In the summary, and never said by the user"),
        (Difference::Dropped, "Not in the summary, or not in these words"),
    ];
    let mut blocks: Vec<PageBlock> = kinds
        .into_iter()
        .filter_map(|(kind, head)| {
            let lines: Vec<String> = findings.iter().filter(|f| f.kind == kind).map(difference).collect();
            (!lines.is_empty()).then(|| PageBlock::new(head, &lines.join("\n")))
        })
        .collect();
    let given = given_back(&whose, number, env)?;
    let count = given.len();
    blocks.extend(given);
    let about = format!(
        "{}, compaction {number} of {}, before L{}: {} between summary and record, {}. `recall` with \
         compaction:{number} lists what was said and done before it. {} {}",
        whose.in_words(),
        cuts.len(),
        cut.lines + 1,
        count_of(findings.len(), "difference"),
        if count == 0 { "nothing was given back" } else { "then what was given back" },
        audit::cannot_tell(&session).unwrap_or_default(),
        remark.unwrap_or_default(),
    );
    page::page(about.trim_end(), &blocks, cursor).map(|page| masked(page, env))
}

fn difference(finding: &Finding) -> String {
    let place = finding.place.map(|place| format!(" ({place})")).unwrap_or_default();
    let sure = if finding.is_told() { "" } else { " [uncertain]" };
    let quote =
        finding.summary_quote.as_ref().map(|quote| format!("\n  summary: {quote}")).unwrap_or_default();
    match finding.kind {
        Difference::Invented => format!("- {}{sure}{quote}", finding.fact.name()),
        _ => format!("- {}{place}{sure}: {}{quote}", finding.fact.name(), finding.text),
    }
}

/// What a hook of ours put into the context after it.
fn given_back(whose: &Whose, number: usize, env: &Env) -> Result<Vec<PageBlock>, Fault> {
    let (recalled, _) = of_session(&whose.found, "", &RecallRequest::Compaction(number), false, env)?;
    let given = recalled.pieces.iter().filter(|piece| piece.kind.is_given());
    let block = |piece: &RecalledPiece| {
        PageBlock::new(&format!("{} {}", piece.place, piece.label_for_model()), &piece.text)
    };
    Ok(given.map(block).collect())
}

// ---- notes

fn write_note(arguments: &Arguments, env: &Env) -> Result<String, Fault> {
    let state = arguments.text("state");
    // Nothing takes a line of the state back.
    if state.is_none() || !arguments.has("text") {
        arguments.needed("text", "the words, as in {\"text\": \"ask before pushing\"}")?;
    }
    let text = arguments.verbatim("text").unwrap_or_default();
    note::keep(&text, state.as_deref(), env)
}

/// Everything was masked when it was read; this is for what is put together here.
fn masked(text: String, env: &Env) -> String {
    match env.mask.text(&text) {
        std::borrow::Cow::Owned(masked) => masked,
        std::borrow::Cow::Borrowed(_) => text,
    }
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let start = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{start}{}{end}", letters.as_str())
}
