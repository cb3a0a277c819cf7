//! Writes the session that `catchword try` uses if there is none:
//! `cargo run -p catchword-testkit --example sample > crates/catchword/src/cmd/sample.jsonl`

use std::io::Write;

use catchword_testkit::Transcript;

/// A summary with the usual errors: it calls open work finished, drops two rules of three, and keeps hardly a command
/// or a path.
const SUMMARY: &str = "1. Primary Request and Intent: The user asked to add rate limiting to the API. \
2. Key Technical Concepts: Express middleware, token bucket, Redis. \
3. Files and Code Sections: The rate limiter middleware was written and wired into the server. \
4. Errors and fixes: A test about the Retry-After header failed and the rounding was corrected. \
5. Problem Solving: The limiter works for anonymous clients and for API keys. \
6. All user messages: add rate limiting; also limit by API key; commit messages without a scope. \
7. Pending Tasks: Update the documentation. \
8. Current Work: All tests pass and the type check is clean; the implementation of the rate limiter is complete. \
9. Optional Next Step: Write the documentation.";

fn main() {
    let root = "/home/dev/orders-api";
    let path = |file: &str| format!("{root}/{file}");
    let session = Transcript::new()
        .cwd(root)
        .prompt(
            "Add rate limiting to the orders API: 100 requests a minute per client, 429 with Retry-After. \
             Don't touch anything under db/migrations, another team is on it. Always use pnpm, never npm.",
        )
        .usage(24_000)
        .says("I'll look at how the middleware is put together, then write the limiter.")
        .bash("rg -n 'app.use' src")
        .ok("src/server.ts:12:app.use(auth)")
        .usage(31_000)
        .read(&path("src/server.ts"))
        .read(&path("src/middleware/auth.ts"))
        .usage(38_500)
        .task_create("Write the token bucket limiter")
        .task_create("Wire it into the server, before auth")
        .task_create("Limit by API key as well as by address")
        .task_create("Load test with 200 requests a second")
        .task_create("Document the limits in docs/limits.md")
        .usage(52_000)
        .task_update(1, "in_progress")
        .write(&path("src/middleware/rateLimit.ts"))
        .usage(61_000)
        .write(&path("test/middleware/rateLimit.test.ts"))
        .usage(68_500)
        .bash("pnpm vitest run test/middleware/rateLimit.test.ts")
        .fails("Exit code 1\nFAIL test/middleware/rateLimit.test.ts > sends Retry-After\nAssertionError: expected '0' to be '1'")
        .edit(&path("src/middleware/rateLimit.ts"), "Math.floor(waitMs / 1000)", "Math.ceil(waitMs / 1000)")
        .bash("pnpm vitest run test/middleware/rateLimit.test.ts")
        .ok("Test Files  1 passed (1)\nTests  7 passed (7)")
        .usage(83_000)
        .task_update(1, "completed")
        .task_update(2, "in_progress")
        .usage(91_500)
        .edit(&path("src/server.ts"), "app.use(auth)", "app.use(rateLimit(bucketStore)); app.use(auth)")
        .task_update(2, "completed")
        .usage(104_000)
        .bash("git add -A && git commit -m 'add a token bucket rate limiter'")
        .ok("[main 4c1d9e2] add a token bucket rate limiter\n 3 files changed, 214 insertions(+)")
        .usage(112_500)
        .says("The limiter is in. Shall I keep the buckets in Redis or in memory for now?")
        .ask("Where should the buckets live?", "In Redis, under the key prefix rl:v2:")
        .prompt("Good. Commit messages without a scope please, and from now on run the type check before every commit.")
        .usage(124_000)
        .task_update(3, "in_progress")
        .read(&path("src/lib/redis.ts"))
        .usage(133_500)
        .edit(&path("src/middleware/rateLimit.ts"), "keyOf(req.ip)", "keyOf(req.apiKey ?? req.ip)")
        .bash("pnpm tsc --noEmit -p tsconfig.build.json")
        .fails("Exit code 2\nsrc/middleware/rateLimit.ts(41,27): error TS2339: Property 'apiKey' does not exist on type 'Request'.")
        .usage(147_000)
        .background_shell("bsh_7f3a", "pnpm dev --port 4010")
        .queued("the staging Redis is on port 6380, not 6379")
        .usage(156_500)
        .says("Now I'll extend the Request type in src/types/express.d.ts so that the type check passes.")
        .read(&path("src/types/express.d.ts"))
        .compaction("auto", SUMMARY);
    let _ = std::io::stdout().write_all(session.build().as_bytes());
}
