//! Acceptance criteria of a long request.
//!
//! A request is shown up to a length; what it demands often stands behind that, in a list. Such lines are carried
//! on their own, so that "done" is measured by what was asked and not by what fitted.

use super::text::quote;
use super::{Fact, Known, Section};
use crate::session::{Prompt, Session};

/// Characters of a request that are shown anyway.
const SHOWN: usize = 600;
/// Most criteria shown.
const MOST: usize = 8;
/// Headings under which every item counts.
const HEADINGS: [&str; 7] = [
    "acceptance",
    "criteria",
    "requirement",
    "must show",
    "definition of done",
    "verification",
    "constraints",
];

/// Criteria in the goal and in the latest request that stand beyond what is shown of them.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let mut prompts: Vec<&Prompt> =
        session.prompts.first().into_iter().chain(session.prompts.last()).collect();
    prompts.dedup_by_key(|p| p.place);
    prompts.into_iter().flat_map(|prompt| criteria(prompt, known)).take(MOST).collect()
}

fn criteria<'a>(prompt: &'a Prompt, known: &'a Known) -> impl Iterator<Item = Fact> + 'a {
    demands(&prompt.text, SHOWN).into_iter().filter(|line| !known.quotes(line)).map(|line| {
        let fact = Fact::new(Section::Asked, line, format!("Criterion: {}", quote(line, 240)));
        fact.at(prompt.place).worth(0.25, "a criterion beyond what is shown of the request")
    })
}

/// The lines behind the first `shown` characters that demand something.
pub fn demands(text: &str, shown: usize) -> Vec<&str> {
    let mut listed = false;
    let mut seen = 0;
    let mut found = Vec::new();
    for line in text.lines() {
        seen += line.chars().count() + 1;
        let trimmed = line.trim();
        let item = trimmed.strip_prefix(['-', '*', '•']).map(str::trim);
        if is_heading(trimmed) {
            listed = HEADINGS.iter().any(|h| trimmed.to_lowercase().contains(h));
        } else if seen > shown && item.is_some_and(|i| i.len() > 8 && (listed || is_demand(i))) {
            found.extend(item);
        }
    }
    found
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') || (line.ends_with(':') && line.len() < 60 && !line.starts_with(['-', '*', '•']))
}

fn is_demand(item: &str) -> bool {
    let lower = format!(" {} ", item.to_lowercase());
    [" must ", " must not ", " should ", " shall ", " never ", " at least ", " at most "]
        .iter()
        .any(|cue| lower.contains(cue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_behind_the_shown_part_are_found() {
        let text = format!(
            "Add a cache.\n{}\n## Acceptance criteria\n- hits are counted\n- `size` is bounded\n\n## Notes\n- see the wiki page\n- answers must stay under 50 ms",
            "Background. ".repeat(60)
        );
        assert_eq!(
            demands(&text, SHOWN),
            ["hits are counted", "`size` is bounded", "answers must stay under 50 ms"]
        );
    }

    #[test]
    fn what_is_shown_anyway_is_not_repeated() {
        assert_eq!(demands("## Acceptance criteria\n- hits are counted", SHOWN), Vec::<&str>::new());
    }
}
