//! What a session is told at its start: about the one that was cleared, about the last one here, about what changed in
//! the meantime.
//!
//! Several sessions at once, in one folder, in two projects, in two work trees of one repository: each is told about
//! its own and no other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use catchword_testkit::{CommandOutput, HookPlayer, TestEnv, Transcript, files, model_text};
use serde_json::json;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const DAY: Duration = Duration::from_secs(86_400);
/// Process ids that are never assigned: the client is gone.
const GONE: u32 = 4_000_000_001;

/// Sessions, and the hooks of their clients.
struct Stage {
    env: TestEnv,
}

impl Stage {
    fn new() -> Self {
        Stage { env: TestEnv::new() }
    }

    fn id(n: u32) -> String {
        format!("0000000{n}-0000-4000-8000-000000000000")
    }

    /// Session `n` in the project, of a client that is gone by now, with a person.
    fn session(&self, n: u32) -> HookPlayer<'_> {
        HookPlayer::new(&self.env, BIN, &Self::id(n)).held_by(GONE + n, true)
    }

    /// What session `n` wrote.
    fn wrote(&self, n: u32, transcript: &Transcript) {
        transcript.write_to(self.env.transcript_path(&Self::id(n)));
    }

    fn transcript(n: u32) -> Transcript {
        Transcript::new().session(&Self::id(n))
    }

    /// Session `n` worked in `folder` and left a task named after it.
    fn left_work(&self, n: u32, folder: &Path) {
        let task = format!("task of session {n}");
        let transcript =
            Self::transcript(n).cwd(folder).prompt("Add a parser.").task_create(&task).says("So far.");
        self.wrote(n, &transcript);
    }

    /// Session `n` worked and left nothing open.
    fn finished(&self, n: u32) {
        self.wrote(n, &Self::transcript(n).prompt("Do it.").bash("cargo test").ok("ok").says("Done."));
    }

    fn set(&self, config: &str) {
        files::write(self.env.data().join("config.toml"), config);
    }
}

/// A whole session of a person, from start to end.
fn play(hooks: &HookPlayer, reason: &str) {
    assert!(model_text(&hooks.session_start("startup").success().stdout).is_empty(), "nothing to be told");
    assert!(hooks.stop("So far.").is_silent_success());
    assert!(hooks.session_end(reason).is_silent_success());
}

/// What the model gets.
fn told(output: CommandOutput) -> String {
    model_text(&output.success().stdout)
}

