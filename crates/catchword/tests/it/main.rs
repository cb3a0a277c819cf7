//! Tests of the real binary in a private home: one file per front end.

#[cfg(unix)]
mod active;
#[cfg(unix)]
mod aftermath;
mod archive;
mod backup;
mod codex;
mod concurrency;
mod config;
#[cfg(unix)]
mod documents;
#[cfg(unix)]
mod eval;
#[cfg(unix)]
mod every_client;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod gauge;
#[cfg(unix)]
mod handoff;
mod history;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod instructions;
mod lineage;
mod look;
mod lost;
#[cfg(unix)]
mod mcp;
mod moments;
mod notes;
#[cfg(unix)]
mod packaging;
#[cfg(unix)]
mod page;
mod privacy;
#[cfg(unix)]
mod project;
#[cfg(unix)]
mod real_chat;
#[cfg(unix)]
mod real_client;
#[cfg(unix)]
mod real_codex;
#[cfg(unix)]
mod real_guests;
#[cfg(unix)]
mod real_opencode;
mod replay;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod start;
mod status;
#[cfg(unix)]
mod statusline;
mod strangers;
mod tidy;
mod together;
mod upgrade;
