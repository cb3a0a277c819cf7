//! The tiny client of the test kit, implemented as a client of the engine: what a new folder in `clients/` must
//! provide.

use std::path::{Path, PathBuf};

use catchword_engine::clients::environment::Environment;
use catchword_engine::clients::{Client, Delivery, Owner, Phrases, Room, Transcripts, Understood, Words};
use catchword_engine::model::entry::{Entry, EntryId, Extra, Part, Place, Thread, Tool};
use catchword_engine::model::event::{EventKind, HookEvent, StartKind};
use catchword_engine::model::origin::Origin;
use catchword_engine::redact::UnmaskedEntry;
use catchword_testkit::tiny_client::{TINY_ROOM, TINY_TAG};
use serde_json::Value;

pub static TINY: Client = CLIENT;

/// The same client without an event after a compaction.
pub static TINY_WITHOUT_END: Client = Client { delivery: Delivery::WithNextEvent, ..CLIENT };

const CLIENT: Client = Client {
    name: "tiny",
    phrases: Phrases {
        name: "Tiny",
        compact: "!shrink",
        clear: None,
        resume: |id| format!("tiny on {id}"),
        tags: &[TINY_TAG],
    },
    event,
    entry,
    is_row: |line| parsed(line).is_some_and(|row| row["tiny"].is_u64()),
    owner: |path, _| Some(Owner { session: path.file_stem()?.to_str()?.to_owned(), subagent: None }),
    transcripts: Transcripts { folder: "chats", ..Transcripts::PLAIN },
    say: |_, text, message| match (text, message) {
        ("", "") => String::new(),
        (text, message) => format!("tell {text}\nshow {message}"),
    },
    room: Room::Bytes(TINY_ROOM),
    environment: Environment { config_dir: "TINY_HOME", home_folder: ".tiny", ..Environment::PLAIN },
    words: Words { anywhere: &["tiny"], alone: &["term", "peek"] },
    ..Client::PLAIN
};

fn parsed(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().filter(Value::is_object)
}

fn event(payload: &[u8]) -> Option<HookEvent> {
    let payload = parsed(payload)?;
    let kind = match payload["moment"].as_str()? {
        "shrinking" => EventKind::BeforeCompaction { manual: false },
        "shrunk" => EventKind::Start(StartKind::Compact),
        "idle" => EventKind::TurnEnd,
        "did" => EventKind::Tools,
        _ => EventKind::Other,
    };
    Some(HookEvent {
        kind,
        session: payload["chat"].as_str().unwrap_or_default().to_owned(),
        transcript: payload["file"].as_str().map(PathBuf::from),
        cwd: payload["in"].as_str().map(Path::new).map(Path::to_owned),
        name: payload["moment"].as_str().unwrap_or_default().to_owned(),
        ..HookEvent::default()
    })
}

fn entry(place: Place, line: &[u8]) -> Understood {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let row = parsed(line).ok_or("not a row")?;
    let thread = if row["helper"].is_string() { Thread::Sub } else { Thread::Main };
    let id = row["tiny"].as_u64().map(|number| EntryId::of(&number.to_string()));
    let entry = Entry { place, id, thread, parts: parts(&row), ..Entry::default() };
    Ok(Some(UnmaskedEntry::new(entry)))
}

fn parts(row: &Value) -> Vec<Part> {
    let text = |key: &str| row[key].as_str().map(str::to_owned);
    match row["who"].as_str() {
        Some("person") => {
            let typed = text("says").filter(|says| !says.starts_with(&format!("<{TINY_TAG}>")));
            typed
                .map(|text| Part::Prompt { text, origin: Origin::Typed, queued: false })
                .into_iter()
                .collect()
        }
        Some("bot") => {
            let call = text("as").map(|id| Part::Call { id, tool: tool(&row["does"]) });
            text("says").map(Part::Text).into_iter().chain(call).collect()
        }
        Some("tool") => {
            let exit_code = row["exit"].as_i64().map(|code| code as i32);
            let extra = Extra { task: text("made"), exit_code, ..Extra::default() };
            let (call, text) = (text("of").unwrap_or_default(), text("printed").unwrap_or_default());
            vec![Part::Result { call, ok: exit_code.is_none_or(|code| code == 0), text, extra }]
        }
        Some("tiny") => {
            let compaction = Part::Compaction { manual: false, before: None, after: None };
            text("shrunk").into_iter().flat_map(|text| [compaction.clone(), Part::Summary(text)]).collect()
        }
        _ => Vec::new(),
    }
}

fn tool(call: &Value) -> Tool {
    let text = |key: &str| call[key].as_str().unwrap_or_default().to_owned();
    match call["tool"].as_str() {
        Some("term") => Tool::Shell { command: text("line"), background: false },
        Some("peek") => Tool::Read { path: text("file") },
        Some("plan") => Tool::TaskCreate { subject: text("item"), detail: String::new() },
        _ => Tool::Other { name: text("tool"), input: call.to_string() },
    }
}
