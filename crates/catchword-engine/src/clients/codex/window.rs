//! How large the windows of its models are, and when Codex compacts.
//!
//! It compacts at 90% of the window (244,800 of 272,000), or earlier where the person's configuration says so.

use crate::clients::environment::Lookup;
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};

/// What `codex debug models` (0.166.0) says of each model that it offers.
const WINDOW: u64 = 272_000;
/// Percent of the window.
const THRESHOLD: u64 = 90;

pub fn window(model: &str) -> Option<u64> {
    ["gpt-5", "gpt-6"].iter().any(|family| model.starts_with(family)).then_some(WINDOW)
}

pub fn threshold(window: u64, _: &str, _: &ClientLimits) -> TokenCount {
    TokenCount { tokens: window.saturating_mul(THRESHOLD) / 100, from: TokenSource::Rule }
}

/// Nothing in the environment moves the threshold.
pub fn limits(_: Lookup) -> ClientLimits {
    ClientLimits::default()
}

/// Nothing in the environment tells whether a person is there.
pub fn attended(_: Lookup) -> Option<bool> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_compacts_at_nine_tenths_of_the_window() {
        let window = window("gpt-5.5").unwrap();
        assert_eq!(threshold(window, "gpt-5.5", &ClientLimits::default()).tokens, 244_800);
        assert_eq!(super::window("llama-4"), None);
    }
}
