//! Our server in a list that is written in TOML, among the person's own settings and comments.
//!
//! The client writes into this file, too: it puts tables of its own anywhere, and drops comments. So our table is found by
//! its name alone. Everything outside it keeps its bytes, and an edit that would change another setting is refused. The
//! first versions put our table between two comments, and the client put its own tables there as well; those comments
//! are taken out, and only they.

use std::ops::Range;

use catchword_engine::clients::setup::{Fields, OUR_NAME};
use catchword_engine::text::cut::line_end;
use serde_json::Value;
use toml_edit::{Document, DocumentMut, Item, Key, TomlError};

use super::settings::split_bom;
use crate::app::edits;

/// The comments of the first versions.
const MARKS: [&str; 3] =
    ["# catchword: begin (`catchword remove` takes this out)", HALF_LINE_MARK, "# catchword: end"];
/// The first of them where the last line before it had no end of its own.
const HALF_LINE_MARK: &str =
    "# catchword: begin (`catchword remove` takes this out, with the line break above)";
/// The variable that tells a server where the data directory is.
const DATA_HOME: &str = "CATCHWORD_HOME";

fn parse(text: &str) -> Result<toml::Table, String> {
    text.parse().map_err(|error: toml::de::Error| error.message().to_owned())
}

/// The entry under our name.
pub fn entry(text: &str, key: &str) -> Result<Option<Value>, String> {
    let table = parse(text)?;
    let entry = table.get(key).and_then(|list| list.get(OUR_NAME));
    Ok(entry.and_then(|entry| serde_json::to_value(entry).ok()))
}

/// The text with our entry: ours as it stands with what differs changed, or a new one at the end. `data_home` is the data
/// directory, for a server that gets no environment.
pub fn with_entry(text: &str, key: &str, entry: &Fields, data_home: Option<&str>) -> Result<String, String> {
    let after = if let Some(stands) = self::entry(text, key)? {
        updated(text, key, &stands, entry, data_home)?
    } else {
        let eol = line_end(text);
        let gap = if is_half_line(text) { eol } else { "" };
        format!("{text}{gap}{}", table(key, entry, data_home).replace('\n', eol))
    };
    // What could not be taken out again is not touched.
    without_entry(&after, key, false)?;
    match self::entry(&after, key)? {
        Some(_) => others_unchanged(text, after, key),
        None => Err(format!("\"{key}\" is not a table of servers")),
    }
}

/// The text without our entry. `half_line` says that its last line had no end before our entry came.
pub fn without_entry(text: &str, key: &str, half_line: bool) -> Result<String, String> {
    let document = Document::parse(text).map_err(|error| message(&error))?;
    let list = document.get(key).and_then(Item::as_table_like);
    let Some((name, ours)) = list.and_then(|list| list.get_key_value(OUR_NAME)) else {
        return Ok(text.to_owned());
    };
    let mut spans = Vec::new();
    spans_of(name, ours, &mut spans);
    let (mut kept, mut at, mut was_ours) = (String::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        if spans.iter().any(|span| span.start < at && from < span.end) {
            was_ours = true;
            continue;
        }
        // Of the empty lines on both sides one stays.
        let is_double = was_ours && is_blank(line) && kept.lines().next_back().is_none_or(is_blank);
        was_ours = false;
        if !is_double {
            kept += line;
        }
    }
    if was_ours && half_line {
        let end = kept.trim_end_matches('\n');
        kept.truncate(end.strip_suffix('\r').unwrap_or(end).len());
    }
    others_unchanged(text, kept, key)
}

/// The text without the comments of the first versions, and whether they say that the line break above was ours.
pub fn without_marks(text: &str) -> (String, bool) {
    let is_mark = |line: &&str| MARKS.contains(&line.trim());
    let half_line = text.lines().any(|line| line.trim() == HALF_LINE_MARK);
    let kept: String = text.split_inclusive('\n').filter(|line| !is_mark(line)).collect();
    // In a text of several lines they are no comments.
    if kept == text || parse(&kept).ok() != parse(text).ok() {
        (text.to_owned(), false)
    } else {
        (kept, half_line)
    }
}

