//! What a shell command does to known files: `rm`, `mv`, `git rm`, `git mv`, and commands that bring files back.
//!
//! Only plain forms are parsed and nothing is guessed: loops, pipes, substitutions and here-documents are ignored. A
//! file wrongly marked as removed is lost to the reader of the brief; one wrongly listed is harmless.

use super::paths::joined;
use crate::text::shell_words::{Quoting, characters, ends_open};
use crate::text::words::is_path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// It was removed, with `whole` including everything in it.
    Removed {
        path: TypedPath,
        /// It may be a folder.
        whole: bool,
    },
    /// It was renamed or moved.
    Moved {
        from: TypedPath,
        /// A file or folder.
        to: TypedPath,
        /// One of several files, so `to` is a folder.
        several: bool,
    },
    /// It exists now.
    There(TypedPath),
    /// It was edited in place.
    Edited(TypedPath),
    /// Any file may exist again: git changed the work tree.
    Anything,
}

/// A path as typed, and the folder it is relative to, as far as the command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedPath {
    /// Without quotes.
    pub text: String,
    /// It has no globs, variables or other expansions.
    pub plain: bool,
    /// The folder of the `cd`s before it.
    pub folder: String,
}

/// What a successful command did, in order.
pub fn moves(command: &str, output: &str) -> Vec<Move> {
    let mut all = moves_in(command);
    let failed = |line: &str| ["rm: ", "mv: ", "fatal: ", "error: "].iter().any(|f| line.starts_with(f));
    if !all.is_empty() && output.lines().any(failed) {
        all.clear();
    }
    all
}

fn moves_in(command: &str) -> Vec<Move> {
    // Every command parsed below contains one of these.
    if !["rm", "mv", "cp", "touch", "tee", "git", "sed", ">"].iter().any(|sign| command.contains(sign)) {
        return Vec::new();
    }
    let Some(tokens) = tokens(command) else { return Vec::new() };
    let mut all = Vec::new();
    let mut folder = String::new();
    for step in steps(&tokens) {
        let Some(step) = ShellProgram::new(step, &folder) else { continue };
        match step.program {
            "cd" => match step.words.as_slice() {
                [to] if to.plain && to.text != "-" && !to.text.starts_with('~') => {
                    folder = joined(&folder, &to.text);
                }
                // From here on the folder is unknown.
                _ => return all,
            },
            "rm" | "git rm" if !step.has("--cached") => {
                let whole = step.flags.iter().any(|f| is_recursive(f));
                all.extend(step.words.into_iter().map(|path| Move::Removed { path, whole }));
            }
            "mv" | "git mv" if !step.flags.iter().any(|f| matches!(*f, "-t" | "-n" | "--no-clobber")) => {
                let mut from = step.words;
                let Some(to) = from.pop() else { continue };
                let several = from.len() > 1;
                all.extend(from.into_iter().map(|from| Move::Moved { from, to: to.clone(), several }));
            }
            "cp" => all.extend(step.words.into_iter().next_back().map(Move::There)),
            "sed" if step.flags.iter().any(|flag| flag.starts_with("-i") || *flag == "--in-place") => {
                let files = step.words.into_iter().filter(|word| word.plain && is_path(&word.text));
                all.extend(files.map(Move::Edited));
            }
            "touch" | "tee" => all.extend(step.words.into_iter().map(Move::There)),
            program if brings_back(program) => all.push(Move::Anything),
            _ => {}
        }
        all.extend(step.written.into_iter().map(Move::There));
    }
    all
}

/// A file that a command was given.
pub struct NamedFile {
    pub path: TypedPath,
    /// The command shows what is in it.
    pub is_read: bool,
}

