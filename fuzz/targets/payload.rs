//! Input of hooks and status lines: any bytes are parsed or rejected, and only ids that are safe file names are
//! accepted as sessions.

#![no_main]

use catchword_engine::clients::{CLIENTS, Client};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for client in CLIENTS {
        let _ = (client.status)(bytes);
        hook(client, bytes);
    }
});

fn hook(client: &Client, bytes: &[u8]) {
    let Some(event) = (client.event)(bytes) else { return };
    let told = (client.say)(&event, "a \"brief\"\n\u{7}", "");
    let said = (client.say)(&event, "a brief", "a line");
    for stdout in [told, said].iter().filter(|text| text.starts_with('{')) {
        serde_json::from_str::<serde_json::Value>(stdout).expect("the client gets JSON");
    }
    if event.names_a_session() {
        let id = &event.session;
        assert!(!id.is_empty() && !id.contains(['/', '\\', '\0', '\n']) && id != "." && id != "..", "{id:?}");
    }
}
