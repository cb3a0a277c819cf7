//! What can be set: keys, types, limits and documentation, all read from `defaults.toml`.
//!
//! That file is the only place that documents a setting. `config` commands, the JSON schema, docs/config.md and the check
//! of a user's file come from it. Hooks do not read it: [`super::config`] has the same values in code, and a test
//! compares them.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};
use toml::{Table, Value};

/// The defaults with their documentation.
pub const DEFAULTS: &str = include_str!("defaults.toml");

/// A key or a table.
#[derive(Debug)]
pub struct Setting {
    /// Dotted, such as `guide.lines`.
    pub key: String,
    pub doc: String,
    /// A table has a table.
    pub default: Value,
    pub limit: Option<Limit>,
}

/// The values a setting takes.
#[derive(Debug)]
pub enum Limit {
    /// Numbers from the first to the last; of a list, each item.
    Range(i64, i64),
    /// One of these words; of a list, each item; of a table of tables, their keys.
    Words(Vec<String>),
}

/// Every setting, in the order of the file.
pub fn settings() -> Vec<Setting> {
    let defaults: Table = toml::from_str(DEFAULTS).expect("defaults.toml is TOML");
    let (mut all, mut table) = (Vec::new(), String::new());
    let (mut doc, mut limit): (Vec<&str>, Option<Limit>) = Default::default();
    for line in DEFAULTS.lines() {
        let key = if let Some(text) = line.strip_prefix("#: ") {
            limit = Some(Limit::of(text));
            continue;
        } else if let Some(text) = line.strip_prefix('#') {
            doc.push(text.trim_start());
            continue;
        } else if let Some(name) = line.strip_prefix('[') {
            name.trim_end_matches(']').clone_into(&mut table);
            table.clone()
        } else if let Some((name, _)) = line.split_once(" = ") {
            if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") }
        } else {
            continue;
        };
        let default = found(&defaults, &key).expect("a key of the same file").clone();
        all.push(Setting { key, doc: std::mem::take(&mut doc).join(" "), default, limit: limit.take() });
    }
    all
}

impl Limit {
    fn of(text: &str) -> Limit {
        let range = text.split_once(" to ").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match range {
            Some((least, most)) => Limit::Range(least, most),
            None => Limit::Words(text.split(", ").map(str::to_owned).collect()),
        }
    }
}

/// The value of a dotted key.
pub fn found<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((first, rest)) => found(table.get(first)?.as_table()?, rest),
    }
}

impl Setting {
    /// Whether it is a table whose keys are folders.
    pub fn is_by_folder(&self) -> bool {
        self.default.is_table() && self.limit.is_some()
    }

    pub fn has_type_of(&self, value: &Value) -> bool {
        value.type_str() == self.default.type_str()
    }

    /// The type that it takes, for people.
    pub fn type_name(&self) -> &'static str {
        name(&self.default)
    }

    /// What is wrong with a value; `None` if nothing is.
    pub fn problem(&self, value: &Value) -> Option<String> {
        let key = &self.key;
        if !self.has_type_of(value) {
            let hint = match value {
                Value::Boolean(on) if self.default.is_table() => format!(": write `{key}.on = {on}`"),
                _ => String::new(),
            };
            return Some(format!("`{key}` takes {}, not {}{hint}", name(&self.default), name(value)));
        }
        let items = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        items.iter().find_map(|item| self.wrong_item(item))
    }

    fn wrong_item(&self, item: &Value) -> Option<String> {
        let key = &self.key;
        match (&self.limit, item) {
            (Some(Limit::Range(least, most)), Value::Integer(n)) if !(least..=most).contains(&n) => {
                Some(format!("`{key}` takes {least} to {most}, not {n}"))
            }
            (Some(Limit::Words(words)), Value::String(word)) if !words.contains(word) => {
                let meant = nearest(word, words.iter().map(String::as_str));
                let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
                Some(format!("`{key}` takes {}, not `{word}`{meant}", words.join(", ")))
            }
            _ => {
                let items = self.default.as_array()?;
                let is_right =
                    if items.iter().any(Value::is_integer) { item.is_integer() } else { item.is_str() };
                (!is_right).then(|| format!("`{key}` takes {}", name(&self.default)))
            }
        }
    }
}

/// A type, for people.
fn name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a decimal number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(items) if items.iter().any(Value::is_integer) => "a list of numbers",
        Value::Array(_) => "a list of strings",
        Value::Table(_) => "a table",
    }
}

/// The known word that is most like this one, if one is.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(word, other);
    let best = known.min_by_key(|other| distance(other))?;
    (distance(best) <= 1 + best.len() / 5).then_some(best)
}

/// What is wrong with a file of settings.
pub fn problems(text: &str) -> Vec<String> {
    let table: Table = match toml::from_str(text) {
        Ok(table) => table,
        Err(error) => {
            let line = error.span().map(|span| text[..span.start].lines().count().max(1));
            let line = line.map(|line| format!(" line {line}")).unwrap_or_default();
            return vec![format!("config.toml{line}: {}", error.message().trim_end())];
        }
    };
    let settings = settings();
    let mut problems = Vec::new();
    walk(&table, "", &settings, &mut problems);
    let long = settings.iter().filter(|s| s.key == "instructions");
    for text in long.filter_map(|s| table.get(&s.key)?.as_str()) {
        let most = catchword_engine::brief::INSTRUCTIONS_MOST;
        if text.chars().count() > most {
            problems.push(format!("only the first {most} characters of `instructions` are passed on"));
        }
    }
    problems.into_iter().map(|problem| format!("config.toml: {problem}")).collect()
}