/// The files in the arguments of a command: plain words that are paths, not options, patterns or text to print.
pub fn named_files(command: &str) -> Vec<NamedFile> {
    const READERS: [&str; 10] = ["cat", "bat", "head", "tail", "less", "more", "nl", "sed", "awk", "jq"];
    let Some(tokens) = tokens(command) else { return Vec::new() };
    let (mut all, mut folder) = (Vec::new(), String::new());
    for step in tokens.split(|token| matches!(token, Token::Then | Token::Unsure)) {
        let Some(step) = ShellProgram::new(step, &folder) else { continue };
        let skipped = match step.program {
            "cd" => match step.words.as_slice() {
                [to] if to.plain && to.text != "-" => {
                    folder = joined(&folder, &to.text);
                    continue;
                }
                _ => return all,
            },
            "echo" | "printf" | "export" | "which" | "find" | "fd" => continue,
            // Staging a file does not open it.
            program if program.starts_with("git") => continue,
            "grep" | "egrep" | "rg" | "ag" | "sed" | "awk" | "jq" | "perl" => 1,
            _ => 0,
        };
        let is_read = READERS.contains(&step.program);
        let words = step.words.into_iter().skip(skipped);
        let files = words.filter(|word| word.plain && is_file_word(&word.text));
        all.extend(files.map(|path| NamedFile { path, is_read }));
    }
    all
}

fn is_file_word(word: &str) -> bool {
    is_path(word) && !word.contains(['*', '?', '[', '{', '$', '=', ':', ' ', '(', '|', '<', '@', '\n'])
}

/// The folder that a line changes into first: `cd web && …`.
pub fn first_folder(command: &str) -> String {
    let mut folder = String::new();
    let mut rest = command.trim();
    while let Some((to, after)) = rest.strip_prefix("cd ").and_then(|rest| {
        rest.split_once(" && ").or_else(|| rest.split_once("; ")).or_else(|| rest.split_once('\n'))
    }) {
        folder = joined(&folder, to.trim().trim_matches(['"', '\'']));
        rest = after.trim_start();
    }
    folder
}

fn is_recursive(flag: &str) -> bool {
    flag == "--recursive" || (!flag.starts_with("--") && flag.contains(['r', 'R']))
}

fn brings_back(program: &str) -> bool {
    const COMMANDS: [&str; 11] = [
        "checkout",
        "restore",
        "stash",
        "reset",
        "revert",
        "switch",
        "pull",
        "merge",
        "rebase",
        "cherry-pick",
        "apply",
    ];
    program.strip_prefix("git ").is_some_and(|command| COMMANDS.contains(&command))
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    TypedPath {
        text: String,
        plain: bool,
    },
    /// `&&`, `;` or a newline: a new step follows.
    Then,
    /// `|`, `||` or `&`: the result of the steps around it is unknown.
    Unsure,
    /// `>`: the next word is an output file.
    Into,
}

/// A program with its arguments.
struct ShellProgram<'a> {
    program: &'a str,
    flags: Vec<&'a str>,
    words: Vec<TypedPath>,
    written: Vec<TypedPath>,
}

