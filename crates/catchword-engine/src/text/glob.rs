//! Folder patterns: `*` matches any part of a name, `?` one character, `**` any number of folders.
//!
//! Written by hand because every hook needs it: `globset` compiles regular expressions, which takes 0.1 to 0.3 ms per
//! process where a whole hook takes 1 ms, and adds 1.2 MB. No other character is special, so a folder called `[id]`
//! needs no escaping. After a mismatch only the last star backtracks, so the time is at most the product of both
//! lengths. A property test compares the results with `globset`.

/// Whether the pattern, given name by name, matches this folder or one of its parents.
pub fn covers(pattern: &[impl AsRef<str>], folder: &[impl AsRef<str>]) -> bool {
    let pattern: Vec<&str> = pattern.iter().map(AsRef::as_ref).collect();
    let folder: Vec<&str> = folder.iter().map(AsRef::as_ref).collect();
    // A pattern also covers everything below what it matches.
    matched(&pattern, &folder, |part| *part == "**", |part, name| name_fits(part, name)).is_some()
}

/// Whether a single name matches a pattern with `*` and `?`.
pub fn name_fits(pattern: &str, name: &str) -> bool {
    // The match must reach the end of the name, so both get an end marker.
    let ended = |text: &str| text.chars().map(Some).chain([None]).collect::<Vec<_>>();
    let fits = |part: &Option<char>, c: &Option<char>| part == c || (*part == Some('?') && c.is_some());
    matched(&ended(pattern), &ended(name), |part| *part == Some('*'), fits).is_some()
}

/// Where in `items` the shortest match from the start ends. A star matches any number of items.
fn matched<T>(
    pattern: &[T],
    items: &[T],
    is_star: impl Fn(&T) -> bool,
    fits: impl Fn(&T, &T) -> bool,
) -> Option<usize> {
    let (mut at, mut next, mut star) = (0, 0, None);
    while let Some(part) = pattern.get(next) {
        if is_star(part) {
            next += 1;
            star = Some((next, at));
        } else if items.get(at).is_some_and(|item| fits(part, item)) {
            (next, at) = (next + 1, at + 1);
        } else {
            // Extend the last star by one item; extending an earlier one could not help.
            let (after, from) = star.filter(|(_, from)| *from < items.len())?;
            (next, at) = (after, from + 1);
            star = Some((after, from + 1));
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn names(path: &str) -> Vec<&str> {
        path.split('/').filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn many_stars_do_not_backtrack_exponentially() {
        let begun = Instant::now();
        let (pattern, name) = ("a*".repeat(40) + "b", "a".repeat(10_000));
        assert!(!name_fits(&pattern, &name));
        assert!(name_fits(&pattern, &format!("{name}b")));
        let (pattern, path) = ("**/a/".repeat(40) + "b", "a/".repeat(10_000));
        assert!(!covers(&names(&pattern), &names(&path)));
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }

    #[test]
    fn question_mark_matches_one_character_not_one_byte() {
        assert!(name_fits("Gr?ße", "Größe") && !name_fits("Gr?ße", "Gröößße"));
    }

    #[test]
    fn brackets_and_braces_are_ordinary_characters() {
        assert!(name_fits("[id]", "[id]") && !name_fits("[id]", "i"));
        assert!(name_fits("{a,b}", "{a,b}") && !name_fits("{a,b}", "a"));
    }

    /// What `globset` says: the folder itself or anything below it.
    fn by_globset(pattern: &str, path: &str) -> bool {
        let is = |pattern: &str| {
            let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build().unwrap();
            glob.compile_matcher().is_match(path)
        };
        is(pattern) || is(&format!("{pattern}/**"))
    }

    proptest! {
        #[test]
        fn results_agree_with_globset(
            pattern in prop::collection::vec("[ab*?]{1,4}|\\*\\*", 1..5),
            path in prop::collection::vec("[abc]{1,4}", 1..6),
        ) {
            // Here `a**b` is two stars within a name; `globset` rejects some such patterns.
            let pattern: Vec<String> =
                pattern.into_iter().map(|p| if p == "**" { p } else { p.replace("**", "*") }).collect();
            // Here a final `**` also matches the folder itself.
            prop_assume!(pattern.last().is_none_or(|last| last != "**"));
            let expected = by_globset(&pattern.join("/"), &path.join("/"));
            prop_assert_eq!(covers(&pattern, &path), expected, "{:?} {:?}", pattern, path);
        }
    }
}
