//! One file a command: its arguments next to what it does.

pub mod doctor;
pub mod init;
pub mod remove;
pub mod sessions;
pub mod try_out;
