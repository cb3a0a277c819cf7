//! The client's command line, as far as a run without a terminal has to understand it.
//!
//! To take over stdin and stdout we must separate the prompt from the options, and a later session must not repeat what
//! is meant for the first one only. The client does not publish which options take a value; the lists below are from its
//! help. An unknown option followed by its value looks like a second prompt. It is refused, and the message says to
//! write `--option=value`.

use std::borrow::Cow;

use crate::clients::headless::{CommandLine, GivenOption, Refused, Spent, StreamFormat};

/// Options that take the next word.
const ONE: &[&str] = &[
    "--agent",
    "--agents",
    "--append-system-prompt",
    "--append-system-prompt-file",
    "--autocompact",
    "--debug-file",
    "--effort",
    "--environment",
    "--fallback-model",
    "--input-format",
    "--json-schema",
    "--max-budget-usd",
    "--max-thinking-tokens",
    "--max-turns",
    "--model",
    "--name",
    "-n",
    "--output-format",
    "--permission-mode",
    "--permission-prompt-tool",
    "--permission-prompts",
    "--plugin-dir",
    "--plugin-url",
    "--remote-control-session-name-prefix",
    "--resume-session-at",
    "--session-id",
    "--setting-sources",
    "--settings",
    "--system-prompt",
    "--system-prompt-file",
    "--system-prompt-snapshot",
];
/// Options that take every word up to the next option.
const MANY: &[&str] = &[
    "--add-dir",
    "--allowed-tools",
    "--allowedTools",
    "--betas",
    "--disallowed-tools",
    "--disallowedTools",
    "--file",
    "--mcp-config",
    "--tools",
];
/// Options that take the next word unless it is an option.
const MAYBE: &[&str] = &["--debug", "-d", "--from-pr", "--prompt-suggestions", "--resume", "-r"];
/// Options that only the first session gets.
const FIRST_ONLY: &[&str] = &[
    "--continue",
    "-c",
    "--resume",
    "-r",
    "--fork-session",
    "--from-pr",
    "--resume-session-at",
    "--session-id",
];
/// Options that we set ourselves: the formats in which we talk to the client.
const REPLACED: &[&str] =
    &["-p", "--print", "--input-format", "--output-format", "--verbose", "--replay-user-messages"];
/// Options that cannot be supervised, and why.
const REFUSED: &[(&str, &str)] = &[
    ("--background", "starts the session elsewhere and returns at once"),
    ("--bg", "starts the session elsewhere and returns at once"),
    ("--cloud", "starts the session on another machine"),
    ("--desktop", "starts the session in another program"),
    ("--no-session-persistence", "leaves no transcript to make a handoff from"),
    ("--remote-control", "needs a terminal"),
    ("--teleport", "needs a terminal"),
    ("--tmux", "needs a terminal"),
    ("--worktree", "would make another worktree for every session; make one first and run in there"),
    ("-w", "would make another worktree for every session; make one first and run in there"),
];

/// Parses the arguments of `claude`.
pub fn parse(words: &[String]) -> Result<CommandLine, Refused> {
    let mut line = CommandLine::default();
    let mut print = false;
    let mut rest = words.iter().map(String::as_str).peekable();
    while let Some(word) = rest.next() {
        if word == "--" {
            rest.by_ref().try_for_each(|word| take_prompt(&mut line, word))?;
        } else if !is_option(word) {
            take_prompt(&mut line, word)?;
        } else {
            let given = option(word, &mut rest)?;
            print |= matches!(given.name.as_str(), "-p" | "--print");
            take(&mut line, given)?;
        }
    }
    match &line.prompt {
        _ if !print => {
            refuse("only a run without a terminal can be supervised: add -p and the prompt".to_owned())
        }
        Some(prompt) if line.input == StreamFormat::Rows => refuse(format!(
            "with --input-format stream-json the prompts come on stdin, and the client would ignore {prompt:?}: \
             leave one of them out"
        )),
        _ => Ok(line),
    }
}

