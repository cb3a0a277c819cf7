//! Adds, removes and finds our entries in the text of a settings file.
//!
//! Pure functions from text to text. They touch only our own handlers (and groups, lists and the `hooks` member that
//! contain nothing else). They reject a file with an unexpected structure, because guessing in somebody's settings is
//! worse than an error that says what to do.

use std::collections::BTreeMap;
use std::ops::Range;

use catchword_engine::clients::setup::{Fields, HOOKS_KEY, Hook, HookEntries, Setup};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::json;

/// Why a settings file is left as it is.
#[derive(Debug, PartialEq, Eq)]
pub enum Shape {
    /// Not JSON at this position.
    NotJson { line: usize, column: usize, why: String },
    /// JSON, but not an object or array where one must be.
    Wrong { what: String, wanted: &'static str, found: &'static str },
    /// A duplicate member: we might change the one that the client ignores.
    Twice { what: String },
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Shape::NotJson { line, column, why } => {
                write!(f, "it is not valid JSON: {why} (line {line}, column {column})")
            }
            Shape::Wrong { what, wanted, found } => write!(f, "{what} is {found} where {wanted} should be"),
            Shape::Twice { what } => write!(f, "{what} is there twice"),
        }
    }
}

/// One of our handlers in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundHandler {
    /// The event that calls it.
    pub event: String,
    /// The program it calls.
    pub command: String,
    /// Whether it names the calling client.
    pub names_client: bool,
    /// Whether it is what `init` would write today.
    pub current: bool,
    place: HandlerIndex,
}

/// The indices of the event's list, of the group in it and of the handler in the group.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HandlerIndex {
    group: usize,
    handler: usize,
    handlers: usize,
    span: Range<usize>,
}

/// The text with our handlers: added if missing, corrected in place if outdated, surplus ones removed. A text that is
/// already right is returned unchanged.
pub fn with_hooks(setup: &Setup, text: &str, command: &str) -> Result<String, Shape> {
    if let Some(shim) = &setup.shim {
        return if text.trim().is_empty() || shim.program(text).is_some() {
            Ok(shim.text(command))
        } else {
            let what = "the whole file".to_owned();
            Err(Shape::Wrong { what, wanted: "ours", found: "somebody else's" })
        };
    }
    let (bom, text) = split_bom(text);
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    while let Some(surplus) = surplus(&setup.hooks, &text, command)? {
        text = without(&text, &surplus)?;
    }
    for hook in setup.hooks.events {
        text = with_hook(&setup.hooks, &text, hook, command)?;
    }
    Ok(format!("{bom}{text}"))
}

/// The text without our handlers.
pub fn without_hooks(setup: &Setup, text: &str, exe: &str) -> Result<String, Shape> {
    if let Some(shim) = &setup.shim {
        let is_ours = shim.program(text).is_some();
        return Ok(if is_ours { String::new() } else { text.to_owned() });
    }
    let (bom, text) = split_bom(text);
    if text.trim().is_empty() {
        return Ok(format!("{bom}{text}"));
    }
    let mut text = text.to_owned();
    while let Some(found) = found_in(&setup.hooks, &text, exe)?.pop() {
        text = without(&text, &found)?;
    }
    Ok(format!("{bom}{text}"))
}

/// The text with our status line, which wraps the present one. `entry` builds our entry from theirs; an entry of ours
/// that is already right stays unchanged.
pub fn with_status_line(
    setup: &Setup,
    text: &str,
    exe: &str,
    entry: impl FnOnce(Option<&Value>) -> Value,
) -> Result<String, Shape> {
    let Some(line) = &setup.status_line else { return Ok(text.to_owned()) };
    let (bom, text) = split_bom(text);
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let text = match status_line_span(setup, text)? {
        None => json::append(text, json::whole(text), Some(line.key), &entry(None)),
        Some(span) => {
            let stands = value_at(text, &span);
            let ours = (line.ours)(&stands, exe).is_some();
            let wanted = entry((!ours).then_some(&stands));
            let same = ours && stands.get("command") == wanted.get("command");
            if same { text.to_owned() } else { json::replace(text, span, &wanted) }
        }
    };
    Ok(format!("{bom}{text}"))
}

/// The text without our status line; theirs is restored in its place, verbatim.
pub fn without_status_line(
    setup: &Setup,
    text: &str,
    exe: &str,
    theirs: Option<&str>,
) -> Result<String, Shape> {
    let (bom, text) = split_bom(text);
    if text.trim().is_empty() {
        return Ok(format!("{bom}{text}"));
    }
    let ours = status_line_span(setup, text)?.filter(|span| is_our_status_line(setup, text, span, exe));
    let text = match (ours, theirs) {
        (None, _) => text.to_owned(),
        (Some(span), Some(theirs)) => json::put_back(text, span, theirs),
        (Some(span), None) => {
            let root = json::whole(text);
            let at = json::items(text, root.clone()).iter().position(|item| item.value == span);
            json::remove(text, root, at.expect("it was found there"))
        }
    };
    Ok(format!("{bom}{text}"))
}

