//! Helpers that fold a test kit transcript and read a section of its brief.

use catchword_engine::choose::Section;
use catchword_engine::clients::CLIENTS;
use catchword_engine::model::entry::Place;
use catchword_engine::ops;
use catchword_engine::ops::brief::GuideLimits;
use catchword_engine::redact::SECRETS;
use catchword_engine::session::Session;
use catchword_testkit::Transcript;

pub fn fold(transcript: &Transcript) -> Session {
    let mut session = Session::default();
    for (n, line) in transcript.lines().iter().enumerate() {
        let place = Place(u32::try_from(n).expect("a short transcript") + 1);
        if let Ok(Some(entry)) = (CLIENTS[0].entry)(place, line.as_bytes()) {
            session.apply(&entry.masked(SECRETS));
        }
    }
    session
}

/// What stands above the verbatim lines of a brief.
const REFERENCE: &str = "\nBelow: lines of the record, each true when it was written; quotations are verbatim (with ' for quotation marks inside).\n";

/// What a brief says itself, above its verbatim lines.
pub fn head_of(brief: &str) -> &str {
    brief.split_once(REFERENCE).map_or(brief, |(head, _)| head)
}

/// The verbatim lines of a brief; empty if it has none.
pub fn reference_of(brief: &str) -> &str {
    brief.split_once(REFERENCE).map_or("", |(_, reference)| reference)
}

/// What the summariser is told under one label; empty if that is nothing.
pub fn guided(session: &Session, label: &str) -> String {
    let limits = GuideLimits { lines: 60, ..GuideLimits::default() };
    let guide = ops::brief::guide(session, &[], None, None, limits);
    let opening = format!("- {label}: ");
    guide.lines().filter_map(|line| line.strip_prefix(&opening)).collect::<Vec<_>>().join("\n")
}

/// The lines of one section of a brief, without its heading; empty if there is none.
pub fn section_of(brief: &str, section: Section) -> String {
    let lines = brief.lines().skip_while(|line| *line != format!("## {}", section.title())).skip(1);
    lines.take_while(|line| !line.is_empty() && !line.starts_with("</")).collect::<Vec<_>>().join("\n")
}
