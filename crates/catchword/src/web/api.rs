//! The calls of the page: each asks `ops/read` for a Document and passes it on as JSON.

use std::sync::Arc;

use axum::body::Body;
use axum::http::StatusCode;

use super::{Reply, Server};

/// Answers the call below `/api/`. What reads a database runs on a thread of its own, so that a slow query keeps nobody
/// else waiting.
pub(super) async fn answer(server: Arc<Server>, call: String, query: String, body: Body) -> Reply {
    let _ = (&server, &query, body);
    Reply::error(StatusCode::NOT_FOUND, &format!("There is no call {call}."))
}
