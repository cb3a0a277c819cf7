//! The tools: one table, each a few words for the model, its arguments, and a function to the verbs that the commands
//! call, too.

use std::path::Path;

use catchword_engine::archive::history::item::ItemKind;
use catchword_engine::archive::history::query::Query;
use catchword_engine::model::finding::FindingKind;
use catchword_engine::model::note::Author;
use catchword_engine::ops::read::brief::for_agent;
use catchword_engine::ops::read::compaction::{
    CarriedLine, CompactionAt, CompactionDocument, CompactionRequest, FindingDocument, compaction,
};
use catchword_engine::ops::read::project::{ProjectLine, ProjectRequest, ProjectSection, project};
use catchword_engine::ops::read::recall::{PieceDocument, RecallPlace, explain_nothing, recall};
use catchword_engine::ops::read::search::{HitDocument, SearchRequest, search};
use catchword_engine::ops::read::work::{self, WorkLine, WorkSection};
use catchword_engine::ops::read::{Reader, Which};
use catchword_engine::ops::recall::RecallAddress;
use catchword_engine::ops::search::{Advice, WordAdvice};
use catchword_engine::session::one_line;
use catchword_engine::text::numbers::{ago, count_of};
use serde::Serialize;
use serde_json::Value;

use super::arguments::{Argument, ArgumentKind, Arguments};
use super::page::{self, PageBlock, PageCursor};
use super::whose::{AskedSession, in_words};
use super::{Fault, note};
use crate::app::env::Env;

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
    /// It needs what is new since the last turn ended.
    pub fresh: bool,
    /// Answers a call.
    pub call: fn(&McpCall) -> Result<ToolAnswer, Fault>,
}

/// A call, and what it is answered from: the databases are opened once for each.
pub struct McpCall<'a> {
    pub arguments: Arguments<'a>,
    pub reader: Reader<'a>,
    pub env: &'a Env,
    /// The caller wants the document, too.
    pub wants_document: bool,
}

impl McpCall<'_> {
    fn answer(&self, reply: ToolReply, document: &impl Serialize) -> ToolAnswer {
        let document = self.wants_document.then(|| serde_json::to_value(document).ok()).flatten();
        ToolAnswer { reply, document }
    }
}

/// An answer for a model, and the same for a program.
pub struct ToolAnswer {
    pub reply: ToolReply,
    pub document: Option<Value>,
}

pub enum ToolReply {
    Text(String),
    /// Shown a page at a time.
    Pages(Pages),
}

pub struct Pages {
    pub about: String,
    pub blocks: Vec<PageBlock>,
}

fn pages(about: &str, blocks: Vec<PageBlock>) -> ToolReply {
    ToolReply::Pages(Pages { about: about.trim_end().to_owned(), blocks })
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
        fresh: true,
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
        fresh: true,
        call: search_all,
    },
    McpTool {
        name: "project",
        about: "What earlier sessions here taught: commands, the user's rules, files.",
        arguments: &[Argument { name: "file", about: "", required: false, kind: ArgumentKind::Text }, CURSOR],
        writes: false,
        fresh: true,
        call: repository,
    },
    McpTool {
        name: "brief",
        about: "A session in short, as it is now: requests, standing instructions, open work, failures, files, \
                decisions, each with its place.",
        arguments: &[SESSION],
        writes: false,
        fresh: false,
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
        fresh: false,
        call: write_note,
    },
    McpTool {
        name: "open_work",
        about: "What is not finished: open tasks, failing commands, what runs in the background, where it stood.",
        arguments: &[SESSION, CURSOR],
        writes: false,
        fresh: false,
        call: open_work,
    },
    McpTool {
        name: "what_was_lost",
        about: "What a compaction's summary dropped, contradicts or changed, and what was given back.",
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
        fresh: false,
        call: what_was_lost,
    },
];

// ---- recall

