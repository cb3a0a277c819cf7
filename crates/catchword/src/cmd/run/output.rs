//! Combines several sessions into the output of a single run.

use catchword_engine::clients::headless::{CommandLine, EndedTurn, StreamFormat};

use crate::ui::Ui;

pub struct RunOutput<'a> {
    ui: &'a Ui,
    format: StreamFormat,
    /// Rows that are printed together at the end, as `json` with `--verbose` does.
    all: Option<Vec<Vec<u8>>>,
    last: Option<(Vec<u8>, EndedTurn)>,
    /// The text of turns before the last one: the end of a background job starts another turn.
    said: String,
    /// The reader of our output has closed the pipe.
    pub is_closed: bool,
}

impl<'a> RunOutput<'a> {
    pub fn new(ui: &'a Ui, line: &CommandLine) -> Self {
        let all = (line.output == StreamFormat::Json && line.verbose).then(Vec::new);
        RunOutput { ui, format: line.output, all, last: None, said: String::new(), is_closed: false }
    }

    /// A row of the current session.
    pub fn row(&mut self, row: &[u8]) {
        if self.format == StreamFormat::Rows {
            self.print(row, true);
        } else if let Some(all) = &mut self.all {
            all.push(row.to_vec());
        }
    }

    /// The row that ends a turn. Only the last one counts; in text format the client prints all of them.
    pub fn ended(&mut self, row: &[u8], ended: EndedTurn) {
        self.row(row);
        if let Some((_, before)) = self.last.replace((row.to_vec(), ended)) {
            self.said += &before.text;
            self.said.push_str("\n\n");
        }
    }

    /// Prints what is printed only at the end.
    pub fn finish(&mut self) {
        let Some((row, ended)) = self.last.take() else { return };
        match (self.format, self.all.take()) {
            (StreamFormat::Rows, _) => {}
            (StreamFormat::Json, Some(all)) => {
                let joined = all.join(&b","[..]);
                self.print(&[b"[", joined.as_slice(), b"]"].concat(), true);
            }
            (StreamFormat::Json, None) => self.print(&row, true),
            (StreamFormat::Text, _) => {
                // The client prints a line end after an answer, but not after an error.
                let line_end = !ended.failed && !ended.text.ends_with('\n');
                let said = std::mem::take(&mut self.said) + &ended.text;
                self.print(said.as_bytes(), line_end);
            }
        }
    }

    fn print(&mut self, bytes: &[u8], line_end: bool) {
        self.is_closed |= !self.ui.pass_on(bytes, line_end);
    }
}
