//! Other people's settings: rejected, or edited so that the result is JSON, has the same content, and can be undone.

#![no_main]

#[path = "."]
mod install {
    #![allow(dead_code, unused_imports)]
    #[path = "../../crates/catchword/src/install/json.rs"]
    pub mod json;
    #[path = "../../crates/catchword/src/install/section.rs"]
    pub mod section;
    #[path = "../../crates/catchword/src/install/settings.rs"]
    pub mod settings;
}

use catchword_engine::clients::CLIENTS;
use catchword_engine::clients::setup::{Hook, Setup};
use install::{section, settings};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const EXE: &str = "/usr/local/bin/catchword";
const SETUP: &Setup = &CLIENTS[0].setup;
const HOOKS: &[Hook] = SETUP.hooks.events;

fuzz_target!(|text: &str| {
    hooks(text);
    status_line(text);
    instructions(text);
});

fn hooks(text: &str) {
    let _ = settings::without_hooks(SETUP, text, EXE);
    let Ok(installed) = settings::with_hooks(SETUP, text, EXE) else { return };
    assert_eq!(settings::with_hooks(SETUP, &installed, EXE).as_ref(), Ok(&installed), "twice is once");
    assert_eq!(settings::found(SETUP, &installed, EXE).map(|found| found.len()), Ok(HOOKS.len()));
    let back = settings::without_hooks(SETUP, &installed, EXE).expect("what we wrote we understand");
    assert_eq!(settings::found(SETUP, &back, EXE).map(|found| found.len()), Ok(0));
    let theirs = settings::without_hooks(SETUP, text, EXE).expect("it was understood with our hooks in it");
    if let (Some(theirs), Some(back)) = (value(&theirs), value(&back)) {
        assert_eq!(without_empty(back), without_empty(theirs));
    }
}

fn status_line(text: &str) {
    let ours =
        |_: Option<&Value>| json!({"type": "command", "command": format!("{EXE} statusline claude-code")});
    let Ok(installed) = settings::with_status_line(SETUP, text, EXE, ours) else { return };
    assert!(is_json(&installed), "{installed:?}");
    let theirs = match settings::status_line(SETUP, text, EXE) {
        Ok(settings::StatusLine::Theirs(theirs)) => Some(theirs),
        Ok(settings::StatusLine::None) => None,
        _ => return,
    };
    let back =
        settings::without_status_line(SETUP, &installed, EXE, theirs.as_deref()).expect("what we wrote");
    let empty = text.trim_start_matches('\u{feff}').trim().is_empty();
    let same = value(&back).zip(value(text)).is_none_or(|(back, text)| back == text);
    assert!(empty || (is_json(&back) && same), "{text:?}\n{back:?}");
}

fn instructions(text: &str) {
    let Ok(with) = section::with_section(text, "a line\n\nanother") else { return };
    assert_eq!(section::with_section(&with, "a line\n\nanother").as_ref(), Ok(&with), "twice is once");
    section::without_section(&with).expect("what we wrote we understand");
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{feff}')).is_ok()
}

fn value(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// Empty lists that were filled are removed with what filled them.
fn without_empty(mut settings: Value) -> Value {
    if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|event, list| {
            list.as_array().is_none_or(|l| !l.is_empty()) || !HOOKS.iter().any(|h| h.event == event)
        });
        if hooks.is_empty() {
            settings.as_object_mut().expect("it has a member").remove("hooks");
        }
    }
    settings
}