fn recall_place(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let arguments = &call.arguments;
    let place = arguments.needed("place", "a place of the record, as in {\"place\": \"L790\"}")?;
    let RecallAddress { session, subagent, wanted } = RecallAddress::parse(&place).ok_or_else(|| {
        let message = format!("{place:?} is no place.");
        Fault::new("bad_place", message, "Give L790, L790-L812, #3, src/a.rs, compaction:2 or note:3.")
    })?;
    // A place that names its session means that one, whatever else was filled in.
    let asked = session.map_or_else(
        || AskedSession::of(arguments),
        |session| AskedSession { start: Some(session), subagent },
    );
    let found = RecallPlace { which: asked.which(), subagent: &asked.subagent, wanted: &wanted, all: false };
    let recalled = recall(&call.reader, &found).map_err(|error| asked.fault(error))?;
    if recalled.pieces.is_empty() {
        let message = sentence(&explain_nothing(&recalled, &wanted));
        let todo = "Look for it with `search`, or name the session it is from.";
        return Err(Fault::new("nothing_there", message, todo));
    }
    let blocks: Vec<PageBlock> = recalled.pieces.iter().flat_map(blocks_of).collect();
    let rest = recalled.shortened.then_some("A range shows the others.");
    let remarks: Vec<&str> = recalled.remarks.iter().map(String::as_str).chain(rest).collect();
    let whose = in_words(recalled.own, recalled.session.as_deref().unwrap_or_default(), &asked.subagent);
    let about = format!("{whose}, {place}. {}", remarks.join(" "));
    Ok(call.answer(pages(&about, blocks), &recalled))
}

/// What was said or done, and the answer to it, each under its own head.
fn blocks_of(piece: &PieceDocument) -> Vec<PageBlock> {
    let words = [piece.title.as_str(), piece.text.as_str()].into_iter().filter(|text| !text.is_empty());
    let said = PageBlock::new(
        &format!("{} {}", piece.place, piece.for_model),
        &words.collect::<Vec<_>>().join("\n"),
    );
    let answer = piece.answer.as_ref().map(|answer| {
        let outcome = if answer.ok { "" } else { ", failed" };
        PageBlock::new(&format!("{} tool output{outcome}", answer.place), &answer.text)
    });
    std::iter::once(said).chain(answer).collect()
}

// ---- search

fn search_all(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let arguments = &call.arguments;
    let words = arguments.needed("query", "words to look for, as in {\"query\": \"retry limit\"}")?;
    let limit = arguments.number("limit")?.unwrap_or(HITS).min(MOST_HITS);
    let skip = match arguments.text("cursor") {
        None => 0,
        Some(cursor) => cursor.parse::<u32>().map(|skip| skip as usize).map_err(|_| {
            let message = format!("{cursor:?} is no cursor.");
            Fault::new("bad_cursor", message, "Take the cursor of the page before, or leave it out.")
        })?,
    };
    let query = Query::parse(&words, call.reader.now);
    let request = SearchRequest { query: &query, typed: &words, limit, skip, passage: PASSAGE };
    let found = search(&call.reader, &request).map_err(|error| AskedSession::default().fault(error))?;
    if let Some(advice) = &found.advice {
        let todo = "Other words, a beginning (pars*), or no filters find more.";
        let message = format!("No hits. {}", advised(advice));
        return Err(Fault::new("nothing_found", message.trim_end(), todo));
    }
    if found.hits.is_empty() {
        return Err(page::no_more());
    }
    let own = call.reader.choose(Which::Own).ok().map(|own| own.id);
    let blocks: Vec<PageBlock> =
        found.hits.iter().map(|hit| block_of(hit, own.as_deref(), call.env)).collect();
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
    let silent = found.shared.as_ref().and_then(|shared| shared.why.as_ref());
    let silent = silent.map(|why| format!(" Other projects in the shared archive were not searched: {why}."));
    let about = format!(
        "{tier}{} fit; these are {} to {after}, by session. `recall` with a hit's place shows its lines.{}",
        found.count(),
        skip + 1,
        silent.unwrap_or_default(),
    );
    Ok(call.answer(ToolReply::Text(page::framed(&about, &text, next.as_deref())), &found))
}

fn block_of(hit: &HitDocument, own: Option<&str>, env: &Env) -> PageBlock {
    let session = match own {
        Some(own) if own == hit.session => ", this session",
        _ => "",
    };
    let at = hit.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let at = at.map(|at| format!(", {}", at.to_string().get(..10).unwrap_or_default())).unwrap_or_default();
    let project = hit.project.as_deref().filter(|p| env.cwd != Path::new(p));
    let project = project.map(|p| format!(", {}", env.show(Path::new(p)))).unwrap_or_default();
    let asked = hit.asked.as_ref().map(|asked| format!(", for the request in {}", asked.place));
    let by = hit.person.as_ref().map(|person| format!(" by {person}")).unwrap_or_default();
    let machine = hit.machine.as_ref().map(|machine| format!(", recorded on {machine}{by}"));
    let head = format!(
        "{}{session}{at}{project}{}: {}{}",
        hit.address,
        machine.unwrap_or_default(),
        kind_of(hit),
        asked.unwrap_or_default()
    );
    let mut body = String::new();
    if !hit.title.is_empty() && hit.passage.text != hit.title {
        body.push_str(&one_line(&hit.title, 160));
        body.push('\n');
    }
    body.push_str(&hit.passage.text);
    PageBlock::new(&head, &body)
}

