//! Reads a transcript while the client writes it.

pub mod tail;

use std::io;

/// Receives a line and its number; returns whether it wants more.
pub type Take<'a> = dyn FnMut(u32, &[u8]) -> bool + 'a;
/// Passes the lines of a transcript on, in order, as long as more are wanted.
pub type LineSource<'a> = dyn FnMut(&mut Take) -> io::Result<()> + 'a;
