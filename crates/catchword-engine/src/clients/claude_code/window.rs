//! How large the windows of its models are, and when Claude Code compacts.
//!
//! The rule that 2.1.325 follows to the token (`docs/formats/claude-code.md`): of the window, or a smaller one that was
//! set, 20,000 tokens are reserved for the summary (fewer if answers must be shorter) and 13,000 as a margin. A
//! percentage applies to what remains after the first of the two, and can only lower the threshold. Models that never
//! had a larger window are compacted only after the API refuses, unless a window was set.

use crate::clients::environment::Lookup;
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

/// Tokens reserved for the summary.
const RESERVE: u64 = 20_000;
/// Margin in tokens.
const MARGIN: u64 = 13_000;
/// Reserved if automatic compaction is off: above it the client accepts no more prompts.
const LAST_MARGIN: u64 = 3_000;
/// The smallest and the largest window that can be set.
const SETTABLE: (u64, u64) = (100_000, 1_000_000);

/// Suffix of a model's name if the larger window was chosen. The name in an API response does not have it; since 2.1 the
/// client records the requested name beside it.
const LARGE_MARK: &str = "[1m]";
const LARGE: u64 = 1_000_000;
/// Models that also have a larger window, by a part of their names.
const CHOICE: [&str; 2] = ["sonnet-4", "opus-4-6"];

/// Windows by a part of the model's name, first match; and whether the client waits until the API refuses.
const MODELS: [(&str, u64, bool); 14] = [
    ("sonnet-4-6", 200_000, false),
    ("opus-4-6", 200_000, false),
    ("opus-4-7", 1_000_000, false),
    ("opus-4-8", 1_000_000, false),
    ("sonnet-4", 200_000, true),
    ("opus-4", 200_000, true),
    ("haiku-4", 200_000, true),
    ("claude-3", 200_000, true),
    ("claude-2", 200_000, true),
    ("sonnet-5", 1_000_000, false),
    ("opus-5", 1_000_000, false),
    ("haiku-5", 1_000_000, false),
    ("fable-5", 1_000_000, false),
    ("mythos-5", 1_000_000, false),
];

/// The window of a model, if known.
pub fn window(model: &str) -> Option<u64> {
    if is_marked(model) {
        return Some(LARGE);
    }
    known(model).map(|(_, window, _)| *window)
}

/// Whether the name does not tell which window was chosen.
pub fn has_larger(model: &str) -> bool {
    !is_marked(model) && CHOICE.iter().any(|part| model.contains(part))
}

/// The window of the model that the client asked for by this name, which has the mark where the larger one was chosen.
pub fn requested(name: &str) -> Option<u64> {
    window(name)
}

/// The window of `model`, where somebody chose it by `name`: a full name, or an alias such as `sonnet[1m]`.
pub fn chosen(name: &str, model: &str) -> Option<u64> {
    let bare = name.split('[').next().unwrap_or(name).trim().to_lowercase();
    let alias = ["sonnet", "opus", "haiku"].contains(&bare.as_str()) && model.contains(bare.as_str());
    if !alias && model_key(&bare) != model_key(model) {
        return None;
    }
    if is_marked(name) { Some(LARGE) } else { window(model) }
}

/// The name of the model that the environment chooses.
pub fn chosen_in(variable: Lookup) -> Option<String> {
    variable("ANTHROPIC_MODEL").filter(|name| !name.trim().is_empty())
}

fn is_marked(name: &str) -> bool {
    name.trim_end().to_ascii_lowercase().ends_with(LARGE_MARK)
}

fn known(model: &str) -> Option<&'static (&'static str, u64, bool)> {
    MODELS.iter().find(|(part, ..)| model.contains(part))
}