/// Whether the status line of this text is ours, and its text if it is not.
pub fn status_line(setup: &Setup, text: &str, exe: &str) -> Result<StatusLine, Shape> {
    let text = split_bom(text).1;
    if text.trim().is_empty() {
        return Ok(StatusLine::None);
    }
    Ok(match status_line_span(setup, text)? {
        None => StatusLine::None,
        Some(span) if is_our_status_line(setup, text, &span, exe) => {
            let kept = setup.status_line.as_ref().and_then(|line| (line.kept)(&value_at(text, &span)));
            StatusLine::Ours { kept: kept.map(|entry| entry.to_string()) }
        }
        Some(span) => StatusLine::Theirs(text[span].to_owned()),
    })
}

/// The status line of a settings file.
#[derive(Debug, PartialEq, Eq)]
pub enum StatusLine {
    None,
    /// Ours, and the one that it wraps.
    Ours {
        kept: Option<String>,
    },
    /// Somebody else's, verbatim.
    Theirs(String),
}

fn status_line_span(setup: &Setup, text: &str) -> Result<Option<Range<usize>>, Shape> {
    if setup.shim.is_some() {
        return Ok(None);
    }
    valid(text)?;
    let root = json::whole(text);
    must_be(text, &root, "an object", || "the whole file".to_owned())?;
    setup.status_line.as_ref().map_or(Ok(None), |line| member(text, root, line.key))
}

fn is_our_status_line(setup: &Setup, text: &str, span: &Range<usize>, exe: &str) -> bool {
    setup.status_line.as_ref().is_some_and(|line| (line.ours)(&value_at(text, span), exe).is_some())
}

fn value_at(text: &str, span: &Range<usize>) -> Value {
    serde_json::from_str(&text[span.clone()]).unwrap_or_default()
}

/// Our handlers in this text.
pub fn found(setup: &Setup, text: &str, exe: &str) -> Result<Vec<FoundHandler>, Shape> {
    if let Some(shim) = &setup.shim {
        let Some(command) = shim.program(text) else { return Ok(Vec::new()) };
        let current = shim.text(&command) == text;
        let handler = |hook: &Hook| FoundHandler {
            event: hook.event.to_owned(),
            command: command.clone(),
            names_client: true,
            current,
            place: HandlerIndex { group: 0, handler: 0, handlers: 1, span: 0..0 },
        };
        return Ok(setup.hooks.events.iter().map(handler).collect());
    }
    let text = split_bom(text).1;
    if text.trim().is_empty() { Ok(Vec::new()) } else { found_in(&setup.hooks, text, exe) }
}

