//! How much of the code works on words: functions that take a command line as text, lists of words, tuned numbers.
//!
//! A command is parsed once, in `reading/`, and words are data, in `lexicon/`. Whoever takes a command as text or keeps a
//! list of words elsewhere reads it a second time, and two readings contradict each other sooner or later. The limits
//! here only ever go down.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::{BINARY, ENGINE, mentions, production_code, read};

/// Files outside [`READS_COMMANDS`] with a function that takes a command line as text.
const MOST_FILES_WITH_COMMANDS: usize = 5;
/// String lists outside [`HAS_WORDS`].
const MOST_STRING_LISTS: usize = 90;

/// Folders of the engine whose business a command line as text is.
const READS_COMMANDS: [&str; 5] = ["reading", "lexicon", "text", "clients", "redact"];
/// Folders of the engine whose business words are.
const HAS_WORDS: [&str; 3] = ["lexicon", "redact", "clients"];
/// Names of parameters that are a command line.
const COMMANDS: [&str; 7] = ["command", "commands", "command_line", "core", "step", "steps", "shell"];

#[test]
fn few_files_take_a_command_as_text() {
    let found: Vec<String> = files_outside(&READS_COMMANDS)
        .filter_map(|file| {
            let functions = functions_with_commands(&tokens(&read(&file)));
            (!functions.is_empty()).then(|| format!("{file}: {}", functions.join(", ")))
        })
        .collect();
    assert!(
        found.len() <= MOST_FILES_WITH_COMMANDS,
        "{} files take a command as text, at most {MOST_FILES_WITH_COMMANDS} may: let `reading/` parse it once\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn few_string_lists_are_outside_the_lexicon() {
    let found: Vec<String> = files_outside(&HAS_WORDS)
        .flat_map(|file| {
            let lists = string_lists(&tokens(&read(&file)));
            lists.into_iter().map(move |list| format!("{file}: {} …", list.join(" ")))
        })
        .collect();
    assert!(
        found.len() <= MOST_STRING_LISTS,
        "{} lists of strings, at most {MOST_STRING_LISTS} may be outside {HAS_WORDS:?}\n{}",
        found.len(),
        found.join("\n")
    );
}

/// `cargo test -p catchword --test it tidy::counts -- --ignored --nocapture`
#[test]
#[ignore = "prints a table and checks nothing"]
#[expect(clippy::print_stdout, reason = "the table is for whoever runs it")]
fn table_of_word_lists_numbers_and_lines() {
    let mut folders: BTreeMap<String, [usize; 6]> = BTreeMap::new();
    for file in files_outside(&[]) {
        let code = production_code(&read(&file));
        let tokens = tokens(&code);
        let lists = string_lists(&tokens);
        let is_taker = !functions_with_commands(&tokens).is_empty();
        let counts = [
            lists.len(),
            lists.iter().map(Vec::len).sum(),
            string_patterns(&tokens).len(),
            tuned_numbers(tokens),
            usize::from(is_taker),
            lines_of_code(&code),
        ];
        let (root, path) = if let Some(path) = file.strip_prefix(&format!("{ENGINE}/")) {
            ("engine", path)
        } else {
            ("program", file.strip_prefix(&format!("{BINARY}/")).unwrap_or(&file))
        };
        let folder = path.split_once('/').map_or("", |(folder, _)| folder);
        for of in [format!("{root} {folder}/"), "all".to_owned()] {
            let sums = folders.entry(of).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    let titles = ["lists", "strings", "patterns", "numbers", "commands", "lines"];
    println!("{:24}{}", "", titles.map(|title| format!("{title:>9}")).concat());
    for (folder, counts) in folders {
        println!("{folder:24}{}", counts.map(|count| format!("{count:9}")).concat());
    }
}

#[test]
fn functions_that_take_a_command_as_text_are_found() {
    for (code, found) in [
        ("fn run(command: &str) {}", "run"),
        (
            "impl A { pub(super) fn purpose<'a>(&self, core: &'a str, place: Place) -> bool { true } }",
            "purpose",
        ),
        ("fn split(command_line: impl Into<String>) {}", "split"),
        ("fn all(steps: &[String]) {}", "all"),
        ("fn map(x: HashMap<u8, u8>, mut shell: Option<&str>) {}", "map"),
        ("fn f() { fn inner(step: String) {} }", "inner"),
        ("fn f() { let is_test = |core: &str| true; }", "|core|"),
        ("fn f() { x.iter().map(|(a, b), command: &str| 1); }", "|command|"),
    ] {
        assert_eq!(functions_with_commands(&tokens(code)), [found], "{code}");
    }
    for fine in [
        "fn run(command: &Command) {}",
        "fn run(line: &str, steps: &[Step]) {}",
        "struct Run { command: String }",
        "fn run(name: &str) -> Run { Run { command: String::new(), core: str::len } }",
        "#[cfg(test)] mod tests { fn run(command: &str) {} }",
        "#[cfg(test)] fn run(command: &str) {} fn f() {}",
    ] {
        assert_eq!(functions_with_commands(&tokens(fine)), [] as [&str; 0], "{fine}");
    }
}

#[test]
fn string_lists_are_found() {
    for (code, found) in [
        (r#"match x { Some("a" | "b") => ["c", "d"], _ => x }"#, vec![2]),
        (r#"const A: [&str; 2] = ["a", "b"];"#, vec![2]),
        (r#"f(&["a", "b", "c",]);"#, vec![3]),
        (r#"vec!["a", "b"];"#, vec![2]),
    ] {
        let lengths: Vec<usize> = string_lists(&tokens(code)).iter().map(Vec::len).collect();
        assert_eq!(lengths, found, "{code}");
    }
    for none in [
        r#"["a"]"#,
        r#"f("a", "b")"#,
        r#"[("a", 1), ("b", 2)]"#,
        "['a', 'b']",
        r#"x == "a" || y == "b""#,
        r#"println!("a", "b")"#,
        r#"/// ["a", "b"]
        fn f() {}"#,
        r#"#[cfg(test)] mod tests { const A: [&str; 2] = ["a", "b"]; }"#,
    ] {
        assert!(string_lists(&tokens(none)).is_empty(), "{none}");
    }
}

#[test]
fn string_patterns_are_found() {
    for (code, found) in [
        (r#"matches!(x, "a" | "b" | "c" if true)"#, vec![3]),
        (r#"match x { "a" | "b" => 1, "c" | "d" => 2, _ => 3 }"#, vec![2, 2]),
        (r#"match x { Some("a" | "b") => ["c", "d"], "e" => x }"#, vec![2]),
        (r#"if x == "a" || y == "b" {}"#, vec![]),
    ] {
        let lengths: Vec<usize> = string_patterns(&tokens(code)).iter().map(Vec::len).collect();
        assert_eq!(lengths, found, "{code}");
    }
}

#[test]
fn tuned_numbers_are_constants_and_fractions() {
    let code = "const A: usize = 3; const B: f32 = 0.5; static C: &str = \"1\"; fn f() { x > 0.8 && y > 2 }";
    assert_eq!(tuned_numbers(tokens(code)), 3);
}

fn files_outside(folders: &[&str]) -> impl Iterator<Item = String> {
    let inside: Vec<String> = folders.iter().map(|folder| format!("{ENGINE}/{folder}/")).collect();
    let all = mentions(ENGINE, "").into_iter().chain(mentions(BINARY, ""));
    all.filter(move |file| !inside.iter().any(|folder| file.starts_with(folder)))
}

/// The tokens of production code: without comments, attributes and what is only compiled for tests.
fn tokens(code: &str) -> Vec<TokenTree> {
    without_tests(code.parse().unwrap_or_else(|error| panic!("{error}: {code}")))
}

fn without_tests(stream: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
        let attribute = is_hash.then(|| {
            tokens.next_if(|next| matches!(next, TokenTree::Punct(mark) if mark.as_char() == '!'));
            tokens.next_if(|next| matches!(next, TokenTree::Group(_)))
        });
        match (attribute.flatten(), token) {
            (Some(attribute), _) if is_for_tests(&attribute) => {
                // The item ends with its braces or a semicolon.
                tokens.by_ref().find(|token| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(mark) => mark.as_char() == ';',
                    _ => false,
                });
            }
            (Some(_), _) => {}
            (None, TokenTree::Group(group)) => {
                let inside = without_tests(group.stream()).into_iter().collect();
                kept.push(TokenTree::Group(Group::new(group.delimiter(), inside)));
            }
            (None, token) => kept.push(token),
        }
    }
    kept
}

fn is_for_tests(attribute: &TokenTree) -> bool {
    let TokenTree::Group(group) = attribute else { return false };
    let text = group.stream().to_string().replace(' ', "");
    text == "cfg(test)" || text == "test"
}

/// The functions, and closures with typed parameters, with a parameter named like a command line ([`COMMANDS`]) whose
/// type mentions `str` or `String`.
fn functions_with_commands(tokens: &[TokenTree]) -> Vec<String> {
    let mut found = Vec::new();
    let mut after_fn: Option<String> = None;
    let mut last = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                if last == "fn" {
                    after_fn = Some(name.clone());
                }
                let is_closures = || closures_parameter(&tokens[at..]);
                if after_fn.is_none() && COMMANDS.contains(&name.as_str()) && is_closures() {
                    found.push(format!("|{name}|"));
                }
                last = name;
                continue;
            }
            TokenTree::Group(group) => {
                let is_parameters = group.delimiter() == Delimiter::Parenthesis;
                match after_fn.take() {
                    Some(name) if is_parameters && takes_a_command(group) => found.push(name),
                    Some(_) if is_parameters => {}
                    // `fn` of a type, or bounds before the parameters.
                    name => {
                        after_fn = name;
                        found
                            .extend(functions_with_commands(&group.stream().into_iter().collect::<Vec<_>>()));
                    }
                }
            }
            _ => {}
        }
        last.clear();
    }
    found
}

/// `command: &str|` or `command: &str, other|`: a typed parameter of a closure, by what follows.
fn closures_parameter(tokens: &[TokenTree]) -> bool {
    let is = |token: &TokenTree, mark: char| matches!(token, TokenTree::Punct(p) if p.as_char() == mark);
    let Some([colon, rest @ ..]) = tokens.get(1..) else { return false };
    let end = rest.iter().position(|token| is(token, '|') || is(token, ',') || is(token, ';'));
    let Some(end) = end.filter(|end| is(colon, ':') && !is(&rest[*end], ';')) else { return false };
    let is_type =
        rest[..end].iter().all(|token| !matches!(token, TokenTree::Group(_) | TokenTree::Literal(_)));
    let is_closed = rest[end..].iter().take(24).any(|token| is(token, '|'));
    is_type && is_closed && mentions_text(&rest[..end])
}

fn takes_a_command(parameters: &Group) -> bool {
    let tokens: Vec<TokenTree> = parameters.stream().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| {
        let is_command =
            matches!(token, TokenTree::Ident(name) if COMMANDS.contains(&name.to_string().as_str()));
        let is_typed = matches!(tokens.get(at + 1), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
        is_command && is_typed && mentions_text(type_behind(&tokens[at + 2..]))
    })
}

/// The tokens of a type up to the comma after it.
fn type_behind(tokens: &[TokenTree]) -> &[TokenTree] {
    let mut depth = 0;
    let end = tokens.iter().position(|token| {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '<' => depth += 1,
            TokenTree::Punct(mark) if mark.as_char() == '>' => depth -= 1,
            TokenTree::Punct(mark) if mark.as_char() == ',' => return depth == 0,
            _ => {}
        }
        false
    });
    &tokens[..end.unwrap_or(tokens.len())]
}

fn mentions_text(tokens: &[TokenTree]) -> bool {
    tokens.iter().any(|token| match token {
        TokenTree::Ident(name) => name == "str" || name == "String",
        TokenTree::Group(group) => mentions_text(&group.stream().into_iter().collect::<Vec<_>>()),
        _ => false,
    })
}

/// The lists of at least two string literals: `["a", "b"]`.
fn string_lists(tokens: &[TokenTree]) -> Vec<Vec<String>> {
    joined_strings(tokens, Delimiter::Bracket, ',')
}

/// The patterns of at least two string literals: `"a" | "b"`.
fn string_patterns(tokens: &[TokenTree]) -> Vec<Vec<String>> {
    [Delimiter::Bracket, Delimiter::Brace, Delimiter::Parenthesis, Delimiter::None]
        .into_iter()
        .flat_map(|inside| joined_strings(tokens, inside, '|'))
        .collect()
}

/// String literals directly inside such brackets, joined by this mark.
fn joined_strings(tokens: &[TokenTree], inside: Delimiter, mark: char) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect_strings(tokens, Delimiter::None, &mut |delimiter, tokens| {
        found.extend((delimiter == inside).then(|| runs_of_strings(tokens, mark)).into_iter().flatten());
    });
    found
}

fn collect_strings(
    tokens: &[TokenTree],
    inside: Delimiter,
    of_group: &mut dyn FnMut(Delimiter, &[TokenTree]),
) {
    of_group(inside, tokens);
    for token in tokens {
        if let TokenTree::Group(group) = token {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            collect_strings(&tokens, group.delimiter(), of_group);
        }
    }
}

fn runs_of_strings(tokens: &[TokenTree], mark: char) -> Vec<Vec<String>> {
    let is_mark = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == mark);
    let string = |token: &TokenTree| match token {
        TokenTree::Literal(text) => Some(text.to_string()).filter(|text| is_string(text)),
        _ => None,
    };
    let is_other = |token: &TokenTree| !is_mark(token) && string(token).is_none();
    let runs = tokens.split(is_other).map(|run| run.iter().filter_map(string).collect::<Vec<_>>());
    runs.filter(|run| run.len() > 1).collect()
}

fn is_string(literal: &str) -> bool {
    literal.starts_with(['"', 'r', 'b']) && literal.ends_with(['"', '#']) && literal.contains('"')
}

/// Numeric constants, and numbers with a fraction wherever else they are.
fn tuned_numbers(tokens: Vec<TokenTree>) -> usize {
    let mut count = 0;
    let mut flat = Vec::new();
    super::seams::flatten(tokens.into_iter().collect(), &mut flat);
    let mut rest = flat.as_slice();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (
                TokenTree::Ident(word),
                [TokenTree::Ident(_), TokenTree::Punct(colon), TokenTree::Ident(of), ..],
            ) if word == "const" && colon.as_char() == ':' && is_numeric(&of.to_string()) => {
                count += 1;
                let end = after.iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'));
                rest = &after[end.unwrap_or(after.len())..];
            }
            (TokenTree::Literal(number), _) => count += usize::from(is_fraction(&number.to_string())),
            _ => {}
        }
    }
    count
}

fn is_numeric(name: &str) -> bool {
    let (kind, width) = name.split_at_checked(1).unwrap_or(("", ""));
    ["u", "i", "f"].contains(&kind) && ["8", "16", "32", "64", "128", "size"].contains(&width)
}

fn is_fraction(literal: &str) -> bool {
    literal.starts_with(|c: char| c.is_ascii_digit()) && literal.contains('.')
}

/// Lines that are neither blank nor a comment.
fn lines_of_code(code: &str) -> usize {
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}
