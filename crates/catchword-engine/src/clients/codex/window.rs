//! How large the windows of its models are, and when Codex compacts.
//!
//! It compacts at 90% of the window (244,800 of 272,000), or earlier if the configuration says so; a higher limit has no
//! effect. Options on the command line (`-c`, `-p`) are not visible to us.

use serde_json::Value;

use crate::clients::CompactionLimit;
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

/// Windows according to `codex debug models` (0.166.0).
const WINDOW: u64 = 272_000;
/// Percent of the window.
const THRESHOLD: u64 = 90;

pub fn window(model: &str) -> Option<u64> {
    ["gpt-5", "gpt-6"].iter().any(|family| model.starts_with(family)).then_some(WINDOW)
}

pub fn threshold(window: u64, _: &str, limits: &ClientLimits) -> TokenCount {
    let rule = window.saturating_mul(THRESHOLD) / 100;
    match limits.compaction {
        Some(tokens) if tokens < rule => TokenCount { tokens, from: TokenSource::Limit },
        _ => TokenCount { tokens: rule, from: TokenSource::Rule },
    }
}

pub const LIMIT: CompactionLimit = CompactionLimit {
    file: "config.toml",
    project_file: ".codex/config.toml",
    tokens: |config| {
        // Older versions choose a profile in the file itself.
        let profile = config["profile"].as_str().map(|name| &config["profiles"][name]);
        profile.into_iter().chain([config]).find_map(limit)
    },
    trusts: |config, folder| {
        let mut tables = config.as_object().into_iter().flat_map(|config| config.values());
        tables.any(|table| table[folder]["trust_level"] == "trusted")
    },
};

fn limit(config: &Value) -> Option<u64> {
    config["model_auto_compact_token_limit"].as_u64().filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_client_compacts_at_nine_tenths_of_the_window() {
        let window = window("gpt-5.5").unwrap();
        assert_eq!(threshold(window, "gpt-5.5", &ClientLimits::default()).tokens, 244_800);
        assert_eq!(super::window("llama-4"), None);
    }

    #[test]
    fn a_limit_of_the_person_moves_the_compaction_only_forward() {
        let at = |tokens: Option<u64>| {
            let limits = ClientLimits { compaction: tokens, ..ClientLimits::default() };
            let threshold = threshold(200_000, "gpt-5.5", &limits);
            (threshold.tokens, threshold.from)
        };
        assert_eq!(at(Some(150_000)), (150_000, TokenSource::Limit));
        assert_eq!(at(Some(999_999)), (180_000, TokenSource::Rule));
        assert_eq!(at(None), (180_000, TokenSource::Rule));
    }

    #[test]
    fn the_limit_of_the_chosen_profile_goes_first() {
        let read = |config: Value| (LIMIT.tokens)(&config);
        let key = "model_auto_compact_token_limit";
        assert_eq!(read(json!({key: 150_000})), Some(150_000));
        let profiles = json!({"short": {key: 90_000}, "plain": {}});
        let with = |profile: &str| json!({"profile": profile, key: 150_000, "profiles": profiles});
        assert_eq!(read(with("short")), Some(90_000));
        assert_eq!(read(with("plain")), Some(150_000));
        assert_eq!(read(json!({"profiles": profiles})), None);
        for nothing in [json!({}), json!({key: 0}), json!({key: "x"}), json!({key: -1}), json!(null)] {
            assert_eq!(read(nothing.clone()), None, "{nothing}");
        }
    }
}
