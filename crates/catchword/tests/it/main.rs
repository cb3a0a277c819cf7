//! The real binary in a private home: one file a front end.

mod audit;
mod concurrency;
#[cfg(unix)]
mod eval;
mod history;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod install;
mod log;
mod look;
#[cfg(unix)]
mod real_client;
mod tidy;
