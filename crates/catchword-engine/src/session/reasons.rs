//! Why something was asked for, quoted: "because billing needs separate logs".

use super::{Prompt, Session};
use crate::model::entry::Place;
use crate::reading::statements::Tells;
use crate::record::Message;
use crate::text::stems::{share, stem_set};

/// Share of the request's words that an agent's reason must name.
const ABOUT_IT: f32 = 0.3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason<'a> {
    pub place: Place,
    /// The whole sentence.
    pub text: &'a str,
    /// Given with the request, not by the agent.
    pub is_askers: bool,
}

/// The reason for `asked`: from the request itself, a later one, or else the agent.
pub fn reason_for<'a>(session: &'a Session, asked: &Prompt) -> Option<Reason<'a>> {
    let later = session.asked().iter().filter(|prompt| prompt.place > asked.place);
    let own = std::iter::once(asked).chain(later).find_map(|prompt| reason_in(session, prompt));
    own.or_else(|| agents_reason(session, asked))
}

/// The reason that a request gives.
fn reason_in<'a>(session: &'a Session, prompt: &Prompt) -> Option<Reason<'a>> {
    let text = session.message_of(prompt)?.sentences_that(Tells::Reason).next()?;
    Some(Reason { place: prompt.place, text, is_askers: true })
}

fn agents_reason<'a>(session: &'a Session, asked: &Prompt) -> Option<Reason<'a>> {
    let wanted = stem_set(&session.text_of(asked));
    let is_about_it = |sentence: &&str| share(&wanted, &stem_set(sentence)) >= ABOUT_IT;
    let reason = |said: Message<'a>| {
        let text = said.sentences_that(Tells::Reason).find(is_about_it)?;
        Some(Reason { place: said.place, text, is_askers: false })
    };
    session.record.spoken().filter(|said| said.place > asked.place).find_map(reason)
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    #[test]
    fn request_gives_the_reason_or_else_the_agent_on_the_same_subject() {
        let why = |transcript: Transcript| {
            let session = fold(&transcript);
            let reason = reason_for(&session, &session.prompts[0])?;
            Some((reason.text.to_owned(), reason.is_askers))
        };
        let asked = Transcript::new().prompt("Split the logger because billing needs separate logs.");
        assert_eq!(
            why(asked.says("Done.")),
            Some(("Split the logger because billing needs separate logs.".to_owned(), true))
        );
        let silent = || Transcript::new().prompt("Split the logger.");
        let told = silent().says("The logger has to be split because billing writes to the same file.");
        assert!(!why(told).expect("the agent gave one").1);
        assert_eq!(why(silent().says("The tests fail because of a typo.")), None, "of something else");
    }
}
