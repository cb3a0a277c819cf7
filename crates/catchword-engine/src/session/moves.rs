//! What a shell command does to files that are known: `rm`, `mv`, `git rm`, `git mv`, and what brings a file back.
//!
//! Only plain forms are read, and nothing is guessed: of a loop, a pipe, a substitution or a here-document nothing is
//! taken. A file that is wrongly called gone is lost to whoever reads the brief; one that is wrongly listed is not.

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// It is gone; with `whole` so is everything in it.
    Removed {
        /// Which.
        path: Word,
        /// A folder may be meant.
        whole: bool,
    },
    /// It has another name now, or is in another folder.
    Moved {
        /// From here.
        from: Word,
        /// To this file or folder.
        to: Word,
        /// One of several: they go into a folder.
        several: bool,
    },
    /// It is there, whatever was before.
    There(Word),
    /// Any file may be back: another state of the repository was fetched.
    Anything,
}

/// A path as it was typed, and the folder it was typed in, as far as the command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Without its quotation marks.
    pub text: String,
    /// Nothing in it is for the shell to fill in.
    pub plain: bool,
    /// Folders that were changed into before, to be joined.
    pub folder: String,
}

/// What a command that ended well did, in order.
pub fn moves(command: &str, output: &str) -> Vec<Move> {
    let failed = |line: &str| ["rm: ", "mv: ", "fatal: ", "error: "].iter().any(|f| line.starts_with(f));
    let Some(tokens) = tokens(command).filter(|_| !output.lines().any(failed)) else { return Vec::new() };
    let mut all = Vec::new();
    let mut folder = String::new();
    for step in steps(&tokens) {
        let Some(step) = Step::new(step, &folder) else { continue };
        match step.program {
            "cd" => match step.words.as_slice() {
                [to] if to.plain && to.text != "-" && !to.text.starts_with('~') => {
                    folder = joined(&folder, &to.text);
                }
                // Nobody knows where the rest happens.
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
            "touch" | "tee" => all.extend(step.words.into_iter().map(Move::There)),
            program if brings_back(program) => all.push(Move::Anything),
            _ => {}
        }
        all.extend(step.written.into_iter().map(Move::There));
    }
    all
}

/// `path` in `folder`, without `.` and `..`; an absolute one is itself.
pub fn joined(folder: &str, path: &str) -> String {
    let both =
        if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in both.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let root = if both.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
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
    Word {
        text: String,
        plain: bool,
    },
    /// `&&`, `;` or a line's end: what follows is a step of its own.
    Then,
    /// `|`, `||` or `&`: how the steps around it ended is not known.
    Unsure,
    /// `>`; the next word is a file that is written.
    Into,
}

/// One program with its words.
struct Step<'a> {
    program: &'a str,
    flags: Vec<&'a str>,
    words: Vec<Word>,
    written: Vec<Word>,
}

impl<'a> Step<'a> {
    fn new(tokens: &'a [Token], folder: &str) -> Option<Step<'a>> {
        let mut words: Vec<(&'a str, bool)> = Vec::new();
        let mut written = Vec::new();
        let mut into = false;
        for token in tokens {
            match token {
                Token::Word { text, plain } if std::mem::take(&mut into) => {
                    written.push(Word { text: text.clone(), plain: *plain, folder: folder.to_owned() });
                }
                Token::Word { text, plain } => words.push((text, *plain)),
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
                _ => words.push(Word { text: text.to_owned(), plain, folder: folder.clone() }),
            }
        }
        Some(Step { program, flags, words, written })
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

const GIT: [&str; 13] = [
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

/// The steps whose end is known by the end of the whole.
fn steps(tokens: &[Token]) -> Vec<&[Token]> {
    let chains = tokens.split(|token| *token == Token::Then);
    chains.filter(|step| !step.is_empty() && !step.contains(&Token::Unsure)).collect()
}

/// The words of a command; nothing where it has more than plain steps.
fn tokens(command: &str) -> Option<Vec<Token>> {
    const KEYWORDS: [&str; 9] = ["if", "for", "while", "until", "case", "function", "do", "then", "{"];
    let mut tokens = Vec::new();
    let (mut text, mut begun, mut plain) = (String::new(), false, true);
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        let ends = matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '>' | '<' | '(' | ')');
        if ends && begun {
            // The number before `>` says which stream.
            let stream = c == '>' && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            let word = std::mem::take(&mut text);
            if !stream {
                tokens.push(Token::Word { text: word, plain });
            }
            (begun, plain) = (false, true);
        }
        match c {
            ' ' | '\t' => {}
            '\n' | ';' => tokens.push(Token::Then),
            '&' if chars.next_if_eq(&'&').is_some() => tokens.push(Token::Then),
            // `&>` writes both streams.
            '&' if chars.peek() == Some(&'>') => {}
            '&' => tokens.push(Token::Unsure),
            '|' => {
                chars.next_if_eq(&'|');
                tokens.push(Token::Unsure);
            }
            '>' => {
                chars.next_if_eq(&'>');
                // `2>&1`
                if chars.next_if_eq(&'&').is_some() {
                    while chars.next_if(char::is_ascii_digit).is_some() {}
                } else {
                    tokens.push(Token::Into);
                }
            }
            '<' | '(' | ')' | '`' => return None,
            '\'' => {
                begun = true;
                loop {
                    match chars.next()? {
                        '\'' => break,
                        inner => text.push(inner),
                    }
                }
            }
            '"' => {
                begun = true;
                loop {
                    match chars.next()? {
                        '"' => break,
                        '`' => return None,
                        '\\' => text.push(chars.next()?),
                        inner => {
                            plain &= inner != '$';
                            text.push(inner);
                        }
                    }
                }
            }
            '\\' => {
                let escaped = chars.next()?;
                // A line that goes on.
                if escaped != '\n' {
                    begun = true;
                    text.push(escaped);
                }
            }
            '#' if !begun => while chars.next_if(|c| *c != '\n').is_some() {},
            _ => {
                begun = true;
                plain &= !matches!(c, '*' | '?' | '[' | '{' | '$' | '~');
                text.push(c);
            }
        }
    }
    if begun {
        tokens.push(Token::Word { text, plain });
    }
    let first = |tokens: &[Token]| matches!(tokens.first(), Some(Token::Word { text, .. }) if KEYWORDS.contains(&text.as_str()));
    let looped = tokens.split(|t| matches!(t, Token::Then | Token::Unsure)).any(first);
    (!looped).then_some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What happened, a word each: `-a` gone, `-a/` gone with all in it, `a>b` moved, `+a` there, `*` anything.
    fn done(command: &str) -> Vec<String> {
        let path = |w: &Word| joined(&w.folder, &w.text) + if w.plain { "" } else { "?" };
        let one = |done: &Move| match done {
            Move::Removed { path: p, whole } => format!("-{}{}", path(p), if *whole { "/" } else { "" }),
            Move::Moved { from, to, .. } => format!("{}>{}", path(from), path(to)),
            Move::There(p) => format!("+{}", path(p)),
            Move::Anything => "*".to_owned(),
        };
        moves(command, "").iter().map(one).collect()
    }

    #[test]
    fn plain_forms_are_read() {
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
        ] {
            assert_eq!(done(command), expected, "{command}");
        }
    }

    #[test]
    fn of_anything_else_nothing_is_taken() {
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
}
