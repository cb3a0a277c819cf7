//! Which session, at which moment: the arguments `brief` and `lost` share; and how long a brief may be.

use std::path::PathBuf;

use anyhow::Context;
use catchword_engine::brief::clamped;
use catchword_engine::ops::read::brief::Moment;
use catchword_engine::ops::read::compaction::CompactionAt;
use catchword_engine::ops::read::{ReadError, Which};

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::files::{self, GIVEN_TEXT};

/// A session, a moment in it, and what it is compared with.
#[derive(Clone, clap::Args)]
pub struct Target {
    /// A recorded session, by the start of its id [default: the latest of this folder]
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// At the session's Nth compaction, compared with its summary, or at a saved point (`P3`; `catchword status --points`
    /// lists them)
    #[arg(long, value_name = "N|POINT", conflicts_with = "line")]
    at: Option<NumberedMoment>,
    /// As it was after this line of the transcript (12 or L12)
    #[arg(long, value_name = "LINE", value_parser = line)]
    line: Option<u32>,
    /// Compare with the summary in this file
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

/// A moment of a session that has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberedMoment {
    /// A compaction.
    Compaction(usize),
    /// A saved point.
    Point(usize),
}

impl std::str::FromStr for NumberedMoment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse().ok().filter(|n| *n > 0);
        let point = text.strip_prefix(['P', 'p']).and_then(number).map(NumberedMoment::Point);
        point.or_else(|| number(text).map(NumberedMoment::Compaction)).ok_or_else(|| {
            "use the number of a compaction (2) or a saved point (P3); `catchword status --points` lists them".to_owned()
        })
    }
}

/// A line as it is written everywhere, or its bare number.
fn line(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix(['L', 'l']).unwrap_or(text).parse();
    number.map_err(|_| "takes the number of a line (12 or L12)".to_owned())
}

/// How long a brief may be.
#[derive(clap::Args)]
pub struct Size {
    /// Most characters of the brief, 400 to 9,500
    #[arg(long, value_name = "CHARACTERS", value_parser = budget)]
    budget: Option<usize>,
}

/// A budget that a brief can keep.
pub fn budget(text: &str) -> Result<usize, String> {
    let refused = || format!("takes {} to {}", clamped(0), clamped(usize::MAX));
    text.parse().ok().filter(|wanted| clamped(*wanted) == *wanted).ok_or_else(refused)
}

impl Size {
    /// In characters, from the argument or the settings.
    pub fn budget(&self, env: &Env) -> usize {
        self.budget.unwrap_or_else(|| Config::load(env).budget)
    }
}

impl Target {
    /// The session that is meant.
    pub fn which(&self) -> Which<'_> {
        Which::of(self.session.as_deref(), self.transcript.as_deref())
    }

    /// The moment that is meant.
    pub fn moment(&self) -> Moment {
        match (self.line, self.at) {
            (Some(line), _) => Moment::Line(line),
            (None, Some(NumberedMoment::Compaction(number))) => Moment::Compaction(number),
            (None, Some(NumberedMoment::Point(number))) => Moment::Point(number),
            (None, None) => Moment::Now,
        }
    }

    /// The compaction that is meant: without a moment the latest.
    pub fn compaction(&self) -> Result<CompactionAt, ReadError> {
        match self.moment() {
            Moment::Now => Ok(CompactionAt::Latest),
            Moment::Compaction(number) => Ok(CompactionAt::Number(number)),
            Moment::Line(line) => Ok(CompactionAt::Line(line)),
            Moment::Point(_) => Err(ReadError::PointWithoutSummary),
        }
    }

    /// The summary to compare with, if one is given: masked like the record, so that a secret in both becomes the same
    /// text.
    pub fn summary(&self, env: &Env) -> anyhow::Result<Option<String>> {
        let Some(file) = &self.summary else { return Ok(None) };
        let text = files::read_within(file, GIVEN_TEXT)
            .with_context(|| format!("cannot read {}", file.display()))?;
        Ok(Some(env.mask.text(&text).into_owned()))
    }

    /// With a moment: `number`, or a number in place of a session. Session ids are longer than three digits.
    #[must_use]
    pub fn at_number(&self, number: Option<usize>) -> Target {
        let is_number = |text: &&String| text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let typed = self.session.as_ref().filter(is_number).and_then(|text| text.parse().ok());
        match (number, typed) {
            (None, Some(typed)) if self.at.is_none() && self.line.is_none() => {
                Target { session: None, at: Some(NumberedMoment::Compaction(typed)), ..self.clone() }
            }
            _ => Target { at: number.map(NumberedMoment::Compaction).or(self.at), ..self.clone() },
        }
    }

    /// Whether it names a moment, or a summary to compare with.
    pub fn has_moment(&self) -> bool {
        self.at.is_some() || self.line.is_some() || self.summary.is_some()
    }

    /// Whether it names a file.
    pub fn is_file(&self) -> bool {
        self.transcript.is_some()
    }

    /// Whether it names a session or a file.
    pub fn is_named(&self) -> bool {
        self.session.is_some() || self.transcript.is_some()
    }
}
