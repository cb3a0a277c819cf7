//! The patterns in a file of key facts: the subset of Python's regular expressions that such files need.
//!
//! Written by hand because the patterns use look-ahead, which the `regex` crate does not support. A crate that does
//! would add more than a megabyte to a binary that starts at every tool use. A pattern is compiled to the steps of a
//! backtracking matcher with an explicit stack.

use super::text::{is_space, is_word};

/// Limits on the copies a counted repetition expands to and on the steps of a search. No real file needs more.
const MAX_COPIES: usize = 10_000;
const MAX_STEPS_TAKEN: usize = 100_000_000;

/// A compiled, case-insensitive pattern.
#[derive(Clone, Debug)]
pub struct FactPattern(Vec<PatternStep>);

/// A text prepared for matching: runs of spaces collapsed, lower case.
pub struct PatternText(Vec<char>);

#[derive(Clone, Debug)]
enum PatternStep {
    /// One character of the set.
    One(CharacterSet),
    /// Continues at the first index; backtracks to the second.
    Either(usize, usize),
    Goto(usize),
    /// Zero-width: start, end, word boundary, no word boundary.
    Start,
    End,
    Edge(bool),
    /// Look-ahead, positive or negative.
    Ahead(Vec<PatternStep>, bool),
    Found,
}

#[derive(Clone, Debug, Default)]
struct CharacterSet {
    is_not: bool,
    ranges: Vec<(char, char)>,
    /// `\w`, `\d`, `\s` and their opposites, by letter.
    classes: Vec<char>,
}

impl PatternText {
    pub fn new(text: &str) -> PatternText {
        PatternText(super::text::squashed(text).chars().map(lower).collect())
    }
}

fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    lower.next().filter(|_| lower.next().is_none()).unwrap_or(c)
}

fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(c)
}

impl CharacterSet {
    fn of(c: char) -> CharacterSet {
        CharacterSet { ranges: vec![(c, c)], ..CharacterSet::default() }
    }

    fn has(&self, c: char) -> bool {
        let in_ranges = |c: char| self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
        let is = |class: &char| match class.to_ascii_lowercase() {
            'w' => is_word(c) == (*class == 'w'),
            'd' => c.is_numeric() == (*class == 'd'),
            _ => is_space(c) == (*class == 's'),
        };
        (in_ranges(c) || in_ranges(upper(c)) || in_ranges(lower(c)) || self.classes.iter().any(is))
            != self.is_not
    }
}

// ---- matching

impl FactPattern {
    /// Whether the pattern matches anywhere in the text.
    ///
    /// # Errors
    /// If the search exceeds the step limit.
    pub fn is_in(&self, text: &PatternText) -> Result<bool, String> {
        let mut steps_left = MAX_STEPS_TAKEN;
        let found =
            (0..=text.0.len()).any(|at| steps_left > 0 && fits(&self.0, &text.0, at, &mut steps_left));
        if steps_left == 0 { Err("a pattern takes too long".to_owned()) } else { Ok(found) }
    }
}

fn fits(steps: &[PatternStep], text: &[char], at: usize, steps_left: &mut usize) -> bool {
    let mut untried = vec![(0, at)];
    while let Some((mut step, mut at)) = untried.pop() {
        loop {
            *steps_left = steps_left.saturating_sub(1);
            if *steps_left == 0 {
                return false;
            }
            step = match &steps[step] {
                PatternStep::Found => return true,
                PatternStep::One(set) if text.get(at).is_some_and(|c| set.has(*c)) => {
                    at += 1;
                    step + 1
                }
                PatternStep::Either(first, then) => {
                    untried.push((*then, at));
                    *first
                }
                PatternStep::Goto(to) => *to,
                PatternStep::Start if at == 0 => step + 1,
                PatternStep::End if at == text.len() => step + 1,
                PatternStep::Edge(is_edge) if is_word_edge(text, at) == *is_edge => step + 1,
                PatternStep::Ahead(inner, wanted) if fits(inner, text, at, steps_left) == *wanted => step + 1,
                _ => break,
            };
        }
    }
    false
}

fn is_word_edge(text: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).is_some_and(|before| is_word(text[before]));
    before != text.get(at).is_some_and(|c| is_word(*c))
}

// ---- parsing

impl std::str::FromStr for FactPattern {
    type Err = String;

    fn from_str(pattern: &str) -> Result<FactPattern, String> {
        let mut reader = PatternReader { text: pattern.chars().collect(), at: 0 };
        let mut steps = reader.alternatives()?;
        if reader.at < reader.text.len() {
            return Err(reader.wrong("a `)` without its `(`"));
        }
        steps.push(PatternStep::Found);
        Ok(FactPattern(steps))
    }
}

struct PatternReader {
    text: Vec<char>,
    at: usize,
}

