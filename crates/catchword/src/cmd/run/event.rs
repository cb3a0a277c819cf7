//! The events of a run, which its threads send to the one that decides.

/// Everything that can happen during a run.
#[derive(Debug)]
pub enum RunEvent {
    /// A session's row, without its line end.
    Row(u32, Vec<u8>),
    /// A session's output has ended.
    Closed(u32),
    /// A line on our own stdin.
    Input(String),
    /// The end of our own stdin.
    InputEnd,
    /// A signal for us.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there the console notifies the client itself"))]
    Signal(i32),
}
