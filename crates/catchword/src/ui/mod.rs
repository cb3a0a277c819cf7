//! The only place that writes to the terminal: data on stdout, messages on stderr.
//!
//! A closed pipe (`catchword lost | head`) is not an error. Output may quote transcripts, so characters that move the
//! cursor, change the text's direction or are invisible are removed before they reach a terminal. Our own bold, dim
//! and colours are marks that nobody else can produce; they become escape sequences last.

pub mod exit;
pub mod width;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::LazyLock;

use catchword_engine::quote::{is_shown, without_frames};
use catchword_engine::text::escape;
use indicatif::{ProgressBar, ProgressStyle};

pub struct Ui {
    colour: bool,
    width: usize,
    no_frames: bool,
}

/// In JSON the bracket is escaped, which means the same.
fn unframed(text: &str) -> std::borrow::Cow<'_, str> {
    let is_json = text.starts_with(['{', '[']);
    without_frames(text, if is_json { "\\u003c" } else { "‹" })
}

#[expect(clippy::unused_self, reason = "all output goes through a Ui")]
impl Ui {
    /// Decides colour and width once, from the terminal and the environment.
    pub fn new(colour: Option<bool>, columns: Option<usize>) -> Self {
        let colour = colour.unwrap_or_else(|| std::io::stdout().is_terminal());
        Ui { colour, width: width::line_width(columns), no_frames: false }
    }

    /// Maximum line width, in columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Prints a line of data to stdout.
    pub fn line(&self, text: impl AsRef<str>) {
        let mut out = std::io::stdout().lock();
        // A closed pipe is not an error.
        let text = printable(text.as_ref());
        let _ = writeln!(out, "{}", if self.no_frames { unframed(&text) } else { (&*text).into() });
    }

    /// Prints a document to stdout: as it is, or wrapped on a terminal, where a person reads it.
    pub fn document(&self, text: &str) {
        if self.is_terminal() {
            self.line(width::wrap_document(text, self.width));
        } else {
            self.line(text);
        }
    }

    /// The same, for commands that the agent is told to run: their output is other people's text, and no tag in it may
    /// look like the client's or ours.
    #[must_use]
    pub fn without_frames(&self) -> Self {
        Ui { no_frames: true, ..*self }
    }

    /// Whether stdout is a terminal.
    pub fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Clears the screen and shows `text`.
    pub fn redraw(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "\u{1b}[H\u{1b}[2J{}", printable(text)).and_then(|()| out.flush());
    }

    /// Passes another program's output to stdout unchanged; false if the pipe is closed.
    pub fn pass_on(&self, bytes: &[u8], line_end: bool) -> bool {
        let mut out = std::io::stdout().lock();
        let end: &[u8] = if line_end { b"\n" } else { b"" };
        out.write_all(bytes).and_then(|()| out.write_all(end)).and_then(|()| out.flush()).is_ok()
    }

    /// Prints bytes unchanged, and a newline, to stdout: only for output that was explicitly requested as bytes. A
    /// terminal gets them as printable text.
    pub fn bytes(&self, bytes: &[u8]) {
        if self.is_terminal() {
            return self.line(String::from_utf8_lossy(bytes));
        }
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.write_all(b"\n"));
    }

    /// Prints a message to stderr.
    pub fn say(&self, text: impl AsRef<str>) {
        let mut err = std::io::stderr().lock();
        let _ = writeln!(err, "{}", printable(text.as_ref()));
    }

    /// A progress bar on stderr for `all` things; draws nothing if stderr is not a terminal.
    pub fn progress(&self, all: usize, noun: &'static str) -> ProgressBar {
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} {msg}").expect("a sound template");
        ProgressBar::new(all as u64).with_style(style).with_message(noun)
    }

    /// The same for `all` bytes, with the remaining time.
    pub fn progress_bytes(&self, all: u64) -> ProgressBar {
        let style =
            ProgressStyle::with_template("{bar:30} {decimal_bytes} of {decimal_total_bytes}, {eta} left")
                .expect("a sound template");
        ProgressBar::new(all).with_style(style)
    }

    /// `text` wrapped to the width.
    pub fn paragraph(&self, text: &str) -> String {
        let lines: Vec<String> = text.lines().flat_map(|line| width::wrap(line, self.width)).collect();
        lines.join("\n")
    }

    /// Asks a question on the terminal; return alone means yes. `None` if nobody can answer.
    pub fn ask(&self, question: &str) -> Option<bool> {
        self.question(question, "[Y/n]", true)
    }

    /// The same for what cannot be undone; return alone means no.
    pub fn ask_before_loss(&self, question: &str) -> Option<bool> {
        self.question(question, "[y/N]", false)
    }

    fn question(&self, question: &str, choice: &str, on_return: bool) -> Option<bool> {
        if !self.can_ask() {
            return None;
        }
        let (stdin, mut err) = (std::io::stdin(), std::io::stderr());
        let _ = write!(err, "{} ", printable(&self.paragraph(&format!("{question} {choice}"))));
        let mut answer = String::new();
        // End of input is not a yes.
        let read = stdin.lock().read_line(&mut answer).unwrap_or(0);
        Some(read > 0 && is_yes(&answer, on_return))
    }

    /// `text` in bold, if the terminal supports it.
    pub fn bold(&self, text: &str) -> String {
        if self.colour { format!("{}{text}{}", MARKS[1], MARKS[0]) } else { text.to_owned() }
    }

    /// What is well or was given back, in green if the terminal supports it. The words say it, too.
    pub fn green(&self, text: &str) -> String {
        if self.colour { format!("{}{text}{}", MARKS[3], MARKS[0]) } else { text.to_owned() }
    }

    /// What fails, is wrong or was lost, in red. The words say it, too.
    pub fn red(&self, text: &str) -> String {
        if self.colour { format!("{}{text}{}", MARKS[4], MARKS[0]) } else { text.to_owned() }
    }

    /// Whether a person can be asked.
    pub fn can_ask(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// `text` dimmed, if the terminal supports it.
    pub fn dim(&self, text: &str) -> String {
        if self.colour { format!("{}{text}{}", MARKS[2], MARKS[0]) } else { text.to_owned() }
    }
}