/// Number of tokens at which the client compacts a context of this window.
pub fn threshold(window: u64, model: &str, limits: &ClientLimits) -> TokenCount {
    let reserve = limits.output.map_or(RESERVE, |output| output.min(RESERVE));
    let (size, from) = match limits.window {
        _ if limits.off => {
            let tokens = window.saturating_sub(reserve).saturating_sub(LAST_MARGIN);
            return TokenCount { tokens, from: TokenSource::SwitchedOff };
        }
        Some(set) => (window.min(set), TokenSource::Configured),
        None if known(model).is_some_and(|(.., waits)| *waits) => {
            return TokenCount { tokens: window, from: TokenSource::Refusal };
        }
        None => (window, TokenSource::Rule),
    };
    let usable = size.saturating_sub(reserve);
    let rule = usable.saturating_sub(MARGIN);
    let early = limits.percent.filter(|percent| *percent > 0.0 && *percent <= 100.0);
    let tokens = early.map_or(rule, |percent| rule.min((usable as f64 * percent / 100.0) as u64));
    TokenCount { tokens, from }
}

/// A model's id without the provider's prefix, the date and the mark of a larger window.
pub fn model_key(model: &str) -> String {
    let bare = model.split('[').next().unwrap_or(model);
    let bare = bare.find("claude-").map_or(bare, |at| &bare[at..]);
    let bare = bare.split(['@', ':']).next().unwrap_or(bare);
    let parts: Vec<&str> = bare.split('-').collect();
    let dated = |part: &&str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_digit());
    let end = parts.iter().position(dated).unwrap_or(parts.len());
    parts[..end].join("-").to_lowercase()
}

/// Whether a person uses the client interactively. Older clients only say whether a program started them.
pub fn attended(variable: Lookup) -> Option<bool> {
    let said = variable("CLAUDE_CODE_SESSION_ATTENDED").map(|value| value != "0");
    said.or_else(|| variable("CLAUDE_CODE_ENTRYPOINT").map(|value| !value.starts_with("sdk")))
}

/// Limits from the environment.
pub fn limits_set(variable: Lookup) -> ClientLimits {
    let window = variable("CLAUDE_CODE_AUTO_COMPACT_WINDOW");
    let percent = variable("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE");
    let output = variable("CLAUDE_CODE_MAX_OUTPUT_TOKENS");
    let off = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].map(variable);
    let small = variable("CLAUDE_CODE_DISABLE_1M_CONTEXT");
    limits(&Variables {
        small: small.as_deref(),
        window: window.as_deref(),
        percent: percent.as_deref(),
        output: output.as_deref(),
        off: off.each_ref().map(Option::as_deref),
    })
}

/// The values of the variables that move the threshold.
#[derive(Clone, Copy, Debug, Default)]
struct Variables<'a> {
    window: Option<&'a str>,
    percent: Option<&'a str>,
    output: Option<&'a str>,
    small: Option<&'a str>,
    /// Either of the two variables.
    off: [Option<&'a str>; 2],
}

fn limits(variables: &Variables) -> ClientLimits {
    ClientLimits {
        compaction: None,
        window: variables.window.and_then(size),
        percent: variables.percent.and_then(number).filter(|percent| *percent > 0.0),
        output: variables.output.and_then(number).filter(|output| *output >= 1.0).map(|output| output as u64),
        off: variables.off.into_iter().flatten().any(is_on),
        small: variables.small.is_some_and(is_on),
    }
}