/// Whether the last line has no end.
pub fn is_half_line(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('\n')
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn message(error: &TomlError) -> String {
    error.message().to_owned()
}

/// A new entry.
fn table(key: &str, entry: &Fields, data_home: Option<&str>) -> String {
    // A JSON string or list of strings is one in TOML, too.
    let members: Vec<String> = entry.0.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    let home = data_home.map(|home| format!("env = {{ {DATA_HOME} = {} }}\n", Value::from(home)));
    format!("[{key}.{OUR_NAME}]\n{}{}", members.concat(), home.unwrap_or_default())
}

/// Our entry with the members that it should have; those that somebody added stay.
fn updated(
    text: &str,
    key: &str,
    stands: &Value,
    entry: &Fields,
    data_home: Option<&str>,
) -> Result<String, String> {
    let (bom, text) = split_bom(text);
    let mut document: DocumentMut = text.parse().map_err(|error| message(&error))?;
    let mut put = |names: &[&str], value: Option<toml::Value>| {
        edits::put(&mut document, &[&[key, OUR_NAME], names].concat(), value)
            .map_err(|error| error.to_string())
    };
    for (name, value) in entry.0.iter().filter(|(name, value)| stands.get(name) != Some(value)) {
        put(&[name], Some(toml::Value::try_from(value).map_err(|error| error.to_string())?))?;
    }
    if stands.pointer(&format!("/env/{DATA_HOME}")).and_then(Value::as_str) != data_home {
        put(&["env", DATA_HOME], data_home.map(Into::into))?;
    }
    Ok(format!("{bom}{}", edits::with_line_ends_of(text, &document.to_string())))
}

/// Where an entry stands: the headers of its tables, and its members.
fn spans_of(key: &Key, item: &Item, spans: &mut Vec<Range<usize>>) {
    let mut add_table = |table: &toml_edit::Table| {
        spans.extend(table.span());
        for (name, _) in table {
            if let Some((key, item)) = table.get_key_value(name) {
                spans_of(key, item, spans);
            }
        }
    };
    match item {
        Item::Table(table) => add_table(table),
        Item::ArrayOfTables(tables) => tables.iter().for_each(add_table),
        Item::Value(value) => {
            spans.extend(key.span().zip(value.span()).map(|(key, value)| key.start..value.end));
        }
        Item::None => {}
    }
}

/// `after`, if it differs from `before` in our entry alone.
fn others_unchanged(before: &str, after: String, key: &str) -> Result<String, String> {
    let others = |text: &str| {
        let mut table = parse(text)?;
        if let Some(list) = table.get_mut(key).and_then(toml::Value::as_table_mut) {
            list.remove(OUR_NAME);
            if list.is_empty() {
                table.remove(key);
            }
        }
        Ok::<String, String>(table.to_string())
    };
    if others(before)? == others(&after)? {
        return Ok(after);
    }
    Err(format!(
        "our server \"{OUR_NAME}\" stands in one line with other settings; put it into a table of its own"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "mcp_servers";

    fn ours() -> Fields {
        Fields(vec![("command", json!("/a b/catchword")), ("args", json!(["mcp"]))])
    }

    fn with(text: &str) -> String {
        with_entry(text, KEY, &ours(), None).unwrap()
    }

    #[test]
    fn an_entry_that_could_not_be_taken_out_again_is_not_changed() {
        let inline = "mcp_servers = { catchword = { command = \"/old\" }, other = { command = \"x\" } }\n";
        assert!(with_entry(inline, KEY, &ours(), None).is_err());
        let alone = "[mcp_servers]\ncatchword = { command = \"/old\" }\nother = { command = \"x\" }\n";
        assert!(with_entry(alone, KEY, &ours(), None).is_ok(), "on a line of its own it can");
    }

    #[test]
    fn an_entry_goes_in_and_out_and_leaves_every_byte() {
        for text in [
            "",
            "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other]\ncommand = \"o\"\n",
            "model = \"x\"",
            "[a]\r\nb = 1\r\n",
            "[a]\r\nb = 1\r\n# last words",
            "a = 1\n\n\n# [mcp_servers.catchword]\n\n",
            "\u{feff}a = 1\n",
        ] {
            let with = with(text);
            let entry = entry(&with, KEY).unwrap();
            assert_eq!(entry, Some(json!({"command": "/a b/catchword", "args": ["mcp"]})), "{with}");
            assert_eq!(with_entry(&with, KEY, &ours(), None).unwrap(), with);
            assert_eq!(without_entry(&with, KEY, is_half_line(text)).unwrap(), text);
            // What the client or the person adds behind it stays, on lines of its own.
            let more = format!("{with}\n# theirs\n[later]\nx = 1\n");
            let left = without_entry(&more, KEY, is_half_line(text)).unwrap();
            assert!(left.starts_with(text) && left.ends_with("# theirs\n[later]\nx = 1\n"), "{left}");
            assert_eq!(left.parse::<toml::Table>().unwrap()["later"]["x"].as_integer(), Some(1));
        }
    }

    #[test]
    fn an_entry_is_taken_out_in_whatever_form_it_stands() {
        for entry in [
            "[mcp_servers.catchword]\ncommand = \"c\"\nargs = [\n  \"mcp\",\n]\n\n[mcp_servers.catchword.env]\nX = \"1\"\n",
            "[mcp_servers.catchword.tools.recall]\napproval_mode = \"approve\"\n",
            "[mcp_servers]\ncatchword = { command = \"c\" } # ours\n",
            "[mcp_servers]\ncatchword.command = \"c\"\ncatchword.env.X = \"\"\"a\n[b]\"\"\"\n",
            "[ mcp_servers . \"catchword\" ] # ours\ncommand = \"c\"\n",
        ] {
            let text = format!("a = 1\n\n# theirs\n{entry}\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n");
            let left = without_entry(&text, KEY, false).unwrap();
            assert_eq!(self::entry(&left, KEY).unwrap(), None, "{left}");
            assert!(left.starts_with("a = 1\n\n# theirs\n"), "{left}");
            assert!(left.ends_with("\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"), "{left}");
            assert!(!left.contains("\n\n\n"), "{left}");
        }
        let line = "mcp_servers = { catchword = { command = \"c\" }, b = { command = \"d\" } }\n";
        assert!(without_entry(line, KEY, false).unwrap_err().contains("one line with other settings"));
    }

    #[test]
    fn what_somebody_added_to_the_entry_stays() {
        let text = "a = 1\r\n[mcp_servers.catchword]\r\ncommand = \"/old/catchword\" # ours\r\nargs = [\"mcp\"]\r\n\
                    startup_timeout_sec = 20\r\n\r\n[mcp_servers.catchword.env]\r\nX = \"1\"\r\nCATCHWORD_HOME = \"/d\"\r\n\
                    \r\n[hooks.state]\r\n";
        let after = with(text);
        let want =
            text.replace("/old/catchword", "/a b/catchword").replace("CATCHWORD_HOME = \"/d\"\r\n", "");
        assert_eq!(after, want);
    }

    #[test]
    fn the_server_is_told_of_a_moved_data_directory() {
        let home = |text: &str, home| with_entry(text, KEY, &ours(), home).unwrap();
        let told = |text: &str| entry(text, KEY).unwrap().unwrap()["env"][DATA_HOME].clone();
        let first = home("", Some("/d"));
        assert_eq!(told(&first), "/d");
        assert_eq!(told(&home(&first, Some("/e"))), "/e");
        assert_eq!(told(&home(&first, None)), Value::Null);
        assert_eq!(told(&home(&with("a = 1\n"), Some("/f"))), "/f");
    }

    #[test]
    fn marks_are_taken_out_where_they_are_comments() {
        let text = format!("a = 1\n{}\n[b]\n# catchword: end\n", MARKS[0]);
        assert_eq!(without_marks(&text), ("a = 1\n[b]\n".to_owned(), false));
        assert_eq!(without_marks(&text.replace(MARKS[0], MARKS[1])), ("a = 1\n[b]\n".to_owned(), true));
        let quoted = "a = \"\"\"\n# catchword: end\n\"\"\"\n";
        assert_eq!(without_marks(quoted), (quoted.to_owned(), false));
    }

    #[test]
    fn a_list_that_cannot_take_a_table_is_refused() {
        for text in ["mcp_servers = { a = { command = \"x\" } }\n", "mcp_servers = 1\n", "[broken\n"] {
            assert!(with_entry(text, KEY, &ours(), None).is_err(), "{text}");
        }
    }
}
