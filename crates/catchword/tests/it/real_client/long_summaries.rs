//! Summaries as long as real ones, which retell everything and lose the particulars.
//!
//! The long requests and the findings were written before the rules of requests and of the choice were read, though by
//! somebody who had seen the guide and the handoff. Three of the five unfinished requests are known cases in other words.

use super::*;

/// Six requests, and what of each has to survive.
const REQUESTS: [(&str, &[&str]); 6] = [
    (
        "Hi, we got complaints from accounting that the monthly invoice export takes forever and sometimes stops halfway \
         through. Please have a look at tools/export_invoices.py and rewrite the part that loads the line items so it does \
         not fetch them one by one. The file has to come out with semicolons because their Excel is set to German, amounts \
         need two decimals even when they are round, and invoices from before 2019 stay out of it since they were migrated \
         by hand.",
        &["with semicolons", "two decimals even when they are round", "invoices from before 2019 stay out"],
    ),
    (
        "Next thing, the nightly sync. It logs in at the warehouse partner and lately it gives up after the first timeout. \
         I would like it to try four times with a pause of 45 seconds in between, and if it still fails it writes to \
         #ops-night and not to the general channel. Whoever reads that log at three in the morning is tired, so keep the \
         messages plain.",
        &["a pause of 45 seconds", "#ops-night"],
    ),
    (
        "Die Adressprüfung lehnt gerade alle Postfächer ab, das ist Quatsch, unsere Kunden in der Schweiz haben fast nur \
         Postfächer. Bau das so um, dass ein Postfach gilt, sobald eine Postleitzahl dabei ist. Hausnummern wie 12a oder \
         7-9 sollen auch durchgehen. Die Meldung an den Kunden lautet dann genau \"Bitte Anschrift prüfen\" und nichts \
         Technisches.",
        &["sobald eine Postleitzahl dabei ist", "Hausnummern wie 12a oder 7-9", "Bitte Anschrift prüfen"],
    ),
    (
        "Then the mobile team asked for a lighter version of the product feed. Take the existing endpoint /v2/products as \
         the model and add /v2/products/lite with only sku, title and price. It may not get larger than 200 kB for our \
         biggest shop, the one with id 4471. And cache it for ten minutes, they poll like crazy.",
        &["only sku, title and price", "larger than 200 kB", "cache it for ten minutes"],
    ),
    (
        "I talked to legal. When somebody deletes their account we keep the orders, but name, phone and street become the \
         word \"removed\", the city may stay for the statistics. The mail address is replaced by a hash with the salt from \
         settings.PRIVACY_SALT. Do that in a job, in chunks of 500, since the table is huge.",
        &["name, phone and street become the word", "settings.PRIVACY_SALT", "in chunks of 500"],
    ),
    (
        "Last one for today. The pdf labels come out rotated on the Zebra printers in Halle 3. Somebody suggested turning \
         the whole page, but the barcode of the carrier has to remain readable from the long side, so rotate only the \
         address block. Try it with order 90817, that one has the four-line address which broke the layout last time.",
        &["rotate only the address block", "order 90817"],
    ),
];

const ANSWERS: [&str; 6] = [
    "The export loads the line items in one query per month now and writes the file as you described.",
    "The sync tries again before it gives up, and the message goes to the other channel.",
    "Die Prüfung nimmt Postfächer jetzt an, und die Meldung ist die gewünschte.",
    "The lighter feed is there; it is built from the same query as the large one.",
    "The job replaces the personal fields and leaves the orders alone.",
    "The labels are upright again on the printers of that hall.",
];

/// Nine sections, as the client asks for them; every subject is named and no particular of the six requests is.
const RETELLING: &str = "1. Primary Request and Intent:\n   The user maintains the back office of an online shop and asked \
    for a series of independent improvements over the course of the day. First they wanted the monthly invoice export to \
    become faster and more robust, because the accounting department had complained. Then they asked for the nightly \
    synchronisation with the warehouse partner to be more patient when the partner does not answer, and for its failures \
    to be reported in a better place. After that the address validation was to accept post office boxes, which many Swiss \
    customers use. The mobile team needed a lighter product feed next to the existing one. Following a talk with the legal \
    department, the deletion of accounts had to anonymise personal data while the orders are kept. Finally the printed \
    labels in one of the halls came out rotated and had to be corrected.\n\n2. Key Technical Concepts:\n   - Python \
    services, a relational database, scheduled jobs\n   - batching of database access instead of single lookups\n   - \
    retries with waiting times\n   - validation of postal addresses\n   - caching of API responses\n   - anonymisation of \
    personal data\n   - PDF generation for label printers\n\n3. Files and Code Sections:\n   - The export tool was \
    rewritten to load its data in fewer queries.\n   - The synchronisation script got a loop around its login.\n   - The \
    validator of addresses has a new branch for post office boxes.\n   - A new endpoint was added beside the existing \
    product endpoint.\n   - A background job was added for deleted accounts.\n   - The label template was adjusted.\n\n4. \
    Errors and fixes:\n   - No lasting errors; a few small mistakes were corrected on the way.\n\n5. Problem Solving:\n   \
    Each request was handled on its own, in the order in which it came, and each was tried by hand afterwards.\n\n6. All \
    user messages:\n   - a request about the slow invoice export\n   - a request about the nightly synchronisation\n   - a \
    request in German about post office boxes\n   - a request for a lighter feed for the mobile team\n   - a request \
    concerning legal requirements on deleted accounts\n   - a request about rotated labels\n\n7. Pending Tasks:\n   - None \
    were explicitly named.\n\n8. Current Work:\n   The label template had just been adjusted and the user was told about \
    it.\n\n9. Optional Next Step:\n   Wait for the user's next request.";

