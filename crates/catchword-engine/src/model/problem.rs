//! What went wrong beside a value: parsing never fails, it reports.

use crate::model::entry::Place;

/// Something in the input that could not be understood, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line it is on.
    pub place: Place,
    /// Where that line starts in the file, in bytes.
    pub offset: u64,
    /// What is wrong, in a few words.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (byte {}): {}", self.place, self.offset, self.what)
    }
}
