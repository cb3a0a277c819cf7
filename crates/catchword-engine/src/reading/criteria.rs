//! Acceptance criteria in a request: list items that state a requirement.

use super::request::has_plan;
use crate::lexicon::languages::Sense;
use crate::text::cut::squashed;
use crate::text::hash::fnv1a;
use crate::text::passages;
use crate::text::phrases::{ReadSentence, has_sense};

/// Criteria under the same heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criteria<'a> {
    /// The line above them: a heading, or the item or line that introduces them.
    pub under: Option<&'a str>,
    /// Verbatim.
    pub items: Vec<&'a str>,
}

/// The criteria of a prompt, and the limits of a plan in it.
pub fn lists(prompt: &str) -> Vec<Criteria<'_>> {
    let limits = if has_plan(prompt) { limits(prompt) } else { Vec::new() };
    criteria(prompt).into_iter().chain(limits).collect()
}

/// By which a criterion names the line above it.
pub fn heading_key(heading: &str) -> u64 {
    fnv1a(squashed(heading).as_bytes())
}

/// The limits that a plan sets: what stands under a heading of what it leaves out, and items with a stressed word.
fn limits(text: &str) -> Vec<Criteria<'_>> {
    let (mut fenced, mut under, mut leaves_out) = (false, None, false);
    let mut found: Vec<Criteria> = Vec::new();
    for line in text.lines().map(str::trim) {
        fenced ^= line.starts_with("```");
        if fenced || line.is_empty() {
            continue;
        }
        let bare = line.trim_matches(['#', '*', ' ', ':', '：']);
        let is_left_out = bare.chars().count() < 80 && has_sense(bare, Sense::LeftOut);
        if line.starts_with('#') || is_left_out {
            (under, leaves_out) = (is_left_out.then_some(bare), is_left_out);
            continue;
        }
        let row = line.strip_prefix('|').map(|row| row.trim_matches(['|', ' ']));
        // A row of dashes, and the one above it, are the head of a table.
        let is_rule = row.is_some_and(|row| row.bytes().all(|b| b"-:| ".contains(&b)));
        if is_rule {
            found.last_mut().filter(|list| list.under == under).and_then(|list| list.items.pop());
            continue;
        }
        let item = passages::item(line);
        let Some(item) = item.filter(|item| leaves_out || is_stressed(item)).or(row.filter(|_| leaves_out))
        else {
            continue;
        };
        let list = if leaves_out { under } else { None };
        match found.iter_mut().find(|known| known.under == list) {
            Some(known) => known.items.push(item),
            None => found.push(Criteria { under: list, items: vec![item] }),
        }
    }
    found.retain(|list| !list.items.is_empty());
    found
}

/// The criteria, grouped by heading.
fn criteria(text: &str) -> Vec<Criteria<'_>> {
    let (mut listed, mut fenced) = (false, false);
    let (mut under, mut numbered) = (None, None);
    let mut found: Vec<Criteria> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        fenced ^= trimmed.starts_with("```");
        if fenced || trimmed.is_empty() {
            continue;
        }
        let item = trimmed.strip_prefix(['-', '*', '•']).map(str::trim);
        if is_heading(trimmed) {
            let is_part = introduces(trimmed) && listed;
            listed = is_part || has_sense(trimmed, Sense::Criteria);
            under = Some(trimmed.trim_start_matches(['#', ' ']).trim_end_matches(':'));
            numbered = None;
        } else if item.is_none() && passages::item(trimmed).is_some() {
            numbered = Some(trimmed);
        } else if let Some(item) =
            item.filter(|item| item.len() > 8 && (listed || has_sense(item, Sense::Required)))
        {
            // Indented items belong to the numbered item above.
            let under = numbered.filter(|_| line.starts_with([' ', '\t'])).or(under);
            match found.last_mut().filter(|list| list.under == under) {
                Some(list) => list.items.push(item),
                None => found.push(Criteria { under, items: vec![item] }),
            }
        }
    }
    found
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') || introduces(line)
}

/// A line that introduces the lines after it: "4. Manual test: start it with both kinds:".
fn introduces(line: &str) -> bool {
    line.ends_with(':') && line.len() < 160 && !line.starts_with(['-', '*', '•', '#'])
}

/// A limit in capitals: "the plan, NOT the issue".
fn is_stressed(item: &str) -> bool {
    let read = ReadSentence::new(item);
    read.all(Sense::Stressed)
        .any(|hit| read.words[hit.at..hit.to].iter().all(|word| word.raw == word.raw.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<(Option<&str>, Vec<&str>)> {
        criteria(text).into_iter().map(|list| (list.under, list.items)).collect()
    }

    #[test]
    fn criteria_are_found_with_their_heading() {
        let text = format!(
            "Add a cache.\n{}\n## Acceptance criteria\n- hits are counted\n- `size` is bounded\n\n4. By hand, start it twice\n   - the second is fast\n\n## Notes\n- see the wiki page\n- answers must stay under 50 ms",
            "Background. ".repeat(60)
        );
        assert_eq!(
            items(&text),
            [
                (Some("Acceptance criteria"), vec!["hits are counted", "`size` is bounded"]),
                (Some("4. By hand, start it twice"), vec!["the second is fast"]),
                (Some("Notes"), vec!["answers must stay under 50 ms"]),
            ]
        );
    }

    #[test]
    fn limits_of_a_plan_are_what_it_leaves_out_and_what_it_stresses() {
        let text = "# Plan\n- **Input**: the plan, NOT the full issue\n- Not a limit\n## Out of scope\n- the retry in `push`\n\n\
                    | call | why |\n|---|---|\n| split | asks |\n## Steps\n- write it\n### 対象外（2箇所）\n- execute_push";
        let found: Vec<_> = limits(text).into_iter().map(|list| (list.under, list.items)).collect();
        assert_eq!(
            found,
            [
                (None, vec!["**Input**: the plan, NOT the full issue"]),
                (Some("Out of scope"), vec!["the retry in `push`", "split | asks"]),
                (Some("対象外（2箇所）"), vec!["execute_push"]),
            ]
        );
    }
}
