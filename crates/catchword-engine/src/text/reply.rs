//! Tells requests from replies without a request ("yes", "go on").

use std::collections::HashSet;
use std::sync::LazyLock;

use super::phrases::phrases_of;
use super::words::{PROSE, words};
use crate::lexicon::languages::Sense;

static NODS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| phrases_of(Sense::Nod).collect());

/// Whether the text only agrees or says to continue.
pub fn is_reply(text: &str) -> bool {
    // Most prompts are longer; this check needs no allocation.
    if words(text, PROSE).take(7).count() > 6 {
        return false;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = words(&lower, PROSE).map(|(_, word)| word).collect();
    words.iter().all(|word| NODS.contains(word) || is_choice(word))
}

/// "1", "b", as in "option 2".
fn is_choice(word: &str) -> bool {
    word.is_ascii() && word.len() <= 2 && (word.len() == 1 || word.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_not_a_request() {
        for reply in [
            "yes",
            "Yes!",
            "ok, go ahead",
            "continue",
            "1",
            "Option b",
            "  ",
            "👍",
            "yes please",
            "thanks, looks good",
        ] {
            assert!(is_reply(reply), "{reply}");
        }
        for request in
            ["fix it", "yes, but use tabs", "continue with the parser", "run the tests", "no, use postgres"]
        {
            assert!(!is_reply(request), "{request}");
        }
    }
}
