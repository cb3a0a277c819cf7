//! `catchword export`: one session as a file that needs no server, with the views of the page.
//!
//! The file has the page's scripts, each in a scope of its own, and every answer that its views ask for, as data. A
//! browser runs nothing in it but these scripts: their hash is in the file's policy.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use catchword_engine::model::event::short_id;
use catchword_engine::ops::read::compaction::{
    CompactionAt, CompactionRequest, CompactionsRequest, compaction, compactions,
};
use catchword_engine::ops::read::rows::{RowsRequest, rows};
use catchword_engine::ops::read::rules::rules;
use catchword_engine::ops::read::session::{SessionDepth, session_to};
use catchword_engine::ops::read::{Reader, Which};
use catchword_engine::text::numbers::byte_size;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::assets::{ASSETS, Asset};
use crate::app::env::Env;
use crate::app::files::{self, Access};
use crate::app::read::reader_for;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Write a session as one page, to hand to a colleague
///
/// One file with the timeline, every compaction, the rules and the whole conversation, as `catchword serve` shows them.
/// Secrets are masked (docs/masking.md); everything else is in it, word for word: read it before you hand it on. The file
/// loads nothing and sends nothing.
#[derive(clap::Args)]
#[command(name = "export")]
pub struct Args {
    /// A recorded session, by the start of its id [default: the latest of this folder]
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
}

/// Writes the file.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let which = Which::of(args.session.as_deref(), args.transcript.as_deref());
    let reader = reader_for(which, env)?;
    let (id, answers) = answers(&reader, which)?;
    let text = document(&id, &answers)?;
    let path = env.cwd.join(&args.html);
    files::replace(&path, text.as_bytes(), Access::Usual)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let size = byte_size(text.len() as u64);
    let written = format!("Session {} is in {}, {size}.", short_id(&id), env.show(&path));
    ui.say(
        ui.paragraph(&format!("{written} Secrets are masked, nothing else: read it before you hand it on.")),
    );
    Ok(Exit::Ok)
}

/// Everything that the views of one session ask for, by the path they ask.
fn answers(reader: &Reader, which: Which) -> anyhow::Result<(String, BTreeMap<String, Value>)> {
    let session = session_to(reader, which, SessionDepth::Timeline)?;
    let id = session.id.clone();
    let path = format!("session/{}", in_address(&id));
    let all_rows = |subagent: &str| {
        rows(
            reader,
            &RowsRequest { which, subagent, from: 1, to: u32::MAX, in_full: true, words: usize::MAX },
        )
    };
    let mut answers = BTreeMap::new();
    let timeline = session.timeline.as_ref();
    let subagents: Vec<String> =
        timeline.into_iter().flat_map(|timeline| &timeline.subagents).map(|one| one.id.clone()).collect();
    let cuts: Vec<usize> = timeline
        .into_iter()
        .flat_map(|timeline| &timeline.compactions)
        .filter_map(|one| one.number)
        .collect();
    answers.insert(path.clone(), serde_json::to_value(&session)?);
    answers.insert(format!("{path}/rows"), serde_json::to_value(all_rows("")?)?);
    for subagent in &subagents {
        let key = format!("{path}/rows?subagent={}", in_address(subagent));
        // One whose transcript is gone is left out.
        if let Ok(rows) = all_rows(subagent) {
            answers.insert(key, serde_json::to_value(rows)?);
        }
    }
    if timeline.is_some() {
        answers.insert(format!("{path}/rules"), serde_json::to_value(rules(reader, which)?)?);
    }
    if !cuts.is_empty() {
        let listed = compactions(reader, &CompactionsRequest::Of(which))?;
        answers.insert([path.as_str(), "compactions"].join("/"), serde_json::to_value(listed)?);
    }
    for number in cuts {
        let request = CompactionRequest { which, at: CompactionAt::Number(number), summary: None };
        let one = compaction(reader, &request)?;
        answers
            .insert([path.as_str(), "compaction", &number.to_string()].join("/"), serde_json::to_value(one)?);
    }
    for answer in answers.values_mut() {
        forget_paths(answer);
    }
    Ok((id, answers))
}

