//! The only place that writes to the terminal: data on stdout, talk on stderr.
//!
//! A reader that goes away (`catchword log | head`) is not an error. What is printed may quote transcripts,
//! so control characters are taken out before they can reach a terminal.

use std::io::{IsTerminal, Write};

/// Where a command's output goes, and how wide it may be.
pub struct Ui {
    colour: bool,
    width: usize,
}

impl Ui {
    /// Decides colour and width once, from the terminal and the environment.
    pub fn new(no_color: bool, columns: Option<usize>) -> Self {
        let colour = !no_color && std::io::stdout().is_terminal();
        Ui { colour, width: columns.unwrap_or(80).clamp(40, 120) }
    }

    /// Columns that a line may fill.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A line of data for stdout.
    pub fn line(&self, text: impl AsRef<str>) {
        let mut out = std::io::stdout().lock();
        // A closed pipe means that nobody reads on: success, not a fault.
        let _ = writeln!(out, "{}", printable(text.as_ref()));
    }

    /// A line of talk for stderr.
    pub fn say(&self, text: impl AsRef<str>) {
        let mut err = std::io::stderr().lock();
        let _ = writeln!(err, "{}", printable(text.as_ref()));
    }

    /// `text` in bold where the terminal shows it.
    pub fn bold(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// `text` dimmed where the terminal shows it.
    pub fn dim(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// `text` without control characters; our own bold and dim marks stay.
fn printable(text: &str) -> String {
    const OURS: [&str; 3] = ["[0m", "[1m", "[2m"];
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let ours = c == '\u{1b}' && OURS.iter().any(|mark| text[at + 1..].starts_with(mark));
        if c == '\n' || c == '\t' || ours || !c.is_control() {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn escapes_from_a_transcript_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\u{1b}[2Jc\r\u{9b}31md"), "a]0;titleb[2Jc31md");
    }

    #[test]
    fn our_own_marks_stay() {
        assert_eq!(printable("\u{1b}[1mhead\u{1b}[0m"), "\u{1b}[1mhead\u{1b}[0m");
    }
}