/// Holds a conversation, orders a compaction and goes on; the requests that the client sent.
fn talked(world: &World, script: Script, prompts: &[&str], summary: &str) -> FakeApi {
    assert!(summary.chars().count() >= 2_000, "{}", summary.chars().count());
    // Not in the last rounds, which the client keeps verbatim.
    let script = script
        .turn(FakeAnswer::bash("echo one"))
        .turn(FakeAnswer::bash("echo two"))
        .turn(FakeAnswer::text("Nothing else is running."))
        .turn(FakeAnswer::text("Going on."));
    let api = FakeApi::start(script.never_full().summary(summary));
    let said: Vec<&str> =
        prompts.iter().copied().chain(["What else is running?", "/compact", "Go on."]).collect();
    let _ = world.run(&api, &[]).conversation(&said);
    assert_eq!(api.turns_left(), 0);
    api
}

fn edit(world: &World, file: &str) -> FakeAnswer {
    let path = world.env.project().join(file);
    FakeAnswer::tool("Write", json!({"file_path": path, "content": "changed\n"}))
}

#[test]
fn requirements_of_six_long_requests_survive_a_long_summary() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let files = ["tools/export_invoices.py", "sync.py", "address.py", "feed.py", "privacy.py", "labels.py"];
    let script = files.iter().zip(ANSWERS).fold(Script::new(), |script, (file, answer)| {
        script.turn(edit(&world, file)).turn(FakeAnswer::text(answer))
    });
    let api = talked(&world, script, &REQUESTS.map(|(prompt, _)| prompt), RETELLING);
    let brief = the_one_brief(&api, "Primary Request and Intent").unwrap();
    let wanted: Vec<&str> = REQUESTS.iter().flat_map(|(_, wanted)| wanted.iter().copied()).collect();
    assert!(wanted.len() == 16 && wanted.iter().all(|words| !RETELLING.contains(words)));
    let missing: Vec<&&str> = wanted.iter().filter(|words| !brief.contains(**words)).collect();
    assert!(missing.len() <= 3, "{} of 16 are missing: {missing:#?} in\n{brief}", missing.len());
    assert!(!brief.to_lowercase().contains("answered"), "{brief}");
}

/// Said in the middle of a turn and at its end, in three languages.
const FINDINGS: [(&str, bool, &str); 6] = [
    (
        "So the slow part turns out to be the tax lookup: every row opens its own connection to rates.db, about 80 ms each.",
        false,
        "every row opens its own connection to rates.db",
    ),
    (
        "The export is faster now. One thing I noticed on the way: invoices of shop 4471 carry the currency 'CHF ' with a \
         trailing blank, which is why the old filter skipped them.",
        true,
        "with a trailing blank",
    ),
    (
        "Der Dienst läuft in der Testumgebung auf Port 8092 und nicht auf 8090, die Datei deploy/test.env überschreibt den \
         Wert.",
        false,
        "auf Port 8092 und nicht auf 8090",
    ),
    (
        "Die Prüfung greift jetzt auch bei Postfächern. Aufgefallen ist mir, dass die alte Tabelle plz_ch nur 3.190 \
         Einträge hat; Liechtenstein fehlt darin ganz.",
        true,
        "Liechtenstein fehlt darin ganz",
    ),
    (
        "La caché no se invalida porque la clave lleva la fecha local y el servidor trabaja en UTC; entre las 23:00 y la \
         1:00 salen precios viejos.",
        false,
        "el servidor trabaja en UTC",
    ),
    (
        "He dejado la tarea lista. El índice orders_email_idx no existe en producción, solo en desarrollo, por eso la \
         consulta tarda 14 segundos allí.",
        true,
        "orders_email_idx no existe en producción",
    ),
];

