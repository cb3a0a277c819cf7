//! Edits one place in a JSON text and leaves every other byte alone.
//!
//! Parsing and printing would reorder keys and reformat a hand-edited file; a syntax-tree editor (we tried
//! jsonc-parser's CST) keeps most of it, but breaks one-line objects over several lines and does not restore them. So
//! `serde_json` locates the values (a borrowed raw value knows its own text), and each edit is one cut or one insertion
//! there. New text follows the indentation and line ends around it. The texts are small, so positions are computed
//! again after each edit.

use std::io;
use std::ops::Range;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

/// A member of an object or an element of an array, with its position.
#[derive(Debug)]
pub struct JsonItem {
    /// The member's name; empty for an element.
    pub key: String,
    /// From the name's quote, or the value's start, to the value's end.
    pub whole: Range<usize>,
    /// The value alone.
    pub value: Range<usize>,
}

/// The kind of a JSON value, by its first character.
pub fn kind(text: &str) -> &'static str {
    match text.trim_start().bytes().next() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The items of the object or array at `span` of a valid JSON `text`; empty for any other value.
pub fn items(text: &str, span: Range<usize>) -> Vec<JsonItem> {
    let inner = &text[span];
    let place = |raw: &RawValue| {
        let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
        start..start + raw.get().len()
    };
    match inner.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(inner).expect("the whole text was valid");
            let item = |(key, value): (&RawValue, &RawValue)| JsonItem {
                // The client accepts names that are not valid text (half a surrogate pair); none of them is ours.
                key: serde_json::from_str(key.get()).unwrap_or_default(),
                whole: place(key).start..place(value).end,
                value: place(value),
            };
            members.into_iter().map(item).collect()
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(inner).expect("the whole text was valid");
            let item = |value| JsonItem { key: String::new(), whole: place(value), value: place(value) };
            elements.into_iter().map(item).collect()
        }
        _ => Vec::new(),
    }
}

/// Members in source order, including duplicates.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// The text with `value` appended to the object (`key` given) or array at `span`.
///
/// The value goes on one line, so that nine entries are nine lines in a diff and not a hundred.
pub fn append(text: &str, span: Range<usize>, key: Option<&str>, value: &impl Serialize) -> String {
    let layout = Layout::of(text);
    let key = key.map(|key| layout.one_line(&key) + layout.colon()).unwrap_or_default();
    let item = key + &layout.one_line(value);
    let items = items(text, span.clone());
    let Some(last) = items.last() else {
        return splice(text, span.start + 1..span.end - 1, &layout.alone(text, span.start, &item));
    };
    let separator = match own_line(text, last.whole.start) {
        Some(indent) => format!(",{}{indent}", layout.newline),
        None => one_line_separator(text, &items),
    };
    splice(text, last.whole.end..last.whole.end, &format!("{separator}{item}"))
}

/// The text with the value at `span` replaced.
pub fn replace(text: &str, span: Range<usize>, value: &impl Serialize) -> String {
    let new = Layout::of(text).one_line(value);
    splice(text, span, &new)
}

/// The text with the value at `span` replaced by another one, verbatim.
pub fn put_back(text: &str, span: Range<usize>, raw: &str) -> String {
    splice(text, span, raw)
}

/// The text without the item `index` of the object or array at `span`, and without its comma.
pub fn remove(text: &str, span: Range<usize>, index: usize) -> String {
    let items = items(text, span.clone());
    let cut = match (index.checked_sub(1), items.get(index + 1)) {
        (_, Some(next)) => items[index].whole.start..next.whole.start,
        (Some(previous), None) => items[previous].whole.end..items[index].whole.end,
        (None, None) => span.start + 1..span.end - 1,
    };
    splice(text, cut, "")
}

fn splice(text: &str, at: Range<usize>, new: &str) -> String {
    [&text[..at.start], new, &text[at.end..]].concat()
}

/// The white space before `at`, if there is nothing else before it on its line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    text[line..at].chars().all(char::is_whitespace).then(|| &text[line..at])
}

