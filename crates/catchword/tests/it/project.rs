//! What a repository taught: told at the start of a session, by the command and by the tool, and checked against the tree.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use catchword_testkit::{HookPlayer, TestEnv, Transcript, files, model_text};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
/// Process ids that are never assigned: the client is gone.
const GONE: u32 = 4_000_000_101;

/// A repository, and the sessions that work in it.
struct Repository {
    env: TestEnv,
}

impl Repository {
    fn new() -> Repository {
        let env = TestEnv::new();
        let repository = Repository { env };
        repository.write("scripts/check.sh", "exit 0\n");
        repository.write("src/lexer.rs", "fn lex() {}\n");
        repository
    }

    fn id(n: u32) -> String {
        format!("0000000{n}-0000-4000-8000-000000000000")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.env.project().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        files::write(self.path(path), text);
    }

    /// Before any session, for whoever compares times.
    fn written_long_ago(&self, path: &str) {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        std::fs::File::open(self.path(path)).unwrap().set_modified(then).unwrap();
    }

    fn hooks(&self, n: u32) -> HookPlayer<'_> {
        HookPlayer::new(&self.env, BIN, &Repository::id(n)).held_by(GONE + n, true)
    }

    /// A whole session that does this.
    fn session(&self, n: u32, work: impl FnOnce(Transcript) -> Transcript) {
        let hooks = self.hooks(n);
        let begun = Transcript::new().session(&Repository::id(n)).cwd(self.env.project());
        let _ = hooks.session_start("startup").success();
        work(begun).write_to(hooks.transcript_path());
        assert!(hooks.stop("Done.").is_silent_success());
        assert!(hooks.session_end("other").is_silent_success());
        self.env.wait(Duration::from_secs(3_600));
    }

    /// Two sessions that run the same check and change the same file.
    fn worked_twice(&self) {
        for n in [1, 2] {
            self.session(n, |t| self.work(t));
        }
    }

    fn work(&self, t: Transcript) -> Transcript {
        let file = self.path("src/lexer.rs");
        let t = t.prompt("Make the lexer faster.").edit(file.to_str().unwrap(), "a", "b");
        t.bash("sh scripts/check.sh").ok("all fine").says("Done.")
    }

    fn told(&self, n: u32) -> String {
        model_text(&self.hooks(n).session_start("startup").success().stdout)
    }

    fn shown(&self, args: &[&str]) -> Value {
        let all: Vec<&str> = ["project", "--json"].iter().chain(args).copied().collect();
        self.env.run(BIN, &all).success().json()
    }
}

/// The lines of a section.
fn section<'a>(shown: &'a Value, kind: &str) -> Vec<&'a Value> {
    let sections = shown["sections"].as_array().into_iter().flatten();
    let lines =
        sections.filter(|section| section["kind"] == kind).filter_map(|section| section["lines"].as_array());
    lines.flatten().collect()
}

fn line_of<'a>(shown: &'a Value, kind: &str, text: &str) -> Option<&'a Value> {
    section(shown, kind).into_iter().find(|line| line["text"] == text)
}

mod start {
    use super::*;

    #[test]
    fn session_is_told_what_earlier_ones_ran_and_changed_with_places() {
        let repository = Repository::new();
        repository.worked_twice();
        let text = repository.told(3);
        for needed in [
            "not orders",
            "the last 2 sessions ran them at least: `sh scripts/check.sh` (2, 00000002:L",
            "Files edited in the last 2 sessions, the latest of these at 00000002:L",
            "src/lexer.rs",
        ] {
            assert!(text.contains(needed), "{needed} is missing in\n{text}");
        }
        assert!(text.starts_with("<catchword-record") && text.ends_with("</catchword-record>"), "{text}");
        assert!(text.chars().count() <= 1_500, "{text}");
        assert!(!text.contains("--resume"), "nothing was left undone: {text}");
        // After /clear, too, and once.
        let cleared = repository.hooks(4);
        let text = model_text(&cleared.session_start("clear").success().stdout);
        assert!(text.contains("`sh scripts/check.sh`"), "{text}");
        assert!(cleared.session_start("clear").is_silent_success());
    }

