//! What a command line does to files: by effect, not by tool.
//!
//! `> file`, `>>`, `tee`, `cp`, `mv`, `touch` and `sed -i` change a file, `rm` removes it, `cat` shows it. Steps that may
//! not have run (loops, conditions, what follows `||`, other machines) have no effect here: a file wrongly called removed
//! is lost to the reader of the brief.

use super::command::{Direction, Folder, Joint, ShellLine, ShellWord, Step, has};
use crate::lexicon::outcomes::SAYS_NO;
use crate::lexicon::programs::{GIT_CHANGES_FILES, NAME_NO_FILES, PATTERN_FIRST, READERS};
use crate::text::words::is_path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Its content was shown.
    Read(FileTarget),
    /// A program was given its name.
    Named(FileTarget),
    /// It was created, overwritten or added to.
    Written(FileTarget),
    /// It was changed in place.
    Edited(FileTarget),
    Removed {
        target: FileTarget,
        /// With everything in it.
        whole: bool,
    },
    Moved {
        from: FileTarget,
        /// A file or a folder.
        to: FileTarget,
        /// One of several, so `to` is a folder.
        several: bool,
    },
    /// Git changed the work tree: any file may be there again.
    Anything,
}

/// A file as it is named in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTarget {
    pub text: String,
    /// The shell replaces no part of it.
    pub plain: bool,
    /// The folder it is relative to, itself relative to where the line starts.
    pub folder: String,
}

/// The effects of a line, in order. `ok` says whether it ended without a failure.
pub fn effects(line: &ShellLine, ok: bool, output: &str) -> Vec<Effect> {
    let refused = output.lines().any(|line| SAYS_NO.iter().any(|no| line.starts_with(no)));
    let mut all = Vec::new();
    for (at, step) in line.steps().iter().enumerate() {
        let Some(folder) = folder_of(step) else { continue };
        if step.is_conditional || step.is_elsewhere || step.joint == Joint::Or {
            continue;
        }
        let may_have_failed = line.steps().get(at + 1).is_some_and(|next| next.joint == Joint::Or);
        let target = |word: &ShellWord| FileTarget {
            text: word.text.clone(),
            plain: !word.expands,
            folder: folder.to_owned(),
        };
        // What the shell itself opens was opened if the step began, however it ended.
        let began = ok || step.joint == Joint::Then;
        for (direction, file) in step.files.iter().filter(|_| began) {
            all.push(match direction {
                Direction::Read => Effect::Read(target(file)),
                Direction::Write | Direction::Append => Effect::Written(target(file)),
            });
        }
        if ok {
            of_program(step, may_have_failed, refused, &target, &mut all);
        }
    }
    all
}

/// The folder that the files of the first working step are relative to; empty where the line starts.
pub fn first_folder(line: &ShellLine) -> String {
    let working = line.steps().iter().find(|step| step.program != "cd").or(line.steps().last());
    working.and_then(folder_of).unwrap_or_default().to_owned()
}

/// Where a step runs; `None` if nobody knows.
pub fn folder_of(step: &Step) -> Option<&str> {
    match &step.folder {
        None => Some(""),
        Some(Folder::At(folder)) => Some(folder),
        Some(Folder::Unknown) => None,
    }
}

