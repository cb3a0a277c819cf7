//! Problems are reported beside a value: parsing never fails.

use crate::model::entry::Place;

/// Something in the input that could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub place: Place,
    /// The byte offset at which that line starts.
    pub offset: u64,
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (byte {}): {}", self.place, self.offset, self.what)
    }
}