/// What the person sees.
fn shown(output: &CommandOutput) -> String {
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

#[track_caller]
fn assert_only_of(text: &str, n: u32) {
    assert!(text.starts_with(&format!("<catchword-record session=\"{}\">", Stage::id(n))), "{text}");
    assert!(text.ends_with("</catchword-record>"), "{text}");
    let told: Vec<u32> = (1..9).filter(|other| text.contains(&format!("task of session {other}"))).collect();
    assert_eq!(told, [n], "{text}");
}

mod clear {
    use super::*;

    #[test]
    fn next_session_gets_the_brief_of_the_cleared_one() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "clear");
        let next = stage.session(2).held_by(GONE + 1, true);
        let text = told(next.session_start("clear"));
        assert_only_of(&text, 1);
        for needed in
            ["The user cleared the context", "a record of it, not orders", "## Open work", "Add a parser."]
        {
            assert!(text.contains(needed), "{needed} is missing in\n{text}");
        }
        // The second copy of the hook has nothing to add.
        assert_eq!(told(next.session_start("clear")), "");
    }

    #[test]
    fn person_sees_in_one_line_that_the_work_comes_along() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "clear");
        let next = stage.session(2).held_by(GONE + 1, true);
        let line = shown(&next.session_start("clear").success());
        assert_eq!(line, "catchword: the agent gets the brief of the session you cleared: 1 open task.");
        assert!(next.session_start("clear").is_silent_success(), "once");
    }

    /// Cleared again before any prompt: the person's work is in the session before.
    #[test]
    fn session_without_work_is_skipped() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "clear");
        for n in 2..5 {
            let next = stage.session(n).held_by(GONE + 1, true);
            assert_only_of(&told(next.session_start("clear")), 1);
            assert!(next.session_end("clear").is_silent_success());
        }
        // One that worked does.
        let worked = stage.session(5).held_by(GONE + 1, true);
        assert_only_of(&told(worked.session_start("clear")), 1);
        stage.finished(5);
        assert!(worked.stop("Done.").is_silent_success());
        assert!(worked.session_end("clear").is_silent_success());
        assert_eq!(told(stage.session(6).held_by(GONE + 1, true).session_start("clear")), "");
    }

    #[test]
    fn unattended_client_gets_the_brief_too() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        let (first, next) = (stage.session(1).held_by(GONE, false), stage.session(2).held_by(GONE, false));
        play(&first, "clear");
        assert_only_of(&told(next.session_start("clear")), 1);
    }

    #[test]
    fn session_without_open_work_yields_nothing() {
        let stage = Stage::new();
        stage.finished(1);
        play(&stage.session(1), "clear");
        assert_eq!(told(stage.session(2).held_by(GONE + 1, true).session_start("clear")), "");
        // With open work it tells: `without_a_person_only_the_model_is_told` and others here.
    }

    #[test]
    fn two_sessions_cleared_at_once_are_not_mixed_up() {
        let stage = Stage::new();
        let same = |n: u32| stage.session(n + 4).held_by(GONE + n, true);
        for n in [1, 2] {
            stage.left_work(n, stage.env.project());
            assert!(stage.session(n).stop("So far.").is_silent_success());
        }
        // One of the two was killed before it could report its end.
        assert!(stage.session(1).session_end("clear").is_silent_success());
        assert_only_of(&told(same(2).session_start("clear")), 2);
        assert_only_of(&told(same(1).session_start("clear")), 1);
        // Cleared once more: the latest session counts.
        stage.left_work(6, stage.env.project());
        assert!(same(2).session_end("clear").is_silent_success());
        assert_only_of(&told(stage.session(7).held_by(GONE + 2, true).session_start("clear")), 6);
    }

    #[test]
    fn unidentified_client_gets_the_brief_only_if_it_is_unambiguous() {
        let stage = Stage::new();
        let nameless = |n: u32| HookPlayer::new(&stage.env, BIN, &Stage::id(n));
        let end = |n: u32| {
            stage.left_work(n, stage.env.project());
            assert!(nameless(n).session_end("clear").is_silent_success());
        };
        end(1);
        let elsewhere = nameless(5).in_folder(stage.env.home());
        assert_eq!(told(elsewhere.session_start("clear")), "", "another folder");
        assert_only_of(&told(nameless(6).session_start("clear")), 1);
        end(2);
        end(3);
        assert_eq!(told(nameless(7).session_start("clear")), "", "one of two");
        stage.env.wait(Duration::from_secs(60));
        end(4);
        stage.env.wait(Duration::from_secs(60));
        assert_eq!(told(nameless(8).session_start("clear")), "", "a minute ago");
    }
}

mod startup {
    use super::*;

    #[test]
    fn last_unfinished_session_is_offered() {
        let stage = Stage::new();
        let transcript = Stage::transcript(1)
            .prompt(&format!(
                "Add a parser because billing needs separate logs. {}",
                "Much more is to be said about it. ".repeat(40)
            ))
            .says("I decided to write it by hand.")
            .task_create("task of session 1")
            .bash("cargo test")
            .fails("Exit code 101\nerror: expected `;`")
            .says("Hm.");
        stage.wrote(1, &transcript);
        play(&stage.session(1), "prompt_input_exit");
        stage.env.wait(Duration::from_secs(7_200));
        let text = told(stage.session(2).session_start("startup"));
        assert_only_of(&text, 1);
        let (id, handoff) = (Stage::id(1), stage.env.data().join("handoffs"));
        let handoff = stage.env.normalise(handoff.to_str().unwrap());
        for needed in [
            "2 h ago",
            "The last session here (2 h ago, 00000001) ended at L",
            "not orders",
            "- `cargo test` failed: \"error: expected `;`\" 00000001:L5",
            "- open in its list of tasks: \"task of session 1\" 00000001:L",
            &format!("{handoff}/HANDOFF-{id}.md"),
        ] {
            assert!(text.contains(needed), "{needed} is missing in\n{text}");
        }
        // What a model concluded is not told.
        assert!(
            !text.contains("I decided") && !text.contains("--resume") && text.chars().count() <= 1_500,
            "{text}"
        );
    }

