//! What the status line shows: one table of segments, each a small function.
//!
//! A segment without content is omitted. If the line is too long for the terminal, the least important segments are
//! dropped first; the order is that of the table or of the settings.

use std::collections::BTreeMap;

use catchword_engine::context::Gauge;
use catchword_engine::quote::is_shown;
use catchword_engine::store::Gauged;
use catchword_engine::text::numbers::{count_of, rounded};

use crate::ui::width;

/// The input of all segments.
pub struct SegmentInput<'a> {
    pub model: Option<&'a str>,
    /// How full the context is.
    pub gauge: &'a Gauge,
    /// What the store knows.
    pub gauged: &'a Gauged,
    /// Read only if it is drawn.
    pub branch: &'a dyn Fn() -> Option<String>,
}

pub struct LineStyle<'a> {
    pub colour: bool,
    /// Available columns.
    pub columns: usize,
    /// Which segments, in which order; `None` for the table's.
    pub segments: Option<&'a [String]>,
}

pub struct Segment {
    /// Its name in the settings.
    pub name: &'static str,
    /// More important segments are kept longer if space is short.
    importance: u8,
    draw: fn(&SegmentInput) -> Option<DrawnSegment>,
}

/// All segments, in their order on the line.
pub const SEGMENTS: [Segment; 7] = [
    Segment { name: "model", importance: 4, draw: model },
    Segment { name: "context", importance: 6, draw: context },
    Segment { name: "left", importance: 7, draw: left },
    Segment { name: "compactions", importance: 2, draw: compactions },
    Segment { name: "work", importance: 5, draw: work },
    Segment { name: "lost", importance: 3, draw: lost },
    Segment { name: "branch", importance: 1, draw: branch },
];

struct DrawnSegment {
    text: String,
    tone: Tone,
}

/// How prominent it is.
#[derive(Clone, Copy)]
enum Tone {
    Plain,
    Quiet,
    Fine,
    Soon,
    Now,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Quiet => "2",
            Tone::Fine => "32",
            Tone::Soon => "33",
            Tone::Now => "31",
        }
    }
}

const BETWEEN: &str = " · ";
/// Cells of the bar.
const CELLS: u64 = 10;
/// Percent left at which the bar warns, and at which it alarms.
const SOON: u64 = 30;
const NOW: u64 = 10;

/// The whole line.
pub fn line(context: &SegmentInput, look: &LineStyle) -> String {
    let wanted: Vec<&Segment> = match look.segments {
        None => SEGMENTS.iter().collect(),
        Some(names) => names.iter().filter_map(|name| SEGMENTS.iter().find(|s| s.name == name)).collect(),
    };
    let drawn = wanted.iter().enumerate();
    let mut pieces: BTreeMap<usize, (u8, DrawnSegment)> = drawn
        .filter_map(|(at, segment)| Some((at, (segment.importance, (segment.draw)(context)?))))
        .collect();
    while columns(&pieces) > look.columns && pieces.len() > 1 {
        let least = pieces.iter().min_by_key(|(_, (importance, _))| *importance).map(|(at, _)| *at);
        pieces.remove(&least.expect("there are two"));
    }
    let show = |(_, piece): &(u8, DrawnSegment)| {
        painted(width::start_in(&piece.text, look.columns), piece.tone, look.colour)
    };
    pieces.values().map(show).collect::<Vec<_>>().join(BETWEEN)
}

fn columns(pieces: &BTreeMap<usize, (u8, DrawnSegment)>) -> usize {
    let texts: usize = pieces.values().map(|(_, piece)| width::width(&piece.text)).sum();
    texts + width::width(BETWEEN) * pieces.len().saturating_sub(1)
}

fn painted(text: &str, tone: Tone, colour: bool) -> String {
    match tone.code() {
        code if colour && !code.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        _ => text.to_owned(),
    }
}

/// Names are foreign text: they must not move the cursor or push the rest off the line.
fn name(text: &str, tone: Tone) -> Option<DrawnSegment> {
    let clean: String = text.chars().filter(|c| is_shown(*c)).take(40).collect();
    (!clean.trim().is_empty()).then(|| DrawnSegment { text: clean.trim().to_owned(), tone })
}

