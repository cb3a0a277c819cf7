//! Tells requests from replies without a request ("yes", "go on").

use super::words::{PROSE, words};

/// Whether the text only agrees or says to continue.
pub fn is_reply(text: &str) -> bool {
    const REPLIES: &[&str] = &[
        "yes", "y", "yep", "yeah", "yup", "ok", "okay", "sure", "no", "nope", "go", "on", "ahead",
        "continue", "please", "proceed", "next", "done", "thanks", "thank", "you", "great", "good",
        "perfect", "nice", "cool", "lgtm", "do", "it", "sounds", "looks", "keep", "going", "carry", "resume",
        "right", "correct", "exactly", "agreed", "approved", "try", "again", "retry", "let's", "lets", "hi",
        "hello", "that", "works", "awesome", "fine",
    ];
    // Most prompts are longer; this check needs no allocation.
    if words(text, PROSE).take(7).count() > 6 {
        return false;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = words(&lower, PROSE).map(|(_, word)| word).collect();
    let joined = words.join(" ");
    words.is_empty()
        || REPLIES.contains(&joined.as_str())
        || words.iter().all(|w| REPLIES.contains(w))
        || is_choice(&words)
}

/// "1", "b", "option 2".
fn is_choice(words: &[&str]) -> bool {
    match words {
        [one] | ["option" | "choice", one] => one.chars().count() <= 2,
        _ => false,
    }
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