    #[test]
    fn a_list_of_tasks_that_later_requests_left_as_it_was_is_not_told() {
        let told_after = |requests: usize| {
            let stage = Stage::new();
            let begun = Stage::transcript(1).prompt("Add a parser.").task_create("task of session 1");
            let asked = (0..requests).fold(begun, |t, n| {
                let t = t.prompt(&format!("Now look at part {n}, please.")).bash("cargo test");
                t.fails("Exit code 101\nerror: expected `;`").says("Hm.")
            });
            stage.wrote(1, &asked);
            play(&stage.session(1), "prompt_input_exit");
            let text = told(stage.session(2).session_start("startup"));
            assert!(text.contains("- `cargo test` failed"), "{text}");
            text.contains("- open in its list of tasks")
        };
        assert_eq!([told_after(1), told_after(2)], [true, false]);
    }

    #[test]
    fn person_sees_the_offer_in_one_line() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "prompt_input_exit");
        stage.env.wait(Duration::from_secs(7_200));
        let line = shown(&stage.session(2).session_start("startup").success());
        let resume = format!("`claude --resume {}`", Stage::id(1));
        assert_eq!(
            line,
            format!(
                "catchword: the last session here (2 h ago) stopped with 1 open task; the agent is told. {resume} goes on with it."
            )
        );
        assert!(stage.session(2).session_start("startup").is_silent_success(), "once");
    }

    /// A script's output is not the place for it.
    #[test]
    fn without_a_person_only_the_model_is_told() {
        for headless in ["offer", "brief"] {
            let stage = Stage::new();
            stage.set(&format!("next_start.headless = {headless:?}\n"));
            stage.left_work(1, stage.env.project());
            play(&stage.session(1), "prompt_input_exit");
            let start = stage.session(2).held_by(GONE + 2, false).session_start("startup").success();
            assert_eq!(shown(&start), "", "{headless}");
            assert_only_of(&told(start), 1);
        }
    }

    #[test]
    fn finished_old_cleared_and_unattended_sessions_are_not_offered() {
        let offered = |case: &str, play_it: &dyn Fn(&Stage)| {
            let stage = Stage::new();
            stage.left_work(1, stage.env.project());
            play_it(&stage);
            let text = told(stage.session(9).session_start("startup"));
            assert_eq!(text, "", "{case}");
        };
        offered("finished", &|stage| {
            stage.finished(1);
            play(&stage.session(1), "other");
        });
        offered("old", &|stage| {
            play(&stage.session(1), "other");
            stage.env.wait(8 * DAY);
        });
        offered("old by the setting", &|stage| {
            play(&stage.session(1), "other");
            stage.set("[next_start]\nmax_age_days = 1\n");
            stage.env.wait(2 * DAY);
        });
        offered("cleared away", &|stage| play(&stage.session(1), "clear"));
        offered("of a run without a person", &|stage| play(&stage.session(1).held_by(GONE, false), "other"));
        offered("switched off", &|stage| {
            play(&stage.session(1), "other");
            stage.set("next_start.on = false\n");
        });
        offered("a later session has worked here", &|stage| {
            play(&stage.session(1), "other");
            stage.finished(2);
            assert_only_of(&told(stage.session(2).session_start("startup")), 1);
            assert!(stage.session(2).session_end("other").is_silent_success());
        });
    }

    #[test]
    fn deleted_handoff_is_not_named() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "other");
        std::fs::remove_dir_all(stage.env.data().join("handoffs")).unwrap();
        let text = told(stage.session(2).session_start("startup"));
        assert_only_of(&text, 1);
        assert!(!text.contains("HANDOFF-"), "{text}");
    }

    #[test]
    fn older_clients_identify_a_script_by_their_entry_point() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "other");
        let old = |n: u32, entry: &str| {
            HookPlayer::new(&stage.env, BIN, &Stage::id(n)).with_var("CLAUDE_CODE_ENTRYPOINT", entry)
        };
        assert_eq!(told(old(2, "sdk-cli").session_start("startup")), "");
        assert_only_of(&told(old(3, "cli").session_start("startup")), 1);
    }

    #[test]
    fn unattended_run_is_offered_nothing() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "other");
        assert_eq!(told(stage.session(2).held_by(GONE, false).session_start("startup")), "");
        let to_a_person = told(stage.session(3).held_by(GONE + 1, true).session_start("startup"));
        assert_ne!(to_a_person, "", "a person is");
    }

    #[test]
    fn without_a_person_the_setting_or_the_variable_decide_what_is_told() {
        let told_at = |config: &str, variable: Option<&str>| {
            let stage = Stage::new();
            stage.set(config);
            stage.left_work(1, stage.env.project());
            play(&stage.session(1), "other");
            let bot = stage.session(2).held_by(GONE, false);
            let bot = match variable {
                Some(value) => bot.with_var("CATCHWORD_NEXT_START", value),
                None => bot,
            };
            told(bot.session_start("startup"))
        };
        let (off, offer, brief) =
            ("", "next_start.headless = \"offer\"\n", "next_start.headless = \"brief\"\n");
        for silent in [
            told_at(off, None),
            told_at(brief, Some("off")),
            told_at("next_start.on = false\n", Some("brief")),
        ] {
            assert_eq!(silent, "");
        }
        for offered in [told_at(offer, None), told_at(off, Some("offer")), told_at(brief, Some("offer"))] {
            assert_only_of(&offered, 1);
            assert!(offered.contains("The last session here"), "{offered}");
        }
        for whole in [told_at(brief, None), told_at(off, Some("brief"))] {
            assert_only_of(&whole, 1);
            assert!(
                whole.contains("Work was left unfinished here.") && whole.contains("not orders"),
                "{whole}"
            );
        }
    }

    #[test]
    fn what_a_bot_left_is_offered_to_a_person_only_where_the_setting_is_not_off() {
        for (config, is_told) in [("", false), ("next_start.headless = \"offer\"\n", true)] {
            let stage = Stage::new();
            stage.set(config);
            stage.left_work(1, stage.env.project());
            play(&stage.session(1).held_by(GONE, false), "other");
            let text = told(stage.session(2).session_start("startup"));
            assert_eq!(!text.is_empty(), is_told, "{config}: {text}");
        }
    }

    #[test]
    fn session_is_told_of_its_own_thread_only_and_in_its_last_words() {
        let stage = Stage::new();
        stage.set("next_start.headless = \"offer\"\n");
        let done = Transcript::new().cwd(stage.env.project()).prompt("Write both.").write("/p/a.py");
        done.says("Exporter is still missing.").write_to(stage.env.transcript_path(&Stage::id(1)));
        let bot =
            |n: u32, thread: &str| stage.session(n).held_by(GONE, false).with_var("CATCHWORD_THREAD", thread);
        play(&bot(1, "a"), "other");
        assert_eq!(told(bot(2, "b").session_start("startup")), "", "another thread");
        assert_eq!(told(stage.session(3).held_by(GONE, false).session_start("startup")), "", "no thread");
        let own = told(bot(4, "a").session_start("startup"));
        assert!(own.contains(&Stage::id(1)), "{own}");
        assert!(own.contains("The last session here") && own.contains("\"Write both.\""), "{own}");
    }

    #[test]
    fn session_in_use_is_not_offered_but_a_crashed_one_is() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        // This process stands for a running client.
        let running = stage.session(1).held_by(std::process::id(), true);
        assert_eq!(told(running.session_start("startup")), "");
        assert!(running.stop("So far.").is_silent_success());
        stage.env.wait(3 * DAY);
        assert_eq!(told(stage.session(2).session_start("startup")), "", "held, however long it is quiet");
        // Resumed by another client, which crashes without reporting an end.
        assert_eq!(told(stage.session(1).session_start("resume")), "");
        assert_only_of(&told(stage.session(3).session_start("startup")), 1);
    }

    #[test]
    fn session_counts_as_in_use_for_half_a_day_if_unknown() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        let nameless = HookPlayer::new(&stage.env, BIN, &Stage::id(1));
        assert!(nameless.stop("So far.").is_silent_success());
        assert_eq!(told(stage.session(2).session_start("startup")), "");
        stage.env.wait(DAY);
        assert_only_of(&told(stage.session(3).session_start("startup")), 1);
    }

    #[test]
    fn session_is_offered_to_one_client_at_a_time() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        play(&stage.session(1), "other");
        let first = stage.session(2).held_by(std::process::id(), true);
        assert_only_of(&told(first.session_start("startup")), 1);
        assert_eq!(told(stage.session(3).session_start("startup")), "", "the first may be at it");
        // It only said hello.
        stage.wrote(2, &Stage::transcript(2).prompt("hi").says("Hello."));
        assert!(first.session_end("other").is_silent_success());
        assert_only_of(&told(stage.session(4).session_start("startup")), 1);
    }

    #[test]
    fn other_projects_and_work_trees_get_no_offer() {
        let stage = Stage::new();
        let repository = Repository::new(stage.env.home().join("repo"));
        let linked = repository.work_tree("linked");
        let other = Repository::new(stage.env.home().join("other"));
        let folders = [repository.path.clone(), linked, other.path, stage.env.home().join("plain")];
        std::fs::create_dir_all(&folders[3]).unwrap();
        let sub = repository.path.join("src");
        std::fs::create_dir_all(&sub).unwrap();
        // Four sessions at once, one in each place, and a fifth place without any.
        for (n, folder) in (1..).zip(&folders) {
            stage.left_work(n, folder);
            assert!(stage.session(n).in_folder(folder).session_start("startup").is_silent_success());
        }
        for (n, folder) in (1..).zip(&folders) {
            assert!(stage.session(n).in_folder(folder).stop("So far.").is_silent_success());
            assert!(stage.session(n).in_folder(folder).session_end("other").is_silent_success());
        }
        for (n, folder) in (1..).zip(&folders) {
            let next = stage.session(n + 4).in_folder(folder);
            assert_only_of(&told(next.session_start("startup")), n);
            assert!(next.session_end("other").is_silent_success());
        }
        assert_only_of(&told(stage.session(9).in_folder(&sub).session_start("startup")), 1);
        assert_eq!(told(stage.session(0).session_start("startup")), "");
    }

    #[test]
    fn subagent_hooks_change_nothing() {
        let stage = Stage::new();
        stage.left_work(1, stage.env.project());
        let running = stage.session(1).held_by(std::process::id(), true);
        assert!(running.session_start("startup").is_silent_success());
        assert!(running.stop("So far.").is_silent_success());
        let inside = running.inside_subagent("a1");
        for output in
            [inside.session_end("clear"), inside.session_start("clear"), inside.session_start("startup")]
        {
            assert!(output.is_silent_success(), "{output}");
        }
        assert_eq!(told(stage.session(2).session_start("startup")), "", "still held, not ended");
        play(&stage.session(1), "other");
        let next = told(stage.session(3).held_by(GONE + 1, true).session_start("startup"));
        assert_ne!(next, "", "ended by the session itself");
    }
}

