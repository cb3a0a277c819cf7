//! What the designs we grew from carry over a compaction, in other words than the code's.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::brief::handoff::{self, HandoffContext, HandoffTime};
use catchword_engine::brief::notes;
use catchword_engine::choose::WorkspaceState;
use catchword_engine::ops;
use catchword_engine::ops::brief::GuideLimits;
use catchword_testkit::Transcript;
use serde_json::json;
use shared::fold;

/// As long as a real summary, about nothing in particular.
fn long_summary() -> String {
    format!(
        "1. Primary Request and Intent:\n   {}",
        "The work on the shop went on as the user wished. ".repeat(50)
    )
}

fn brief(transcript: &Transcript) -> String {
    ops::brief::brief(&fold(transcript), Some(&long_summary()), &WorkspaceState::default(), 6_000).text
}

fn guide(transcript: &Transcript, lines: usize) -> String {
    let limits = GuideLimits { lines, ..GuideLimits::default() };
    ops::brief::guide(&fold(transcript), &[], None, None, limits)
}

fn document(transcript: &Transcript) -> String {
    let about = HandoffContext {
        session: "s",
        transcript: None,
        resume: "claude --resume s",
        moment: HandoffTime::Asked,
        now: 0,
    };
    handoff::document(&fold(transcript), &about, &WorkspaceState::default(), handoff::DEFAULT_BUDGET)
}

fn active_work(transcript: &Transcript) -> String {
    notes::of(&fold(transcript), &[]).state.active.map(|line| line.text).unwrap_or_default()
}

/// Fifteen wordings of a decision, five of them in other languages.
const DECISIONS: [&str; 15] = [
    "Prices stay integers, in cents, everywhere up to the template.",
    "Weights are kept in grams for the same reason.",
    "For the queue it will be Redis and not RabbitMQ, we run Redis anyway.",
    "The retry limit becomes 7 since the partner's gateway needs up to 40 s.",
    "Better to leave `legacy_id` in the table; two reports read it.",
    "After weighing both, the nightly job writes Parquet rather than CSV.",
    "No ORM here: the three queries are plain SQL in db/queries.sql.",
    "Going forward the tokens expire after 20 minutes.",
    "We keep HTTP/1.1 for the callbacks because their proxy drops HTTP/2.",
    "Semver it is, beginning with 0.4.0.",
    "Die Sitzungen liegen künftig in Postgres, nicht mehr im Speicher.",
    "Beim Export nehme ich UTF-8 mit BOM, sonst zeigt Excel die Umlaute falsch.",
    "Las imágenes van a S3 y no al disco local.",
    "Uso una cola por cliente para que uno lento no frene a los demás.",
    "Le fuseau reste UTC en base et on convertit à l'affichage.",
];

#[test]
fn decisions_in_fifteen_wordings_reach_the_summariser() {
    let session = DECISIONS.iter().enumerate().fold(
        Transcript::new().prompt("Build the shop."),
        |session, (n, words)| {
            session
                .says("Let me have a look.")
                .bash(&format!("ls src/part{n}"))
                .ok("a.py")
                .says(words)
                .bash("make")
                .ok("ok")
        },
    );
    let told = guide(&session.says("Next."), 60);
    let missing: Vec<&&str> = DECISIONS.iter().filter(|words| !told.contains(**words)).collect();
    assert!(missing.len() <= 2, "{missing:#?} in\n{told}");
}

/// Failures of other programs than tests, which name something that is missing.
const FAILURES: [(&str, &str); 8] = [
    ("helm upgrade shop ./chart", "Error: UPGRADE FAILED: release: not found"),
    ("psql -f migrate.sql", "psql:migrate.sql:4: ERROR: relation \"orders\" does not exist"),
    ("terraform apply -auto-approve", "Error: error creating bucket: BucketAlreadyExists"),
    ("docker compose up -d", "Error response from daemon: network shop_default not found"),
    (
        "kubectl rollout restart deploy/api",
        "Error from server (NotFound): deployments.apps \"api\" not found",
    ),
    (
        "aws s3 sync dist s3://shop-assets",
        "fatal error: An error occurred (NoSuchBucket) when calling ListObjectsV2",
    ),
    ("ansible-playbook site.yml", "ERROR! the role 'nginx' was not found in /srv/roles"),
    ("bin/rails db:migrate", "PG::UndefinedColumn: ERROR: column \"vat\" does not exist"),
];