    #[test]
    fn without_a_past_nothing_is_told() {
        let repository = Repository::new();
        assert_eq!(repository.told(1), "");
        repository.session(2, |t| t.prompt("Hello?").says("Hi."));
        assert_eq!(repository.told(3), "");
        repository.worked_twice();
        assert_ne!(repository.told(4), "", "with one it is");
    }

    #[test]
    fn what_is_gone_from_the_tree_is_not_told() {
        let repository = Repository::new();
        repository.worked_twice();
        std::fs::remove_file(repository.path("scripts/check.sh")).unwrap();
        let text = repository.told(3);
        assert!(!text.contains("check.sh") && text.contains("src/lexer.rs"), "{text}");
        std::fs::rename(repository.path("src/lexer.rs"), repository.path("src/lex.rs")).unwrap();
        assert_eq!(repository.told(4), "");
    }

    #[test]
    fn rules_are_told_verbatim_until_they_are_withdrawn_or_written_down() {
        let repository = Repository::new();
        let rule = "Never commit without the linter.";
        repository.session(1, |t| repository.work(t.prompt(&format!("Add a parser. {rule}")).says("Yes.")));
        let text = repository.told(2);
        assert!(
            text.contains(&format!(": \"{rule}\" 00000001:L")) && text.contains("- The user said "),
            "{text}"
        );
        repository.write("CLAUDE.md", "# Rules\n\n- Never commit without the linter.\n");
        assert!(!repository.told(3).contains("The user said"), "the project's own file says it");
        std::fs::remove_file(repository.path("CLAUDE.md")).unwrap();
        assert!(repository.told(4).contains("The user said"));
        repository
            .session(5, |t| repository.work(t.prompt("You can commit without the linter.").says("Yes.")));
        let text = repository.told(6);
        assert!(!text.contains("The user said"), "{text}");
        let shown = repository.shown(&[]);
        let stale = line_of(&shown, "rules", rule).expect("a person sees it");
        assert!(stale["stale"].as_str().unwrap().contains("took it back at 00000005:L"), "{stale}");
    }

    #[test]
    fn what_nobody_typed_is_no_rule() {
        let repository = Repository::new();
        let rule = "Never commit without the linter.";
        repository.session(1, |t| {
            let t = t.teammate("peer", rule).says(rule).bash("cat notes.md").ok(rule);
            repository.work(t.hook_context("SessionStart", rule).subagent("a1", rule, rule))
        });
        assert!(!repository.told(2).contains("linter"));
        assert_eq!(section(&repository.shown(&[]), "rules"), [] as [&Value; 0]);
    }