/// Anything that is not clearly a yes is a no.
fn is_yes(answer: &str, on_return: bool) -> bool {
    match answer.trim().to_lowercase().as_str() {
        "" => on_return,
        answer => answer == "y" || answer == "yes",
    }
}

/// Start of all our marks: a Unicode noncharacter.
const MARK: char = '\u{fdd0}';

/// Plain, bold, dim, green and red, as marks in a text until it is printed. Their middle is random per process, so that no text
/// from elsewhere can contain one.
static MARKS: LazyLock<[String; 5]> = LazyLock::new(|| {
    let drawn = RandomState::new().build_hasher().finish() % 0xfffd;
    let drawn = char::from_u32(0xf_0000 + drawn as u32).unwrap_or(MARK);
    ["0", "1", "2", "3", "4"].map(|code| format!("{MARK}{drawn}{code}"))
});

/// `text` without anything a terminal would act on; our own marks become escape sequences.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mark =
            if c == MARK { MARKS.iter().position(|mark| rest.starts_with(mark.as_str())) } else { None };
        if let Some(code) = mark {
            out.push_str(["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[32m", "\u{1b}[31m"][code]);
            rest = &rest[MARKS[code].len()..];
            continue;
        }
        // Removes a whole colour sequence, not just its first character.
        if let Some(length) = escape::length(rest.as_bytes()) {
            rest = &rest[length..];
            continue;
        }
        match c {
            '\n' | '\t' => out.push(c),
            '\u{2028}' | '\u{2029}' => out.push(' '),
            _ if is_shown(c) && c != MARK => out.push(c),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Ui, is_yes, printable};

    #[test]
    fn escape_sequences_from_a_transcript_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\u{1b}[2Jc\r\u{9b}31md"), "a]0;titlebc31md");
        assert_eq!(printable("\u{1b}[1;31merror\u{1b}[0m: no"), "error: no");
    }

    #[test]
    fn only_a_plain_yes_counts_as_yes() {
        for yes in ["y\n", "Yes\r\n"] {
            assert!(is_yes(yes, false), "{yes:?}");
        }
        for no in ["n\n", "no\n", "q\n", "yes please\n"] {
            assert!(!is_yes(no, true), "{no:?}");
        }
        assert!(is_yes("\n", true) && !is_yes("\n", false));
    }

    #[test]
    fn only_our_own_marks_become_escapes() {
        let ui = Ui { colour: true, width: 80, no_frames: false };
        let hostile = "a\u{1b}[1mb\u{1b}[0m\u{fdd0}1";
        assert_eq!(printable(&ui.bold(hostile)), "\u{1b}[1mab1\u{1b}[0m");
        assert_eq!(printable(&ui.dim("x")), "\u{1b}[2mx\u{1b}[0m");
        assert_eq!(printable(&ui.green("x")), "\u{1b}[32mx\u{1b}[0m");
        assert_eq!(printable(&ui.red("x")), "\u{1b}[31mx\u{1b}[0m");
    }

    #[test]
    fn bidirectional_and_invisible_characters_are_removed() {
        assert_eq!(printable("rm \u{202e}txt.exe\u{2066}\u{200b} \u{2028}x\u{e0041}"), "rm txt.exe  x");
    }
}
