//! The real binary in a private home: one file a front end.

mod concurrency;
mod real_client;
