use proptest::prelude::*;

use super::*;
use crate::model::entry::Place;
use crate::reading::outcome::Outcome;

const MISSING: &str = "Exit code 1\nError: Cannot resolve plugin '@scales/grams'";

/// A short way to write acts: `x command` failed with the error of the test, `v command` passed, `e path` was edited, `a`
/// was a subagent. Each takes two rows.
fn acts(error: &str, done: &[&str]) -> Vec<Act> {
    let act = |(at, text): (usize, &&str)| {
        let text: &str = text;
        let place = Place(1 + 2 * at as u32);
        let until = Place(place.0 + 1);
        let (how, what) = text.split_once(' ').unwrap_or((text, ""));
        let of = |did: Did| Act { place, until, at: Some(1_000 * at as i64), did };
        match how {
            "x" => Act::ran(place, until, Some(0), what, &Outcome::read(false, None, error)),
            "v" => Act::ran(place, until, Some(0), what, &Outcome::read(true, None, "done")),
            "e" => of(Did::Changed(FixDeed::of_file(place, DeedKind::Edited, what))),
            _ => of(Did::Unseen),
        }
    };
    done.iter().enumerate().map(act).collect()
}

fn told(error: &str, done: &[&str]) -> Vec<String> {
    let shown = |pair: &FixPair| {
        let steps: Vec<&str> = pair.steps.iter().map(|step| step.text.as_str()).collect();
        let call = pair.passed_as.as_deref().map(|call| format!(" as {call}")).unwrap_or_default();
        format!("{}-{}{call}: {}", pair.failed, pair.passed, steps.join(", "))
    };
    pairs(&acts(error, done)).iter().map(shown).collect()
}

#[test]
fn a_failure_that_passed_after_something_was_done_is_a_pair() {
    for (error, done, expected) in [
        (
            MISSING,
            &["x npm run build", "e scales.config.ts", "v npm run build"][..],
            "L1-L5: scales.config.ts",
        ),
        (MISSING, &["x npm run build", "v npm i -D grams", "v npm run build"], "L1-L5: npm i -D grams"),
        (MISSING, &["x npm run build", "x npm run build", "e a.ts", "v npm run build"], "L3-L7: a.ts"),
        (
            "Exit code 1\nerror: Environment variable not found: SCALES_URL.",
            &["x npx prisma migrate deploy", "v SCALES_URL=x npx prisma migrate deploy"],
            "L1-L3 as SCALES_URL=x npx prisma migrate deploy: ",
        ),
        (
            "Exit code 1\n ! [rejected]        main -> main (fetch first)",
            &["x git push", "v rm -f .git/index.lock", "v git fetch", "v git merge", "v git push"],
            "L1-L9: git fetch, git merge",
        ),
        (
            "Exit code 127\nzsh: command not found: golangci-lint",
            &["x golangci-lint run", "v mise exec -- golangci-lint run"],
            "L1-L3 as mise exec -- golangci-lint run: ",
        ),
    ] {
        assert_eq!(told(error, done), [expected], "{done:?}");
    }
}

