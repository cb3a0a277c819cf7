//! Names that only this folder may use.

use crate::clients::Words;

pub const WORDS: Words = Words {
    anywhere: &[
        "/compact",
        "AGENTS.md",
        "toolResult",
        "toolCall",
        "firstKeptEntryId",
        "tokensBefore",
        "compactionSummary",
        "thinking_level_change",
    ],
    alone: &[],
};