fn of_program(
    step: &Step,
    may_have_failed: bool,
    refused: bool,
    target: &impl Fn(&ShellWord) -> FileTarget,
    all: &mut Vec<Effect>,
) {
    let verb = (step.program == "git").then(|| step.verb.as_deref().unwrap_or_default());
    let program = match verb {
        Some("rm") => "rm",
        Some("mv") => "mv",
        Some(verb) if has(GIT_CHANGES_FILES, verb) => return all.push(Effect::Anything),
        _ => step.program.as_str(),
    };
    let mut open = true;
    let (mut flags, mut words): (Vec<&str>, Vec<&ShellWord>) = (Vec::new(), Vec::new());
    for word in &step.words {
        match word.text.as_str() {
            "--" if open => open = false,
            flag if open && flag.len() > 1 && flag.starts_with('-') => flags.push(flag),
            text if verb.is_some() && words.is_empty() && Some(text) == verb => {}
            _ => words.push(word),
        }
    }
    if verb.is_some() {
        // `git -C web rm a.ts`: the folder is known already.
        let at = words.iter().position(|word| Some(word.text.as_str()) == verb).map_or(0, |at| at + 1);
        words.drain(..at);
    }
    let has_flag = |short: char, long: &str| {
        flags.iter().any(|flag| *flag == long || (!flag.starts_with("--") && flag.contains(short)))
    };
    match program {
        // `rm x || true`: gone either way.
        "rm" if !flags.contains(&"--cached") && !refused => {
            let whole = has_flag('r', "--recursive") || has_flag('R', "--recursive");
            all.extend(words.into_iter().map(|word| Effect::Removed { target: target(word), whole }));
        }
        _ if may_have_failed || refused => {}
        "mv" if !has_flag('t', "--target-directory") && !has_flag('n', "--no-clobber") => {
            let Some(to) = words.pop().filter(|_| !words.is_empty()) else { return };
            let several = words.len() > 1;
            all.extend(words.into_iter().map(|from| Effect::Moved {
                from: target(from),
                to: target(to),
                several,
            }));
        }
        "cp" | "install" if words.len() == 2 => {
            all.push(Effect::Read(target(words[0])));
            let (from, to) = (&words[0].text, target(words[1]));
            // Into a folder, under its own name.
            let name = from.rsplit('/').next().unwrap_or(from);
            let is_folder = to.text.ends_with('/') || matches!(to.text.as_str(), "." | "..");
            let text =
                if is_folder { format!("{}/{name}", to.text.trim_end_matches('/')) } else { to.text.clone() };
            all.push(Effect::Written(FileTarget { text, ..to }));
        }
        "touch" | "tee" => all.extend(words.into_iter().map(|word| Effect::Written(target(word)))),
        "sed" | "perl" if has_flag('i', "--in-place") => {
            let files = words.into_iter().skip(1).filter(|word| !word.expands && is_path(&word.text));
            all.extend(files.map(|word| Effect::Edited(target(word))));
        }
        program if has(NAME_NO_FILES, program) || matches!(program, "rm" | "mv" | "cp") => {}
        program => {
            let skipped = usize::from(has(PATTERN_FIRST, program));
            let files =
                words.into_iter().skip(skipped).filter(|word| !word.expands && is_file_word(&word.text));
            let is_read = has(READERS, program);
            all.extend(
                files.map(
                    |word| if is_read { Effect::Read(target(word)) } else { Effect::Named(target(word)) },
                ),
            );
        }
    }
}