    #[test]
    fn uncommitted_files_are_told_and_whether_they_changed_since() {
        let repository = Repository::new();
        let git = |arguments: &[&str]| repository.env.git(arguments);
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "First"]);
        repository.write("src/lexer.rs", "fn lex() { fast() }\n");
        repository.written_long_ago("src/lexer.rs");
        repository.session(1, |t| repository.work(t));
        let text = repository.told(2);
        assert!(text.contains("left uncommitted: src/lexer.rs"), "{text}");
        // Somebody else changed it: its time is that of this machine, long after the session.
        repository.write("src/lexer.rs", "fn lex() { faster() }\n");
        let text = repository.told(3);
        assert!(text.contains("left uncommitted, changed since: src/lexer.rs"), "{text}");
        git(&["commit", "-q", "-a", "-m", "Second"]);
        assert!(!repository.told(4).contains("uncommitted"));
    }

    #[test]
    fn another_branch_is_told_with_the_fate_of_the_last_one() {
        let fate = |then: &dyn Fn(&Repository)| {
            let repository = Repository::new();
            let git = |arguments: &[&str]| repository.env.git(arguments);
            git(&["init", "-q", "-b", "main"]);
            git(&["add", "-A"]);
            git(&["commit", "-q", "-m", "First"]);
            git(&["checkout", "-q", "-b", "feat/lexer"]);
            git(&["commit", "-q", "--allow-empty", "-m", "Second"]);
            repository.session(1, |t| {
                let row = serde_json::json!({"type": "assistant", "uuid": "b", "sessionId": Repository::id(1),
                    "gitBranch": "feat/lexer", "cwd": repository.env.project(),
                    "message": {"content": [{"type": "text", "text": "All done."}]}});
                repository.work(t).raw(&row.to_string())
            });
            then(&repository);
            repository.told(2)
        };
        let main = |repository: &Repository| repository.env.git(&["checkout", "-q", "main"]);
        let text = fate(&main);
        assert!(text.contains("- branch main; the last session was on feat/lexer\n"), "{text}");
        let text = fate(&|repository| {
            main(repository);
            repository.env.git(&["merge", "-q", "feat/lexer"]);
        });
        assert!(text.contains("was on feat/lexer, which is merged"), "{text}");
        let text = fate(&|repository| {
            main(repository);
            repository.env.git(&["branch", "-q", "-D", "feat/lexer"]);
        });
        assert!(text.contains("was on feat/lexer, which is gone"), "{text}");
        assert!(!fate(&|_| ()).contains("- branch"), "the same branch is no news");
    }

    #[test]
    fn settings_switch_it_off_and_say_how_long_it_may_be() {
        let repository = Repository::new();
        repository.worked_twice();
        let set = |config: &str| files::write(repository.env.data().join("config.toml"), config);
        set("next_start.on = false\n");
        assert_eq!(repository.told(3), "");
        set("next_start.characters = 400\n");
        let text = repository.told(4);
        assert!(text.contains("sh scripts/check.sh") && text.chars().count() <= 400, "{text}");
        let script = |n: u32| {
            let hooks = HookPlayer::new(&repository.env, BIN, &Repository::id(n)).held_by(GONE + n, false);
            model_text(&hooks.session_start("startup").success().stdout)
        };
        assert_eq!(script(5), "", "a script is told nothing");
        set("next_start.headless = \"offer\"\n");
        assert!(script(6).contains("sh scripts/check.sh"));
    }

    #[test]
    fn left_out_sessions_are_no_part_of_the_past() {
        let repository = Repository::new();
        repository.worked_twice();
        let elsewhere = repository.env.home().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        assert_ne!(repository.told(3), "");
        files::write(repository.env.data().join("config.toml"), "[privacy]\nleave_out = [\"project\"]\n");
        assert_eq!(repository.told(4), "");
    }

    #[test]
    fn a_history_that_cannot_be_read_is_told_in_one_line() {
        let repository = Repository::new();
        repository.worked_twice();
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(repository.env.data().join(format!("history.db{suffix}")));
        }
        files::write(
            repository.env.data().join("history.db"),
            "this is no database, and long enough to be read as one ".repeat(40),
        );
        let text = repository.told(3);
        assert!(text.contains("could not be read") && text.lines().count() == 3, "{text}");
    }

    #[test]
    fn a_store_that_cannot_be_read_is_told_in_one_line() {
        let repository = Repository::new();
        repository.worked_twice();
        assert_ne!(repository.told(3), "");
        let store = repository.env.data().join("catchword.db");
        std::fs::remove_file(&store).unwrap();
        std::fs::create_dir(&store).unwrap();
        let text = repository.told(4);
        assert!(text.contains("could not be read") && text.lines().count() == 3, "{text}");
        files::write(repository.env.data().join("config.toml"), "next_start.on = false\n");
        assert_eq!(repository.told(5), "");
    }

    /// Somebody else pushed: a renamed script, and the file that was looked for.
    #[test]
    fn after_a_pull_it_is_checked_against_what_came() {
        let repository = Repository::new();
        let git = |arguments: &[&str]| repository.env.git(arguments);
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "First"]);
        git(&["clone", "-q", "--bare", ".", "../upstream.git"]);
        git(&["clone", "-q", "../upstream.git", "../theirs"]);
        git(&["remote", "add", "origin", "../upstream.git"]);
        repository.worked_twice();
        assert!(repository.told(3).contains("`sh scripts/check.sh`"));
        for arguments in [
            &["mv", "scripts/check.sh", "scripts/verify.sh"][..],
            &["commit", "-q", "-m", "Rename the check"],
            &["push", "-q"],
        ] {
            git(&[&["-C", "../theirs"][..], arguments].concat());
        }
        git(&["pull", "-q", "--ff-only", "origin", "main"]);
        let text = repository.told(4);
        assert!(!text.contains("check.sh") && text.contains("src/lexer.rs"), "{text}");
    }

    /// Sessions that worked on other files before the last one are part of it; so is what several only read.
    #[test]
    fn files_of_earlier_sessions_are_told_and_those_that_all_read() {
        let repository = Repository::new();
        for path in ["src/parser.rs", "docs/plan.md", "docs/once.md"] {
            repository.write(path, "text\n");
        }
        let read = |t: Transcript, path: &str| t.read(repository.path(path).to_str().unwrap());
        repository.session(1, |t| {
            let t = t.prompt("Write the parser.").edit(
                repository.path("src/parser.rs").to_str().unwrap(),
                "a",
                "b",
            );
            read(read(t, "docs/plan.md"), "docs/once.md").says("Done.")
        });
        repository.session(2, |t| read(repository.work(t.pause(3_600)), "docs/plan.md").says("Done."));
        let text = repository.told(3);
        for needed in [
            "- Files that several of the last 2 sessions read, the latest of these at 00000002:L",
            ": docs/plan.md\n",
            "- Files edited in the last 2 sessions, the latest of these at 00000002:L",
            "src/{lexer.rs,parser.rs}",
        ] {
            assert!(text.contains(needed), "{needed} is missing in\n{text}");
        }
        assert!(!text.contains("once.md"), "{text}");
    }

    /// Behind a pipe nobody knows how it ended, but it printed what went wrong.
    #[test]
    fn a_command_whose_latest_run_printed_an_error_is_not_told() {
        let told = |before: &str, printed: &str| {
            let repository = Repository::new();
            repository.worked_twice();
            repository.session(3, |t| {
                let t = t.pause(3_600).prompt("Check it.").bash(before).ok("lexer.rs");
                t.bash("sh scripts/check.sh 2>&1 | grep -v grams").ok(printed).says("Hm.")
            });
            repository.told(4)
        };
        assert!(told("ls src", "ounces: fine").contains("`sh scripts/check.sh`"));
        // Nor if nobody knows in which folder that was.
        for before in ["ls src", "cd src && ls"] {
            let text = told(before, "error: cannot weigh_ounces\nsrc/lexer.rs:3:1");
            assert!(!text.contains("check.sh") && text.contains("src/lexer.rs"), "{before}: {text}");
        }
    }

    /// The build failed, then passed in another form: the form that failed is not called failing.
    #[test]
    fn a_check_that_passed_in_another_form_is_not_called_failing() {
        let told = |passes: bool| {
            let repository = Repository::new();
            repository.session(1, |t| {
                let t =
                    t.prompt("Build it.").bash("make").fails("Exit code 2\nerror: no rule to weigh_grams");
                let t = if passes { t.bash("make -j4 all").ok("built") } else { t };
                repository.work(t)
            });
            // After /clear no last session is told apart from the past.
            model_text(&repository.hooks(2).session_start("clear").success().stdout)
        };
        assert!(told(false).contains("failed"), "{}", told(false));
        assert!(!told(true).contains("failed"), "{}", told(true));
    }

    #[test]
    fn what_was_told_is_recorded_with_what_of_it_was_used() {
        let repository = Repository::new();
        repository.worked_twice();
        let text = repository.told(3);
        let hooks = repository.hooks(3);
        let begun = Transcript::new().session(&Repository::id(3)).cwd(repository.env.project());
        let t = begun.prompt("Go on.").read(repository.path("src/lexer.rs").to_str().unwrap());
        t.bash("git status --short").ok("").write_to(hooks.transcript_path());
        let _ = hooks.post_tool_batch(&[]).success();
        let status = repository.env.run(BIN, &["status", "--told", "--json"]).success().json();
        let one = &status["told"][0];
        assert_eq!(
            (one["kind"].as_str(), one["text"].as_str()),
            (Some("start"), Some(text.as_str())),
            "{status}"
        );
        assert_eq!(one["names"], serde_json::json!(["sh scripts/check.sh", "src/lexer.rs"]), "{one}");
        assert_eq!(
            (&one["used"], &one["watch"]),
            (&serde_json::json!(["src/lexer.rs"]), &80.into()),
            "{one}"
        );
        assert_eq!(
            (&status["sums"][0]["told"], &status["sums"][0]["used"]),
            (&2.into(), &2.into()),
            "{status}"
        );
    }

    #[test]
    fn another_project_is_told_nothing() {
        let repository = Repository::new();
        repository.worked_twice();
        let other = repository.env.home().join("other");
        std::fs::create_dir(&other).unwrap();
        let hooks = repository.hooks(3).in_folder(&other);
        assert_eq!(model_text(&hooks.session_start("startup").success().stdout), "");
    }
}

