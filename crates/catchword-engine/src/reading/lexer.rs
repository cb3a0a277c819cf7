//! Splits a shell line into words and operators, the way a shell does.
//!
//! Substitutions (`$(…)`, backticks, `${…}`) stay in their word as they are written: what they become is not known.
//! Here-documents belong to the step that opens them. A quotation that does not end leaves the line open; what was read
//! up to there is still returned.

use std::ops::Range;

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellWord {
    /// Without quotation marks.
    pub text: String,
    /// As written.
    pub raw: String,
    /// The shell replaces a part of it: what it becomes is not known.
    pub expands: bool,
}

/// How a file is attached to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `<`
    Read,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(ShellWord),
    /// Another file than a terminal's is attached to the step.
    File(Direction, ShellWord),
    /// Text that the step reads: a here-document or a here-string.
    Input(String),
    And,
    Or,
    /// `;`, `&` or a new line.
    Then,
    Pipe,
    Open,
    Close,
}

/// The tokens of a line with the bytes they stand in, and whether every quotation in it ends.
pub fn tokens(line: &str) -> (Vec<(Token, Range<usize>)>, bool) {
    let mut lexer = Lexer { line, rest: line, tokens: Vec::new(), documents: Vec::new(), closed: true };
    lexer.run();
    (lexer.tokens, lexer.closed)
}

struct Lexer<'a> {
    line: &'a str,
    rest: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    /// Here-documents whose text begins on the next line: the token they fill, and the word that ends them.
    documents: Vec<(usize, String)>,
    closed: bool,
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            if self.rest.is_empty() {
                return;
            }
            if self.eat("\\\n") {
                continue;
            }
            let (start, known) = (self.at(), self.tokens.len());
            if self.rest.starts_with('#') {
                self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
            } else if self.eat("\n") {
                self.push(Token::Then);
                self.take_documents();
            } else if !self.operator() && !self.redirection() {
                let word = self.word();
                self.push(Token::Word(word));
            }
            let end = self.at();
            self.tokens[known..].iter_mut().for_each(|(_, span)| *span = start..end);
        }
    }

    fn at(&self) -> usize {
        self.line.len() - self.rest.len()
    }

    fn push(&mut self, token: Token) {
        self.tokens.push((token, 0..0));
    }

    fn eat(&mut self, start: &str) -> bool {
        let after = self.rest.strip_prefix(start);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn operator(&mut self) -> bool {
        if self.rest.starts_with("&>") {
            return false;
        }
        let operators = [
            ("&&", Token::And),
            ("||", Token::Or),
            ("|&", Token::Pipe),
            ("|", Token::Pipe),
            (";", Token::Then),
            ("&", Token::Then),
            ("(", Token::Open),
            (")", Token::Close),
        ];
        let found = operators.into_iter().find(|(sign, _)| self.eat(sign));
        found.is_some_and(|(_, token)| {
            self.push(token);
            true
        })
    }

    /// `> file`, `2>&1`, `<<EOF`. A number in front names a descriptor.
    fn redirection(&mut self) -> bool {
        let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = self.rest.split_at(digits);
        let signs = [
            ("&>>", Direction::Append),
            ("&>", Direction::Write),
            (">>", Direction::Append),
            (">|", Direction::Write),
            (">", Direction::Write),
            ("<", Direction::Read),
        ];
        if after.starts_with("<(") || after.starts_with(">(") {
            return false;
        }
        if let Some(text) = after.strip_prefix("<<<") {
            self.rest = text.trim_start_matches(' ');
            let word = self.word();
            self.push(Token::Input(word.text));
            return true;
        }
        if let Some(text) = after.strip_prefix("<<") {
            self.rest = text.trim_start_matches('-').trim_start_matches(' ');
            let end = self.word().text;
            self.documents.push((self.tokens.len(), end));
            self.push(Token::Input(String::new()));
            return true;
        }
        let Some((sign, direction)) = signs.into_iter().find(|(sign, _)| after.starts_with(sign)) else {
            return false;
        };
        self.rest = after[sign.len()..].trim_start_matches(' ');
        // `2>&1` and `>&2` only join descriptors.
        if self.rest.starts_with('&') {
            let end = self.rest[1..]
                .find(|c: char| !c.is_ascii_digit() && c != '-')
                .map_or(self.rest.len(), |at| at + 1);
            self.rest = &self.rest[end.max(1)..];
            return true;
        }
        let target = self.word();
        let is_error_stream = number == "2";
        if !target.text.starts_with("/dev/") && !target.text.is_empty() && !is_error_stream {
            self.push(Token::File(direction, target));
        }
        true
    }

    /// Everything up to a bare space or operator.
    fn word(&mut self) -> ShellWord {
        let begin = self.rest;
        let (mut text, mut expands) = (String::new(), false);
        while let Some(c) = self.rest.chars().next() {
            match c {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '<' | '>' | ')'
                    if !self.rest.starts_with("<(") && !self.rest.starts_with(">(") =>
                {
                    break;
                }
                '(' if text.is_empty() => break,
                '\'' => text.push_str(self.until_mark('\'')),
                '"' => expands |= self.double_quoted(&mut text),
                '\\' => {
                    let mut characters = self.rest.chars();
                    characters.next();
                    // A backslash at the end of a line joins it with the next.
                    text.extend(characters.next().filter(|c| *c != '\n'));
                    self.rest = characters.as_str();
                }
                '$' | '`' | '<' | '>' => {
                    expands = true;
                    text.push_str(self.substitution());
                }
                c => {
                    expands |= matches!(c, '*' | '?' | '[' | '{') || (c == '~' && text.is_empty());
                    text.push(c);
                    self.rest = &self.rest[c.len_utf8()..];
                }
            }
        }
        // Nothing was consumed: an operator that cannot stand here.
        if self.rest.len() == begin.len()
            && let Some(c) = self.rest.chars().next()
        {
            self.rest = &self.rest[c.len_utf8()..];
        }
        let raw = begin[..begin.len() - self.rest.len()].to_owned();
        ShellWord { text, raw, expands }
    }

    /// The text between two marks; the rest begins behind the second one.
    fn until_mark(&mut self, mark: char) -> &str {
        let inside = &self.rest[mark.len_utf8()..];
        let end = inside.find(mark);
        self.closed &= end.is_some();
        let text = &inside[..end.unwrap_or(inside.len())];
        self.rest = end.map_or("", |end| &inside[end + mark.len_utf8()..]);
        text
    }

    /// Appends what stands in double quotation marks; whether a part of it is replaced by the shell.
    fn double_quoted(&mut self, text: &mut String) -> bool {
        self.rest = &self.rest[1..];
        let mut expands = false;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '"' => {
                    self.rest = &self.rest[1..];
                    return expands;
                }
                '\\' => {
                    let mut characters = self.rest.chars();
                    characters.next();
                    match characters.next() {
                        Some('\n') | None => {}
                        Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                        Some(c) => text.extend(['\\', c]),
                    }
                    self.rest = characters.as_str();
                }
                '$' | '`' => {
                    expands = true;
                    text.push_str(self.substitution());
                }
                c => {
                    text.push(c);
                    self.rest = &self.rest[c.len_utf8()..];
                }
            }
        }
        self.closed = false;
        expands
    }

    /// `$(…)`, `${…}`, `<(…)`, `` `…` `` or a lone sign, as written.
    fn substitution(&mut self) -> &str {
        let begin = self.rest;
        let mut characters = begin.char_indices().skip(1);
        let long = match (begin.chars().next(), begin.chars().nth(1)) {
            (Some('`'), _) => {
                let end = characters.find(|(_, c)| *c == '`');
                self.closed &= end.is_some();
                end.map_or(begin.len(), |(at, _)| at + 1)
            }
            (_, Some(open @ ('(' | '{'))) => {
                let close = if open == '(' { ')' } else { '}' };
                let end = balanced(&begin[1..], open, close);
                self.closed &= end.is_some();
                end.map_or(begin.len(), |end| end + 1)
            }
            _ => 1,
        };
        self.rest = &begin[long..];
        &begin[..long]
    }

    /// Fills the here-documents that the line just ended has opened.
    fn take_documents(&mut self) {
        for (at, end) in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            loop {
                if self.rest.is_empty() {
                    self.closed = false;
                    break;
                }
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line.trim() == end {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            self.tokens[at].0 = Token::Input(body);
        }
    }
}

