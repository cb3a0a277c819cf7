//! English words that carry no topic. Other word lists have other purposes: cues of an instruction, words of a reply.

/// Whether a lower-case word carries no topic.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

pub const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by",
    "can", "could", "did", "does", "doesn", "don", "don't", "each", "for", "from", "get", "got", "had",
    "has", "have", "her", "here", "his", "how", "i'd", "i'm", "in", "into", "is", "isn", "it", "it's", "its",
    "just", "let", "let's", "more", "not", "now", "of", "on", "one", "only", "or", "our", "out", "own",
    "please", "she", "should", "some", "such", "than", "that", "that's", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "too", "very", "was", "we're", "were", "what", "when",
    "which", "who", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_in_lower_case() {
        assert!(STOP_WORDS.is_sorted_by(|a, b| a < b), "a word is repeated or out of order");
        assert!(STOP_WORDS.iter().all(|word| word.to_lowercase() == **word));
    }
}
