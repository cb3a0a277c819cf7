//! Masks secrets before any text is stored or shown.
//!
//! [`Mask::text`] replaces each secret by `[masked: <kind>]` and keeps the text around it, so a reader still sees which
//! variable, header or address had one. Masking is idempotent.
//!
//! There are two passes over the bytes. All tables are constants, so nothing is built at start-up. Each line below uses
//! only the ones above it:
//!
//! - `bytes`, `span`: byte sets, and the stretches to replace
//! - `value`: where a value starts and ends, and whether it is a secret or a placeholder
//! - `shapes`: secrets that need a function: headers, addresses, key files; `arguments`: those of programs
//! - `named`: looks at each `=`, `:` and `,` for a name that promises a secret (`named/names.rs` has the names)
//! - `rules`: secrets with a format of their own, like `ghp_…` (`rules/formats.rs` has the formats)
//! - `painted`: looks through colours and what nobody sees; `forgotten`: texts that the user wants gone,
//!   also as JSON writes them (`escaped`)
//! - this file: [`Mask`]; then `line` masks a row of JSON, and `unmasked` an entry
//!
//! There is no entropy test: git hashes, uuids, checksums and ids stay, because a brief without them is useless.
//! `docs/masking.md` says what is found and what is missed.

mod arguments;
mod bytes;
pub mod case_folding;
mod escaped;
pub mod folders;
pub mod forgotten;
mod line;
mod named;
mod painted;
mod rules;
mod shapes;
mod span;
#[cfg(test)]
mod tests;
mod unmasked;
mod value;

use std::borrow::Cow;

use crate::text::cut::{head_of, tail_of};
use crate::text::hash::fnv1a;
use folders::Folders;
use forgotten::Forgotten;
pub use named::{NamedPair, names_a_secret, pairs_up};
use span::{MARK, SecretSpan, merged, replaced};
pub use unmasked::UnmaskedEntry;

/// The version of the rules. Whoever adds or changes one raises it: what a shared archive has was masked by older rules,
/// and the next `sync` masks it again.
pub const RULES: u32 = 1;

/// Masking one secret can uncover another (the byte before a token belonged to the first one), but there are no long
/// chains.
const MAX_PASSES: usize = 4;

/// Context that is masked together with the ends of a long text: secrets are recognised by what is around them.
const MARGIN: usize = 64 * 1024;
/// The longest secret that can be cut in half at the edge of that context.
const MAX_CUT_SECRET: usize = 16 * 1024;

/// What is removed from everything we read: known kinds of secrets, texts the user wants forgotten, and rows written in
/// folders the user leaves out.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    forgotten: Vec<Forgotten>,
    /// Hashes of forgotten sessions.
    sessions: Vec<u64>,
    left_out: Folders,
}

/// Masks secrets only: nothing is forgotten and no folder left out.
pub const SECRETS: &Mask = &Mask { forgotten: Vec::new(), sessions: Vec::new(), left_out: Folders::NONE };

#[cfg(test)]
thread_local! {
    /// Bytes that this thread has scanned.
    pub static SCANNED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Mask {
    /// Masks secrets and these texts.
    pub fn new(forgotten: Vec<Forgotten>) -> Mask {
        Mask { forgotten, ..Mask::default() }
    }

    /// Also removes rows written in these folders.
    #[must_use]
    pub fn leaving_out(self, left_out: Folders) -> Mask {
        Mask { left_out, ..self }
    }

    /// Also removes what was said in these sessions, given as hashes of their ids ([`Mask::session_hash`]).
    #[must_use]
    pub fn forgetting_sessions(self, sessions: Vec<u64>) -> Mask {
        Mask { sessions, ..self }
    }

    /// By which a forgotten session is known.
    pub fn session_hash(session: &str) -> u64 {
        fnv1a(session.as_bytes())
    }

    /// Whether this session was forgotten.
    pub fn forgets(&self, session: &str) -> bool {
        !self.sessions.is_empty() && self.sessions.contains(&Mask::session_hash(session))
    }

    /// The folders whose rows are removed.
    pub fn left_out(&self) -> &Folders {
        &self.left_out
    }

    /// Replaces each secret in `text` by `[masked: <kind>]`; borrowed when there is none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(mut masked) = self.once(text) else { return Cow::Borrowed(text) };
        for _ in 1..MAX_PASSES {
            let Some(again) = self.once(&masked) else { break };
            masked = again;
        }
        Cow::Owned(masked)
    }

    /// The masked start and end of a text that is far longer than the `most` bytes to keep; `None` for shorter texts. Each
    /// end is masked together with [`MARGIN`] more bytes. Half a secret may be left at the inner edge of that margin, so
    /// the last [`MAX_CUT_SECRET`] bytes of it are dropped.
    pub fn ends(&self, text: &str, most: usize) -> Option<String> {
        if text.len() <= most.saturating_add(4 * MARGIN) {
            return None;
        }
        let head = self.text(head_of(text, most + MARGIN));
        let tail = self.text(tail_of(text, most + MARGIN));
        let head = head_of(&head, head.len().saturating_sub(MAX_CUT_SECRET));
        let tail = tail_of(&tail, tail.len().saturating_sub(MAX_CUT_SECRET));
        Some(format!("{head}\n…\n{tail}"))
    }

    /// Whether these bytes contain a forgotten text.
    pub fn has_forgotten(&self, bytes: &[u8]) -> bool {
        forgotten::is_any_in(&self.forgotten, bytes)
    }

    fn once(&self, text: &str) -> Option<String> {
        let spans = self.spans(text);
        (!spans.is_empty()).then(|| replaced(text, spans))
    }

    /// What to replace in a text, in order.
    fn spans(&self, text: &str) -> Vec<SecretSpan> {
        #[cfg(test)]
        SCANNED.set(SCANNED.get() + text.len());
        let mut found = Vec::new();
        self.scan(text, &mut found);
        painted::find(text, &mut found, |plain, found| self.scan(plain, found));
        merged(found)
    }

    fn scan(&self, text: &str, found: &mut Vec<SecretSpan>) {
        rules::scan(text.as_bytes(), found);
        named::scan(text.as_bytes(), found);
        forgotten::scan(&self.forgotten, text, found);
    }
}

/// Whether something was masked in this text.
pub fn is_masked(text: &str) -> bool {
    text.contains(MARK)
}
