//! The terms of the index `said`: words of natural language, stemmed.
//!
//! A question and its answer seldom use the same forms ("decided", "decision"), and some scripts have no spaces. So a
//! word is indexed without its ending, and a run of such a script as its overlapping pairs of characters. Question,
//! text and highlighting all use [`terms`]; nothing else splits or stems for this index.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::text::phrases::is_stop_word;
use crate::text::stems::without_ending;

/// Words that only make a sentence a question or address somebody, in addition to the shared stop words. In the
/// languages of most histories: in an English history a German "wir" is rare, and rare words weigh most.
const ASKING: [&[&str]; 4] = [ENGLISH, GERMAN, FRENCH, SPANISH_PORTUGUESE_ITALIAN];
const ENGLISH: &[&str] = &[
    "aren", "couldn", "didn", "hasn", "haven", "shouldn", "wasn", "weren", "wouldn", "after", "again", "am",
    "because", "before", "can't", "cannot", "do", "doing", "done", "else", "ever", "few", "every", "find",
    "gave", "give", "go", "going", "he", "him", "i", "if", "know", "like", "ll", "made", "make", "many",
    "me", "most", "much", "my", "no", "off", "once", "other", "over", "put", "re", "really", "remember", "s",
    "shall", "said", "same", "say", "see", "so", "still", "take", "tell", "thing", "things", "though", "up",
    "us", "use", "used", "using", "ve", "want", "wanted", "way", "we", "went", "where", "whether", "while",
    "whom", "whose", "without", "yet",
];
const GERMAN: &[&str] = &[
    "auf", "aus", "bei", "das", "dem", "den", "der", "des", "die", "ein", "eine", "einen", "einer", "er",
    "es", "für", "haben", "ich", "im", "ist", "mit", "nicht", "sie", "sind", "und", "uns", "von", "warum",
    "was", "welche", "welchen", "wie", "wir", "wo", "wurde", "zu", "zum", "zur",
];
const FRENCH: &[&str] = &[
    "au", "avons", "ce", "dans", "de", "du", "elle", "en", "est", "et", "il", "la", "le", "les", "nous",
    "par", "pas", "pour", "pourquoi", "que", "quel", "quelle", "qui", "quoi", "sur", "une", "un", "avec",
];
const SPANISH_PORTUGUESE_ITALIAN: &[&str] = &[
    "che", "com", "como", "con", "cosa", "cuál", "cómo", "da", "del", "di", "do", "el", "foi", "fue",
    "hemos", "los", "las", "não", "nos", "para", "perché", "por", "porque", "qual", "qué", "quando", "se",
    "sin", "sobre", "una", "uma", "è",
];

/// Whether a lower-case word says nothing about what is searched for.
pub fn is_asking_word(word: &str) -> bool {
    is_stop_word(word) || ASKING.iter().any(|words| words.contains(&word))
}

/// The terms of a text: start, end, and the form in the index.
pub fn terms(text: &str) -> impl Iterator<Item = (usize, usize, String)> {
    let mut words = words(text).peekable();
    // The previous character, if it is of a script without spaces.
    let mut before: Option<(usize, usize)> = None;
    std::iter::from_fn(move || {
        loop {
            let (start, word) = words.next()?;
            let end = start + word.len();
            if !word.starts_with(is_unspaced_script) {
                before = None;
                return Some((start, end, without_ending(&word.to_lowercase()).to_owned()));
            }
            let pair = before.filter(|(_, last)| *last == start);
            before = Some((start, end));
            if let Some((first, _)) = pair {
                return Some((first, end, text[first..end].to_owned()));
            }
            // A character without a neighbour is a term by itself.
            let goes_on =
                words.peek().is_some_and(|(at, next)| *at == end && next.starts_with(is_unspaced_script));
            if !goes_on {
                return Some((start, end, word.to_owned()));
            }
        }
    })
}

/// A text as it is indexed: its terms.
pub fn indexed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (_, _, term) in terms(text) {
        out.push_str(&term);
        out.push(' ');
    }
    out
}

/// The words of a text and their offsets, split as the full-text index splits them.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let first = text[start..].chars().next().map_or(0, char::len_utf8);
        let goes_on = |c: char| c.is_alphanumeric() && !is_unspaced_script(c);
        let alone = text[start..].starts_with(is_unspaced_script);
        let end = if alone {
            start + first
        } else {
            text[start..].find(|c| !goes_on(c)).map_or(text.len(), |at| start + at)
        };
        rest = end;
        Some((start, &text[start..end]))
    })
}

/// A word as the full-text index compares it: in lower case, without accents.
pub fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let plain = word.nfd().filter(|c| !is_combining_mark(*c));
    plain.nfc().flat_map(char::to_lowercase).collect()
}

/// Scripts without spaces (Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer): each character is a word, otherwise a
/// whole sentence would be one.
pub fn is_unspaced_script(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<String> {
        terms(text).map(|(.., term)| term).collect()
    }

    #[test]
    fn forms_of_a_word_have_the_same_term() {
        for forms in [
            "decide decided decides",
            "test tests tested testing",
            "plan planned planning",
            "query queries",
            "call called calls",
            "install installation installed",
            "download downloads downloading",
        ] {
            let mut terms = of(forms);
            terms.dedup();
            assert_eq!(terms.len(), 1, "{forms}: {terms:?}");
        }
    }

    #[test]
    fn names_and_short_words_stay_as_they_are() {
        assert_eq!(of("E0308 utf8s bus class größen"), ["e0308", "utf8s", "bus", "class", "größen"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(of("数据库 x"), ["数据", "据库", "x"]);
        assert_eq!(of("キャッシュ"), ["キャ", "ャッ", "ッシ", "シュ"]);
        assert_eq!(of("결정 했다"), ["결정", "했다"]);
        assert_eq!(of("字"), ["字"]);
    }

    proptest! {
        #[test]
        fn offsets_of_terms_are_correct(text in any::<String>()) {
            for (start, end, term) in terms(&text) {
                prop_assert!(text.get(start..end).is_some_and(|at| !at.is_empty()));
                prop_assert!(!term.is_empty() && !term.contains(char::is_whitespace));
            }
        }
    }
}
