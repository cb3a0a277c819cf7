//! How far a transcript has been read, and what is read of it.

use serde::{Deserialize, Serialize};

/// Longest line that is passed on; longer ones are skipped. Real rows are far shorter.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// How far a transcript has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Bytes read, which is the offset of the next line.
    pub offset: u64,
    /// Lines read.
    pub line: u32,
    /// Number of bytes that `head_hash` covers.
    pub head_len: u64,
    /// Hash of the file's first bytes; it changes if the file is replaced.
    pub head_hash: u64,
}

/// One line of the file.
pub enum Line<'a> {
    /// A whole line without its newline.
    Whole(&'a [u8]),
    /// A line too long to be held in memory.
    TooLong,
}
