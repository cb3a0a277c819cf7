//! What is quoted from the record after a compaction, and what is not.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::choose::{Section, WorkspaceState};
use catchword_engine::ops;
use catchword_testkit::Transcript;
use shared::{fold, head_of, reference_of, section_of};

/// A summary without any details, long enough to count as one.
const SUMMARY: &str = "1. Primary Request: the gateway is to get a rate limiter.\n2. Work so far: the limiter was begun, \
    its settings were discussed and the first tests were written. 3. Next: go on with the work on the limiter.";

fn brief(transcript: &Transcript) -> String {
    ops::brief::brief(&fold(transcript), Some(SUMMARY), &WorkspaceState::default(), 6_000).text
}

fn work() -> Transcript {
    Transcript::new().prompt("Add a rate limiter to the gateway.")
}

/// Adds calls, so that what was said before is no longer the latest.
fn later(mut transcript: Transcript) -> Transcript {
    for n in 0..4 {
        transcript = transcript.bash(&format!("./step{n}.sh")).ok("");
    }
    transcript.prompt("Write the release notes for the team.").says("They are written.")
}

#[track_caller]
fn assert_quoted(transcript: Transcript, words: &str) {
    let brief = brief(&later(transcript));
    assert!(brief.contains(words), "{words:?} is not in\n{brief}");
}

#[test]
fn agents_finding_is_quoted_whole() {
    let finding = "The token bucket of `GatewayLimiter` refills every 250 ms because of `REFILL_TICK`.";
    assert_quoted(work().says(&format!("I looked at it.\n\n{finding}")), finding);
    let korean = "게이트웨이의 `REFILL_TICK` 값이 250이라서 429 응답이 늦게 나옵니다.";
    assert_quoted(work().says(korean), korean);
}

#[test]
fn plan_in_a_prompt_is_not_quoted_as_typed() {
    let plan = "## Plan for the limiter\n\n### Step 1\n\nUse `leaky_bucket` with 512 slots.\n\n### Step 2\n\nExpose it \
        at /v2/quota for admins.\n\n### Step 3\n\nWrite the tests for `leaky_bucket` in the gateway.";
    let brief = brief(&later(Transcript::new().prompt(plan).says("Understood.")));
    let step = "Use `leaky_bucket` with 512 slots";
    assert!(!head_of(&brief).contains(step), "{brief}");
    assert!(!section_of(&brief, Section::Person).contains("leaky_bucket"), "{brief}");
    assert!(section_of(&brief, Section::Delivered).contains(step), "{brief}");
}

/// The parts of a line that are quoted or shown as code.
fn quoted_in(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '`']) {
        let mark = if rest[at..].starts_with('"') { "\"" } else { "`" };
        let Some((inside, behind)) = rest[at + 1..].split_once(mark) else { break };
        found.push(inside);
        rest = behind;
    }
    found
}

#[test]
fn each_verbatim_line_stands_in_the_row_that_it_names() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how \
                   to proceed, the user said:\nleave port 8443 to the proxy";
    let transcript = work()
        .says("The bucket refills every 250 ms.")
        .bash("cargo test -p gateway")
        .fails("Exit code 101\nrunning 12 tests\ntest result: FAILED. 11 passed; 1 failed")
        .ask("Which store holds the buckets?", "Redis 7, in database 3")
        .bash("kill -9 4711")
        .fails(refused)
        .call("WebFetch", serde_json::json!({"url": "https://docs.example.com/limits"}))
        .ok("The limit is 512 requests a minute.")
        .edit("/home/user/project/src/limiter.rs", "a", "const BURST: u32 = 4096;")
        .compaction("auto", "The gateway gets a limiter with 32 shards.")
        .teammate("qa", "Measure it with 64 clients.");
    let transcript = later(transcript);
    let brief = brief(&transcript);
    let mut seen = 0;
    for line in reference_of(&brief).lines().filter(|line| line.starts_with("- ")) {
        let place: usize = line.rsplit_once(" L").and_then(|(_, place)| place.parse().ok()).expect("a place");
        // The outcome of a run stands in the row of its result.
        let rows: String = transcript.lines()[place - 1..].iter().take(2).map(String::as_str).collect();
        let quoted = quoted_in(line);
        for words in quoted.iter().map(|words| words.trim_start_matches("url: ")) {
            assert!(rows.contains(words), "{words:?} of {line}\n{rows}");
            seen += 1;
        }
        assert!(!quoted.is_empty() || line.starts_with("- edited "), "{line}");
    }
    assert!(seen >= 8, "{brief}");
    for words in [
        "250 ms",
        "11 passed",
        "Redis 7",
        "leave port 8443",
        "512 requests",
        "BURST",
        "32 shards",
        "64 clients",
    ] {
        assert!(brief.contains(words), "{words}\n{brief}");
    }
}