fn kind_of(hit: &HitDocument) -> String {
    let failed = if hit.failed { ", failed" } else { "" };
    let kind = match hit.item {
        ItemKind::Prompt => "the user said",
        ItemKind::Said => "the agent said",
        ItemKind::Command => "a command and its output",
        ItemKind::File => "a file, by a tool",
        ItemKind::Tool => "a tool and its output",
        ItemKind::Task => "a task",
        ItemKind::Decision => "a question or plan, and the user's word on it",
        ItemKind::Summary => "a summary, written by a model",
        ItemKind::Note => match hit.by {
            Some(Author::Person) => "a note of the user's",
            Some(Author::Agent) => "a note of the agent's own",
            None => "a note",
        },
        ItemKind::Boundary => "a compaction",
    };
    format!("{kind}{failed}")
}

fn advised(advice: &Advice) -> String {
    let word = |word: &WordAdvice| match (word.items, &word.near[..]) {
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

// ---- the repository

fn repository(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let file = call.arguments.text("file");
    let request = ProjectRequest { file: file.as_deref(), why: false };
    let found = project(&call.reader, &request).map_err(|error| AskedSession::default().fault(error))?;
    if found.sections.is_empty() {
        let todo = "`search` looks in all sessions.";
        return Err(Fault::new("nothing_there", "Nothing of this is known of the repository.", todo));
    }
    let block = |section: &ProjectSection| {
        let lines: Vec<String> = section.lines.iter().map(|line| taught(line, call.reader.now)).collect();
        PageBlock::new(section.kind.heading(), &lines.join("\n"))
    };
    let blocks: Vec<PageBlock> = found.sections.iter().map(block).collect();
    let about = format!(
        "{} of this repository; `recall` with a place shows it.",
        count_of(found.sessions, "session")
    );
    Ok(call.answer(pages(&about, blocks), &found))
}

fn taught(line: &ProjectLine, now: i64) -> String {
    let text = one_line(&line.text, PASSAGE);
    let about =
        if line.about.is_empty() { String::new() } else { format!("{}: ", one_line(&line.about, PASSAGE)) };
    let often = if line.often.is_empty() { String::new() } else { format!(", {}", line.often) };
    let age = line.at.map(|at| format!(", {}", ago(now - at))).unwrap_or_default();
    let by = line.person.as_ref().map(|person| format!(", by {person}")).unwrap_or_default();
    format!("- {about}{text} ({}{age}{often}{by})", line.place)
}

// ---- the session as it stands

fn brief(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let asked = AskedSession::of(&call.arguments);
    let brief = for_agent(&call.reader, asked.which(), page::MOST).map_err(|error| asked.fault(error))?;
    if brief.text.is_empty() {
        let message = format!("{} has nothing to tell yet.", in_words(brief.own, &brief.session, ""));
        return Err(Fault::new("nothing_there", message, "Name another session, or go on."));
    }
    Ok(call.answer(ToolReply::Text(brief.text.clone()), &brief))
}

fn open_work(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let asked = AskedSession::of(&call.arguments);
    let work = work::open_work(&call.reader, asked.which()).map_err(|error| asked.fault(error))?;
    let block = |section: &WorkSection| {
        let lines: Vec<String> = section.lines.iter().map(line_of).collect();
        PageBlock::new(section.heading, &lines.join("\n"))
    };
    let blocks: Vec<PageBlock> = work.sections.iter().map(block).collect();
    let left = if work.unfinished.is_empty() { "nothing is known to be open" } else { &work.unfinished };
    let whose = in_words(work.own, &work.session, "");
    let about = format!("{whose}: {left}. {}", work.remark.as_deref().unwrap_or_default());
    Ok(call.answer(pages(&about, blocks), &work))
}

fn line_of(line: &WorkLine) -> String {
    let place = line.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    format!("- {}{place}", line.text)
}

// ---- compactions

fn what_was_lost(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let at = call.arguments.number("compaction")?.map_or(CompactionAt::Latest, CompactionAt::Number);
    let asked = AskedSession::of(&call.arguments);
    let request = CompactionRequest { which: asked.which(), at, summary: None };
    let lost = compaction(&call.reader, &request).map_err(|error| asked.fault(error))?;
    let kinds = [
        (FindingKind::Contradicted, "The summary says otherwise"),
        (FindingKind::Mutated, "Differs from the record"),
        (FindingKind::Invented, "In the summary, and never said by the user"),
        (FindingKind::Dropped, "Not in the summary, or not in these words"),
    ];
    let found = lost.findings.as_deref().unwrap_or_default();
    let mut blocks: Vec<PageBlock> = kinds
        .into_iter()
        .filter_map(|(kind, head)| {
            let lines: Vec<String> = found.iter().filter(|f| f.kind == kind).map(difference).collect();
            (!lines.is_empty()).then(|| PageBlock::new(head, &lines.join("\n")))
        })
        .collect();
    blocks.extend(left_out(&lost));
    let given = given_back(&lost);
    let is_given = !given.is_empty();
    blocks.extend(given);
    let number = lost.number.unwrap_or_default();
    let about = format!(
        "{}, compaction {number} of {}, before L{}: {}, {}. `recall` with compaction:{number} lists what was said and done \
         before it. {} {}",
        in_words(asked.is_own(&call.reader, &lost.session), &lost.session, ""),
        lost.of,
        lost.line.unwrap_or_default() + 1,
        in_numbers(&lost, found.len()),
        match (&lost.machine, is_given) {
            (Some(_), _) => "what was given back is on that machine",
            (None, true) => "then what was given back",
            (None, false) => "nothing was given back",
        },
        lost.cannot_tell.as_deref().unwrap_or_default(),
        lost.remark.as_deref().unwrap_or_default(),
    );
    Ok(call.answer(pages(&about, blocks), &lost))
}

/// What was compared, in the numbers of `catchword lost`.
fn in_numbers(lost: &CompactionDocument, found: usize) -> String {
    let carried = lost.carried.map(|carried| {
        format!(", {} of {} things worth carrying over left out", carried.lost, carried.kept + carried.lost)
    });
    let differs = match (&lost.summary_broken, &lost.summary) {
        (Some(broken), _) => format!("the summary is broken ({broken}), nothing was compared"),
        (None, None) => "only the client can read the summary, nothing was compared".to_owned(),
        (None, Some(_)) if lost.findings.is_none() => "nothing was compared".to_owned(),
        (None, Some(_)) => format!("{} between summary and record", count_of(found, "difference")),
    };
    format!("{differs}{}", carried.unwrap_or_default())
}

fn difference(finding: &FindingDocument) -> String {
    let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    let quote =
        finding.summary_quote.as_ref().map(|quote| format!("\n  summary: {quote}")).unwrap_or_default();
    match finding.kind {
        FindingKind::Invented => format!("- {}{quote}", finding.fact.name()),
        _ => format!("- {}{place}: {}{quote}", finding.fact.name(), finding.text),
    }
}

/// What the model no longer has, by heading; what was given back follows anyway.
fn left_out(lost: &CompactionDocument) -> Vec<PageBlock> {
    let lines = lost.lines.as_deref().unwrap_or_default();
    let missing: Vec<&CarriedLine> = lines.iter().filter(|line| !line.kept && !line.handed_back).collect();
    let block = |lines: &[&CarriedLine]| {
        let line = |line: &&CarriedLine| {
            let place = line.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
            format!("- {}{place}", line.text)
        };
        let text: Vec<String> = lines.iter().map(line).collect();
        PageBlock::new(&format!("Left out and not given back: {}", lines[0].heading), &text.join("\n"))
    };
    missing.chunk_by(|a, b| a.heading == b.heading).map(block).collect()
}

/// What a hook of ours put into the context after it.
fn given_back(lost: &CompactionDocument) -> Vec<PageBlock> {
    let Some(handed) = &lost.handed else { return Vec::new() };
    let later = handed.told_later.as_ref().map(|text| PageBlock::new("told later by catchword", text));
    std::iter::once(PageBlock::new("given back by catchword", &handed.text)).chain(later).collect()
}

// ---- notes

fn write_note(call: &McpCall) -> Result<ToolAnswer, Fault> {
    let arguments = &call.arguments;
    let state = arguments.text("state");
    // Nothing takes a line of the state back.
    if state.is_none() || !arguments.has("text") {
        arguments.needed("text", "the words, as in {\"text\": \"ask before pushing\"}")?;
    }
    let text = arguments.verbatim("text").unwrap_or_default();
    let asked = AskedSession::default();
    let session = call.reader.choose(asked.which()).map_err(|error| asked.fault(error))?;
    let kept = note::keep(&session.id, &text, state.as_deref(), call.env)?;
    Ok(ToolAnswer { reply: ToolReply::Text(kept), document: None })
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let start = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{start}{}{end}", letters.as_str())
}