#[test]
fn failures_that_say_not_found_are_told() {
    let session =
        FAILURES.iter().fold(Transcript::new().prompt("Bring it up."), |session, (command, error)| {
            session.bash(command).fails(&format!("Exit code 1\n{error}")).read("/home/user/project/README.md")
        });
    let session = session.says("It is not up yet.").prompt("And now?").bash("ls").ok("README.md");
    for told in [guide(&session, 60), brief(&session)] {
        let told = told.replace('\'', "\"");
        let missing: Vec<&&str> = FAILURES
            .iter()
            .map(|(_, error)| error)
            .filter(|error| !told.contains(&error.replace('\'', "\"")))
            .collect();
        assert!(missing.len() <= 1, "{missing:#?} in\n{told}");
    }
}

#[test]
fn the_request_that_carries_the_work_is_why_and_the_active_work() {
    let carried = "Replace the session store by Redis, sessions.py and everything that imports it.";
    for nod in [
        "go on then",
        "gut, nur zu",
        "sí, adelante con eso",
        "yes, but keep the diff small",
        "sounds about right to me, carry on whenever you feel ready",
        "weiter so, das passt für mich",
    ] {
        let mut session = Transcript::new().prompt(carried);
        for n in 0..8 {
            session = session
                .edit("/home/user/project/sessions.py", &format!("a{n}"), &format!("b{n}"))
                .bash("pytest tests/test_sessions.py")
                .ok("3 passed")
                .says(&format!("Step {n} of the session store is in Redis now."))
                .prompt(nod);
        }
        let session = session
            .edit("/home/user/project/sessions.py", "x", "y")
            .says("The imports of sessions.py follow.");
        let text = document(&session);
        let why = text.split("## WHAT").next().unwrap_or_default();
        assert!(why.contains(carried), "{nod}: {why}");
        assert!(
            active_work(&session).contains("Replace the session store"),
            "{nod}: {}",
            active_work(&session)
        );
    }
    let moved_on = Transcript::new()
        .prompt("Rename the colours of the theme in theme.css.")
        .edit("/home/user/project/theme.css", "a", "b")
        .says("The colours are renamed.")
        .prompt("Different topic, please write the importer for the supplier's price list in importer.py.")
        .edit("/home/user/project/importer.py", "a", "b")
        .says("The importer reads the price list.");
    assert!(active_work(&moved_on).contains("importer"), "{}", active_work(&moved_on));
}

#[test]
fn to_continue_there_is_open_work_then_what_failed_then_what_was_announced() {
    let session = Transcript::new()
        .prompt("Ship the importer.")
        .task_create("Read the price list")
        .bash("make check")
        .fails("Exit code 2\nimporter.c:7: error: too few arguments")
        .says("Next I will pass the currency to the parser.")
        .read("/home/user/project/importer.c");
    let text = document(&session);
    let steps = text.split("## CONTINUE BY").nth(1).unwrap_or_default();
    let at = |part: &str| steps.find(part).unwrap_or_else(|| panic!("{part} is missing in {steps}"));
    let order = [at("Read the price list"), at("`make check`"), at("pass the currency to the parser")];
    assert!(order.is_sorted(), "{steps}");
}

#[test]
fn a_call_of_any_tool_is_one_line_of_the_brief() {
    let session = Transcript::new()
        .prompt("What does the carrier charge?")
        .call("WebFetch", json!({"url": "https://carrier.example/tariff-2027", "prompt": "price of zone 4"}))
        .ok("Zone 4: 18.90")
        .call("mcp__tickets__close", json!({"ticket": "OPS-7713", "reason": "duplicate of OPS-7702"}))
        .ok("closed")
        .call("Periscope", json!({"depth": 40, "bearing": "NNE"}))
        .ok("nothing in sight")
        .says("Zone 4 costs 18.90.")
        .prompt("Thanks. Now the invoices.")
        .bash("ls")
        .ok("a");
    let told = brief(&session);
    for (tool, input) in [
        ("WebFetch", "https://carrier.example/tariff-2027"),
        ("mcp__tickets__close", "OPS-7713"),
        ("Periscope", "NNE"),
    ] {
        let line = told.lines().find(|line| line.contains(tool)).unwrap_or_default();
        assert!(line.contains(input), "{tool}: {told}");
    }
}