/// Where files of ours and of the client are on this machine is nobody's business.
fn forget_paths(answer: &mut Value) {
    let Value::Object(fields) = answer else { return };
    for name in ["transcript", "handoff"] {
        if let Some(path) = fields.get_mut(name) {
            *path = Value::Null;
        }
    }
}

/// As browsers write it in an address.
fn in_address(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            all.push(char::from(byte));
        } else {
            let _ = write!(all, "%{byte:02X}");
        }
        all
    })
}

/// The page with its scripts, its style and its data in one file.
fn document(id: &str, answers: &BTreeMap<String, Value>) -> anyhow::Result<String> {
    let script = bundle();
    let style = ASSETS.iter().find(|asset| asset.path == "/style.css").map_or("", |asset| asset.content);
    let start = format!("/session/{}", in_address(id));
    let data = serde_json::to_string(&json!({"start": start, "answers": answers}))?;
    // In JSON this sign stands only in strings; so nothing in them can end the element.
    let data = data.replace('<', "\\u003c");
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(style)
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>catchword</title>\n<style>{style}</style>\n</head>\n\
         <body>\n<header class=\"bar\"><span class=\"home\">catchword</span>\
         <span class=\"quiet small\">an exported session</span></header>\n\
         <main id=\"content\" tabindex=\"-1\"></main>\n<p id=\"spoken\" class=\"hidden\" role=\"status\"></p>\n\
         <noscript>This page needs JavaScript. It loads nothing.</noscript>\n\
         <script id=\"answers\" type=\"application/json\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    ))
}

fn modules() -> impl Iterator<Item = &'static Asset> {
    ASSETS.iter().filter(|asset| asset.kind.contains("javascript"))
}

/// The modules of the page, one after the other, each in a scope of its own. They stand in the order of their imports.
fn bundle() -> String {
    let scopes: String = modules().map(in_scope).collect();
    format!("\"use strict\";\nconst modules = {{}};\n{scopes}")
}

fn in_scope(module: &Asset) -> String {
    let mut names = Vec::new();
    let mut text = String::new();
    for line in module.content.lines() {
        let import =
            line.strip_prefix("import ").and_then(|rest| rest.trim_end_matches(';').split_once(" from "));
        if let Some((taken, from)) = import {
            let _ = writeln!(text, "const {taken} = modules[{from}];");
        } else if let Some(rest) = line.strip_prefix("export ") {
            let declared =
                ["async function ", "function ", "const "].iter().find_map(|word| rest.strip_prefix(word));
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            names.extend(declared.and_then(|name| name.split(|c| !is_part(c)).next()));
            text.push_str(rest);
            text.push('\n');
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    format!("{{\n{text}modules[\"{}\"] = {{ {} }};\n}}\n", module.path, names.join(", "))
}

/// The hash of a script as a policy names it.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_base64() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn modules_stand_in_the_order_of_their_imports() {
        let mut before: Vec<&str> = Vec::new();
        let mut imports = 0;
        for module in modules() {
            for line in module.content.lines().filter(|line| line.starts_with("import ")) {
                let from = line.split('"').nth(1).expect("one line for each import");
                assert!(before.contains(&from), "{} imports {from}", module.path);
                imports += 1;
            }
            before.push(module.path);
        }
        assert!(imports > 10);
        let script = bundle();
        assert!(
            !script.contains("\nimport ") && !script.contains("\nexport ") && !script.contains("</script")
        );
    }

    #[test]
    fn no_text_ends_the_data_of_an_exported_page() {
        let answers =
            BTreeMap::from([("a".to_owned(), json!({"text": "</script><script>alert(1)</script><!--"}))]);
        let page = document("id", &answers).unwrap();
        assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
        assert!(page.contains("\\u003c/script>"));
    }
}