fn model(context: &SegmentInput) -> Option<DrawnSegment> {
    name(context.model?, Tone::Plain)
}

/// Context used, in percent of the threshold; if that is unknown, in tokens.
fn context(context: &SegmentInput) -> Option<DrawnSegment> {
    let used = context.gauge.used?.tokens;
    let Some(left) = context.gauge.percent_left() else {
        return Some(DrawnSegment { text: format!("{} used", rounded(used)), tone: Tone::Plain });
    };
    let gone = 100 - left;
    // A cell is filled once it is reached: the bar is full at the compaction and not before.
    let full = (gone * CELLS / 100) as usize;
    let bar: String = (0..CELLS as usize).map(|cell| if cell < full { '█' } else { '░' }).collect();
    Some(DrawnSegment { text: format!("{bar} {gone}%"), tone: urgency(left) })
}

fn left(context: &SegmentInput) -> Option<DrawnSegment> {
    let tone = urgency(context.gauge.percent_left()?);
    Some(match context.gauge.left()? {
        0 if context.gauge.is_never_compacted() => DrawnSegment { text: "context full".to_owned(), tone },
        0 => DrawnSegment { text: "compaction due".to_owned(), tone },
        left => DrawnSegment { text: format!("{} left", rounded(left)), tone },
    })
}

fn urgency(percent_left: u64) -> Tone {
    if percent_left <= NOW {
        Tone::Now
    } else if percent_left <= SOON {
        Tone::Soon
    } else {
        Tone::Fine
    }
}

fn compactions(context: &SegmentInput) -> Option<DrawnSegment> {
    some(context.gauged.tally.compactions, "compaction", Tone::Quiet)
}

fn work(context: &SegmentInput) -> Option<DrawnSegment> {
    let count = context.gauged.open_work?;
    (count > 0).then(|| DrawnSegment { text: format!("{count} open"), tone: Tone::Plain })
}

/// What the latest summary lost, until the turn ends; prominent until the agent has it back.
fn lost(context: &SegmentInput) -> Option<DrawnSegment> {
    let lost = context.gauged.lost.filter(|lost| *lost > 0)?;
    let (text, tone) = match context.gauged.given_back {
        Some(given) if given >= lost => (format!("{lost} lost, given back"), Tone::Quiet),
        Some(given) if given > 0 => (format!("{lost} lost, {given} given back"), Tone::Soon),
        _ => (format!("{lost} lost"), Tone::Soon),
    };
    Some(DrawnSegment { text, tone })
}

fn branch(context: &SegmentInput) -> Option<DrawnSegment> {
    name(&(context.branch)()?, Tone::Quiet)
}

