//! Lines of a transcript: whatever bytes a client, a crash or a stranger left there, each line is parsed or skipped,
//! and a tool's answer never becomes the person's words.

#![no_main]

use catchword_engine::clients::CLIENTS;
use catchword_engine::choose::{KnownText, facts};
use catchword_engine::model::entry::{Part, Place};
use catchword_engine::redact::SECRETS;
use catchword_engine::session::Session;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    for client in CLIENTS {
        let mut session = Session::default();
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let place = Place(at as u32 + 1);
            let _ = (client.replay)(line);
            let _ = (client.owner)(std::path::Path::new("/a/agent-1.jsonl"), line);
            let _ = client.entry_to_show(place, line);
            let Ok(Some(entry)) = (client.entry)(place, line) else { continue };
            let entry = entry.masked(SECRETS);
            assert!(!answers_a_call(line) || !entry.parts.iter().any(is_the_persons), "{entry:?}");
            session.apply(&entry);
        }
        let _ = facts(&session, &KnownText::default());
    }
});

/// Whether a row contains a tool's answer.
fn answers_a_call(line: &[u8]) -> bool {
    let Ok(row) = serde_json::from_slice::<Value>(line) else { return false };
    let blocks = row["message"]["content"].as_array();
    row["type"] == "user" && blocks.into_iter().flatten().any(|block| block["type"] == "tool_result")
}

fn is_the_persons(part: &Part) -> bool {
    matches!(part, Part::Prompt { .. } | Part::Queued(_) | Part::Typed(_) | Part::Slash { .. })
}
