//! Edits of a file that somebody else wrote: what an edit does not touch keeps its bytes.
//!
//! `toml_edit` keeps the comments, the order and the spacing of a document, but writes every line end as `\n`;
//! [`with_line_ends_of`] brings the others back.

use anyhow::Context;
use catchword_engine::text::cut::line_end;
use toml::Value;
use toml_edit::{DocumentMut, Item};

/// Sets or removes a value; everything else in the document stays as it is.
pub fn put(document: &mut DocumentMut, names: &[&str], value: Option<Value>) -> anyhow::Result<()> {
    let (last, tables) = names.split_last().context("a key has a name")?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for (depth, name) in tables.iter().enumerate() {
        if value.is_none() && !table.contains_key(name) {
            return Ok(());
        }
        let inner = table.entry(name).or_insert_with(|| {
            let mut new = toml_edit::Table::new();
            // The header of a table that only holds another one says nothing.
            new.set_implicit(depth + 1 < tables.len());
            Item::Table(new)
        });
        table =
            inner.as_table_like_mut().with_context(|| format!("`{name}` in config.toml isn't a table"))?;
    }
    let Some(value) = value else {
        table.remove(last);
        return Ok(());
    };
    let mut new: toml_edit::Value = value.to_string().parse().context("a value that can be written")?;
    match table.get_mut(last) {
        Some(Item::Value(old)) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        _ => {
            table.insert(last, Item::Value(new));
        }
    }
    Ok(())
}

/// `after`, an edit of `before`: its lines up to the first change and from the last one on keep their line ends, and those
/// between get the usual one of `before`.
pub fn with_line_ends_of(before: &str, after: &str) -> String {
    fn words<'a>(line: &&'a str) -> &'a str {
        line.trim_end_matches(['\r', '\n'])
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let first = old.iter().zip(&new).take_while(|(old, new)| words(old) == words(new)).count();
    let (old_rest, new_rest) = (&old[first..], &new[first..]);
    let rest = old_rest.iter().rev().zip(new_rest.iter().rev());
    let last = rest.take_while(|(old, new)| words(old) == words(new)).count();
    let eol = line_end(before);
    let mut text = old[..first].concat();
    if !text.is_empty() && !text.ends_with('\n') && new_rest.len() > last {
        text += eol;
    }
    for line in &new_rest[..new_rest.len() - last] {
        text += words(line);
        text += if line.ends_with('\n') { eol } else { "" };
    }
    text + &old_rest[old_rest.len() - last..].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_did_not_change_keep_their_ends() {
        for (before, after, want) in [
            ("a\r\nb\r\nc\r\n", "a\nx\nc\n", "a\r\nx\r\nc\r\n"),
            ("a\nb\r\nc\nd\n", "a\nb\nx\nd\n", "a\nb\r\nx\nd\n"),
            ("a\r\nb", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
            ("a\r\nb", "x\nb\n", "x\r\nb"),
            ("a\r\nb\r\n", "b\n", "b\r\n"),
            ("", "a\nb\n", "a\nb\n"),
            ("a\r\n", "", ""),
        ] {
            assert_eq!(with_line_ends_of(before, after), want, "{before:?} {after:?}");
        }
    }

    fn changed(text: &str, key: &str, value: Option<Value>) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        let keys = toml_edit::Key::parse(key).unwrap();
        put(&mut document, &keys.iter().map(toml_edit::Key::get).collect::<Vec<_>>(), value).unwrap();
        with_line_ends_of(text, &document.to_string())
    }

    #[test]
    fn comments_order_and_spacing_stay() {
        let text = "# mine\nbudget  =  4000  # less\n\n[guide] # why\n# more\nlines = 20\n";
        for eol in ["\n", "\r\n"] {
            let with = |text: &str| text.replace('\n', eol);
            let less = changed(&with(text), "budget", Some(3_000.into()));
            assert_eq!(less, with(&text.replace("4000", "3000")));
            let without = changed(&with(text), "guide.lines", None);
            assert_eq!(without, with("# mine\nbudget  =  4000  # less\n\n[guide] # why\n"));
        }
        assert_eq!(changed("", "guide.lines", Some(20.into())), "[guide]\nlines = 20\n");
        let project = changed("", "projects.\"~/a\".status", Some("make".into()));
        assert_eq!(project, "[projects.\"~/a\"]\nstatus = \"make\"\n");
        assert_eq!(changed("guide.lines = 20\n", "guide.lines", Some(30.into())), "guide.lines = 30\n");
    }
}
