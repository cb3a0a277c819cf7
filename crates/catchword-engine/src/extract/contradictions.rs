//! Where the summary says something else than the record: first in the brief, both sides quoted.
//!
//! What the summary merely leaves out is given back by the other extractors; this is what it has wrong. Only
//! findings that are sure enough are told, and few of them: a brief is no list of complaints.

use super::text::{harmless, quote};
use super::{Fact, Known, Section};
use crate::audit::{self, Finding, Kind};
use crate::session::{Session, one_line};

/// Most differences told.
const MOST: usize = 5;

/// What the summary contradicts, changed or invented.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    if known.is_empty() {
        return Vec::new();
    }
    let findings = audit::audit(session, known.written()).into_iter();
    findings.filter(|f| f.kind != Kind::Dropped && f.is_told()).take(MOST).map(|f| fact(&f)).collect()
}

fn fact(finding: &Finding) -> Fact {
    let fact = Fact::new(Section::Differs, &finding.text, line(finding, 200)).or(line(finding, 100));
    let fact = fact.worth(3.5, format!("{} by the summary", finding.kind.name())).must();
    Fact { place: finding.place, ..fact }
}

fn line(finding: &Finding, most: usize) -> String {
    let said = finding.summary_quote.as_deref().unwrap_or_default();
    match finding.kind {
        Kind::Invented => {
            format!(
                "the summary quotes the user: {}; no message of this session says so",
                quote(&finding.text, most)
            )
        }
        _ => format!(
            "the summary says {}; the record: {}",
            quote(said, most),
            one_line(&harmless(&finding.text), most)
        ),
    }
}