/// The indentation of the line that contains `at`.
fn indent_of_line(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The separator between two items of a one-line container, as its author writes it.
fn one_line_separator(text: &str, items: &[JsonItem]) -> String {
    match items {
        [.., previous, last] => text[previous.whole.end..last.whole.start].to_owned(),
        _ if text.contains("\": ") || text.contains('\n') => ", ".to_owned(),
        _ => ",".to_owned(),
    }
}

/// The layout of a text.
struct Layout<'a> {
    newline: &'static str,
    unit: &'a str,
    /// Whether there are line ends at all; a one-line file stays one.
    lines: bool,
    /// Whether a space follows each colon.
    spaced: bool,
}

impl<'a> Layout<'a> {
    fn of(text: &'a str) -> Self {
        let first = items(text, whole(text)).into_iter().next();
        let lines = text.trim().contains('\n') || first.is_none();
        let unit = first.as_ref().and_then(|item| own_line(text, item.whole.start));
        Layout {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  "),
            lines,
            spaced: lines || text.contains("\": "),
        }
    }

    fn colon(&self) -> &'static str {
        if self.spaced { ": " } else { ":" }
    }

    fn one_line(&self, value: &impl Serialize) -> String {
        if !self.spaced {
            return serde_json::to_string(value).expect("a plain structure");
        }
        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, OneLineJson);
        value.serialize(&mut serializer).expect("a plain structure");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    /// What goes between the brackets of an empty container that opens at `open`.
    fn alone(&self, text: &str, open: usize, item: &str) -> String {
        if !self.lines {
            return item.to_owned();
        }
        let outer = indent_of_line(text, open);
        format!("{0}{outer}{1}{item}{0}{outer}", self.newline, self.unit)
    }
}

/// One line, with a space after colons and commas.
struct OneLineJson;

impl Formatter for OneLineJson {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

/// The span of the single value of a valid JSON text, without surrounding white space.
pub fn whole(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_know_their_spans() {
        let text = r#" { "a" : [1, {"x":2}] ,"b\"":null } "#;
        let found = items(text, whole(text));
        let shown: Vec<_> = found.iter().map(|i| (i.key.as_str(), &text[i.whole.clone()])).collect();
        assert_eq!(shown, [("a", r#""a" : [1, {"x":2}]"#), ("b\"", r#""b\"":null"#)]);
        let inner: Vec<_> = items(text, found[0].value.clone()).into_iter().map(|i| i.value).collect();
        assert_eq!(inner.iter().map(|v| &text[v.clone()]).collect::<Vec<_>>(), ["1", r#"{"x":2}"#]);
        assert!(items("7", 0..1).is_empty());
    }

    #[test]
    fn added_member_follows_the_surrounding_layout() {
        let table = [
            ("{}", "{\n  \"k\": [1, {\"x\": 2}]\n}"),
            ("{ }\n", "{\n  \"k\": [1, {\"x\": 2}]\n}\n"),
            ("{\"a\":1}", "{\"a\":1,\"k\":[1,{\"x\":2}]}"),
            ("{\"a\": 1}\n", "{\"a\": 1, \"k\": [1, {\"x\": 2}]}\n"),
            ("{\"a\":1 ,  \"b\":2 }", "{\"a\":1 ,  \"b\":2 ,  \"k\":[1,{\"x\":2}] }"),
            ("{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"k\": [1, {\"x\": 2}]\n}"),
            ("{\r\n   \"a\": 1\r\n}\r\n", "{\r\n   \"a\": 1,\r\n   \"k\": [1, {\"x\": 2}]\r\n}\r\n"),
            ("{\n\"a\": {}\n}", "{\n\"a\": {},\n\"k\": [1, {\"x\": 2}]\n}"),
        ];
        for (before, after) in table {
            let added = append(before, whole(before), Some("k"), &json!([1, {"x": 2}]));
            assert_eq!(added, after);
            let count = items(&added, whole(&added)).len();
            let back = remove(&added, whole(&added), count - 1);
            assert_eq!(back, if before.trim() == "{ }" { "{}\n" } else { before }, "taken out again");
        }
    }

    #[test]
    fn removing_an_item_removes_its_comma() {
        assert_eq!(remove("[1 , 2,\n 3]", 0..11, 0), "[2,\n 3]");
        assert_eq!(remove("[1 , 2,\n 3]", 0..11, 1), "[1 , 3]");
        assert_eq!(remove("[1 , 2,\n 3]", 0..11, 2), "[1 , 2]");
        assert_eq!(remove("[ 1 ]", 0..5, 0), "[]");
    }
}
