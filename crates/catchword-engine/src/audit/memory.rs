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

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::agent::claude_code::AGENT;
    use crate::agent::entry::Place;
    use crate::audit::{Kind, audit};
    use crate::session::tests::fold;

    fn worked(mut transcript: Transcript, calls: usize) -> Transcript {
        for n in 0..calls {
            transcript = transcript.bash(&format!("make part_{}", n % 9)).ok("done");
        }
        transcript
    }

    /// So many calls that the first ones are forgotten.
    fn long_ago() -> Transcript {
        worked(Transcript::new().prompt("Build it."), 700)
    }

    fn changed(session: &Session, summary: &str) -> usize {
        audit(session, summary).iter().filter(|finding| finding.kind == Kind::Mutated).count()
    }

    const CHANGED: &str = "The server listens on port 3001 and all parts are built.";

    #[test]
    fn a_number_changed_since_the_latest_compaction_is_found_in_a_session_of_any_length() {
        let compacted = worked(long_ago().compaction("auto", "All parts are built."), 150);
        let session = fold(&compacted.bash("serve").ok("the server listens on port 3000"));
        assert!(session.remembers_since() > 0, "the first rows are forgotten");
        assert_eq!(changed(&session, CHANGED), 1);
        // Its own rows may be there already.
        let mut with_rows = session.clone();
        let rows = Transcript::new().compaction("auto", CHANGED);
        for line in rows.lines() {
            let entry = (AGENT.entry)(Place(with_rows.entries + 1), line.as_bytes());
            entry.into_iter().flatten().for_each(|entry| with_rows.apply(&entry));
        }
        assert_eq!(changed(&with_rows, CHANGED), 1);
    }

    #[test]
    fn what_the_summary_before_says_or_what_is_kept_for_good_is_nothing_made_up() {
        let serve = |transcript: Transcript| transcript.bash("serve").ok("the server listens on port 3000");
        let said = worked(long_ago().compaction("auto", "The proxy listens on port 3001."), 150);
        assert_eq!(changed(&fold(&serve(said)), CHANGED), 0, "the summary before");
        let asked = Transcript::new().prompt("The proxy listens on port 3001.");
        let asked = worked(worked(asked, 700).compaction("auto", "All parts are built."), 150);
        assert_eq!(changed(&fold(&serve(asked)), CHANGED), 0, "the person");
    }

    #[test]
    fn where_words_since_the_latest_compaction_are_forgotten_nothing_is_said_to_be_changed() {
        let session = fold(&long_ago().bash("serve").ok("the server listens on port 3000"));
        assert_eq!(changed(&session, CHANGED), 0);
    }
}