impl PatternReader {
    fn wrong(&self, what: &str) -> String {
        let pattern: String = self.text.iter().collect();
        format!("{what}, at character {} of {pattern}", self.at + 1)
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn takes(&mut self, wanted: &str) -> bool {
        let is_next = self.text[self.at..].iter().take(wanted.chars().count()).copied().eq(wanted.chars());
        self.at += if is_next { wanted.chars().count() } else { 0 };
        is_next
    }

    /// `a|b|c`, up to the end or a closing parenthesis.
    fn alternatives(&mut self) -> Result<Vec<PatternStep>, String> {
        let mut first = self.sequence()?;
        if self.takes("|") {
            let rest = self.alternatives()?;
            first = either(first, rest);
        }
        Ok(first)
    }

    fn sequence(&mut self) -> Result<Vec<PatternStep>, String> {
        let mut steps = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let one = self.one()?;
            let repeated = self.repeated(one)?;
            append(&mut steps, repeated);
        }
        Ok(steps)
    }

    fn one(&mut self) -> Result<Vec<PatternStep>, String> {
        let Some(c) = self.peek() else { return Err(self.wrong("something is missing")) };
        self.at += 1;
        Ok(match c {
            '(' => self.group()?,
            '[' => vec![PatternStep::One(self.set()?)],
            '.' => vec![PatternStep::One(CharacterSet { is_not: true, ..CharacterSet::of('\n') })],
            '^' => vec![PatternStep::Start],
            '$' => vec![PatternStep::End],
            '*' | '+' | '?' => return Err(self.wrong("nothing to repeat")),
            '\\' if self.takes("b") => vec![PatternStep::Edge(true)],
            '\\' if self.takes("B") => vec![PatternStep::Edge(false)],
            '\\' => vec![PatternStep::One(self.escaped()?)],
            c => vec![PatternStep::One(CharacterSet::of(c))],
        })
    }

    fn group(&mut self) -> Result<Vec<PatternStep>, String> {
        let ahead = if self.takes("?=") { Some(true) } else { self.takes("?!").then_some(false) };
        if ahead.is_none() && !self.takes("?:") && self.peek() == Some('?') {
            return Err(self.wrong("a kind of group that is not known here"));
        }
        let mut inner = self.alternatives()?;
        if !self.takes(")") {
            return Err(self.wrong("a `(` without its `)`"));
        }
        Ok(match ahead {
            None => inner,
            Some(wanted) => {
                inner.push(PatternStep::Found);
                vec![PatternStep::Ahead(inner, wanted)]
            }
        })
    }

    fn escaped(&mut self) -> Result<CharacterSet, String> {
        let Some(c) = self.peek() else { return Err(self.wrong("a `\\` at the end")) };
        self.at += 1;
        match c {
            'w' | 'W' | 'd' | 'D' | 's' | 'S' => {
                Ok(CharacterSet { classes: vec![c], ..CharacterSet::default() })
            }
            'n' => Ok(CharacterSet::of('\n')),
            't' => Ok(CharacterSet::of('\t')),
            c if c.is_ascii_alphanumeric() => Err(self.wrong("an escape that is not known here")),
            c => Ok(CharacterSet::of(c)),
        }
    }

    /// `[a-z_\d]`, after its opening bracket.
    fn set(&mut self) -> Result<CharacterSet, String> {
        let mut set = CharacterSet { is_not: self.takes("^"), ..CharacterSet::default() };
        let start = self.at;
        while self.peek() != Some(']') || self.at == start {
            let Some(c) = self.peek() else { return Err(self.wrong("a `[` without its `]`")) };
            self.at += 1;
            let part = if c == '\\' { self.escaped()? } else { CharacterSet::of(c) };
            let is_range = self.peek() == Some('-') && self.text.get(self.at + 1).is_some_and(|c| *c != ']');
            if let (Some((from, _)), true) = (part.ranges.first(), is_range) {
                self.at += 2;
                set.ranges.push((*from, self.text[self.at - 1]));
            } else {
                set.ranges.extend(part.ranges);
                set.classes.extend(part.classes);
            }
        }
        self.at += 1;
        Ok(set)
    }

    /// Applies a following `*`, `+`, `?` or `{2,5}`; a `?` after it makes it lazy.
    fn repeated(&mut self, one: Vec<PatternStep>) -> Result<Vec<PatternStep>, String> {
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.counts() {
                Some(counts) => counts,
                None => return Ok(one),
            },
            _ => return Ok(one),
        };
        self.at += 1;
        let is_lazy = self.takes("?");
        if one.len() * most.unwrap_or(least).max(1) > MAX_COPIES || most.is_some_and(|most| most < least) {
            return Err(self.wrong("a repetition too many"));
        }
        let mut steps = Vec::new();
        (0..least).for_each(|_| append(&mut steps, one.clone()));
        append(
            &mut steps,
            if let Some(most) = most { up_to(most - least, &one, is_lazy) } else { any(one, is_lazy) },
        );
        Ok(steps)
    }

    /// `{2}`, `{2,}`, `{,5}`, `{2,5}`, up to the closing brace; anything else is a literal brace.
    fn counts(&mut self) -> Option<(usize, Option<usize>)> {
        let length = self.text[self.at..].iter().position(|c| *c == '}')?;
        let inner: String = self.text[self.at + 1..self.at + length].iter().collect();
        let number = |text: &str, otherwise: Option<usize>| {
            if text.is_empty() { Some(otherwise) } else { text.parse().ok().map(Some) }
        };
        let counts = match inner.split_once(',') {
            Some((least, most)) => (number(least, Some(0))??, number(most, None)?),
            None => (inner.parse().ok()?, Some(inner.parse().ok()?)),
        };
        self.at += length;
        Some(counts)
    }
}