#[test]
fn anything_less_is_no_pair() {
    let error = "Exit code 1\n--- FAIL: TestWeighs (0.01s)\n    scales_test.go:12: got 3, want 4";
    for (error, done) in [
        // Nothing was done: it passes now and then.
        (MISSING, &["x npm run build", "v npm run build"][..]),
        // Another test passed, or another script.
        (error, &["x go test ./scales", "e scales.go", "v go test ./other"]),
        (MISSING, &["x npm run build", "e a.ts", "v npm run start"]),
        // Another package, and another task whose name begins so.
        (MISSING, &["x cd /p && npm run build", "e a.ts", "v cd /p/types && npm run build"]),
        (MISSING, &["x mise run lint:full", "e a.ts", "v mise run lint"]),
        // Work was set aside to look, and came back.
        (MISSING, &["x npm run build", "v git stash && npm test", "v git stash pop", "v npm run build"]),
        // It failed in another way in between, or nobody saw all that was done.
        (error, &["x go test ./...", "e scales.go", "x go vet ./...", "a", "v go test ./..."]),
        (MISSING, &["x npm run build", "a", "e a.ts", "v npm run build"]),
        // The error names what was edited.
        (error, &["x go test ./...", "e scales_test.go", "v go test ./..."]),
        // A slip in a path, a look, a search without a hit, a program that was stopped, a line in every error.
        (
            "Exit code 1\nError: Cannot find module: no such file or directory, open 'scals.js'",
            &["x node scals.js", "v node scals.js x"],
        ),
        ("Exit code 2\nls: cannot access 'x': No such file or directory", &["x ls x", "e a.ts", "v ls x"]),
        ("Exit code 1", &["x grep -rn plugin src", "e a.ts", "v grep -rn plugin src"]),
        (
            "Command timed out after 2m 0s\nError: Cannot resolve plugin '@scales/grams'",
            &["x npm run build", "e a.ts", "v npm run build"],
        ),
        (
            "[Request interrupted by user for tool use]\nError: Cannot resolve plugin 'x_y'",
            &["x npm run build", "e a.ts", "v npm run build"],
        ),
        (
            "Exit code 1\n[lint] ERROR task failed\nFound 3 errors.",
            &["x mise run lint", "e a.go", "v mise run lint"],
        ),
        // Five things may each have helped.
        (MISSING, &["x npm run build", "e a", "e b", "e c", "e d", "e e", "v npm run build"]),
    ] {
        assert_eq!(told(error, done), [""; 0], "{done:?}");
    }
}

#[test]
fn every_example_of_the_tables_has_its_sign() {
    use crate::lexicon::outcomes::{NOT_THERE, REASONS, STOPPED};
    for one in NOT_THERE.iter().chain(REASONS).chain(STOPPED) {
        assert!(one.example.to_lowercase().contains(one.sign), "{}", one.example);
    }
}

fn signature_of(command: &str, output: &str) -> Option<u64> {
    acts(output, &[&format!("x {command}")])[0].signature()
}

#[test]
fn signature_is_the_same_whatever_differs_from_run_to_run() {
    let of = |output: &str| signature_of("npm run build", output).expect("a signature");
    let one = of(
        "Error: Cannot resolve plugin 'grams' in /home/user/app/scales.config.ts:12:5 (1.2s, build 3f9c2ab7d)",
    );
    for same in [
        "Error: Cannot resolve plugin 'grams' in /srv/b/scales.config.ts:7:15 (12.9s, build 81aa7c0de)",
        "\u{1b}[31mError\u{1b}[0m: Cannot resolve plugin 'grams' in scales.config.ts:1:1 (3s, build 9b1deadbe)",
    ] {
        assert_eq!(of(&crate::text::escape::without(same)), one, "{same}");
    }
    for other in [
        "Error: Cannot resolve plugin 'ounces' in scales.config.ts:12:5 (1.2s, build 3f9c2ab7d)",
        "Error: Cannot resolve plugin 'grams' in other.config.ts:12:5 (1.2s, build 3f9c2ab7d)",
    ] {
        assert_ne!(of(other), one, "{other}");
    }
    let again = signature_of("npm run build", MISSING);
    assert!(again.is_some());
    assert_ne!(again, signature_of("npm run start", MISSING), "another verb");
    assert_eq!(again, signature_of("npm run build -- --verbose", MISSING));
}

proptest! {
    /// Whatever else happens around it: a pair depends on the calls between its ends alone.
    #[test]
    fn calls_before_and_after_change_no_pair(before in 0_usize..4, after in 0_usize..4) {
        let middle = ["x npm run build", "e scales.config.ts", "v npm run build"];
        let mut done = vec!["v ls src"; before];
        done.extend(middle);
        done.extend(vec!["v cat a.ts"; after]);
        let all = acts(MISSING, &done);
        let alone = pairs(&all[before..before + 3]);
        prop_assert_eq!(pairs(&all), alone);
    }

    #[test]
    fn any_output_has_a_signature_or_none(output in any::<String>(), command in any::<String>()) {
        let _ = signature_of(&command, &output);
    }
}
