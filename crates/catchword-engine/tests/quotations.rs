//! What is quoted from the record after a compaction, and what is not.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::facts::WorkspaceState;
use catchword_engine::ops;
use catchword_testkit::Transcript;
use shared::fold;

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

#[track_caller]
fn assert_not_quoted(transcript: Transcript, words: &str) {
    let brief = brief(&later(transcript));
    assert!(!brief.contains(words), "{words:?} is in\n{brief}");
}

#[test]
fn agents_finding_is_quoted_whole() {
    let finding = "The token bucket of `GatewayLimiter` refills every 250 ms because of `REFILL_TICK`.";
    assert_quoted(work().says(&format!("I looked at it.\n\n{finding}")), finding);
    let korean = "게이트웨이의 `REFILL_TICK` 값이 250이라서 429 응답이 늦게 나옵니다.";
    assert_quoted(work().says(korean), korean);
}

/// Readers found such sentences stale: the work they speak of was done, dropped or refuted since.
#[test]
fn words_for_an_earlier_request_than_the_last_two_are_not_quoted() {
    let finding = "The token bucket of `GatewayLimiter` refills every 250 ms because of `REFILL_TICK`.";
    assert_quoted(work().says(finding), finding);
    assert_not_quoted(work().says(finding).prompt("Now translate the manual.").says("Done."), finding);
}

/// What the agent says between two calls is a guess or a step; the end of its turn is its conclusion.
#[test]
fn words_between_two_calls_are_not_quoted() {
    let guess = "The token bucket of `GatewayLimiter` refills every 250 ms because of `REFILL_TICK`.";
    let found = "The limiter waits for the lock of `RedisPool`, which is held for 900 ms.";
    let session = work().says(guess).bash("./probe.sh").ok("").says(found);
    assert_not_quoted(session.clone(), guess);
    assert_quoted(session, found);
}

#[test]
fn wrapped_sentence_is_quoted_as_one() {
    let said = "The header `X-RateLimit-Reset` should be\nclarified with the clients of port 8443.";
    assert_quoted(
        work().says(said),
        "The header `X-RateLimit-Reset` should be clarified with the clients of port 8443.",
    );
}

#[test]
fn options_and_proposals_are_not_quoted() {
    let said = "You could:\n- raise `burst_size` above 4096\n- add the path /v2/quota";
    assert_not_quoted(work().says(said), "/v2/quota");
}

#[test]
fn announcements_and_questions_are_not_quoted() {
    assert_not_quoted(work().says("Let me look at `LimiterCore` and port 8443."), "LimiterCore");
    assert_not_quoted(work().says("Should `REFILL_TICK` be 250 or 500?"), "REFILL_TICK");
    // With a typographic apostrophe, too.
    assert_not_quoted(work().says("I’ll look at `LimiterCore` and port 8443."), "LimiterCore");
}

#[test]
fn what_is_under_way_is_not_quoted() {
    for said in [
        "I’m rebuilding `LimiterCore` on port 8443 with 3 workers.",
        "I'm also adding a test of `LimiterCore` on port 8443.",
        "The suite of `LimiterCore` is still running on port 8443.",
        "Rebuilding `LimiterCore` for port 8443 now.",
    ] {
        assert_not_quoted(work().says(said), "LimiterCore");
    }
    let cannot = "I’m not able to bind `LimiterCore` to port 8443, because the kernel refuses it.";
    assert_quoted(work().says(cannot), cannot);
}

#[test]
fn statement_about_a_file_changed_later_is_not_quoted() {
    let said = "In quota.rs the constant `QUOTA_WINDOW` is 3600.";
    assert_quoted(work().says(said), "QUOTA_WINDOW");
    let changed = work().says(said).edit("/home/user/project/src/quota.rs", "3600", "60");
    assert_not_quoted(changed, "QUOTA_WINDOW");
}

#[test]
fn line_numbers_are_not_quoted() {
    assert_not_quoted(
        work().says("The cause is in bucket.rs:118, where `take_token` returns early."),
        "take_token",
    );
    assert_not_quoted(work().says("Lines 40-52 of `bucket_map` hold the lock."), "bucket_map");
}

#[test]
fn command_output_is_not_quoted() {
    let line = "listen_port = 8443 for the gateway_admin service";
    for command in ["cat config/gateway.conf", "./deploy.sh staging", "git show HEAD:config/gateway.conf"] {
        let looked =
            work().bash(command).ok(line).bash("curl -s localhost:8443").ok("ok").says("Port 8443 answers.");
        assert_not_quoted(looked, "gateway_admin");
    }
}

#[test]
fn statement_about_a_file_that_is_missing_is_not_quoted() {
    let guessed = work()
        .read("/home/user/project/src/server_next.py")
        .says("The bug is the `mount_path` in server_next.py.")
        .prompt("Look again.")
        .bash("grep -n mount src/server_next.py")
        .fails("grep: src/server_next.py: No such file or directory");
    assert_not_quoted(guessed, "mount_path");
}

#[test]
fn plan_in_a_prompt_is_not_quoted_as_typed() {
    let plan = "## Plan for the limiter\n\n### Step 1\n\nUse `leaky_bucket` with 512 slots.\n\n### Step 2\n\nExpose it \
        at /v2/quota for admins.\n\n### Step 3\n\nWrite the tests for `leaky_bucket` in the gateway.";
    let brief = brief(&later(Transcript::new().prompt(plan).says("Understood.")));
    assert!(!brief.contains("Use `leaky_bucket` with 512 slots"), "{brief}");
}

#[test]
fn resumable_subagent_is_named_with_its_id() {
    let session = work().subagent("a7c41f9", "Research the limits", "The limit is 512 requests a minute.");
    let brief = brief(&later(session));
    assert!(brief.contains("a7c41f9"), "{brief}");
    assert!(!brief.contains("agentId"), "{brief}");
}
