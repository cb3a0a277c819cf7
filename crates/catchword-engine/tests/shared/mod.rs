//! Helpers that fold a test kit transcript and read a section of its brief.

use catchword_engine::clients::CLIENTS;
use catchword_engine::facts::Section;
use catchword_engine::model::entry::Place;
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

/// The lines of one section of a brief, without its heading; empty if there is none.
pub fn section_of(brief: &str, section: Section) -> String {
    let lines = brief.lines().skip_while(|line| *line != format!("## {}", section.title())).skip(1);
    lines.take_while(|line| !line.is_empty() && !line.starts_with("</")).collect::<Vec<_>>().join("\n")
}
