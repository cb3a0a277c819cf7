//! Taking words apart into sentences.

/// The sentences and lines of a text. A fenced block is code, not speech, and is left out.
pub fn sentences(text: &str) -> Vec<&str> {
    sentences_in(text.lines())
}

/// The same without the lines that quote somebody else: those begin with `>`.
pub fn own_sentences(text: &str) -> Vec<&str> {
    let is_quoted =
        |line: &&str| line.trim_start().strip_prefix('>').is_some_and(|rest| !rest.starts_with('='));
    sentences_in(text.lines().filter(|line| !is_quoted(line)))
}

fn sentences_in<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut fenced = false;
    let mut out = Vec::new();
    for line in lines {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            split_sentences(line, &mut out);
        }
    }
    out
}

fn split_sentences<'a>(line: &'a str, out: &mut Vec<&'a str>) {
    let mut start = 0;
    let bytes = line.as_bytes();
    for at in 0..bytes.len() {
        let ends = matches!(bytes[at], b'.' | b'!' | b'?') && bytes.get(at + 1).is_none_or(|b| *b == b' ');
        if ends {
            push_trimmed(&line[start..=at], out);
            start = at + 1;
        }
    }
    push_trimmed(&line[start..], out);
}

fn push_trimmed<'a>(sentence: &'a str, out: &mut Vec<&'a str>) {
    let trimmed = sentence.trim().trim_start_matches(['-', '*', '•', '#', '>']).trim_start();
    if !trimmed.is_empty() {
        out.push(trimmed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_sentences_without_its_code() {
        let text = "Fix it. Never touch a.rs!\n- use tabs\n```\nnever();\n```\nDone?";
        assert_eq!(sentences(text), ["Fix it.", "Never touch a.rs!", "use tabs", "Done?"]);
    }
}
