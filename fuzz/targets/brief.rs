//! A session of arbitrary words, up to its brief: the brief is within its budget, has one frame and only our headings.
//!
//! Each line of the input is one thing said or done; its first character says which, `
//!
//! ` is a line break in it.

#![no_main]

use catchword_engine::audit;
use catchword_engine::brief::{self, HARD_LIMIT};
use catchword_engine::choose::{KnownText, Section, facts};
use catchword_engine::model::entry::{
    Entry, EntryId, Extra, Part, Place, Slash, TaskStatus, Thread, Todo, Tool, Usage,
};
use catchword_engine::model::frame::{CLOSING, OPENING};
use catchword_engine::model::origin::Origin;
use catchword_engine::ops::{self, brief::GuideLimits};
use catchword_engine::session::Session;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let budget = head.trim().parse::<usize>().unwrap_or(6_000);
    let (mut session, mut summary) = (Session::default(), String::new());
    for (at, line) in rest.lines().enumerate() {
        let Some(kind) = line.chars().next() else { continue };
        let words = line[kind.len_utf8()..].replace('¶', "\n");
        if kind == 'z' {
            summary.push_str(&words);
        }
        session.apply(&entry(at as u32 + 1, kind, words));
    }
    let known = KnownText::new(&summary).with_findings(audit::audit(&session, &summary));
    let all = facts(&session, &known);
    let brief = brief::brief(all, budget);
    assert!(brief.text.chars().count() <= brief::clamped(budget).min(HARD_LIMIT));
    assert!(brief.text.is_empty() || is_framed(&brief.text), "{}", brief.text);
    is_clean(&brief.text);
    is_clean(&ops::brief::guide(&session, &[], None, None, GuideLimits::default()));
});

/// One row of the session.
fn entry(line: u32, kind: char, words: String) -> Entry {
    let id = format!("c{}", line.saturating_sub(1));
    let call = |tool: Tool| vec![Part::Call { id: format!("c{line}"), tool }];
    let (first, second) =
        words.split_once('|').map_or((words.clone(), String::new()), |(a, b)| (a.into(), b.into()));
    let parts = match kind {
        'u' => vec![Part::Prompt { text: words, queued: false, origin: Origin::Typed }],
        'q' => vec![Part::Prompt { text: words, queued: true, origin: Origin::Typed }],
        'Q' => vec![Part::Queued(words)],
        'b' => vec![Part::Beside(words)],
        '/' => vec![Part::Slash { name: first, args: second, kind: Slash::Prompt }],
        '!' => vec![Part::Typed(words)],
        'i' => vec![Part::Interrupted],
        'a' => vec![Part::Text(words)],
        'e' => vec![Part::Text(words), Part::TurnEnd],
        's' => call(Tool::Shell { command: words, background: false }),
        'S' => call(Tool::Shell { command: words, background: true }),
        'r' => call(Tool::Read { path: words }),
        'w' => call(Tool::Write { path: first, content: second }),
        'd' => call(Tool::Edit { path: first, change: second.clone(), added: second }),
        'g' => call(Tool::Search { pattern: first, path: Some(second), in_text: true }),
        't' => call(Tool::TaskCreate { subject: words.clone(), detail: words }),
        'T' => call(Tool::TaskUpdate { task: first, status: Some(TaskStatus::Completed), subject: None }),
        'l' => {
            let todo = |text: &str| Todo { text: text.to_owned(), status: TaskStatus::Pending };
            call(Tool::Todos(words.split('|').map(todo).collect()))
        }
        'k' => call(Tool::Skill { name: first, args: second }),
        'p' => call(Tool::Plan { text: first, file: Some(second) }),
        'A' => call(Tool::Agent { description: first, prompt: second }),
        '?' => call(Tool::Ask { questions: vec![words] }),
        'o' => call(Tool::Other { name: first, input: second }),
        '+' => vec![Part::Result { call: id, ok: true, text: words, extra: Extra::default() }],
        '-' => vec![Part::Result { call: id, ok: false, text: words, extra: Extra::default() }],
        '=' => {
            let extra = Extra { answers: vec![(first, second)], task: Some("1".into()), ..Extra::default() };
            vec![Part::Result { call: id, ok: true, text: words, extra }]
        }
        'x' => {
            let extra =
                Extra { refused: Some(words.clone()), background: Some(words.clone()), ..Extra::default() };
            vec![Part::Result { call: id, ok: false, text: words, extra }]
        }
        'z' => vec![Part::Summary(words)],
        'c' => vec![Part::Compaction { manual: false, before: Some(9), after: Some(1) }],
        'h' => vec![Part::Injected { event: first, text: second }],
        _ => vec![Part::Usage(Usage { input: u64::from(line) * 1_000, output: 1, window: None })],
    };
    Entry {
        place: Place(line),
        id: Some(EntryId(u64::from(line))),
        time: Some(i64::from(line) * 1_000),
        thread: if kind == '~' { Thread::Sub } else { Thread::Main },
        cwd: Some("/p".into()),
        parts,
        ..Entry::default()
    }
}

/// From our opening tag to our closing one, each exactly once.
fn is_framed(brief: &str) -> bool {
    let lower = brief.to_lowercase();
    brief.starts_with(OPENING)
        && brief.ends_with(CLOSING)
        && lower.matches("<catchword").count() == 1
        && lower.matches("</catchword").count() == 1
}

/// Only our headings, each once and in order; no client tags; no invisible characters.
fn is_clean(text: &str) {
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    let ours: Vec<String> = Section::all().map(|section| brief::heading(section).trim().to_owned()).collect();
    let places: Vec<_> = headings.iter().map(|h| ours.iter().position(|o| o == h)).collect();
    assert!(places.iter().all(Option::is_some), "{headings:?}\n{text}");
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{headings:?}\n{text}");
    let lower = text.to_lowercase();
    for tag in ["<system-reminder", "</system-reminder", "<command-", "<task-notification", "<local-command"]
    {
        assert!(!lower.contains(tag), "{tag}: {text}");
    }
    let hidden = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(hidden), "{text:?}");
}
