//! Quotations in a text, by their marks, in the styles of several languages.

/// A quotation, and its position including the quotation marks.
pub struct MarkedQuotation<'a> {
    pub words: &'a str,
    pub at: usize,
    pub end: usize,
}

/// Quotation marks. A straight one may open or close.
const MARKS: &str = "\"“”„«»‹›「」『』";

/// The outermost quotations of a text. If the marks do not pair up, everything from the first to the last is one.
pub fn quotations(text: &str) -> Vec<MarkedQuotation<'_>> {
    match paired(text) {
        (found, None) => found,
        (_, Some((first, last))) => {
            let from = first + text[first..].chars().next().map_or(1, char::len_utf8);
            let end = last + text[last..].chars().next().map_or(1, char::len_utf8);
            let words = (from < last).then(|| MarkedQuotation { words: &text[from..last], at: first, end });
            words.into_iter().collect()
        }
    }
}

/// The outermost quotations whose marks pair up.
pub fn paired_quotations(text: &str) -> Vec<MarkedQuotation<'_>> {
    paired(text).0
}

/// The same, and the first and last mark if some do not pair up.
fn paired(text: &str) -> (Vec<MarkedQuotation<'_>>, Option<(usize, usize)>) {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let mut marks = text.char_indices().filter(|(_, c)| MARKS.contains(*c)).peekable();
    let Some((first, _)) = marks.peek().copied() else { return (found, None) };
    let mut last = first;
    for (at, mark) in marks {
        let behind = at + mark.len_utf8();
        last = at;
        let due = open.is_empty();
        let opened_by = |marks: &str| {
            open.last()
                .is_some_and(|(start, _): &(usize, usize)| text[*start..].starts_with(|c| marks.contains(c)))
        };
        let is_opening = match mark {
            '"' => opens(text, at, due),
            // It closes a „.
            '“' => !opened_by("„"),
            // French and German point them in opposite directions.
            '«' | '‹' => !opened_by("»›"),
            '»' | '›' => !opened_by("«‹"),
            _ => "„「『".contains(mark),
        };
        if is_opening {
            open.push((at, behind));
        } else if let Some((start, from)) = open.pop() {
            if open.is_empty() && from < at {
                found.push(MarkedQuotation { words: &text[from..at], at: start, end: behind });
            }
        } else {
            open.push((at, behind));
            break;
        }
    }
    (found, (!open.is_empty()).then_some((first, last)))
}

/// A straight mark opens before a word and closes after one. Between two words it closes an open quotation.
fn opens(text: &str, at: usize, due: bool) -> bool {
    let before = text[..at]
        .chars()
        .next_back()
        .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '*' | ':'));
    let after = text[at + 1..].chars().next().is_some_and(|c| !c.is_whitespace());
    match (before, after) {
        (true, true) => true,
        (false, false) => false,
        _ => due,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_quotations_are_part_of_the_outer_one() {
        for (text, expected) in [
            ("\"fix the login\" and \"use tabs\"", &["fix the login", "use tabs"][..]),
            ("\"Rename \"foo\" to bar\"", &["Rename \"foo\" to bar"]),
            ("“use tabs”, then “no spaces”", &["use tabs", "no spaces"]),
            ("(queued) \"go on\"", &["go on"]),
            ("\"say \"hi\"\"", &["say \"hi\""]),
            ("\"a 5\" screen\"", &["a 5\" screen"]),
            ("no quotation", &[]),
            ("a lone \" mark", &[]),
            ("Der Nutzer: „nimm Tabs“ und „keine Leerzeichen“", &["nimm Tabs", "keine Leerzeichen"]),
            ("ユーザー「タブを使って」", &["タブを使って"]),
            ("«usa tabs»", &["usa tabs"]),
            (
                "« utilise des tabulations » et ‹ rien d'autre ›",
                &[" utilise des tabulations ", " rien d'autre "],
            ),
            ("»nimm Tabs« und ›keine Leerzeichen‹", &["nimm Tabs", "keine Leerzeichen"]),
        ] {
            let found: Vec<&str> = quotations(text).iter().map(|q| q.words).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