impl<'a> ShellProgram<'a> {
    fn new(tokens: &'a [Token], folder: &str) -> Option<ShellProgram<'a>> {
        let mut words: Vec<(&'a str, bool)> = Vec::new();
        let mut written = Vec::new();
        let mut into = false;
        for token in tokens {
            match token {
                Token::TypedPath { text, plain } if std::mem::take(&mut into) => {
                    written.push(TypedPath { text: text.clone(), plain: *plain, folder: folder.to_owned() });
                }
                Token::TypedPath { text, plain } => words.push((text, *plain)),
                Token::Into => into = true,
                Token::Then | Token::Unsure => {}
            }
        }
        let mut rest = words.into_iter().peekable();
        rest.next_if(|(word, _)| *word == "sudo");
        let mut program = rest.next()?.0;
        let mut folder = folder.to_owned();
        if program == "git" {
            while rest.next_if(|(word, _)| *word == "-C").is_some() {
                folder = joined(&folder, rest.next().filter(|(_, plain)| *plain)?.0);
            }
            program = GIT.iter().find(|known| known.strip_prefix("git ") == rest.peek().map(|(w, _)| *w))?;
            rest.next();
        }
        let (mut flags, mut words, mut open) = (Vec::new(), Vec::new(), true);
        for (text, plain) in rest {
            match text {
                "--" if open => open = false,
                flag if open && flag.starts_with('-') => flags.push(flag),
                _ => words.push(TypedPath { text: text.to_owned(), plain, folder: folder.clone() }),
            }
        }
        Some(ShellProgram { program, flags, words, written })
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

const GIT: [&str; 16] = [
    "git add",
    "git commit",
    "git diff",
    "git rm",
    "git mv",
    "git checkout",
    "git restore",
    "git stash",
    "git reset",
    "git revert",
    "git switch",
    "git pull",
    "git merge",
    "git rebase",
    "git cherry-pick",
    "git apply",
];

/// The steps whose result follows from that of the whole line.
fn steps(tokens: &[Token]) -> Vec<&[Token]> {
    let chains = tokens.split(|token| *token == Token::Then);
    chains.filter(|step| !step.is_empty() && !step.contains(&Token::Unsure)).collect()
}

/// The tokens of a command; `None` if it is more than a list of plain steps.
fn tokens(command: &str) -> Option<Vec<Token>> {
    const KEYWORDS: [&str; 9] = ["if", "for", "while", "until", "case", "function", "do", "then", "{"];
    if ends_open(command) {
        return None;
    }
    let mut tokens = Vec::new();
    let (mut text, mut begun, mut plain) = (String::new(), false, true);
    let mut rest = characters(command).map(|(_, c, quoting)| (c, quoting)).peekable();
    while let Some((c, quoting)) = rest.next() {
        match quoting {
            Quoting::Bare => {}
            Quoting::Double if c == '`' => return None,
            // A line continuation.
            Quoting::Escaped if c == '\n' => continue,
            Quoting::Mark if c == '\\' => continue,
            _ => {
                begun = true;
                plain &= quoting != Quoting::Double || c != '$';
                if quoting != Quoting::Mark {
                    text.push(c);
                }
                continue;
            }
        }
        let ends = matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '>' | '<' | '(' | ')');
        if ends && begun {
            // The number before `>` is the stream.
            let stream = c == '>' && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            let word = std::mem::take(&mut text);
            if !stream {
                tokens.push(Token::TypedPath { text: word, plain });
            }
            (begun, plain) = (false, true);
        }
        let bare = |c| (c, Quoting::Bare);
        match c {
            ' ' | '\t' => {}
            '\n' | ';' => tokens.push(Token::Then),
            '&' if rest.next_if_eq(&bare('&')).is_some() => tokens.push(Token::Then),
            // `&>` redirects both streams.
            '&' if rest.peek() == Some(&bare('>')) => {}
            '&' => tokens.push(Token::Unsure),
            '|' => {
                rest.next_if_eq(&bare('|'));
                tokens.push(Token::Unsure);
            }
            '>' => {
                rest.next_if_eq(&bare('>'));
                // `2>&1`
                if rest.next_if_eq(&bare('&')).is_some() {
                    while rest.next_if(|(c, _)| c.is_ascii_digit()).is_some() {}
                } else {
                    tokens.push(Token::Into);
                }
            }
            '<' | '(' | ')' | '`' => return None,
            '#' if !begun => while rest.next_if(|(c, _)| *c != '\n').is_some() {},
            _ => {
                begun = true;
                plain &= !matches!(c, '*' | '?' | '[' | '{' | '$' | '~');
                text.push(c);
            }
        }
    }
    if begun {
        tokens.push(Token::TypedPath { text, plain });
    }
    let first = |tokens: &[Token]| matches!(tokens.first(), Some(Token::TypedPath { text, .. }) if KEYWORDS.contains(&text.as_str()));
    let looped = tokens.split(|t| matches!(t, Token::Then | Token::Unsure)).any(first);
    (!looped).then_some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moves in short form: `-a` removed, `-a/` removed recursively, `a>b` moved, `+a` exists, `~a` edited, `*`
    /// anything.
    fn done(command: &str) -> Vec<String> {
        let path = |w: &TypedPath| joined(&w.folder, &w.text) + if w.plain { "" } else { "?" };
        let one = |done: &Move| match done {
            Move::Removed { path: p, whole } => format!("-{}{}", path(p), if *whole { "/" } else { "" }),
            Move::Moved { from, to, .. } => format!("{}>{}", path(from), path(to)),
            Move::There(p) => format!("+{}", path(p)),
            Move::Edited(p) => format!("~{}", path(p)),
            Move::Anything => "*".to_owned(),
        };
        moves(command, "").iter().map(one).collect()
    }

    #[test]
    fn plain_commands_are_parsed() {
        for (command, expected) in [
            ("rm src/a.ts", &["-src/a.ts"][..]),
            ("rm -f a.ts './b c.ts' && ls", &["-a.ts", "-b c.ts"]),
            ("cd web && rm -rf dist; cd ../api && rm -- -x.ts", &["-web/dist/", "-api/-x.ts"]),
            ("git rm -q src/a.ts 2>/dev/null", &["-src/a.ts", "+/dev/null"]),
            ("git -C web rm a.ts", &["-web/a.ts"]),
            ("git mv a.ts lib/b.ts", &["a.ts>lib/b.ts"]),
            ("mv a.ts b.ts lib/", &["a.ts>lib", "b.ts>lib"]),
            ("rm a.ts\necho x > a.ts", &["-a.ts", "+a.ts"]),
            ("cp b.ts a.ts 2>&1", &["+a.ts"]),
            ("git checkout main", &["*"]),
            ("rm src/[id].ts src/$X.ts", &["-src/[id].ts?", "-src/$X.ts?"]),
            ("# tidy\nrm a.ts", &["-a.ts"]),
            ("cd web && sed -i 's/a/b/' a.ts lib/b.ts", &["~web/a.ts", "~web/lib/b.ts"]),
            ("sed -n 1,5p a.ts", &[]),
        ] {
            assert_eq!(done(command), expected, "{command}");
        }
    }

    #[test]
    fn other_commands_are_ignored() {
        for command in [
            "echo rm a.ts",
            "for f in a.ts b.ts; do rm $f; done",
            "if true; then rm a.ts; fi",
            "rm a.ts || true",
            "ls | xargs rm a.ts",
            "cat > x <<'EOF'\nrm a.ts\nEOF",
            "git rm --cached a.ts",
            "(rm a.ts)",
            "rm $(git ls-files a.ts)",
            "mv -n a.ts b.ts",
            "cd \"$DIR\" && rm a.ts",
            "git commit -m 'rm a.ts'",
            "rm 'a.ts",
        ] {
            assert_eq!(done(command), [] as [&str; 0], "{command}");
        }
        assert_eq!(moves("rm a.ts; ls", "rm: cannot remove 'a.ts': Permission denied"), []);
    }

    #[test]
    fn files_are_taken_from_path_arguments_only() {
        let named = |command: &str| {
            let files = named_files(command).into_iter();
            files.map(|file| joined(&file.path.folder, &file.path.text)).collect::<Vec<_>>()
        };
        for (command, expected) in [
            ("cd web && cat src/a.ts | head -5", &["web/src/a.ts"][..]),
            ("grep -n parse.rs src/b.rs", &["src/b.rs"]),
            ("echo see src/c.rs", &[]),
            ("find . -name '*.ts'", &[]),
            ("sed -n 's/src.d/x/p' src/e.rs", &["src/e.rs"]),
            // Staging a file does not open it.
            ("git add src/h.rs && git commit -m 'change src/d.rs' src/e.rs", &[]),
            ("cat > notes.md <<'EOF'\nsrc/f.rs\nEOF", &[]),
            ("git show HEAD:src/g.rs --config=h.toml", &[]),
        ] {
            assert_eq!(named(command), expected, "{command}");
        }
        let read = |command: &str| named_files(command).iter().filter(|file| file.is_read).count();
        assert_eq!((read("cat src/a.ts"), read("go run cmd/main.go"), read("rg x src/b.rs")), (1, 0, 0));
    }
}
