//! What hooks recorded of a compaction, as the text of its boundary in the history.
//!
//! So it travels with its transcript, is shared, masked and forgotten as words are, and no search finds it. Texts are
//! written as they are, between separators: escaped, a forgotten text would not be found in them.

use super::item::{HistoryItem, ItemKind};
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::store::Recorded;

/// Between findings, and after what is not one.
const GROUP: char = '\u{1d}';
/// Between the fields of each.
const FIELD: char = '\u{1e}';
/// Longest text, like that of every item.
const LONGEST: usize = 16 * 1024;

/// A compaction in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryCut {
    /// Its first row and its last.
    pub place: Place,
    pub end: Place,
    /// Older clients write none.
    pub boundary: Option<HistoryItem>,
    pub summary: Option<HistoryItem>,
}

/// The compactions among boundaries and summaries, in order. A summary right after a boundary belongs to it.
pub fn cuts(items: Vec<HistoryItem>) -> Vec<HistoryCut> {
    let mut all: Vec<HistoryCut> = Vec::new();
    for item in items {
        let (place, is_boundary) = (item.place, item.kind == ItemKind::Boundary);
        match all.last_mut() {
            Some(open) if !is_boundary && open.boundary.is_some() && open.summary.is_none() => {
                (open.end, open.summary) = (place, Some(item));
            }
            _ => {
                let (boundary, summary) = if is_boundary { (Some(item), None) } else { (None, Some(item)) };
                all.push(HistoryCut { place, end: place, boundary, summary });
            }
        }
    }
    all
}

/// The number of a recorded compaction among these, counted from 0; as `ops::lost` counts them in a transcript.
pub fn number_in(recorded_line: u32, cuts: &[HistoryCut]) -> Option<usize> {
    cuts.iter().position(|cut| cut.place.0 > recorded_line)
}

/// What others may know of a compaction.
pub fn to_text(recorded: &Recorded) -> String {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let clean = |text: &str| text.replace([GROUP, FIELD], " ");
    let head = [
        u8::from(recorded.manual).to_string(),
        recorded.begun_at.to_string(),
        number(recorded.before),
        number(recorded.after),
        number(recorded.items.map(|items| items as u64)),
        number(recorded.brief.map(|characters| characters as u64)),
        clean(recorded.arrived_by.as_deref().unwrap_or_default()),
        u8::from(recorded.findings.is_some()).to_string(),
    ];
    let mut text = head.join(&FIELD.to_string());
    for finding in recorded.findings.as_deref().unwrap_or_default() {
        let fields = [
            finding.kind.name().to_owned(),
            finding.fact.name().to_owned(),
            number(finding.place.map(|place| u64::from(place.0))),
            clean(&finding.text),
            clean(finding.summary_quote.as_deref().unwrap_or_default()),
        ];
        let one = fields.join(&FIELD.to_string());
        if text.len() + one.len() > LONGEST {
            break;
        }
        text.push(GROUP);
        text.push_str(&one);
    }
    text
}

/// The same, read again; `None` if nothing came with the boundary.
pub fn from_text(text: &str, session: &str, cwd: Option<String>, line: u32) -> Option<Recorded> {
    let mut groups = text.split(GROUP);
    let head: Vec<&str> = groups.next()?.split(FIELD).collect();
    let [manual, begun_at, before, after, items, brief, arrived_by, checked] = head.as_slice() else {
        return None;
    };
    let finding = |group: &str| {
        let fields: Vec<&str> = group.split(FIELD).collect();
        let [kind, fact, place, text, quote] = fields.as_slice() else { return None };
        Some(Finding {
            kind: FindingKind::named(kind)?,
            fact: FindingSubject::named(fact)?,
            text: (*text).to_owned(),
            place: place.parse().ok().map(Place),
            summary_quote: Some((*quote).to_owned()).filter(|quote| !quote.is_empty()),
            summary_at: None,
        })
    };
    Some(Recorded {
        session: session.to_owned(),
        cwd,
        begun_at: begun_at.parse().ok()?,
        ended_at: None,
        manual: *manual == "1",
        line,
        before: before.parse().ok(),
        after: after.parse().ok(),
        summary: None,
        brief: brief.parse().ok(),
        arrived_by: Some((*arrived_by).to_owned()).filter(|event| !event.is_empty()),
        resent: false,
        items: items.parse().ok(),
        micros: None,
        // What a newer version finds, this one cannot tell.
        findings: (*checked == "1").then(|| groups.filter_map(finding).collect()),
        late_at: None,
        person_at: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(line: u32, kind: ItemKind) -> HistoryItem {
        HistoryItem {
            place: Place(line),
            part: 0,
            until: None,
            kind,
            failed: false,
            sub: false,
            author: None,
            at: None,
            title: String::new(),
            body: String::new(),
            call: None,
        }
    }

    fn recorded(findings: Option<Vec<Finding>>) -> Recorded {
        Recorded {
            session: "s".to_owned(),
            cwd: Some("/p".to_owned()),
            begun_at: 5,
            ended_at: None,
            manual: true,
            line: 7,
            before: Some(150_000),
            after: None,
            summary: None,
            brief: Some(900),
            arrived_by: Some("SessionStart".to_owned()),
            resent: false,
            items: Some(4),
            micros: None,
            findings,
            late_at: None,
            person_at: None,
        }
    }

    fn finding(text: &str, quote: Option<&str>) -> Finding {
        Finding {
            kind: FindingKind::Contradicted,
            fact: FindingSubject::Task,
            text: text.to_owned(),
            place: Some(Place(3)),
            summary_quote: quote.map(str::to_owned),
            summary_at: None,
        }
    }

    #[test]
    fn what_hooks_recorded_is_read_as_it_was_written() {
        let findings = vec![finding("say \"marzipan\"\nin two lines", Some("done")), finding("é, ü", None)];
        for all in [recorded(Some(findings)), recorded(Some(Vec::new())), recorded(None)] {
            let text = to_text(&all);
            assert_eq!(from_text(&text, "s", Some("/p".to_owned()), 7), Some(all.clone()));
            assert_eq!(text.contains("say \"marzipan\"\nin two lines"), text.contains("marzipan"));
        }
        assert_eq!(from_text("", "s", None, 7), None, "a boundary without words");
    }

    #[test]
    fn separators_in_a_text_do_not_split_it() {
        let all = recorded(Some(vec![finding("a\u{1d}b\u{1e}c", None)]));
        let read = from_text(&to_text(&all), "s", None, 7).unwrap().findings.unwrap();
        assert_eq!(read, [finding("a b c", None)]);
    }

    #[test]
    fn a_summary_belongs_to_the_boundary_before_it() {
        use ItemKind::{Boundary, Summary};
        let all =
            [(3, Summary), (10, Boundary), (11, Summary), (20, Boundary), (30, Boundary), (31, Summary)];
        let all = cuts(all.into_iter().map(|(line, kind)| item(line, kind)).collect());
        let places: Vec<(u32, u32)> = all.iter().map(|cut| (cut.place.0, cut.end.0)).collect();
        assert_eq!(places, [(3, 3), (10, 11), (20, 20), (30, 31)]);
        let numbers = [0, 3, 9, 10, 30].map(|line| number_in(line, &all));
        assert_eq!(numbers, [Some(0), Some(1), Some(1), Some(2), None], "the last is under way");
    }
}
