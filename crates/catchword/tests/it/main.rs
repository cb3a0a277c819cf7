//! The real binary in a private home: one file a front end.

mod concurrency;
#[cfg(unix)]
mod install;
mod real_client;
mod tidy;
