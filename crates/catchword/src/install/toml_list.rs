//! Our server in a list that is written in TOML, among the person's own settings and comments.
//!
//! What we add is a section at the end of the file, between two marks: nothing else of the file changes, and taking the
//! section out leaves it as it was, to the byte.

use catchword_engine::clients::setup::{Fields, OUR_NAME};
use serde_json::Value;

const BEGIN: &str = "# catchword: begin (`catchword remove` takes this out)";
/// The same where the last line before it had no end of its own.
const BEGIN_AFTER_HALF_LINE: &str =
    "# catchword: begin (`catchword remove` takes this out, with the line break above)";
const END: &str = "# catchword: end";

/// The entry under our name.
pub fn entry(text: &str, key: &str) -> Result<Option<Value>, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let entry = table.get(key).and_then(|list| list.get(OUR_NAME));
    Ok(entry.and_then(|entry| serde_json::to_value(entry).ok()))
}

/// Our section: the entry, and the data directory for a server that gets no environment.
pub fn section(key: &str, entry: &Fields, data_home: Option<&str>) -> String {
    // A JSON string or list of strings is one in TOML, too.
    let members: Vec<String> = entry.0.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    let members = members.concat();
    let home = data_home.map(|home| format!("env = {{ CATCHWORD_HOME = {} }}\n", Value::from(home)));
    format!("[{key}.{OUR_NAME}]\n{members}{}", home.unwrap_or_default())
}

pub fn has_section(text: &str) -> bool {
    span(text).is_some()
}

/// The text with our section: where it stands already, or at the end.
pub fn with_section(text: &str, section: &str, key: &str) -> Result<String, String> {
    let after = if let Some((from, to)) = span(text) {
        let begin = text[from..].lines().next().unwrap_or(BEGIN);
        format!("{}{begin}\n{section}{END}\n{}", &text[..from], &text[to..])
    } else if text.is_empty() {
        format!("{BEGIN}\n{section}{END}\n")
    } else if text.ends_with('\n') {
        format!("{text}{BEGIN}\n{section}{END}\n")
    } else {
        format!("{text}\n{BEGIN_AFTER_HALF_LINE}\n{section}{END}\n")
    };
    match entry(&after, key)? {
        Some(_) => Ok(after),
        None => Err(format!("\"{key}\" is not a table of servers")),
    }
}

pub fn without_section(text: &str) -> String {
    let Some((from, to)) = span(text) else { return text.to_owned() };
    let before = &text[..from];
    let joined = text[from..].starts_with(BEGIN_AFTER_HALF_LINE);
    let before = if joined { before.strip_suffix('\n').unwrap_or(before) } else { before };
    format!("{before}{}", &text[to..])
}

/// From our first mark to the end of the second.
fn span(text: &str) -> Option<(usize, usize)> {
    let at_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    let starts = [BEGIN, BEGIN_AFTER_HALF_LINE];
    let from = starts.iter().find_map(|mark| text.find(mark).filter(|at| at_line(*at)))?;
    let end = from + text[from..].find(END)?;
    let to = text[end..].find('\n').map_or(text.len(), |line| end + line + 1);
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ours() -> String {
        section(
            "mcp_servers",
            &Fields(vec![("command", json!("/a b/catchword")), ("args", json!(["mcp"]))]),
            None,
        )
    }

    #[test]
    fn a_section_goes_in_and_out_and_leaves_every_byte() {
        for text in [
            "",
            "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other]\ncommand = \"o\"\n",
            "model = \"x\"",
            "[a]\r\nb = 1\r\n",
        ] {
            let with = with_section(text, &ours(), "mcp_servers").unwrap();
            let entry = entry(&with, "mcp_servers").unwrap();
            assert_eq!(entry, Some(json!({"command": "/a b/catchword", "args": ["mcp"]})), "{with}");
            assert_eq!(with_section(&with, &ours(), "mcp_servers").unwrap(), with);
            assert_eq!(without_section(&with), text);
            // What the client or the person adds behind it stays.
            let more = format!("{with}[later]\nx = 1\n");
            assert!(without_section(&more).ends_with("[later]\nx = 1\n"), "{more}");
        }
    }

    #[test]
    fn the_server_is_told_of_a_moved_data_directory() {
        let entry = Fields(vec![("command", json!("catchword"))]);
        let with = with_section("", &section("mcp_servers", &entry, Some("/d")), "mcp_servers").unwrap();
        let table: toml::Table = with.parse().unwrap();
        assert_eq!(table["mcp_servers"]["catchword"]["env"]["CATCHWORD_HOME"].as_str(), Some("/d"));
    }

    #[test]
    fn a_list_that_cannot_take_a_section_is_refused() {
        for text in ["mcp_servers = { a = { command = \"x\" } }\n", "mcp_servers = 1\n", "[broken\n"] {
            assert!(with_section(text, &ours(), "mcp_servers").is_err(), "{text}");
        }
    }
}