fn refuse<T>(why: String) -> Result<T, Refused> {
    Err(Refused(why))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn option<'a>(
    word: &str,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> Result<GivenOption, Refused> {
    let (name, joined) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let mut words: Vec<String> = joined.map(str::to_owned).into_iter().collect();
    if words.is_empty() {
        let most = if ONE.contains(&name) || MAYBE.contains(&name) { 1 } else { usize::MAX };
        let takes = most == 1 || MANY.contains(&name);
        // A value may look like an option only where one is certain to follow.
        let fits = |word: &&str| ONE.contains(&name) || !is_option(word);
        while takes && words.len() < most && rest.peek().is_some_and(fits) {
            words.extend(rest.next().map(str::to_owned));
        }
        if words.is_empty() && ONE.contains(&name) {
            return refuse(format!("{name} needs a value"));
        }
    }
    Ok(GivenOption { name: name.to_owned(), words })
}

fn take_prompt(line: &mut CommandLine, word: &str) -> Result<(), Refused> {
    match line.prompt.replace(word.to_owned()) {
        None => Ok(()),
        Some(first) => refuse(format!(
            "there are two prompts, {first:?} and {word:?}: put the prompt in quotes, and the value of an option \
             right behind it (--option=value)"
        )),
    }
}

fn take(line: &mut CommandLine, given: GivenOption) -> Result<(), Refused> {
    if let Some((name, why)) = REFUSED.iter().find(|(name, _)| *name == given.name) {
        return refuse(format!("{name} does not go with `catchword run`: it {why}"));
    }
    let value = given.words.first().map(String::as_str).unwrap_or_default();
    match given.name.as_str() {
        "--input-format" => line.input = format(value, &given.name)?,
        "--output-format" => line.output = format(value, &given.name)?,
        "--verbose" => line.verbose = true,
        "--replay-user-messages" => line.replay = true,
        "--model" => line.model = Some(value.to_owned()),
        "--max-turns" => line.max_turns = Some(number(value, &given.name)?),
        "--max-budget-usd" => line.max_cost = Some(number(value, &given.name)?),
        "--continue" | "-c" | "--resume" | "-r" | "--from-pr" => line.resumes = true,
        _ => {}
    }
    line.options.push(given);
    Ok(())
}

/// The arguments for the first session or a later one, with `spent` subtracted from the limits.
pub fn words(line: &CommandLine, first: bool, spent: &Spent) -> Vec<String> {
    let mut words: Vec<String> =
        ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
            .map(str::to_owned)
            .into();
    // Tells us when a prompt has reached the model.
    words.push("--replay-user-messages".to_owned());
    for given in &line.options {
        let name = given.name.as_str();
        if REPLACED.contains(&name) || (!first && FIRST_ONLY.contains(&name)) {
            continue;
        }
        words.push(given.name.clone());
        words.extend(given.words.iter().map(|word| left(line, name, word, spent).into_owned()));
    }
    words
}

/// Limits hold for the run, not for each of its sessions.
fn left<'a>(line: &CommandLine, name: &str, word: &'a str, spent: &Spent) -> Cow<'a, str> {
    match (name, line.max_turns, line.max_cost) {
        ("--max-turns", Some(most), _) => most.saturating_sub(spent.turns).max(1).to_string().into(),
        ("--max-budget-usd", _, Some(most)) if spent.cost > 0.0 => {
            format!("{:.4}", (most - spent.cost).max(0.0001)).into()
        }
        _ => word.into(),
    }
}

fn format(value: &str, name: &str) -> Result<StreamFormat, Refused> {
    match (value, name) {
        ("text", _) => Ok(StreamFormat::Text),
        ("json", "--output-format") => Ok(StreamFormat::Json),
        ("stream-json", _) => Ok(StreamFormat::Rows),
        _ => refuse(not_a_value(value, name)),
    }
}

fn number<T: std::str::FromStr>(value: &str, name: &str) -> Result<T, Refused> {
    value.parse().map_err(|_| Refused(not_a_value(value, name)))
}

fn not_a_value(value: &str, name: &str) -> String {
    format!("{value} is not a value for {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<CommandLine, Refused> {
        parse(&line.split(' ').map(|word| word.replace('_', " ")).collect::<Vec<_>>())
    }

    #[test]
    fn the_prompt_is_the_word_that_belongs_to_no_option() {
        for line in [
            "-p do_it",
            "--model x -p do_it",
            "-p --model x do_it --verbose",
            "--print --allowedTools Bash Read -p do_it",
            "-p --max-turns=3 -- do_it",
            "-p do_it --resume abc",
            "do_it -p --resume",
            "-p --append-system-prompt -dash do_it",
        ] {
            let headless = parsed(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(headless.prompt.as_deref(), Some("do it"), "{line}");
        }
        assert_eq!(parsed("-p --input-format stream-json").unwrap().prompt, None);
    }

    #[test]
    fn what_cannot_be_supervised_is_refused_with_a_way_out() {
        let cases = [
            ("do_it", "add -p"),
            ("-p do it", "put the prompt in quotes"),
            ("-p do_it --unknown value", "--option=value"),
            ("-p do_it --worktree", "make one first"),
            ("-p do_it --bg", "returns at once"),
            ("-p do_it --no-session-persistence", "no transcript"),
            ("-p do_it --model", "--model needs a value"),
            ("-p do_it --output-format yaml", "yaml is not a value for --output-format"),
            ("-p do_it --input-format json", "json is not a value for --input-format"),
            ("-p do_it --max-turns many", "many is not a value"),
            ("-p do_it --input-format stream-json", "the prompts come on stdin"),
        ];
        for (line, part) in cases {
            let error = parsed(line).expect_err(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn a_later_session_repeats_everything_but_where_the_first_began() {
        let line =
            "-p do_it --resume abc --fork-session --model=x --add-dir a b --output-format json --verbose";
        let headless = parsed(line).unwrap();
        assert_eq!((headless.output, headless.verbose, headless.resumes), (StreamFormat::Json, true, true));
        let ours = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
        let spent = Spent::default();
        let tail = |first| words(&headless, first, &spent)[ours.len() + 1..].join(" ");
        assert_eq!(words(&headless, true, &spent)[..ours.len()], ours);
        assert_eq!(tail(true), "--resume abc --fork-session --model x --add-dir a b");
        assert_eq!(tail(false), "--model x --add-dir a b");
    }

    #[test]
    fn the_clients_own_limits_hold_for_the_whole_run() {
        let headless = parsed("-p do_it --max-turns 10 --max-budget-usd 2").unwrap();
        let spent = Spent { turns: 4, cost: 0.5 };
        assert!(words(&headless, false, &spent).join(" ").ends_with("--max-turns 6 --max-budget-usd 1.5000"));
        assert!(headless.has_left(&spent) && !headless.has_left(&Spent { turns: 10, cost: 0.5 }));
        assert!(!headless.has_left(&Spent { turns: 1, cost: 2.5 }));
    }
}