/// Some editors write a byte order mark; the client accepts it, so it stays.
pub(super) fn split_bom(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

/// One of our handlers that we must remove: its event is no longer used, or it is there twice.
fn surplus(hooks: &HookEntries, text: &str, exe: &str) -> Result<Option<FoundHandler>, Shape> {
    let all = found_in(hooks, text, exe)?;
    let unasked = |found: &FoundHandler| !hooks.events.iter().any(|hook| hook.event == found.event);
    let doubled =
        |(at, found): (usize, &FoundHandler)| all[..at].iter().any(|other| other.event == found.event);
    Ok(all.iter().enumerate().rfind(|(at, f)| unasked(f) || doubled((*at, f))).map(|(_, f)| f.clone()))
}

fn with_hook(entries: &HookEntries, text: &str, hook: &Hook, command: &str) -> Result<String, Shape> {
    let handler = entries.handler(hook, command);
    let found = found_in(entries, text, command)?.into_iter().find(|found| found.event == hook.event);
    if let Some(found) = found {
        let right = found.current && found.command == command;
        let span = found.place.span;
        return Ok(if right { text.to_owned() } else { json::replace(text, span, &handler) });
    }
    let group: BTreeMap<&str, [Fields; 1]> = [(HOOKS_KEY, [handler])].into();
    let root = json::whole(text);
    let Some(hooks) = hooks_object(text)? else {
        let added = json::append(text, root, Some(HOOKS_KEY), &Value::Object(serde_json::Map::new()));
        return with_hook(entries, &added, hook, command);
    };
    Ok(match event_list(text, hooks.clone(), hook.event)? {
        Some(list) => json::append(text, list, None, &group),
        None => json::append(text, hooks, Some(hook.event), &[group]),
    })
}

/// The text without this handler, and without its group, its event's list and `hooks` itself if they become empty.
fn without(text: &str, found: &FoundHandler) -> Result<String, Shape> {
    let hooks = hooks_object(text)?.expect("a handler was found in it");
    let list = event_list(text, hooks.clone(), &found.event)?.expect("a handler was found in it");
    let groups = json::items(text, list.clone());
    if found.place.handlers > 1 {
        let handlers = member(text, groups[found.place.group].value.clone(), HOOKS_KEY)?;
        return Ok(json::remove(text, handlers.expect("a handler was found in it"), found.place.handler));
    }
    if groups.len() > 1 {
        return Ok(json::remove(text, list, found.place.group));
    }
    let events = json::items(text, hooks.clone());
    let (object, key) =
        if events.len() > 1 { (hooks, found.event.as_str()) } else { (json::whole(text), HOOKS_KEY) };
    let index = json::items(text, object.clone()).iter().position(|item| item.key == key);
    Ok(json::remove(text, object, index.expect("it was found by this name")))
}

fn found_in(entries: &HookEntries, text: &str, exe: &str) -> Result<Vec<FoundHandler>, Shape> {
    let mut all = Vec::new();
    let Some(hooks) = hooks_object(text)? else { return Ok(all) };
    for event in json::items(text, hooks) {
        for (group_at, group) in json::items(text, event.value).into_iter().enumerate() {
            let Some(handlers) = member(text, group.value, HOOKS_KEY)? else { continue };
            let handlers = json::items(text, handlers);
            let count = handlers.len();
            for (at, handler) in handlers.into_iter().enumerate() {
                let place =
                    HandlerIndex { group: group_at, handler: at, handlers: count, span: handler.value };
                all.extend(ours(entries, text, &event.key, place, exe));
            }
        }
    }
    Ok(all)
}

fn ours(
    entries: &HookEntries,
    text: &str,
    event: &str,
    place: HandlerIndex,
    exe: &str,
) -> Option<FoundHandler> {
    let handler: Value = serde_json::from_str(&text[place.span.clone()]).ok()?;
    let call = entries.ours(&handler, exe)?;
    let (command, names_client) = (call.program.to_owned(), call.names_client);
    let hook = entries.events.iter().find(|hook| hook.event == event);
    let wanted = hook.and_then(|hook| serde_json::to_value(entries.handler(hook, &command)).ok());
    Some(FoundHandler {
        event: event.to_owned(),
        current: wanted == Some(handler),
        command,
        names_client,
        place,
    })
}

/// The span of the value of `hooks`; `None` if there is none.
fn hooks_object(text: &str) -> Result<Option<Range<usize>>, Shape> {
    valid(text)?;
    let root = json::whole(text);
    must_be(text, &root, "an object", || "the whole file".to_owned())?;
    let hooks = member(text, root, HOOKS_KEY)?;
    if let Some(span) = &hooks {
        must_be(text, span, "an object", || format!("\"{HOOKS_KEY}\""))?;
    }
    Ok(hooks)
}

fn event_list(text: &str, hooks: Range<usize>, event: &str) -> Result<Option<Range<usize>>, Shape> {
    let list = member(text, hooks, event)?;
    if let Some(span) = &list {
        must_be(text, span, "an array", || format!("\"{event}\" in \"{HOOKS_KEY}\""))?;
    }
    Ok(list)
}

pub(super) fn member(text: &str, object: Range<usize>, key: &str) -> Result<Option<Range<usize>>, Shape> {
    let mut found = json::items(text, object).into_iter().filter(|item| item.key == key);
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(Shape::Twice { what: format!("\"{key}\"") }),
        (one, _) => Ok(one.map(|item| item.value)),
    }
}

pub(super) fn must_be(
    text: &str,
    span: &Range<usize>,
    wanted: &'static str,
    what: impl Fn() -> String,
) -> Result<(), Shape> {
    let found = json::kind(&text[span.clone()]);
    if found == wanted { Ok(()) } else { Err(Shape::Wrong { what: what(), wanted, found }) }
}

pub(super) fn valid(text: &str) -> Result<(), Shape> {
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|error| {
        // Parsing it as a value gives a better message ("trailing comma").
        let error = serde_json::from_str::<Value>(text).err().unwrap_or(error);
        // The message ends with the position, which we print ourselves.
        let why = error.to_string().split(" at line ").next().unwrap_or_default().to_owned();
        Shape::NotJson { line: error.line(), column: error.column(), why }
    })
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