fn is_file_word(word: &str) -> bool {
    is_path(word) && !word.contains(['$', '=', ':', ' ', '(', '|', '<', '@', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In short form: `-a` removed, `-a/` with everything in it, `a>b` moved, `+a` written, `~a` edited, `=a` read, `.a`
    /// named, `*` anything; `?` marks what the shell replaces.
    fn done(command: &str, ok: bool, output: &str) -> Vec<String> {
        let path = |target: &FileTarget| {
            let folder = if target.folder.is_empty() { String::new() } else { format!("{}/", target.folder) };
            format!("{folder}{}{}", target.text, if target.plain { "" } else { "?" })
        };
        let one = |effect: &Effect| match effect {
            Effect::Removed { target, whole } => {
                format!("-{}{}", path(target), if *whole { "/" } else { "" })
            }
            Effect::Moved { from, to, .. } => format!("{}>{}", path(from), path(to)),
            Effect::Written(target) => format!("+{}", path(target)),
            Effect::Edited(target) => format!("~{}", path(target)),
            Effect::Read(target) => format!("={}", path(target)),
            Effect::Named(target) => format!(".{}", path(target)),
            Effect::Anything => "*".to_owned(),
        };
        effects(&ShellLine::parse(command), ok, output).iter().map(one).collect()
    }

    #[test]
    fn files_are_followed_by_effect() {
        for (command, expected) in [
            ("rm src/a.ts", &["-src/a.ts"][..]),
            ("rm -f a.ts './b c.ts' && ls", &["-a.ts", "-./b c.ts"]),
            ("rm -rf old.ts 2>/dev/null || true", &["-old.ts/"]),
            ("cd web && rm -rf dist; cd ../api && rm -- -x.ts", &["-web/dist/", "-web/../api/-x.ts"]),
            ("git rm -q src/a.ts 2>/dev/null", &["-src/a.ts"]),
            ("git -C web rm a.ts", &["-web/a.ts"]),
            ("git mv a.ts lib/b.ts", &["a.ts>lib/b.ts"]),
            ("mv a.ts b.ts lib/", &["a.ts>lib/", "b.ts>lib/"]),
            ("rm a.ts\necho x > a.ts", &["-a.ts", "+a.ts"]),
            ("echo x >> notes.md", &["+notes.md"]),
            ("make | tee build.log", &["+build.log"]),
            ("cat > x.md <<'EOF'\nrm a.ts\nEOF", &["+x.md"]),
            ("cp b.ts a.ts 2>&1", &["=b.ts", "+a.ts"]),
            ("cp src/b.ts lib/", &["=src/b.ts", "+lib/b.ts"]),
            ("touch new.rs", &["+new.rs"]),
            ("git checkout main", &["*"]),
            ("git stash && ls", &["*"]),
            ("rm src/[id].ts src/$X.ts", &["-src/[id].ts?", "-src/$X.ts?"]),
            ("# tidy\nrm a.ts", &["-a.ts"]),
            ("cd web && sed -i 's/a/b/' a.ts lib/b.ts", &["~web/a.ts", "~web/lib/b.ts"]),
            ("sed -n 1,5p a.ts", &["=a.ts"]),
            ("cd web && cat src/a.ts | head -5", &["=web/src/a.ts"]),
            ("grep -n parse.rs src/b.rs", &[".src/b.rs"]),
            ("go run cmd/main.go", &[".cmd/main.go"]),
            ("(rm a.ts)", &["-a.ts"]),
            ("bash -c 'rm a.ts'", &["-a.ts"]),
        ] {
            assert_eq!(done(command, true, ""), expected, "{command}");
        }
    }

    #[test]
    fn what_may_not_have_happened_has_no_effect() {
        for command in [
            "echo rm a.ts",
            "for f in a.ts b.ts; do rm $f; done",
            "if true; then rm a.ts; fi",
            "make || rm a.ts",
            "git rm --cached a.ts",
            "mv -n a.ts b.ts",
            "cd \"$DIR\" && rm a.ts",
            "git commit -m 'rm a.ts'",
            "ssh host 'rm a.ts'",
            "docker exec web rm a.ts",
            "echo see src/c.rs",
            "find . -name '*.ts'",
            "git add src/h.rs && git commit -m 'change src/d.rs' src/e.rs",
            "git show HEAD:src/g.rs --config=h.toml",
        ] {
            assert_eq!(done(command, true, ""), [] as [&str; 0], "{command}");
        }
        assert_eq!(done("rm a.ts; ls", true, "rm: cannot remove 'a.ts': Permission denied"), [] as [&str; 0]);
        assert_eq!(done("rm a.ts && make", false, ""), [] as [&str; 0]);
    }

    #[test]
    fn a_file_that_the_shell_opened_is_written_even_if_the_line_failed() {
        assert_eq!(done("cat > a.sh <<E\nx\nE\nbash a.sh", false, "boom"), ["+a.sh"]);
        assert_eq!(done("make && echo x > a.sh", false, ""), [] as [&str; 0]);
    }
}
