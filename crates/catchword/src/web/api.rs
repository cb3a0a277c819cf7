//! The calls of the page: each asks `ops/read` for a Document and passes it on as JSON.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Query as UrlQuery;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use catchword_engine::archive::history::query::Query;
use catchword_engine::model::note::Author;
use catchword_engine::ops::read::compaction::{
    CompactionAt, CompactionRequest, CompactionsRequest, compaction, compactions,
};
use catchword_engine::ops::read::project::{ProjectRequest, project};
use catchword_engine::ops::read::recall::{RecallPlace, recall};
use catchword_engine::ops::read::rows::{RowsRequest, rows};
use catchword_engine::ops::read::rules::rules;
use catchword_engine::ops::read::search::{SearchRequest, search};
use catchword_engine::ops::read::session::{
    SessionDepth, SessionScope, SessionsRequest, session_to, sessions,
};
use catchword_engine::ops::read::{ReadError, Reader, Viewer, Which};
use catchword_engine::ops::recall::RecallRequest;
use serde::Deserialize;

use super::kept::Stamp;
use super::{PageReply, PageServer};
use crate::app::env::Env;
use crate::app::privacy::LeaveOutRules;
use crate::app::{notes, read};

/// Sessions in the list.
const LISTED: usize = 2_000;
/// Characters of what was said that come with a row; the rest is asked for.
pub(super) const WORDS: usize = 3_000;
/// Hits of a search, and characters of a passage.
const HITS: usize = 40;
const PASSAGE: usize = 400;
/// Lines before and after a place in somebody else's session.
const AROUND: u32 = 60;
/// Longest note, in bytes.
const NOTE: usize = 16 << 10;

/// Answers the call below `/api/`. What reads a database runs on a thread of its own, so that a slow query keeps nobody
/// else waiting.
pub(super) async fn answer(server: Arc<PageServer>, uri: Uri, headers: HeaderMap, body: Body) -> PageReply {
    let Ok(body) = to_bytes(body, NOTE).await else {
        return PageReply::error(StatusCode::PAYLOAD_TOO_LARGE, "A note has at most 16,000 characters.");
    };
    let Ok(UrlQuery(given)) = UrlQuery::<HashMap<String, String>>::try_from_uri(&uri) else {
        return PageReply::error(StatusCode::BAD_REQUEST, "The question cannot be read.");
    };
    let work = move || {
        let call = || read_document(&server, &uri, &given, &headers, &body);
        std::panic::catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
            PageReply::error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "This broke down; `catchword doctor` may say why.",
            )
        })
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| PageReply::error(StatusCode::INTERNAL_SERVER_ERROR, "The server is ending."))
}

/// A note from the page.
#[derive(Deserialize)]
struct NewNote {
    session: String,
    text: String,
}

