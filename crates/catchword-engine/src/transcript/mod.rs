//! Reading a transcript that somebody else is writing.

pub mod tail;

use std::io;

/// Takes a line and its number; says whether it wants more.
pub type Take<'a> = dyn FnMut(u32, &[u8]) -> bool + 'a;
/// Hands on the lines of a transcript, in order, as long as more are wanted.
pub type LineSource<'a> = dyn FnMut(&mut Take) -> io::Result<()> + 'a;
