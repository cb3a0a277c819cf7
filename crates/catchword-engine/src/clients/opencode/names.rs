//! Names that only this folder may use: `Client::words` and the sentences of the client.

use crate::clients::Words;

/// What the client writes in the user's role after a compaction, and before the summary.
pub const AROUND_SUMMARY: &[&str] = &["What did we do so far?"];

pub const WORDS: Words = Words {
    anywhere: &[
        "opencode",
        "OpenCode",
        "OPENCODE",
        "/compact",
        "AGENTS.md",
        // Rows and their fields.
        "message.part",
        "message.updated",
        "message.removed",
        "session.created",
        "callID",
        "messageID",
        "parentID",
        "aggregate_id",
        // Tools and their inputs.
        "todowrite",
        "filePath",
        "oldString",
        "newString",
    ],
    alone: &[],
};