fn some(count: u32, noun: &str, tone: Tone) -> Option<DrawnSegment> {
    (count > 0).then(|| DrawnSegment { text: count_of(count as usize, noun), tone })
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchword_engine::context::Tally;
    use catchword_engine::model::entry::Place;
    use catchword_engine::model::tokens::{TokenCount, TokenSource};

    #[test]
    fn settings_list_every_segment_in_order() {
        let settings = crate::app::schema::settings();
        let setting = settings.iter().find(|setting| setting.key == "statusline.segments").unwrap();
        let names: Vec<toml::Value> = SEGMENTS.iter().map(|segment| segment.name.into()).collect();
        assert_eq!(setting.default, toml::Value::Array(names));
    }

    fn gauge(used: u64) -> Gauge {
        let measured = |tokens| Some(TokenCount { tokens, from: TokenSource::Usage(Place(1)) });
        Gauge { used: measured(used), window: measured(200_000), threshold: measured(167_000) }
    }

    fn gauged() -> Gauged {
        let tally = Tally { compactions: 2, ..Tally::default() };
        Gauged { tally, open_work: Some(3), lost: Some(1), ..Gauged::default() }
    }

    fn drawn(gauge: &Gauge, gauged: &Gauged, look: &LineStyle) -> String {
        let branch = || Some("feat/x".to_owned());
        line(&SegmentInput { model: Some("Sonnet 4.5"), gauge, gauged, branch: &branch }, look)
    }

    fn plain(columns: usize) -> LineStyle<'static> {
        LineStyle { colour: false, columns, segments: None }
    }

    #[test]
    fn bar_is_full_at_the_compaction_threshold_not_at_the_window() {
        let bar = |used| {
            let names = ["context".to_owned(), "left".to_owned()];
            drawn(&gauge(used), &gauged(), &LineStyle { segments: Some(&names), ..plain(80) })
        };
        assert_eq!(bar(0), "░░░░░░░░░░ 0% · 167k left");
        assert_eq!(bar(104_000), "██████░░░░ 63% · 63k left");
        assert_eq!(bar(166_999), "██████████ 100% · 1 left");
        assert_eq!(bar(190_000), "██████████ 100% · compaction due");
    }

    #[test]
    fn narrow_terminal_drops_the_least_important_segments_first() {
        let whole = "Sonnet 4.5 · ██████░░░░ 63% · 63k left · 2 compactions · 3 open · 1 lost · feat/x";
        let at = |columns| drawn(&gauge(104_000), &gauged(), &plain(columns));
        assert_eq!(at(200), whole);
        assert_eq!(at(whole.chars().count()), whole);
        assert_eq!(at(80), "Sonnet 4.5 · ██████░░░░ 63% · 63k left · 2 compactions · 3 open · 1 lost");
        assert_eq!(at(60), "Sonnet 4.5 · ██████░░░░ 63% · 63k left · 3 open · 1 lost");
        assert_eq!(at(40), "██████░░░░ 63% · 63k left · 3 open");
        assert_eq!(at(12), "63k left");
        assert_eq!(at(3), "63k");
        assert_eq!(at(0), "");
        for columns in 0..200 {
            assert!(at(columns).chars().count() <= columns);
        }
    }

    #[test]
    fn losses_are_shown_with_how_much_was_given_back() {
        let names = ["lost".to_owned()];
        let look = LineStyle { colour: false, columns: 80, segments: Some(&names) };
        let cases = [
            (None, None, ""),
            (Some(0), Some(0), ""),
            (Some(2), None, "2 lost"),
            (Some(2), Some(0), "2 lost"),
            (Some(2), Some(1), "2 lost, 1 given back"),
            (Some(2), Some(2), "2 lost, given back"),
        ];
        for (lost, given_back, shown) in cases {
            assert_eq!(drawn(&gauge(1), &Gauged { lost, given_back, ..Gauged::default() }, &look), shown);
        }
    }

    #[test]
    fn unknown_values_are_not_shown() {
        let (nothing, none) = (Gauge::default(), Gauged::default());
        let context = SegmentInput { model: None, gauge: &nothing, gauged: &none, branch: &|| None };
        assert_eq!(line(&context, &plain(80)), "");
        let used = Gauge { used: gauge(20_000).used, ..nothing };
        let context =
            SegmentInput { model: Some(" \u{1b}[2J\n"), gauge: &used, gauged: &none, branch: &|| None };
        assert_eq!(line(&context, &plain(80)), "[2J · 20k used");
    }

    #[test]
    fn colours_only_if_enabled() {
        let names = ["left".to_owned(), "model".to_owned(), "nonsense".to_owned()];
        let look = |colour| LineStyle { colour, columns: 80, segments: Some(&names) };
        let at = |used| drawn(&gauge(used), &gauged(), &look(true));
        assert_eq!(drawn(&gauge(1_000), &gauged(), &look(false)), "166k left · Sonnet 4.5");
        assert_eq!(at(1_000), "\u{1b}[32m166k left\u{1b}[0m · Sonnet 4.5");
        assert_eq!(at(140_000), "\u{1b}[33m27k left\u{1b}[0m · Sonnet 4.5");
        assert_eq!(at(160_000), "\u{1b}[31m7k left\u{1b}[0m · Sonnet 4.5");
    }
}