fn walk(table: &Table, prefix: &str, settings: &[Setting], problems: &mut Vec<String>) {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        let Some(setting) = settings.iter().find(|setting| setting.key == key) else {
            problems.push(unknown(&key, settings));
            continue;
        };
        match (setting.problem(value), value) {
            (Some(problem), _) => problems.push(problem),
            (None, Value::Table(projects)) if setting.is_by_folder() => {
                for (folder, project) in projects {
                    problems.extend(of_folder(folder, project, setting, settings));
                }
            }
            (None, Value::Table(inner)) => walk(inner, &format!("{key}."), settings, problems),
            (None, _) => {}
        }
    }
}

/// A setting for one folder is that of `[project]`, or a general one.
fn of_folder(folder: &str, project: &Value, by_folder: &Setting, settings: &[Setting]) -> Vec<String> {
    let key = format!("{}.\"{folder}\"", by_folder.key);
    let Some(table) = project.as_table() else { return vec![format!("`{key}` takes a table")] };
    let Some(Limit::Words(known)) = &by_folder.limit else { return Vec::new() };
    let of = |name: &String, value: &Value| {
        if !known.contains(name) {
            let meant = nearest(name, known.iter().map(String::as_str));
            let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            return Some(format!("unknown key `{key}.{name}`{meant}"));
        }
        let general = settings.iter().find(|s| s.key == *name || s.key == format!("project.{name}"))?;
        general.problem(value).map(|problem| format!("{key}: {problem}"))
    };
    table.iter().filter_map(|(name, value)| of(name, value)).collect()
}

/// The message about an unknown key.
pub fn unknown(key: &str, settings: &[Setting]) -> String {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let keys = || settings.iter().map(|setting| setting.key.as_str());
    let elsewhere = keys().find(|known| last(known) == last(key));
    match nearest(key, keys()).or(elsewhere) {
        Some(meant) => format!("unknown key `{key}`; did you mean `{meant}`?"),
        None => format!("unknown key `{key}`; `catchword config get` lists what can be set"),
    }
}

/// The JSON schema of config.toml.
pub fn json_schema() -> Json {
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "catchword's config.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": {},
    });
    let all = settings();
    for setting in &all {
        let mut at = &mut root["properties"];
        let (tables, name) = setting.key.rsplit_once('.').unwrap_or(("", &setting.key));
        for table in tables.split('.').filter(|table| !table.is_empty()) {
            at = &mut at[table]["properties"];
        }
        at[name] = property(setting, &all);
    }
    root
}

fn property(setting: &Setting, all: &[Setting]) -> Json {
    let mut property = Map::new();
    property.insert("description".into(), setting.doc.clone().into());
    let limited = |property: &mut Map<String, Json>| match &setting.limit {
        Some(Limit::Range(least, most)) => {
            property.insert("minimum".into(), (*least).into());
            property.insert("maximum".into(), (*most).into());
        }
        Some(Limit::Words(words)) => {
            property.insert("enum".into(), words.clone().into());
        }
        None => {}
    };
    let kind = |value: &Value| match value {
        Value::Integer(_) => "integer",
        Value::Boolean(_) => "boolean",
        Value::Array(_) => "array",
        Value::Table(_) => "object",
        _ => "string",
    };
    property.insert("type".into(), kind(&setting.default).into());
    match &setting.default {
        Value::Table(_) if setting.is_by_folder() => {
            let Some(Limit::Words(words)) = &setting.limit else { unreachable!("it is by folder") };
            let inner = words.iter().filter_map(|word| {
                let of = all.iter().find(|s| s.key == *word || s.key == format!("project.{word}"))?;
                Some((word.clone(), property_of(of, all)))
            });
            let inner: Map<String, Json> = inner.collect();
            let inner = json!({"type": "object", "additionalProperties": false, "properties": inner});
            property.insert("additionalProperties".into(), inner);
        }
        Value::Table(_) => {
            property.insert("additionalProperties".into(), false.into());
            property.insert("properties".into(), json!({}));
        }
        Value::Array(items) => {
            let mut item = Map::new();
            item.insert("type".into(), items.first().map_or("string", kind).into());
            limited(&mut item);
            property.insert("items".into(), item.into());
            property.insert("default".into(), json_of(&setting.default));
        }
        value => {
            limited(&mut property);
            property.insert("default".into(), json_of(value));
        }
    }
    property.into()
}

fn property_of(setting: &Setting, all: &[Setting]) -> Json {
    let mut property = property(setting, all);
    // The general setting holds where the project has none.
    property.as_object_mut().expect("an object").remove("default");
    property
}

fn json_of(value: &Value) -> Json {
    serde_json::to_value(value).expect("settings are plain values")
}