#[test]
fn what_the_documentation_gives_as_a_rule_is_in_brief_and_guide() {
    let rules = [
        "ask before touching the schema",
        "Tests first, then code.",
        "The port 8443 is reserved, leave it alone.",
        "I want every endpoint documented.",
    ];
    for rule in rules {
        let session = Transcript::new()
            .prompt(&format!("Please add the endpoint for returns. {rule}"))
            .edit("/home/user/project/returns.py", "a", "b")
            .says("The endpoint is there.")
            .prompt("Now the one for refunds.")
            .edit("/home/user/project/refunds.py", "a", "b")
            .says("That one, too.");
        assert!(brief(&session).contains(rule), "{}", brief(&session));
    }
    let alone = Transcript::new()
        .prompt(rules[0])
        .says("Understood.")
        .prompt("Add a column for the VAT.")
        .bash("ls")
        .ok("a");
    assert!(brief(&alone).contains(rules[0]), "{}", brief(&alone));
}

#[test]
fn the_last_five_requests_survive_a_summary_of_any_length() {
    let asked = [
        "Let the basket keep its items for 30 days.",
        "The newsletter form wants a second field for the birthday.",
        "Sort the reviews by helpfulness.",
        "Show the delivery date in the customer's own time zone.",
        "Put the imprint into the footer of every mail.",
    ];
    let session = asked.iter().enumerate().fold(Transcript::new(), |session, (n, words)| {
        session
            .prompt(words)
            .edit(&format!("/home/user/project/part{n}.py"), "a", "b")
            .says("Changed as you wanted.")
    });
    for length in [100, 495, 505, 2_500] {
        let summary: String = long_summary().chars().cycle().take(length).collect();
        let told = ops::brief::brief(&fold(&session), Some(&summary), &WorkspaceState::default(), 6_000).text;
        let missing: Vec<&&str> = asked.iter().filter(|words| !told.contains(**words)).collect();
        assert!(missing.is_empty(), "{length}: {missing:#?} in\n{told}");
    }
}

#[test]
fn cold_tasks_are_told_whole() {
    let mut session = Transcript::new().prompt("Rework the shop.");
    for n in 0..14 {
        let name = [
            "basket", "mail", "stock", "price", "label", "refund", "search", "login", "export", "import",
            "report", "theme", "feed", "audit",
        ][n];
        let said = format!(
            "The {name} module talks to the warehouse through the new client, which took some time because the old one kept \
             its connection open and nobody knew why; in the end the {name} limit is {} requests per minute.",
            100 + n
        );
        session = session
            .task_create(&format!("Rework the {name} module"))
            .task_update(n as u32 + 1, "in_progress")
            .edit(&format!("/home/user/project/{name}.py"), "a", "b")
            .says(&said)
            .task_update(n as u32 + 1, "completed");
    }
    let session = (0..25).fold(session, |session, n| session.bash(&format!("make step{n}")).ok("fine"));
    let told = guide(&session, 60);
    let missing: Vec<usize> =
        (0..14).filter(|n| !told.contains(&format!("limit is {} requests per minute.\"", 100 + n))).collect();
    assert!(missing.is_empty(), "{missing:?} in\n{told}");
    assert_eq!(told.matches("- Completed in the task list: #").count(), 14, "{told}");
}

#[test]
fn an_unfinished_request_is_never_called_finished_by_us() {
    let session = Transcript::new()
        .prompt("Fix the login redirect in src/login.py.")
        .edit("/home/user/project/src/login.py", "a", "b")
        .bash("pytest")
        .ok("12 passed")
        .says("I changed src/login.py, but the redirect still goes to the wrong page.")
        .prompt("Now find a name for the release.");
    let session = (0..40).fold(session, |session, n| session.bash(&format!("make step{n}")).ok("fine"));
    let session = session.says("Kestrel.").prompt("And the docs?").bash("ls docs").ok("a");
    for told in [guide(&session, 60), brief(&session), document(&session)] {
        for line in told.lines().filter(|line| line.contains("login")) {
            let ours: String = line.split('"').step_by(2).collect::<String>().to_lowercase();
            assert!(
                !["finished", "done", "completed", "answered"].iter().any(|word| ours.contains(word)),
                "{line}"
            );
        }
    }
    assert!(brief(&session).contains("the redirect still goes to the wrong page"), "{}", brief(&session));
}
