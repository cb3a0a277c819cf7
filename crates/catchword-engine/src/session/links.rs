//! Web addresses that the session's own pushes, pull requests and deployments printed.

use serde::{Deserialize, Serialize};

use crate::lexicon::programs::Purpose;
use crate::model::entry::Place;
use crate::reading::command::{ShellLine, Step};

/// Latest ones kept.
const MAX_LINKS: usize = 12;
/// Longer ones are not meant for people.
const LONGEST: usize = 240;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub place: Place,
    pub address: String,
    /// The command that printed it.
    pub command: String,
}

/// The latest printed addresses, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Links {
    kept: Vec<Link>,
}

impl Links {
    /// Records a finished command.
    pub fn ran(&mut self, line: &ShellLine, place: Place, output: &str) {
        let Some(step) = line.steps().iter().find(|step| publishes(step)) else { return };
        for address in addresses(output) {
            self.kept.retain(|link| link.address != address);
            self.kept.push(Link { place, address: address.to_owned(), command: step.text.clone() });
        }
        let excess = self.kept.len().saturating_sub(MAX_LINKS);
        self.kept.drain(..excess);
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Link> {
        self.kept.iter()
    }
}

/// Creates something that has an address: a pull request, a deployment, a release.
fn publishes(step: &Step) -> bool {
    step.purpose == Purpose::Deploy
        || (matches!(step.program.as_str(), "gh" | "glab") && step.verb.as_deref() == Some("create"))
}

/// The web addresses in a text.
pub fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '<' | '>' | '`' | ')' | ']' | '}' | '|' | '、' | '。' | '）')
    };
    let starts = text.match_indices("http").filter(|(at, _)| {
        let rest = &text[*at..];
        rest.starts_with("https://") || rest.starts_with("http://")
    });
    starts
        .map(move |(at, _)| text[at..].split(is_end).next().unwrap_or_default())
        .map(|address| address.trim_end_matches(['.', ',', ';', ':', '!', '?', '*']))
        .filter(|address| (12..=LONGEST).contains(&address.len()) && !address.contains(['$', '{', '…']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_push_or_deployment_printed_is_kept() {
        let mut links = Links::default();
        links.ran(&ShellLine::parse("git push -u origin x"), Place(1), "To https://git.example.com/a.git");
        links.ran(&ShellLine::parse("gh pr create --draft"), Place(1), "https://git.example.com/a/pull/7");
        links.ran(&ShellLine::parse("fly deploy --now"), Place(2), "Visit https://a.example.dev/logs?id=7.");
        links.ran(&ShellLine::parse("npm run build"), Place(3), "see https://docs.example.com/why");
        links.ran(
            &ShellLine::parse("curl https://a.example.dev"),
            Place(4),
            "https://other.example.com/page",
        );
        links.ran(&ShellLine::parse("fly deploy"), Place(5), "Visit https://a.example.dev/logs?id=7.");
        let found: Vec<_> = links.iter().map(|link| (link.place, link.address.as_str())).collect();
        assert_eq!(
            found,
            [(Place(1), "https://git.example.com/a/pull/7"), (Place(5), "https://a.example.dev/logs?id=7"),]
        );
    }

    #[test]
    fn addresses_end_where_the_text_goes_on() {
        let text = "See (https://example.com/a_b), [x](http://localhost:3000/y) and https://e.x/…";
        assert_eq!(
            addresses(text).collect::<Vec<_>>(),
            ["https://example.com/a_b", "http://localhost:3000/y"]
        );
    }
}