mod tree {
    use super::*;

    /// A repository whose sessions ran a command, what happened to it since, and what is known against the command now.
    struct Made {
        files: &'static [(&'static str, &'static str)],
        command: &'static str,
        /// Files removed, and files written, with a `+`.
        since: &'static [(&'static str, &'static str)],
        stale: Option<&'static str>,
    }

    const PACKAGE: (&str, &str) = ("package.json", "{\"scripts\": {\"check\": \"node check.js\"}}");
    const WITHOUT: (&str, &str) = ("+package.json", "{\"scripts\": {\"lint\": \"node lint.js\"}}");
    const MAKEFILE: (&str, &str) = ("Makefile", "check: lexer\n\tsh check.sh\n");
    const GONE: Option<&str> = Some("its script is gone");

    const MADE: &[Made] = &[
        Made { files: &[("check.sh", "")], command: "sh check.sh", since: &[], stale: None },
        Made { files: &[("check.sh", "")], command: "sh check.sh", since: &[("check.sh", "")], stale: GONE },
        // Of a work tree that is gone, or of another machine.
        Made { files: &[], command: "sh /nowhere/linked/check.sh", since: &[], stale: GONE },
        Made { files: &[("run/check", "")], command: "./run/check --all", since: &[], stale: None },
        Made {
            files: &[("run/check", "")],
            command: "./run/check --all",
            since: &[("run/check", "")],
            stale: Some("its program is gone"),
        },
        Made { files: &[PACKAGE], command: "npm run check", since: &[], stale: None },
        Made { files: &[PACKAGE], command: "npm run check", since: &[WITHOUT], stale: GONE },
        Made { files: &[PACKAGE], command: "npm run check -- --fix", since: &[WITHOUT], stale: GONE },
        // Of another package, which is not looked up.
        Made { files: &[PACKAGE], command: "npm run check --prefix web", since: &[WITHOUT], stale: None },
        Made {
            files: &[PACKAGE],
            command: "npm run check",
            since: &[("+package.json", "{ broken")],
            stale: None,
        },
        Made { files: &[MAKEFILE], command: "make check", since: &[], stale: None },
        Made {
            files: &[MAKEFILE],
            command: "make check",
            since: &[("+Makefile", "test:\n\ttrue\n")],
            stale: GONE,
        },
        // A target may be in what is included, or be made by a pattern.
        Made {
            files: &[MAKEFILE],
            command: "make check",
            since: &[("+Makefile", "include rules.mk\n")],
            stale: None,
        },
        Made {
            files: &[MAKEFILE],
            command: "make check",
            since: &[("+Makefile", "%: %.c\n\tcc $<\n")],
            stale: None,
        },
        Made { files: &[MAKEFILE], command: "make check", since: &[("Makefile", "")], stale: None },
        Made { files: &[("web/check.sh", "")], command: "cd web && sh check.sh", since: &[], stale: None },
        Made {
            files: &[("web/check.sh", "")],
            command: "cd web && sh check.sh",
            since: &[("web", "")],
            stale: Some("its folder is gone"),
        },
        Made {
            files: &[("web/check.sh", "")],
            command: "cd web && sh check.sh",
            since: &[("web/check.sh", "")],
            stale: GONE,
        },
        Made {
            files: &[("check.sh", ""), ("tests/lexer.sh", "")],
            command: "sh check.sh tests/lexer.sh",
            since: &[("tests/lexer.sh", "")],
            stale: Some("a file it names is gone"),
        },
        Made { files: &[("check.sh", "")], command: "sh check.sh 'tests/*.sh'", since: &[], stale: None },
        Made {
            files: &[],
            command: "zunit-not-there tests",
            since: &[],
            stale: Some("its program is not installed"),
        },
        Made {
            files: &[],
            command: "zunit-not-there tests",
            since: &[("+.venv/bin/zunit-not-there", "")],
            stale: None,
        },
    ];