#[test]
fn findings_in_three_languages_survive_a_long_summary() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let prompts = [
        "Why is the invoice export so slow? Please fix it.",
        "Die Adressprüfung lehnt Postfächer ab, bitte ändern.",
        "Mira por qué salen precios viejos en el listado y prepara la tarea de borrado.",
    ];
    let mut script = Script::new();
    for (n, pair) in FINDINGS.chunks(2).enumerate() {
        let look = json!({"command": format!("echo looking {n}"), "description": "Look"});
        script = script
            .turn(FakeAnswer::bash("ls"))
            .turn(FakeAnswer::text(pair[0].0).and_tool("Bash", look))
            .turn(edit(&world, &format!("src/part{n}.py")))
            .turn(FakeAnswer::text(pair[1].0));
    }
    assert!(FINDINGS.chunks(2).all(|pair| !pair[0].1 && pair[1].1));
    let api = talked(&world, script, &prompts, RETELLING);
    let brief = the_one_brief(&api, "Primary Request and Intent").unwrap();
    let missing: Vec<&str> =
        FINDINGS.iter().map(|(.., words)| *words).filter(|words| !brief.contains(words)).collect();
    assert!(missing.len() <= 1, "missing: {missing:#?} in\n{brief}");
    // The same choice everywhere.
    for arguments in [&["handoff"][..], &["handoff", "--replay"], &["note"]] {
        let told = world.env.run(env!("CARGO_BIN_EXE_catchword"), arguments).success().stdout;
        let missing: Vec<&str> =
            FINDINGS.iter().map(|(.., words)| *words).filter(|words| !told.contains(words)).collect();
        assert!(missing.len() <= 1, "{arguments:?} lacks {missing:#?} in\n{told}");
    }
}

/// A request, the file that was written for it, and the answer that says or shows that it is not done.
const UNFINISHED: [(&str, &str, &str); 5] = [
    (
        "Please fix the login redirect in src/login.py, after signing in people land on /account instead of the page they \
         came from.",
        "src/login.py",
        "I changed src/login.py, but people with an expired session still land on /account.",
    ),
    (
        "Write the exporter for the audit log into audit/exporter.py, JSON lines, one event per line.",
        "audit/exporter.py",
        "audit/exporter.py is in place with its signature; the body comes next.",
    ),
    (
        "Make the dashboard load in under a second.",
        "src/dashboard.py",
        "With the new index it takes 4.1 s now, it was 9.8 s.",
    ),
    (
        "Bitte stell die drei Importe auf die neue API um.",
        "src/imports.py",
        "Zwei der drei laufen über die neue API, beim Lieferantenimport bin ich noch nicht weiter.",
    ),
    (
        "Traduce los mensajes de error al español y al catalán.",
        "src/messages.py",
        "Ya están en español; el catalán lo veo después.",
    ),
];

#[test]
fn unfinished_requests_are_never_called_finished() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    files::write(world.env.data().join("config.toml"), "guide.lines = 60\n");
    world.env.write("check.sh", "echo 'test result: ok. 12 passed; 0 failed'\n");
    let mut script = Script::new();
    for (_, file, answer) in UNFINISHED {
        script = script
            .turn(edit(&world, file))
            .turn(FakeAnswer::bash("sh check.sh"))
            .turn(FakeAnswer::text(answer));
    }
    // Long ago, so that whatever counts as over is over.
    for step in 0..25 {
        script = script.turn(FakeAnswer::bash(&format!("echo step {step}")));
    }
    let script = script.turn(FakeAnswer::text("It is called Kestrel."));
    let prompts: Vec<&str> =
        UNFINISHED.iter().map(|(asked, ..)| *asked).chain(["Now find a name for the release."]).collect();
    let api = talked(&world, script, &prompts, RETELLING);
    let guide = api.requests_for(&Asked::Summary)[0].conversation();
    let guide = guide.split_once("Keep in the summary, verbatim").expect("the guide").1.to_owned();
    let run = |arguments: &[&str]| world.env.run(env!("CARGO_BIN_EXE_catchword"), arguments).success().stdout;
    let brief = the_one_brief(&api, "Primary Request and Intent").unwrap();
    let told = [guide, brief.clone(), run(&["handoff"]), run(&["handoff", "--replay"]), run(&["note"])];
    for text in &told {
        for (asked, file, answer) in UNFINISHED {
            let is_about = |line: &&str| line.contains(asked) || line.contains(file) || line.contains(answer);
            let claims = |line: &str| {
                // Our own words: what stands outside of quotations.
                let ours: String = line.split('"').step_by(2).collect::<String>().to_lowercase();
                ["finished", "done", "completed", "answered", "passed"].iter().any(|word| ours.contains(word))
            };
            let called = text.lines().filter(is_about).find(|line| claims(line));
            assert_eq!(called, None, "{text}");
        }
    }
    // Three of them are among the latest five requests.
    for (asked, _, answer) in &UNFINISHED[2..] {
        let line = brief.lines().find(|line| line.contains(asked)).unwrap_or_default();
        assert!(line.contains(answer), "what came after stands beside it: {line} in\n{brief}");
    }
    assert!(UNFINISHED.iter().all(|(asked, ..)| brief.contains(asked)), "{brief}");
}
