//! The real binary in a private home: one file a front end.

mod concurrency;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod install;
mod look;
#[cfg(unix)]
mod real_client;
mod tidy;
