//! The only place that writes to the terminal: data on stdout, talk on stderr.
//!
//! A reader that goes away (`catchword lost | head`) is not an error. What is printed may quote transcripts,
//! so characters that move the cursor, turn the text around or hide in it are taken out before they can reach a
//! terminal. Our own bold and dim are marks that nobody else can know, and become escapes last of all.

pub mod exit;
pub mod width;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::LazyLock;

use catchword_engine::text::escape;
use catchword_engine::text::quote::{is_shown, without_frames};
use indicatif::{ProgressBar, ProgressStyle};

/// Where a command's output goes, and how wide it may be.
pub struct Ui {
    colour: bool,
    width: usize,
    no_frames: bool,
}

/// JSON says the same with the bracket escaped.
fn unframed(text: &str) -> std::borrow::Cow<'_, str> {
    let is_json = text.starts_with(['{', '[']);
    without_frames(text, if is_json { "\\u003c" } else { "‹" })
}

#[expect(clippy::unused_self, reason = "who prints holds the Ui, whatever this line needs of it")]
impl Ui {
    /// Decides colour and width once, from the terminal and the environment.
    pub fn new(no_color: bool, columns: Option<usize>) -> Self {
        let colour = !no_color && std::io::stdout().is_terminal();
        Ui { colour, width: width::line_width(columns), no_frames: false }
    }

    /// Columns that a line may fill.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A line of data for stdout.
    pub fn line(&self, text: impl AsRef<str>) {
        let mut out = std::io::stdout().lock();
        // A closed pipe means that nobody reads on: success, not a fault.
        let text = printable(text.as_ref());
        let _ = writeln!(out, "{}", if self.no_frames { unframed(&text) } else { (&*text).into() });
    }

    /// The same, for commands that the agent is told to run: what they print is other people's text, and no tag in it may
    /// pass for the client's or for ours.
    #[must_use]
    pub fn without_frames(&self) -> Self {
        Ui { no_frames: true, ..*self }
    }

    /// Whether somebody looks at stdout.
    pub fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Puts `text` in place of everything on the screen.
    pub fn redraw(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "\u{1b}[H\u{1b}[2J{}", printable(text)).and_then(|()| out.flush());
    }

    /// The output of another program for stdout, byte by byte; false when nobody reads on.
    pub fn pass_on(&self, bytes: &[u8], line_end: bool) -> bool {
        let mut out = std::io::stdout().lock();
        let end: &[u8] = if line_end { b"\n" } else { b"" };
        out.write_all(bytes).and_then(|()| out.write_all(end)).and_then(|()| out.flush()).is_ok()
    }

    /// Bytes as they are, and a newline, for stdout: only what was asked for by that name. A terminal gets them like
    /// any other text.
    pub fn bytes(&self, bytes: &[u8]) {
        if self.is_terminal() {
            return self.line(String::from_utf8_lossy(bytes));
        }
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.write_all(b"\n"));
    }

    /// A line of talk for stderr.
    pub fn say(&self, text: impl AsRef<str>) {
        let mut err = std::io::stderr().lock();
        let _ = writeln!(err, "{}", printable(text.as_ref()));
    }

    /// A bar on stderr that moves on with each of `all` things; where that is no terminal, nothing is drawn.
    pub fn progress(&self, all: usize, noun: &'static str) -> ProgressBar {
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} {msg}").expect("a sound template");
        ProgressBar::new(all as u64).with_style(style).with_message(noun)
    }

    /// The same for `all` bytes, with how long it will take.
    pub fn progress_bytes(&self, all: u64) -> ProgressBar {
        let style = ProgressStyle::with_template("{bar:30} {bytes} of {total_bytes}, {eta} left")
            .expect("a sound template");
        ProgressBar::new(all).with_style(style)
    }

    /// `text` broken into lines that fit.
    pub fn paragraph(&self, text: &str) -> String {
        let lines: Vec<String> = text.lines().flat_map(|line| width::wrap(line, self.width)).collect();
        lines.join("\n")
    }

    /// Asks a question on the terminal, where return alone means yes; `None` when nobody is there to answer.
    pub fn ask(&self, question: &str) -> Option<bool> {
        self.question(question, "[Y/n]", true)
    }

    /// The same for what cannot be undone: return alone means no.
    pub fn ask_before_loss(&self, question: &str) -> Option<bool> {
        self.question(question, "[y/N]", false)
    }

    fn question(&self, question: &str, choice: &str, on_return: bool) -> Option<bool> {
        let (stdin, mut err) = (std::io::stdin(), std::io::stderr());
        if !stdin.is_terminal() || !err.is_terminal() {
            return None;
        }
        let _ = write!(err, "{} {choice} ", printable(question));
        let mut answer = String::new();
        // The end of input is not a yes.
        let read = stdin.lock().read_line(&mut answer).unwrap_or(0);
        Some(read > 0 && is_yes(&answer, on_return))
    }

    /// `text` in bold where the terminal shows it.
    pub fn bold(&self, text: &str) -> String {
        if self.colour { format!("{}{text}{}", MARKS[1], MARKS[0]) } else { text.to_owned() }
    }

    /// `text` dimmed where the terminal shows it.
    pub fn dim(&self, text: &str) -> String {
        if self.colour { format!("{}{text}{}", MARKS[2], MARKS[0]) } else { text.to_owned() }
    }
}

/// Anything that is not plainly a yes is a no.
fn is_yes(answer: &str, on_return: bool) -> bool {
    match answer.trim().to_lowercase().as_str() {
        "" => on_return,
        answer => answer == "y" || answer == "yes",
    }
}

/// How all of our marks begin: no character.
const MARK: char = '\u{fdd0}';

/// Plain, bold and dim, as they stand in a text until it is printed. Their middle is drawn anew in each process, so that
/// nothing that was written down before can be one.
static MARKS: LazyLock<[String; 3]> = LazyLock::new(|| {
    let drawn = RandomState::new().build_hasher().finish() % 0xfffd;
    let drawn = char::from_u32(0xf_0000 + drawn as u32).unwrap_or(MARK);
    ["0", "1", "2"].map(|code| format!("{MARK}{drawn}{code}"))
});

/// `text` as a terminal may have it; our own marks become what it understands.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mark =
            if c == MARK { MARKS.iter().position(|mark| rest.starts_with(mark.as_str())) } else { None };
        if let Some(code) = mark {
            out.push_str(["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m"][code]);
            rest = &rest[MARKS[code].len()..];
            continue;
        }
        // A colour goes as a whole, not its first character alone.
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
    fn escapes_from_a_transcript_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\u{1b}[2Jc\r\u{9b}31md"), "a]0;titlebc31md");
        assert_eq!(printable("\u{1b}[1;31merror\u{1b}[0m: no"), "error: no");
    }

    #[test]
    fn only_a_plain_yes_is_one() {
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
    }

    #[test]
    fn text_that_turns_around_or_hides_is_shown_as_it_is_written() {
        assert_eq!(printable("rm \u{202e}txt.exe\u{2066}\u{200b} \u{2028}x\u{e0041}"), "rm txt.exe  x");
    }
}
