//! Words, sentences and cutting. Nothing here knows about sessions or clients.

pub mod cut;
pub mod escape;
pub mod gist;
pub mod glob;
pub mod hash;
pub mod marks;
pub mod numbers;
pub mod passages;
pub mod phrases;
pub mod reply;
pub mod sentences;
pub mod shell_words;
pub mod specifics;
pub mod speech;
pub(crate) mod stems;
pub mod trigrams;
pub mod units;
pub mod words;