    #[test]
    fn commands_are_checked_against_twenty_repositories() {
        assert!(MADE.len() >= 20);
        for made in MADE {
            let repository = Repository::new();
            for (path, text) in made.files {
                repository.write(path, text);
                runnable(&repository.path(path));
            }
            for n in [1, 2] {
                repository
                    .session(n, |t| t.prompt("Check it.").bash(made.command).ok("all fine").says("Done."));
            }
            for (path, text) in made.since {
                if let Some(path) = path.strip_prefix('+') {
                    repository.write(path, text);
                    runnable(&repository.path(path));
                } else if repository.path(path).is_dir() {
                    std::fs::remove_dir_all(repository.path(path)).unwrap();
                } else {
                    std::fs::remove_file(repository.path(path)).unwrap();
                }
            }
            let shown = repository.shown(&[]);
            let line = line_of(&shown, "commands", made.command);
            let line = line.unwrap_or_else(|| panic!("{} is missing in {shown:#}", made.command));
            assert_eq!(line["stale"].as_str(), made.stale, "{} in {:?}", made.command, made.since);
            let told = repository.told(3);
            assert_eq!(told.contains(made.command), made.stale.is_none(), "{}\n{told}", made.command);
        }
    }

    fn runnable(path: &Path) {
        use std::os::unix::fs::PermissionsExt;
        if path.is_file() {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    #[test]
    fn a_fix_holds_as_long_as_the_files_that_were_changed_for_it() {
        let repository = Repository::new();
        repository.session(1, |t| {
            let error = "Exit code 1\nError: Cannot resolve plugin '@scales/grams'";
            let t = t.prompt("Build it.").bash("npm run build").fails(error);
            let t = t.edit(repository.path("src/lexer.rs").to_str().unwrap(), "a", "b");
            t.bash("npm run build").ok("built in 2s").says("Done.")
        });
        let stale = || {
            let shown = repository.shown(&[]);
            let fixes = section(&shown, "fixes");
            assert_eq!(fixes.len(), 1, "{shown:#}");
            assert!(fixes[0]["about"].as_str().unwrap().contains("@scales/grams"), "{shown:#}");
            fixes[0]["stale"].as_str().map(str::to_owned)
        };
        assert_eq!(stale(), None);
        std::fs::rename(repository.path("src/lexer.rs"), repository.path("src/lex.rs")).unwrap();
        assert_eq!(stale().as_deref(), Some("a file it names is gone"));
    }

    #[test]
    fn files_that_were_looked_for_in_vain_are_shown_until_they_are_there() {
        let repository = Repository::new();
        for n in [1, 2] {
            let look = |t: Transcript| {
                t.prompt("Look.")
                    .bash("cat docs/plan.md")
                    .fails("Exit code 1\ncat: docs/plan.md: No such file or directory")
            };
            repository.session(n, |t| repository.work(look(t)));
        }
        let shown = repository.shown(&[]);
        let line = line_of(&shown, "not_there", "docs/plan.md").expect("it is shown");
        assert_eq!(
            (line["stale"].as_str(), line["often"].as_str()),
            (None, Some("looked for in 2 sessions"))
        );
        repository.write("docs/plan.md", "plan\n");
        let shown = repository.shown(&[]);
        let line = line_of(&shown, "not_there", "docs/plan.md").expect("a person sees why");
        assert_eq!(line["stale"], "it is there now");
    }
}

mod command {
    use super::*;

    #[test]
    fn a_person_sees_places_reasons_and_what_is_stale() {
        let repository = Repository::new();
        repository.worked_twice();
        std::fs::remove_file(repository.path("scripts/check.sh")).unwrap();
        let text = repository.env.run(BIN, &["project", "--why"]).success().stdout;
        for needed in [
            "2 sessions",
            "Commands that passed, in the form that passed last",
            "sh scripts/check.sh",
            "00000002:L",
            "stale: its script is gone",
            "why: passed by its exit code",
            "src/lexer.rs",
        ] {
            assert!(text.contains(needed), "{needed} is missing in\n{text}");
        }
        let plain = repository.env.run(BIN, &["project"]).success().stdout;
        assert!(plain.contains("sh scripts/check.sh") && !plain.contains("why:"), "{plain}");
    }

    #[test]
    fn a_file_has_its_own_page() {
        let repository = Repository::new();
        repository.worked_twice();
        let of = |file: &str| repository.shown(&["--file", file]);
        let shown = of("src/lexer.rs");
        assert!(line_of(&shown, "files", "src/lexer.rs").is_some(), "{shown:#}");
        assert_eq!(section(&shown, "commands"), [] as [&Value; 0]);
        assert!(line_of(&of("scripts/check.sh"), "commands", "sh scripts/check.sh").is_some());
        assert_eq!(of("nowhere.rs")["sections"], Value::Array(Vec::new()));
    }

    #[test]
    fn files_that_change_together_are_shown_with_both_names() {
        let repository = Repository::new();
        repository.session(1, |t| {
            (0..3).fold(t, |t, n| {
                let t = t.prompt(&format!("Change {n}."));
                ["src/lexer.rs", "docs/lexer.md"]
                    .iter()
                    .fold(t, |t, file| t.edit(repository.path(file).to_str().unwrap(), "a", "b"))
            })
        });
        let shown = repository.shown(&[]);
        let together = section(&shown, "together");
        assert_eq!(together.len(), 1, "{shown:#}");
        assert_eq!(
            (&together[0]["text"], &together[0]["about"]),
            (&"docs/lexer.md".into(), &"src/lexer.rs".into())
        );
        assert_eq!(together[0]["often"], "for 3 requests");
    }

    #[test]
    fn an_agent_does_not_see_what_is_stale_or_left_out() {
        let repository = Repository::new();
        repository.worked_twice();
        std::fs::remove_file(repository.path("scripts/check.sh")).unwrap();
        let asked = |variable: Option<(&str, &str)>| {
            let mut command = repository.env.command(BIN);
            command.args(["project", "--json"]).envs(variable);
            repository.env.run_command(command, "")
        };
        let agent = Some(("CLAUDECODE", "1"));
        let person = asked(None).success().json();
        assert!(line_of(&person, "commands", "sh scripts/check.sh").is_some());
        let shown = asked(agent).success().json();
        assert!(line_of(&shown, "commands", "sh scripts/check.sh").is_none(), "{shown:#}");
        assert!(line_of(&shown, "files", "src/lexer.rs").is_some(), "{shown:#}");
        files::write(repository.env.data().join("config.toml"), "[privacy]\nleave_out = [\"project\"]\n");
        assert!(line_of(&asked(None).success().json(), "files", "src/lexer.rs").is_some(), "a person does");
        let refused = asked(agent);
        assert!(!refused.stdout.contains("lexer") && refused.stderr.contains("left out"), "{refused}");
    }
}