/// The length of `text` up to the sign that closes the first one, which it begins with. Quoted signs do not count.
fn balanced(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_u32, None, false);
    for (at, c) in text.char_indices() {
        match (std::mem::take(&mut escaped), quoted, c) {
            (true, ..) => {}
            (_, Some(mark), c) if c == mark => quoted = None,
            (_, Some('\''), _) => {}
            (_, _, '\\') => escaped = true,
            (_, None, '\'' | '"') => quoted = Some(c),
            (_, None, c) if c == open => depth += 1,
            (_, None, c) if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + c.len_utf8());
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        let words = tokens(line).0.into_iter().filter_map(|(token, _)| match token {
            Token::Word(word) => Some(word.text),
            _ => None,
        });
        words.collect()
    }

    #[test]
    fn words_are_read_as_a_shell_reads_them() {
        for (line, expected) in [
            (r#"git commit -m "a && b; c""#, vec!["git", "commit", "-m", "a && b; c"]),
            (r"echo it\'s 'a b'c", vec!["echo", "it's", "a bc"]),
            ("make \\\n  all # build it", vec!["make", "all"]),
            ("a=$(git log | head -1) b", vec!["a=$(git log | head -1)", "b"]),
            ("x \"$(date \"+%s\")\" y", vec!["x", "$(date \"+%s\")", "y"]),
            ("diff <(a | b) c", vec!["diff", "<(a | b)", "c"]),
            ("cat 2>&1 >/dev/null <in", vec!["cat"]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn files_and_texts_are_attached_to_their_step() {
        let (tokens, closed) = tokens("cat > a.txt <<'EOF' && b >> log 2> err\nx; y\nEOF\nc &> all");
        assert!(closed);
        let files: Vec<(Direction, &str)> = tokens
            .iter()
            .filter_map(|(token, _)| match token {
                Token::File(direction, word) => Some((*direction, word.text.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(
            files,
            [(Direction::Write, "a.txt"), (Direction::Append, "log"), (Direction::Write, "all")]
        );
        assert!(tokens.iter().any(|(token, _)| *token == Token::Input("x; y\n".into())), "{tokens:?}");
    }

    #[test]
    fn open_quotations_are_noticed() {
        for (line, expected) in
            [("a 'b", false), ("a \"b", false), ("a $(b", false), ("cat <<E\nx", false), ("a 'b'", true)]
        {
            assert_eq!(tokens(line).1, expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(line in "[a-z'\"\\\\$(){}`<>|&;# \n=-]{0,60}") {
            let (tokens, _) = tokens(&line);
            prop_assert!(tokens.len() <= line.chars().count());
        }
    }
}
