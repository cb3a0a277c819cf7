//! Why a brief contains what it does: the worth of each line, and the lines that would come next.

use super::{Brief, BriefLine};
use crate::choose::Tier;
use crate::choose::Why;

impl Brief {
    /// The lines included, each with its score.
    pub fn valued(&self) -> Vec<(&BriefLine, f32)> {
        let shown = self.chosen.iter().filter(|line| line.shown.is_some());
        let mut shown: Vec<(&BriefLine, f32)> = shown.map(|line| (line, line.value())).collect();
        shown.sort_by_key(|(line, _)| line.fact.section);
        shown
    }

    /// The lines left out, best first.
    pub fn next(&self) -> Vec<(&BriefLine, f32)> {
        let left = self.chosen.iter().filter(|line| line.shown.is_none());
        let added = |line: &BriefLine| if self.text.contains(&line.fact.key) { 0.0 } else { line.value() };
        let mut left: Vec<(&BriefLine, f32)> = left.map(|line| (line, added(line))).collect();
        left.sort_by(|(a, a_value), (b, b_value)| a.turn().cmp(&b.turn()).then(b_value.total_cmp(a_value)));
        left
    }
}

impl BriefLine {
    /// The score of a line of the reference; infinite for what is certain.
    fn value(&self) -> f32 {
        self.fact.score
    }

    /// Why it is a candidate. The changes of a new file include its first version, which its own line does not call an
    /// edit.
    pub fn reason(&self) -> String {
        match &self.fact.why {
            why @ Why::Used { .. } => why.to_string().replacen("edit", "change", 1),
            why => why.to_string(),
        }
    }

    /// The form it is shown in, or would be.
    pub fn form(&self) -> &str {
        let shortest = self.fact.short.as_deref().unwrap_or(&self.fact.text);
        self.shown.as_deref().unwrap_or(shortest)
    }

    /// Sort key: the head before what stands beside it, the reference last.
    fn turn(&self) -> u8 {
        match self.fact.tier {
            Tier::Head => 0,
            Tier::Beside => 1,
            Tier::Reference(_) => 2,
        }
    }
}
