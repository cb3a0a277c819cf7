//! What hooks and status lines get on stdin: every byte string is a payload or none, and only what can be a file's name
//! is taken for a session.

#![no_main]

use catchword_engine::agent::{self, AGENTS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for agent in AGENTS {
        let _ = (agent.status)(bytes);
    }
    let Some((agent, event)) = agent::recognise(bytes) else { return };
    let told = (agent.inject)(&event, "a \"brief\"\n\u{7}");
    let said = (agent.say)(&event, "a brief", "a line");
    for stdout in [told, said].iter().filter(|text| text.starts_with('{')) {
        serde_json::from_str::<serde_json::Value>(stdout).expect("the client gets JSON");
    }
    if event.names_a_session() {
        let id = &event.session;
        assert!(!id.is_empty() && !id.contains(['/', '\\', '\0', '\n']) && id != "." && id != "..", "{id:?}");
    }
});