// ---- combining steps; indices in each list start at 0

fn append(steps: &mut Vec<PatternStep>, more: Vec<PatternStep>) {
    let by = steps.len();
    steps.extend(more.into_iter().map(|step| match step {
        PatternStep::Either(first, then) => PatternStep::Either(first + by, then + by),
        PatternStep::Goto(to) => PatternStep::Goto(to + by),
        other => other,
    }));
}

fn either(first: Vec<PatternStep>, then: Vec<PatternStep>) -> Vec<PatternStep> {
    let second = first.len() + 2;
    let mut steps = vec![PatternStep::Either(1, second)];
    append(&mut steps, first);
    steps.push(PatternStep::Goto(second + then.len()));
    append(&mut steps, then);
    steps
}

fn split(on: usize, past: usize, is_lazy: bool) -> PatternStep {
    if is_lazy { PatternStep::Either(past, on) } else { PatternStep::Either(on, past) }
}

fn any(one: Vec<PatternStep>, is_lazy: bool) -> Vec<PatternStep> {
    let mut steps = vec![split(1, one.len() + 2, is_lazy)];
    append(&mut steps, one);
    steps.push(PatternStep::Goto(0));
    steps
}

fn up_to(most: usize, one: &[PatternStep], is_lazy: bool) -> Vec<PatternStep> {
    let end = most * (one.len() + 1);
    let mut steps = Vec::with_capacity(end);
    for _ in 0..most {
        steps.push(split(steps.len() + 1, end, is_lazy));
        append(&mut steps, one.to_vec());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(pattern: &str, text: &str) -> bool {
        pattern.parse::<FactPattern>().unwrap().is_in(&PatternText::new(text)).unwrap()
    }

    #[test]
    fn patterns_match_like_pythons() {
        let cases = [
            ("port 40\\d\\d", "The gateway listens on Port 4010."),
            ("colou?r|farbe", "Die Farbe ist rot"),
            ("^the .* end$", "the very END"),
            ("a{2,3}b", "caab"),
            ("x{,2}y", "y"),
            ("{a}", "a set {a} of one"),
            ("(?:ab)+c", "xababc"),
            ("\\bcat\\b", "a cat."),
            ("[^#]*(late|early)", "too late"),
            ("[a-f0-9]{7}", "commit 1A2B3C4"),
            ("\\[(pending|in[ _]progress)\\]", "- [in progress] #1"),
            ("failing(?:(?! ## ).){0,80}build", "Failing - the BUILD ## done"),
            ("retries(?= 3)", "retries 3 times"),
            ("two words", "two\n   words"),
            ("[]x]-\\W", "]-."),
            ("ü|[à-ÿ]", "Ü"),
            ("a.*?b", "a b"),
        ];
        for (pattern, text) in cases {
            assert!(is_in(pattern, text), "{pattern} in {text}");
        }
        let others = [
            ("\\bcat\\b", "concatenate"),
            ("failing(?:(?! ## ).){0,80}build", "failing tests ## build"),
            ("retries(?! 3)", "retries 3"),
            ("a{2}", "a a"),
            ("[^a]", "AAA"),
            ("^b", "ab"),
            ("\\S\\s\\S", "word"),
        ];
        for (pattern, text) in others {
            assert!(!is_in(pattern, text), "{pattern} in {text}");
        }
    }

    #[test]
    fn long_texts_do_not_overflow_the_stack() {
        assert!(is_in("start(?:(?!stop).)*end", &format!("start {}end", "word ".repeat(100_000))));
    }

    #[test]
    fn invalid_pattern_is_rejected_with_its_position() {
        for pattern in ["(a", "a)", "[a", "*a", "a\\", "(?<=a)b", "\\1", "a{5,2}", "(?:a{9000}){9000}"] {
            let error = pattern.parse::<FactPattern>().unwrap_err();
            assert!(error.contains("at character"), "{pattern}: {error}");
        }
    }

    #[test]
    fn endless_match_is_aborted() {
        let pattern: FactPattern = "(?:a?)*b".parse().unwrap();
        assert!(pattern.is_in(&PatternText::new("aaaa")).is_err());
    }
}