fn read_document(
    server: &PageServer,
    uri: &Uri,
    given: &HashMap<String, String>,
    headers: &HeaderMap,
    body: &[u8],
) -> PageReply {
    // The page is open for hours: what was forgotten meanwhile is masked from now on.
    let left_out = LeaveOutRules::load(&server.env);
    let mut env = Env { mask: left_out.mask(), ..server.env.clone() };
    let path = uri.path().trim_start_matches("/api/");
    let parts: Option<Vec<String>> = path.split('/').map(decoded).collect();
    let Some(parts) = parts else {
        return PageReply::error(StatusCode::BAD_REQUEST, "The address cannot be read.");
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if let ["note"] = parts[..] {
        return note(body, &env);
    }
    let is_fresh = matches!(parts[..], ["search" | "project"]);
    if parts == ["project"] {
        env.cwd = given.get("of").map(PathBuf::from).unwrap_or_default();
        if !env.cwd.is_absolute() {
            return PageReply::error(StatusCode::BAD_REQUEST, "A project is named by its whole path.");
        }
    }
    let opened = if is_fresh { read::fresh_reader(&env) } else { read::reader(&env) };
    let mut reader = match opened {
        Ok(reader) => reader,
        Err(error) => return PageReply::error(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error:#}.")),
    };
    if !server.shows_left_out {
        reader.viewer = Viewer::discreet_person(Box::new(move |session, folder, transcript| {
            left_out.holds(session, folder, transcript)
        }));
    }
    match parts[..] {
        ["sessions"] => reply(sessions(
            &reader,
            &SessionsRequest { scope: SessionScope::Everywhere, since: None, detailed: 0, most: LISTED },
        )),
        ["project"] => repository(&reader),
        ["search"] => find(&reader, given.get("q").map(String::as_str).unwrap_or_default(), env.now()),
        // An empty name would fit any session.
        ["session", id, ref rest @ ..] if !id.is_empty() => {
            let chosen = match reader.choose(Which::Named(id)) {
                Ok(chosen) => chosen,
                Err(ReadError::NoSuchSession(_)) if rest == ["listed"] => {
                    return elsewhere(&reader, id, given);
                }
                Err(error) => return failure(&error),
            };
            let is_of_now = matches!(rest, [] | ["listed" | "standing"]);
            let now = is_of_now.then(|| env.now());
            let stamp = Stamp::of(&chosen.transcript, reader.data.as_deref(), now);
            let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
            if known == Some(stamp.as_str()) {
                return PageReply::unchanged(stamp);
            }
            let question = uri.to_string();
            if let Some(kept) = server.kept.find(&question, &stamp) {
                return PageReply::of_kept(kept, stamp);
            }
            let reply = of_session(&reader, id, rest, given);
            // A subagent's transcript is another file.
            if reply.status != StatusCode::OK || given.contains_key("subagent") {
                return reply;
            }
            server.kept.keep(question, &stamp, &reply.content);
            PageReply { stamp: Some(stamp), ..reply }
        }
        _ => no_such_call(),
    }
}

/// What stands around a place of a session that only the shared archive has.
fn elsewhere(reader: &Reader, id: &str, given: &HashMap<String, String>) -> PageReply {
    let line = given.get("line").and_then(|line| line.parse::<u32>().ok()).unwrap_or(1);
    let wanted = RecallRequest::Lines(line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND));
    let place = RecallPlace { which: Which::Named(id), subagent: "", wanted: &wanted, all: false };
    reply(recall(reader, &place))
}

fn of_session(reader: &Reader, id: &str, rest: &[&str], given: &HashMap<String, String>) -> PageReply {
    let which = Which::Named(id);
    let number = |name: &str| given.get(name).and_then(|value| value.parse::<u32>().ok());
    match *rest {
        [] => reply(session_to(reader, which, SessionDepth::Timeline)),
        ["listed"] => reply(session_to(reader, which, SessionDepth::Listed)),
        ["standing"] => reply(session_to(reader, which, SessionDepth::Standing)),
        ["rows"] => {
            let from = number("from").unwrap_or(1).max(1);
            let to = number("to").unwrap_or(u32::MAX).max(from);
            let subagent = given.get("subagent").map(String::as_str).unwrap_or_default();
            let in_full = given.contains_key("full");
            reply(rows(reader, &RowsRequest { which, subagent, from, to, in_full, words: WORDS }))
        }
        ["rules"] => reply(rules(reader, which)),
        ["compactions"] => reply(compactions(reader, &CompactionsRequest::Of(which))),
        ["compaction", at] => match at.parse() {
            Ok(at) => {
                let at = CompactionAt::Number(at);
                reply(compaction(reader, &CompactionRequest { which, at, summary: None }))
            }
            Err(_) => PageReply::error(StatusCode::BAD_REQUEST, "A compaction is named by its number."),
        },
        _ => no_such_call(),
    }
}

fn no_such_call() -> PageReply {
    PageReply::error(StatusCode::NOT_FOUND, "There is no such call.")
}

/// What a repository taught, if a session that may be seen worked in it.
fn repository(reader: &Reader) -> PageReply {
    let here = SessionsRequest { scope: SessionScope::Here, since: None, detailed: 0, most: 1 };
    match sessions(reader, &here) {
        Ok(found) if found.sessions.is_empty() => {
            PageReply::error(StatusCode::NOT_FOUND, "No recorded session worked in this folder.")
        }
        Ok(_) => reply(project(reader, &ProjectRequest { file: None, why: true })),
        Err(error) => failure(&error),
    }
}

fn find(reader: &Reader, typed: &str, now: i64) -> PageReply {
    let query = Query::of_arguments(&[typed.to_owned()], now);
    let request = SearchRequest { query: &query, typed, limit: HITS, skip: 0, passage: PASSAGE };
    reply(search(reader, &request))
}

fn note(body: &[u8], env: &Env) -> PageReply {
    let Ok(new) = serde_json::from_slice::<NewNote>(body) else {
        return PageReply::error(StatusCode::BAD_REQUEST, "A note has a session and a text.");
    };
    if new.text.trim().is_empty() {
        return PageReply::error(StatusCode::BAD_REQUEST, "The note is empty.");
    }
    match notes::keep(&new.session, &[(None, &new.text)], Author::Person, env) {
        Ok(()) => PageReply::json(StatusCode::OK, &serde_json::json!({"kept": true})),
        Err(error) => PageReply::error(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error:#}.")),
    }
}

fn reply<D: serde::Serialize>(answer: Result<D, ReadError>) -> PageReply {
    match answer {
        Ok(document) => PageReply::json(StatusCode::OK, &document),
        Err(error) => failure(&error),
    }
}

fn failure(error: &ReadError) -> PageReply {
    PageReply::error(status_of(error), &format!("{error}."))
}

fn status_of(error: &ReadError) -> StatusCode {
    match error {
        ReadError::NoSuchSession(_)
        | ReadError::ManySessions(..)
        | ReadError::NothingRecorded(_)
        | ReadError::NothingHere(_)
        | ReadError::LeftOut
        | ReadError::NoSubagent(_)
        | ReadError::NoFile(_)
        | ReadError::TranscriptGone(_)
        | ReadError::NoCompaction { .. }
        | ReadError::NoHistory
        | ReadError::NoSummary(_) => StatusCode::NOT_FOUND,
        ReadError::BadQuery(_) | ReadError::EmptyQuery(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A part of a path without `%20` and the like.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(if byte == b'%' { (digit(rest.next())? * 16 + digit(rest.next())?) as u8 } else { byte });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path_are_decoded() {
        assert_eq!(decoded("a%20b%C3%BC").as_deref(), Some("a bü"));
        assert_eq!(decoded("plain-0a1b").as_deref(), Some("plain-0a1b"));
        for broken in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }
}