mod resume {
    use super::*;

    /// A repository in which session 1 made a commit, changed two files and ended.
    fn away(stage: &Stage) -> Repository {
        let repository = Repository::new(stage.env.home().join("repo"));
        let (kept, gone) = (repository.path.join("src/kept.rs"), repository.path.join("src/gone.rs"));
        for path in [&kept, &gone] {
            files::write(path, "1\n");
            before_the_session(path);
        }
        let scratch = repository.path.join("scratch");
        std::fs::create_dir(&scratch).unwrap();
        before_the_session(&scratch);
        let own = repository.commit("Own work");
        let transcript = Stage::transcript(1)
            .cwd(&repository.path)
            .prompt("Do it.")
            .write(kept.to_str().unwrap())
            .write(gone.to_str().unwrap())
            // Its scratch files, and files elsewhere: not reported when they are gone.
            .write(scratch.join("own.rs").to_str().unwrap())
            .write(stage.env.root().join("elsewhere.txt").to_str().unwrap())
            .bash("git commit -am 'Own work'")
            .ok(&format!("[main {}] Own work", &own[..7]))
            .says("Done.");
        stage.wrote(1, &transcript);
        let hooks = stage.session(1).in_folder(&repository.path);
        play(&hooks, "other");
        repository
    }

    fn before_the_session(path: &Path) {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        std::fs::File::open(path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn resume_without_changes_says_nothing() {
        let stage = Stage::new();
        let repository = away(&stage);
        assert_eq!(told(stage.session(1).in_folder(&repository.path).session_start("resume")), "");
    }

    #[test]
    fn resume_reports_commits_branch_and_files_changed_from_outside() {
        let stage = Stage::new();
        let repository = away(&stage);
        files::write(repository.path.join("src/kept.rs"), "2\n");
        std::fs::remove_file(repository.path.join("src/gone.rs")).unwrap();
        repository.git(&["checkout", "-q", "-b", "feat/x"]);
        let commit = repository.commit("Rename everything");
        let hooks = stage.session(1).in_folder(&repository.path);
        let text = told(hooks.session_start("resume"));
        for needed in [
            "changed from outside",
            "not orders",
            "branch feat/x (was main)",
            "src/kept.rs",
            "gone: src/gone.rs",
        ] {
            assert!(text.contains(needed), "{needed} is missing in\n{text}");
        }
        assert!(text.contains(&format!("commit {} \"Rename everything\"", &commit[..7])), "{text}");
        for known in ["Own work", "elsewhere.txt", "own.rs"] {
            assert!(!text.contains(known), "{known} in\n{text}");
        }
        stage.set("next_start.on = false\n");
        stage.env.wait(Duration::from_secs(600));
        assert_eq!(told(hooks.session_start("resume")), "");
    }

    #[test]
    fn commits_after_a_crash_are_selected_by_time() {
        let stage = Stage::new();
        let repository = Repository::new(stage.env.home().join("repo"));
        repository.commit_at("Long before", "2020-01-01T00:00:00Z");
        stage.wrote(1, &Stage::transcript(1).cwd(&repository.path).prompt("Do it.").bash("ls").ok("src"));
        let hooks = stage.session(1).in_folder(&repository.path);
        assert!(hooks.session_start("startup").is_silent_success());
        repository.commit_at("Meanwhile", "2026-06-01T00:00:00Z");
        let text = told(hooks.session_start("resume"));
        assert!(text.contains("Meanwhile") && !text.contains("Long before"), "{text}");
    }

    #[test]
    fn fork_is_told_nothing() {
        let stage = Stage::new();
        let repository = away(&stage);
        repository.commit("Rename everything");
        assert_eq!(told(stage.session(2).in_folder(&repository.path).session_start("fork")), "");
        let resumed = told(stage.session(1).in_folder(&repository.path).session_start("resume"));
        assert!(resumed.contains("Rename everything"), "a resume is: {resumed}");
    }
}

/// A repository with one commit.
struct Repository {
    path: PathBuf,
}

impl Repository {
    fn new(path: PathBuf) -> Self {
        std::fs::create_dir_all(&path).unwrap();
        let repository = Repository { path };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit_at("First", "2020-01-01T00:00:00Z");
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_at(arguments, "2026-01-01T00:00:00Z")
    }

    fn git_at(&self, arguments: &[&str], date: &str) -> String {
        let output = Command::new("git")
            .args([
                "-C",
                self.path.to_str().unwrap(),
                "-c",
                "user.name=dev",
                "-c",
                "user.email=dev@example.com",
            ])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_COMMITTER_DATE", date)
            .output()
            .expect("git is there");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self, message: &str) -> String {
        self.commit_at(message, "2026-06-01T00:00:00Z")
    }

    /// Commits everything; returns the hash.
    fn commit_at(&self, message: &str, date: &str) -> String {
        self.git(&["add", "-A"]);
        self.git_at(&["commit", "-q", "--allow-empty", "-m", message], date);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A second work tree inside the first one, as many people have them.
    fn work_tree(&self, name: &str) -> PathBuf {
        let path = self.path.join(".worktrees").join(name);
        self.git(&["worktree", "add", "-q", path.to_str().unwrap()]);
        path
    }
}

#[test]
fn start_output_has_the_clients_format() {
    let stage = Stage::new();
    stage.left_work(1, stage.env.project());
    play(&stage.session(1), "other");
    let answer = stage.session(2).session_start("startup").success().json();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], json!("SessionStart"));
}
