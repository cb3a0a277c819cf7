//! Lines of a transcript: whatever bytes a client, a crash or a stranger left there, each is read or skipped, and what a
//! tool answered is never the person's words.

#![no_main]

use catchword_engine::agent::AGENTS;
use catchword_engine::agent::entry::{Part, Place};
use catchword_engine::extract::{Known, facts};
use catchword_engine::mask::mask;
use catchword_engine::session::Session;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    for agent in AGENTS {
        let mut session = Session::default();
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let place = Place(at as u32 + 1);
            let _ = (agent.replay)(line);
            let _ = (agent.owner)(std::path::Path::new("/a/agent-1.jsonl"), line);
            let _ = (agent.whole)(place, line);
            let Ok(Some(mut entry)) = (agent.entry)(place, line) else { continue };
            assert!(!answers_a_call(line) || !entry.parts.iter().any(is_the_persons), "{entry:?}");
            entry.map_texts(|text| *text = mask(text).into_owned());
            session.apply(&entry);
        }
        let _ = facts(&session, &Known::default());
    }
});

/// Whether a row holds what a tool answered.
fn answers_a_call(line: &[u8]) -> bool {
    let Ok(row) = serde_json::from_slice::<Value>(line) else { return false };
    let blocks = row["message"]["content"].as_array();
    row["type"] == "user" && blocks.into_iter().flatten().any(|block| block["type"] == "tool_result")
}

fn is_the_persons(part: &Part) -> bool {
    matches!(part, Part::Prompt { .. } | Part::Queued(_) | Part::Typed(_) | Part::Slash { .. })
}
