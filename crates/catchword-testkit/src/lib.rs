//! The test kit of catchword.
//!
//! - [`TestEnv`] and [`CommandOutput`]: a private home, a stepped clock, one value for everything a command printed;
//! - [`Transcript`] and [`HookPlayer`]: sessions built in a few lines, hooks in the client's own order;
//! - [`Rollout`]: the same for Codex;
//! - [`tiny_client`]: a made-up second client, to prove that nothing but its folder knows a client;
//! - [`FakeApi`] and [`RealClient`]: the real client, talking to a model that follows a script; at a [`Terminal`], too;
//! - [`FakeResponses`] and [`RealCodex`]: the same for Codex;
//! - [`NpmRegistry`]: our npm packages, on loopback;
//! - [`Browser`]: Chromium, for the page.
//!
//! It contains no code of the product, so that the tests do not share its mistakes.

#![allow(
    clippy::needless_pass_by_value,
    reason = "tests hand over `json!` literals; a borrow on each is noise"
)]
#![allow(clippy::missing_panics_doc, reason = "ending the test is how a test kit reports a fault")]

#[cfg(unix)]
mod browser;
mod chat_rows;
mod env;
pub mod fake_api;
pub mod fake_chat;
pub mod fake_responses;
pub mod files;
mod hooks;
mod loopback;
mod npm;
mod opencode_rows;
mod output;
pub mod postgres;
mod real_chat;
mod real_client;
mod real_codex;
mod rollout;
pub mod secrets;
mod sessions;
pub mod terminal;
pub mod tiny_client;
mod transcript;

#[cfg(unix)]
pub use browser::{Browser, Seen};
pub use chat_rows::{CopilotEvents, PiSession, QwenChat};
pub use env::{TestEnv, claude_slug};
pub use fake_api::{Asked, FakeAnswer, FakeApi, Script};
pub use fake_chat::{ChatAnswer, ChatRequest, ChatScript, FakeChat};
pub use fake_responses::{CodexAnswer, CodexAsked, CodexRequest, CodexScript, FakeResponses, ToolMode};
pub use hooks::{CompactionHooks, HookPlayer, find_briefs, head_of, model_text};
pub use npm::NpmRegistry;
pub use opencode_rows::OpenCodeLog;
pub use output::CommandOutput;
pub use real_chat::{RealCopilot, RealOpenCode, RealPi, RealQwen};
pub use real_client::{ClientOutput, ClientRun, RealClient, Skip};
pub use real_codex::{AppServer, CodexOutput, Provider, RealCodex, rollouts};
pub use rollout::{Rollout, THREAD};
pub use sessions::{ClientSessions, SESSIONS, SessionRows, SessionStep};
pub use terminal::Terminal;
pub use transcript::{Call, SESSION, Transcript};

/// Start of the line that opens an injected brief.
pub const BRIEF_START: &str = "<catchword-record";
/// The line that closes it.
pub const BRIEF_END: &str = "</catchword-record>";
