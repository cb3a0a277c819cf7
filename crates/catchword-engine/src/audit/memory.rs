//! What the record remembers of what the writer of a summary could know.
//!
//! Of a long session the words of old rows are forgotten ([`lately`](crate::session::lately)). The model that writes a
//! summary has not seen those either: before it are the rows since the latest compaction, and the summary of that one.
//! So a word that is in none of what is remembered was made up, unless it came by that older summary or stands in what
//! is kept for good.

use super::summary::Summary;
use crate::session::{Compaction, Session};

/// All that was before the writer is remembered: of a word that is not found something can be said.
pub fn is_complete(session: &Session, summary: &Summary) -> bool {
    let since = session.remembers_since();
    let began = earlier(session, summary).map_or(0, |compaction| compaction.clock);
    !session.vocabulary.is_full() && since <= began
}

/// A word of rows that are forgotten which is still known: from the summary before this one, from what the person said,
/// from the agent's words, commands and files.
pub fn holds(session: &Session, summary: &Summary, word: &str) -> bool {
    if session.remembers_since() == 0 {
        return false;
    }
    let older = earlier(session, summary).and_then(|compaction| compaction.summary.as_deref());
    older.is_some_and(|text| text.contains(word))
        || session.prompts.iter().any(|prompt| prompt.text.contains(word))
        || session.said.iter().any(|said| said.text.contains(word))
        || session.files.iter().any(|(path, _)| path.contains(word))
        || session.commands.iter().any(|(_, command)| {
            command.text.contains(word)
                || command.outcome.as_ref().is_some_and(|outcome| outcome.telling.contains(word))
        })
}

/// The latest compaction before the one that this summary is of, whose rows may have come already.
fn earlier<'a>(session: &'a Session, summary: &Summary) -> Option<&'a Compaction> {
    let is_of_it = |compaction: &Compaction| match compaction.summary.as_deref() {
        None => true,
        Some(text) => {
            !text.is_empty() && (text.contains(summary.text.trim()) || summary.text.contains(text.trim()))
        }
    };
    session.compactions.iter().rev().find(|compaction| !is_of_it(compaction))
}