fn is_on(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

/// `200000`, `200k` or `1M`, clamped to the limits.
fn size(text: &str) -> Option<u64> {
    let unit = match text.trim().chars().last()? {
        'k' | 'K' => 1e3,
        'm' | 'M' => 1e6,
        _ => 1.0,
    };
    let tokens = (number(text)? * unit).round();
    (tokens >= 1.0).then(|| (tokens as u64).clamp(SETTABLE.0, SETTABLE.1))
}

/// The number at the start of a text; the client parses it the same way.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+')).unwrap_or(text.len());
    text[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(window: u64, model: &str, variables: Variables) -> (u64, TokenSource) {
        let found = threshold(window, model, &limits(&variables));
        (found.tokens, found.from)
    }

    fn set(window: &str) -> Variables<'_> {
        Variables { window: Some(window), ..Variables::default() }
    }

    /// Each line was measured with the real client: it compacts at this number, but not at 200 tokens less.
    #[test]
    fn the_client_compacts_where_the_rule_says() {
        let (small, none) = ("claude-sonnet-4-5", Variables::default());
        let percent = |percent| Variables { percent: Some(percent), ..set("200000") };
        assert_eq!(at(200_000, small, set("200000")), (167_000, TokenSource::Configured));
        assert_eq!(at(200_000, small, set("100k")), (67_000, TokenSource::Configured));
        assert_eq!(
            at(200_000, small, set("50000")),
            (67_000, TokenSource::Configured),
            "100,000 is the least"
        );
        assert_eq!(at(200_000, small, percent("50")), (90_000, TokenSource::Configured));
        assert_eq!(at(200_000, small, percent("99")), (167_000, TokenSource::Configured), "it only lowers");
        assert_eq!(at(1_000_000, "claude-opus-4-7", none), (967_000, TokenSource::Rule));
        assert_eq!(at(1_000_000, "claude-sonnet-5", none), (967_000, TokenSource::Rule));
        assert_eq!(at(200_000, "claude-sonnet-4-6", none), (167_000, TokenSource::Rule));
        let short = Variables { output: Some("16000"), ..set("200000") };
        assert_eq!(at(200_000, small, short), (171_000, TokenSource::Configured));
        assert_eq!(at(200_000, small, none), (200_000, TokenSource::Refusal), "190,000 did not compact");
        assert_eq!(
            at(1_000_000, small, none),
            (1_000_000, TokenSource::Refusal),
            "nor did 980,000 of a million"
        );
        let off = Variables { off: [Some("0"), Some("1")], ..set("200000") };
        assert_eq!(at(200_000, small, off), (177_000, TokenSource::SwitchedOff), "190,000 ended the run");
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        for text in ["", " ", "many", "0", "-5", "k", "nan", "inf"] {
            let variables = Variables {
                window: Some(text),
                percent: Some(text),
                output: Some(text),
                small: Some(text),
                off: [Some(text); 2],
            };
            assert_eq!(limits(&variables), ClientLimits::default(), "{text:?}");
        }
        assert_eq!(limits(&set("9999999")).window, Some(1_000_000));
        assert_eq!(limits(&set(" 0.5M ")).window, Some(500_000));
        assert_eq!(at(200_000, "x", Variables { percent: Some("250"), ..set("200k") }).0, 167_000);
    }

    #[test]
    fn a_model_has_one_name_wherever_it_stands() {
        for name in [
            "claude-sonnet-4-5",
            "claude-sonnet-4-5-20250929",
            "claude-sonnet-4-5[1m]",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        ] {
            assert_eq!(model_key(name), "claude-sonnet-4-5");
        }
        assert_eq!(model_key("GPT-9"), "gpt-9");
    }

    #[test]
    fn a_window_that_can_be_chosen_is_told_by_the_name_that_was_chosen() {
        assert!(has_larger("claude-sonnet-4-5-20250929") && has_larger("claude-opus-4-6"));
        assert!(!has_larger("claude-sonnet-4-5[1m]") && !has_larger("claude-opus-4-1") && !has_larger("gpt"));
        for (name, window) in [
            ("claude-sonnet-4-5[1m]", Some(1_000_000)),
            ("sonnet[1M]", Some(1_000_000)),
            ("sonnet", Some(200_000)),
            ("claude-sonnet-4-5-20250929", Some(200_000)),
            ("opus[1m]", None),
            ("default", None),
            ("", None),
        ] {
            assert_eq!(chosen(name, "claude-sonnet-4-5"), window, "{name}");
        }
        assert_eq!(requested("claude-sonnet-4-5"), Some(200_000), "asked for without the mark");
    }

    #[test]
    fn the_table_knows_names_with_dates_and_providers() {
        for (model, size) in [
            ("claude-sonnet-4-5-20250929", Some(200_000)),
            ("us.anthropic.claude-opus-4-1-20250805-v1:0", Some(200_000)),
            ("claude-opus-4-7", Some(1_000_000)),
            ("claude-sonnet-4-5[1m]", Some(1_000_000)),
            ("claude-haiku-5-5", Some(1_000_000)),
            ("gpt-9", None),
            ("", None),
        ] {
            assert_eq!(window(model), size, "{model}");
        }
    }
}
