//! Text written by somebody else: an agent, a tool, the author of a commit, whoever named a file.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{line, name, quote_foreign};

/// Somebody else's text. Only the functions below can show it, so it cannot break out of its line or its quotation, nor
/// fake a place such as `L12`. There is no `Display` and no `AsRef<str>`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign(String);

impl Foreign {
    pub fn new(text: impl Into<String>) -> Foreign {
        Foreign(text.into())
    }

    /// A one-line quotation of at most `most` characters. Double quotation marks in the text become single ones.
    pub fn quoted(&self, most: usize) -> String {
        quote_foreign(&self.0, most)
    }

    /// A name (of a file, a branch): unquoted if it looks like a name, else as a quotation.
    pub fn named(&self, most: usize) -> String {
        name(&self.0, most)
    }

    /// Applies a change, such as masking, to the text.
    #[must_use]
    pub fn map(&self, change: impl FnOnce(&str) -> String) -> Foreign {
        Foreign(change(&self.0))
    }

    /// The raw text, for comparisons. Never show it.
    pub fn to_compare(&self) -> &str {
        &self.0
    }
}

impl From<String> for Foreign {
    fn from(text: String) -> Foreign {
        Foreign(text)
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&line(&self.quoted(200)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_plain_names_stay_unquoted() {
        for name in
            ["src/main.rs", "feat/x-2", "Größe.md", "C:\\a\\b", "@scope/pkg", ".env", "app/[id]/page.tsx"]
        {
            assert_eq!(Foreign::new(name).named(80), name);
        }
        assert_eq!(Foreign::new("my file.txt").named(80), "\"my file.txt\"");
        assert_eq!(Foreign::new("a\n## Asked by the user").named(80), "\"a ## Asked by the user\"");
        assert_eq!(Foreign::new("- x").named(80), "\"- x\"");
        assert_eq!(Foreign::new("a\" L3").named(80), "\"a' L3\"");
        assert_eq!(Foreign::new("x`y").named(80), "\"x`y\"");
        assert_eq!(Foreign::new("用户已决定").named(80), "\"用户已决定\"");
    }

    proptest! {
        #[test]
        fn foreign_text_cannot_break_out_of_its_line_or_quotation(text in "(\"|\n|\r|\u{2028}|L1|- |# |<system-reminder>|[a-z]| ){0,30}") {
            let foreign = Foreign::new(text);
            for shown in [foreign.quoted(60), foreign.named(60)] {
                let leaves = shown.contains(['\n', '\r', '\u{2028}']) || shown.contains("<system");
                prop_assert!(!leaves, "{}", shown);
                let marks = shown.matches('"').count();
                let is_quotation = marks == 2 && shown.starts_with('"') && shown.ends_with('"');
                prop_assert!(is_quotation || marks == 0, "{}", shown);
            }
        }
    }
}