/// All settings as a page; docs/config.md is this text.
pub fn markdown() -> String {
    let mut page = String::from(ABOUT);
    let all = settings();
    page.push_str("\n| key | default | |\n|---|---|---|\n");
    for setting in &all {
        let key = &setting.key;
        let limit = match &setting.limit {
            Some(Limit::Range(least, most)) => format!(" {least} to {most}."),
            Some(Limit::Words(words)) if !setting.default.is_table() => {
                format!(" Values: {}.", words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "))
            }
            _ => String::new(),
        };
        let doc = setting.doc.replace('|', "\\|");
        let _ = match &setting.default {
            Value::Table(_) => writeln!(page, "| **`[{key}]`** | | **{doc}** |"),
            value => writeln!(page, "| `{key}` | `{value}` | {doc}{limit} |"),
        };
    }
    page.push_str(BELOW);
    page
}

const ABOUT: &str = "# Settings

Generated by `catchword config schema --markdown`; do not edit.

Settings live in `config.toml` in the data directory; `catchword config path` prints its path. The file is optional.

```sh
catchword config get                  # every setting, and which are yours
catchword config set guide.lines 20   # keeps comments and order; refuses what is not valid
catchword config set guide.lines --default
catchword config edit                 # opens the file in $VISUAL or $EDITOR, then checks it
catchword config schema > schema.json # for editors that complete TOML
```

An unknown key is reported and ignored; a number out of its range is reported, and the default holds. If the file is
not valid TOML, or a value has the wrong type, all defaults hold until it is fixed; `catchword doctor` says so.
";

const BELOW: &str = "
The variable `CATCHWORD_THREAD` names the thread of a conversation, for a bot that answers several in one folder: a
session is then told only of the last one of its own thread, with its last words, also if nothing is known to be left.
No client names a thread that outlives a session.

The variable `CATCHWORD_GIT_MS` says how long a hook may wait for git, in milliseconds (300). Where git is slower, the
brief has no branch and no changed files.

## A project's own file

A repository can bring `.catchword.toml` at its root, with `key_files` (at most five, all inside the repository) and
`instructions` (600 characters). Anybody who commits to the repository can change it, so catchword treats it as foreign
text: it is masked and bounded. Its instructions reach no model until you accept them: `catchword config` shows what is
waiting, and `catchword config accept`, run in the project, copies it into your own settings, under `projects`. A text
that was changed waits again. No command in the file is ever run: a `status` there is reported and ignored. To run one,
put it into your own `config.toml`, under `projects`, which holds for that folder and exactly that command line.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_and_documented() {
        assert_eq!(problems(DEFAULTS), [] as [&str; 0]);
        for setting in settings() {
            assert!(setting.doc.len() > 8, "{setting:?}");
        }
    }

    #[test]
    fn a_problem_names_the_key_and_the_next_step() {
        for (text, expected) in [
            ("bugdet = 1", "unknown key `bugdet`; did you mean `budget`?"),
            ("lines = 20", "unknown key `lines`; did you mean `guide.lines`?"),
            ("[guide]\nline = 20", "unknown key `guide.line`; did you mean `guide.lines`?"),
            ("zzzzzz = 1", "unknown key `zzzzzz`; `catchword config get` lists what can be set"),
            ("budget = \"much\"", "`budget` takes a whole number, not a string"),
            ("budget = 7", "`budget` takes 400 to 9500, not 7"),
            ("handoff = false", "`handoff` takes a table, not true or false: write `handoff.on = false`"),
            ("checkpoints.left = [0]", "`checkpoints.left` takes 1 to 99, not 0"),
            ("checkpoints.left = [\"a\"]", "`checkpoints.left` takes a list of numbers"),
            (
                "next_start.headless = \"ofer\"",
                "`next_start.headless` takes off, offer, brief, not `ofer`; did you mean `offer`?",
            ),
            ("project.key_files = [1]", "`project.key_files` takes a list of strings"),
            (
                "projects.\"~/a\".statu = \"x\"",
                "unknown key `projects.\"~/a\".statu`; did you mean `status`?",
            ),
            ("budget = = 1", "line 1"),
        ] {
            let found = problems(text);
            assert!(found.len() == 1 && found[0].contains(expected), "{text}: {found:?}");
        }
        assert_eq!(
            problems("[projects.\"~/a\"]\nstatus = \"make\"\nkey_files = [\"A.md\"]"),
            [] as [&str; 0]
        );
    }

    #[test]
    fn the_schema_has_types_limits_and_defaults() {
        let schema = json_schema();
        let lines = &schema["properties"]["guide"]["properties"]["lines"];
        assert_eq!(
            (&lines["type"], &lines["minimum"], &lines["default"]),
            (&"integer".into(), &4.into(), &8.into())
        );
        let segments = &schema["properties"]["statusline"]["properties"]["segments"];
        assert_eq!(segments["items"]["enum"][0], "model");
        let project = &schema["properties"]["projects"]["additionalProperties"]["properties"];
        assert_eq!(project["key_files"]["type"], "array");
        assert_eq!(schema["properties"]["guide"]["additionalProperties"], false);
    }
}
