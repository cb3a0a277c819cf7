//! The engine of catchword: from a coding agent's transcript to what it should be told after a compaction.
//!
//! ```text
//! transcript: bytes → whole lines        agent: line → Entry, payload → HookEvent
//! session: fold entries into a Session   extract: Session → Facts
//! audit: Session × summary → Findings    render: Facts → Brief under a budget
//! notes: Session → state and progress    cold: Session → what was done for finished tasks
//! gauge: how full the context is          store: cursor, snapshot, index in SQLite
//! history: everything that was said and done, searchable    backup: whole transcripts, packed
//! ops: the verbs that front ends call    retention: what a compaction kept, what a brief gives back
//! ```
//!
//! It has no terminal and reads neither the environment nor the clock: callers hand both in. `agent`,
//! `session`, `extract`, `audit`, `gauge`, `notes`, `cold` and `render` do no I/O and do not fail.

pub mod agent;
mod at_once;
pub mod audit;
pub mod backup;
pub mod cold;
mod desk;
pub mod escape;
pub mod extract;
mod find;
pub mod gauge;
pub mod history;
pub mod mask;
pub mod notes;
pub mod ops;
pub mod problem;
pub mod render;
pub mod retention;
pub mod session;
pub mod store;
pub mod transcript;
