//! Who may do what, one attempt per right and table; how queries are planned; and which SQL is used.

use std::time::Duration;

use catchword_postgres::{SCHEMAS, setup_sql};
use catchword_testkit::postgres::Postgres;
use catchword_testkit::postgres_or_skip;
use postgres::{Client, NoTls};

const TABLES: [&str; 7] = ["person", "schema_version", "machine", "source", "about", "item", "tombstone"];

fn login(server: &Postgres, role: &str) -> Client {
    let mut config: postgres::Config = server.address(role).parse().unwrap();
    config.connect_timeout(Duration::from_secs(10)).connect(NoTls).unwrap()
}

/// A server with an archive, and everybody who may be at its door.
fn people(server: &Postgres) -> Client {
    let mut owner = login(server, "postgres");
    owner.batch_execute(&setup_sql("team")).unwrap();
    owner
        .batch_execute(
            "CREATE ROLE anna LOGIN; GRANT catchword_writer TO anna; INSERT INTO catchword.person VALUES ('team', 'anna');
             CREATE ROLE bert LOGIN; GRANT catchword_writer TO bert; INSERT INTO catchword.person VALUES ('team', 'bert');
             CREATE ROLE rita LOGIN; GRANT catchword_reader TO rita; INSERT INTO catchword.person VALUES ('team', 'rita');
             CREATE ROLE other LOGIN; GRANT catchword_writer TO other;
                INSERT INTO catchword.person VALUES ('elsewhere', 'other');
             CREATE ROLE carl LOGIN; GRANT catchword_admin TO carl; INSERT INTO catchword.person VALUES ('team', 'carl');
             CREATE ROLE stranger LOGIN;",
        )
        .unwrap();
    owner
}

/// A push of one item as the client does it: source, machine, session and words.
fn push(
    client: &mut Client,
    id: &[u8],
    machine: &str,
    words: &str,
    share: &str,
) -> Result<String, postgres::Error> {
    let none: Option<String> = None;
    let row = client.query_one(
        "SELECT catchword.append($1, $2, NULL, 'c', 's', '', 'mark', $3, 'rkey', $6, $4, ARRAY[1,2,1,1,0]::bigint[], NULL,
            ARRAY[0,1,9,9]::bigint[], ARRAY[1]::bigint[], ARRAY[0]::bigint[], ARRAY[NULL]::bigint[], ARRAY[8]::smallint[],
            ARRAY[0]::smallint[], ARRAY[5]::bigint[], ARRAY[1]::bigint[], ARRAY[1]::integer[], ARRAY['h']::bytea[],
            ARRAY['']::text[], ARRAY[$5::text], ARRAY[$5::text])",
        &[&id, &machine, &share, &"a title", &words, &none],
    )?;
    row.try_get(0)
}

fn found(client: &mut Client, word: &str) -> usize {
    let sql = "SELECT body FROM catchword.find($1, NULL, NULL, NULL, false, NULL, NULL, NULL, 10)";
    client.query(sql, &[&format!("'{word}'")]).unwrap().len()
}

#[test]
fn nobody_reaches_a_table_but_to_read_the_teams_figures() {
    let server = postgres_or_skip!(18);
    let mut owner = people(&server);
    assert_eq!(push(&mut login(&server, "anna"), b"one", "m-anna", "marzipan", "me").unwrap(), "recorded");
    for role in ["anna", "bert", "rita", "carl", "other", "stranger"] {
        let mut client = login(&server, role);
        for table in TABLES {
            // Without the right to grant this is only a warning; the stranger, who comes last, would gain by it.
            let _ = client.batch_execute(&format!("GRANT ALL ON catchword.{table} TO PUBLIC"));
            for (right, sql) in [
                ("read", format!("SELECT * FROM catchword.{table}")),
                ("insert", format!("INSERT INTO catchword.{table} SELECT * FROM catchword.{table}")),
                ("update", format!("UPDATE catchword.{table} SET team = 'mine'")),
                ("delete", format!("DELETE FROM catchword.{table}")),
                ("truncate", format!("TRUNCATE catchword.{table}")),
                ("alter", format!("ALTER TABLE catchword.{table} DISABLE ROW LEVEL SECURITY")),
                ("drop", format!("DROP TABLE catchword.{table}")),
                (
                    "lock",
                    format!("DO $$ BEGIN LOCK TABLE catchword.{table} IN ACCESS EXCLUSIVE MODE; END $$"),
                ),
                ("index", format!("CREATE INDEX ON catchword.{table} (team)")),
                (
                    "watch",
                    format!(
                        "CREATE TRIGGER t AFTER INSERT ON catchword.{table}
                         EXECUTE FUNCTION suppress_redundant_updates_trigger()"
                    ),
                ),
                ("police", format!("CREATE POLICY mine ON catchword.{table} USING (true)")),
            ] {
                let rows = client.query(&sql, &[]);
                let is_figures = right == "read" && table == "source" && role != "stranger";
                match rows {
                    Ok(rows) if is_figures => {
                        assert_eq!(
                            rows.len(),
                            usize::from(role != "other"),
                            "{role} reads another team's figures"
                        );
                    }
                    Ok(_) => panic!("{role} may {right} {table}"),
                    Err(error) => {
                        let code = error.code().unwrap().code();
                        assert!(!is_figures && code == "42501", "{role} {right} {table}: {error}");
                    }
                }
            }
        }
    }
    assert_eq!(owner.query("SELECT * FROM catchword.item", &[]).unwrap().len(), 1, "nothing was changed");
}

/// The ways round the functions: becoming somebody else, and putting something of one's own in the place of what they use.
#[test]
fn nobody_becomes_another_role_or_replaces_what_the_functions_use() {
    let server = postgres_or_skip!(18);
    let mut owner = people(&server);
    assert_eq!(push(&mut login(&server, "anna"), b"one", "m-anna", "marzipan", "me").unwrap(), "recorded");
    for role in ["bert", "rita", "carl", "other", "stranger"] {
        let mut client = login(&server, role);
        for attempt in [
            "SET ROLE catchword_owner",
            "SET ROLE anna",
            "SET SESSION AUTHORIZATION anna",
            "GRANT catchword_owner TO CURRENT_USER",
            "ALTER ROLE CURRENT_USER CREATEROLE",
            "CREATE TABLE catchword.item2 (words text)",
            "CREATE FUNCTION catchword.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE OR REPLACE FUNCTION catchword.my_team() RETURNS text LANGUAGE sql AS $$SELECT 'team'$$",
            "ALTER FUNCTION catchword.my_team() RESET ALL",
            "DROP SCHEMA catchword CASCADE",
            "CREATE FUNCTION public.my_team() RETURNS text LANGUAGE sql AS $$SELECT 'team'$$",
        ] {
            assert!(client.batch_execute(attempt).is_err(), "{role}: {attempt}");
        }
        // A table of one's own with the name of one of the archive's is not what the functions read.
        client
            .batch_execute(
                "CREATE TEMP TABLE person (team text, name text); INSERT INTO person SELECT 'team', session_user;
                 CREATE TEMP TABLE source AS SELECT 'team'::text AS team, 'one'::bytea AS source, session_user::text AS person;
                 SET search_path = pg_temp, catchword",
            )
            .unwrap();
        if role != "stranger" {
            assert_eq!(found(&mut client, "marzipan"), 0, "{role}");
        }
    }
    assert_eq!(owner.query("SELECT * FROM catchword.item", &[]).unwrap().len(), 1);
    assert_eq!(found(&mut login(&server, "anna"), "marzipan"), 1);
}

#[test]
fn functions_show_and_change_what_is_ones_own() {
    let server = postgres_or_skip!(18);
    let mut owner = people(&server);
    let [mut anna, mut bert, mut rita, mut other] =
        ["anna", "bert", "rita", "other"].map(|role| login(&server, role));
    assert_eq!(push(&mut anna, b"private", "m-anna", "marzipan", "me").unwrap(), "recorded");
    assert_eq!(push(&mut anna, b"shared", "m-anna", "kohlrabi", "team").unwrap(), "recorded");
    for (client, private, shared) in
        [(&mut anna, 1, 1), (&mut bert, 0, 1), (&mut rita, 0, 1), (&mut other, 0, 0)]
    {
        assert_eq!((found(client, "marzipan"), found(client, "kohlrabi")), (private, shared));
        let seen =
            client.query("SELECT * FROM catchword.items('private', ARRAY[0,0,0]::bigint[], NULL, 9)", &[]);
        assert_eq!(seen.unwrap().len(), private);
        let any = "SELECT body FROM catchword.find_any(ARRAY['marzipan', 'kohlrabi'], NULL, NULL, NULL, false, NULL, NULL, NULL, 9, 9)";
        assert_eq!(client.query(any, &[]).unwrap().len(), private + shared, "any of the words");
        let counted = client.query_one("SELECT catchword.occurrences('''marzipan''', 9)", &[]).unwrap();
        assert_eq!(counted.get::<_, i64>(0), private as i64, "a count would tell of it");
        let titles = client.query("SELECT title FROM catchword.sources() WHERE source = 'private'", &[]);
        assert_eq!(titles.unwrap().len(), private);
        let titles = client.query("SELECT title FROM catchword.sources_of(ARRAY['private']::bytea[])", &[]);
        assert_eq!(titles.unwrap().len(), private);
        let cuts = client.query("SELECT * FROM catchword.compactions('private')", &[]);
        assert_eq!(cuts.unwrap().len(), private, "boundaries and summaries are words");
    }
    // Writing: another's machine, another's transcript, another's words, everybody's.
    assert!(push(&mut bert, b"mine", "m-anna", "x", "me").is_err());
    assert!(push(&mut bert, b"private", "m-bert", "x", "team").is_err());
    assert!(push(&mut rita, b"new", "m-rita", "x", "me").is_err(), "a reader writes nothing");
    // Another's machine keeps its name.
    for (client, is_renamed) in [(&mut bert, false), (&mut anna, true)] {
        client.query("SELECT catchword.name_machine('m-anna', 'study')", &[]).unwrap();
        let named = owner.query("SELECT 1 FROM catchword.machine WHERE name = 'study'", &[]).unwrap();
        assert_eq!(named.len(), usize::from(is_renamed));
    }
    assert!(rita.query("SELECT catchword.name_machine('m-anna', 'x')", &[]).is_err());
    let mask = "SELECT catchword.mask('shared', 'x', 'x', ARRAY[1]::bigint[], ARRAY[0]::bigint[], 2, ARRAY['h']::bytea[],
        ARRAY[''], ARRAY['x'], ARRAY['x'])";
    let generation = "SELECT generation, title FROM catchword.sources() WHERE source = 'shared'";
    for client in [&mut bert, &mut other] {
        client.query(mask, &[]).unwrap();
        assert_eq!(found(&mut anna, "kohlrabi"), 1, "nobody changes what is Anna's");
        let told = anna.query_one(generation, &[]).unwrap();
        assert_eq!((told.get::<_, i64>(0), told.get::<_, &str>(1)), (0, "a title"));
    }
    assert!(rita.query(mask, &[]).is_err());
    let forget = |client: &mut Client, for_all: bool| {
        let sql = format!("SELECT catchword.forget('id', 1::smallint, 'mark', 1, {for_all})");
        client.query_one(&sql, &[]).map(|row| row.get::<_, i64>(0))
    };
    assert_eq!(forget(&mut bert, false).unwrap(), 0);
    assert!(forget(&mut bert, true).is_err() && forget(&mut rita, false).is_err());
    assert_eq!(found(&mut anna, "kohlrabi"), 1);
    assert_eq!(
        forget(&mut login(&server, "postgres"), true).unwrap(),
        2,
        "an administrator forgets anybody's"
    );
}

/// A push that began before something was forgotten, and ends after: nothing of it stays.
#[test]
fn push_that_runs_while_a_session_is_forgotten_leaves_nothing() {
    let server = postgres_or_skip!(18);
    let mut owner = people(&server);
    for (id, is_known) in [(&b"new"[..], false), (b"known", true)] {
        let mut anna = login(&server, "anna");
        owner.batch_execute("TRUNCATE catchword.tombstone").unwrap();
        if is_known {
            assert_eq!(push(&mut anna, id, "m-anna", "marzipan", "me").unwrap(), "recorded");
        }
        let mut pushing = anna.transaction().unwrap();
        let words = "SELECT catchword.append($1, 'm-anna', NULL, 'c', 's', '', 'mark', 'me', 'rkey', NULL, 't',
            ARRAY[1,2,1,1,0,NULL,NULL,NULL]::bigint[], $2, ARRAY[0,2,9,9]::bigint[], ARRAY[2]::bigint[], ARRAY[0]::bigint[],
            ARRAY[NULL]::bigint[], ARRAY[8]::smallint[], ARRAY[0]::smallint[], ARRAY[5]::bigint[], ARRAY[2]::bigint[],
            ARRAY[1]::integer[], ARRAY['h']::bytea[], ARRAY['']::text[], ARRAY['kohlrabi'], ARRAY['kohlrabi'])";
        let from = is_known.then(|| vec![0_i64, 1, 9, 9]);
        assert_eq!(pushing.query_one(words, &[&id, &from]).unwrap().get::<_, &str>(0), "recorded");
        let mut second = login(&server, "anna");
        let forgetting = std::thread::spawn(move || {
            let sql = "SELECT catchword.forget('id', 1::smallint, 'mark', 1, false)";
            second.query_one(sql, &[]).unwrap().get::<_, i64>(0)
        });
        // It has begun: it waits for the push, or it has done its work without seeing it.
        let waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        while !forgetting.is_finished() && owner.query(waits, &[]).unwrap().is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        pushing.commit().unwrap();
        assert_eq!(forgetting.join().unwrap(), 1 + i64::from(is_known));
        for table in ["item", "about", "source"] {
            let left = owner.query(&format!("SELECT 1 FROM catchword.{table}"), &[]).unwrap();
            assert_eq!(left.len(), 0, "{table}");
        }
        assert_eq!(push(&mut anna, id, "m-anna", "marzipan", "me").unwrap(), "forgotten");
    }
}

/// Retention is for the server; what somebody forgot is for machines; and an administrator forgets for everybody what was
/// forgotten before for one.
#[test]
fn tombstones_are_for_those_whom_they_concern() {
    let server = postgres_or_skip!(18);
    let _owner = people(&server);
    let [mut anna, mut carl] = ["anna", "carl"].map(|role| login(&server, role));
    let told = |client: &mut Client| {
        let rows = client.query("SELECT value FROM catchword.tombstones() ORDER BY value", &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect::<Vec<String>>()
    };
    let forget = |client: &mut Client, kind: u8, value: &str, for_all: bool| {
        let sql =
            format!("SELECT catchword.forget('{kind}{value}', {kind}::smallint, '{value}', 1, {for_all})");
        client.query_one(&sql, &[]).unwrap();
    };
    forget(&mut carl, 4, "77", true);
    forget(&mut anna, 4, "55", false);
    forget(&mut carl, 1, "mark", false);
    assert_eq!((told(&mut anna), told(&mut carl)), (vec!["55".to_owned()], vec!["mark".to_owned()]));
    forget(&mut carl, 1, "mark", true);
    assert_eq!(told(&mut anna), ["55", "mark"]);
}

/// How often the table of words was read from end to end, and by an index, as the server counts it.
fn scans(owner: &mut Client) -> (i64, i64) {
    owner.batch_execute("SELECT pg_stat_force_next_flush()").unwrap();
    let sql = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE schemaname = 'catchword' AND relname = 'item'";
    let row = owner.query_one(sql, &[]).unwrap();
    (row.get(0), row.get(1))
}

/// Asks as Anna; how often that read the words from end to end, and by an index.
fn scans_of(server: &Postgres, owner: &mut Client, call: &str) -> (i64, i64) {
    let before = scans(owner);
    let mut anna = login(server, "anna");
    anna.query(call, &[]).unwrap_or_else(|error| panic!("{call}: {error}"));
    anna.batch_execute("SELECT pg_stat_force_next_flush()").unwrap();
    let after = scans(owner);
    (after.0 - before.0, after.1 - before.1)
}

/// The words of many are searched by the index, whoever searches: the function is the owner's. The server counts it for
/// every function that reads or changes words; only `status` counts them all.
#[test]
fn words_are_never_read_from_end_to_end() {
    let server = postgres_or_skip!(18);
    let mut owner = people(&server);
    owner
        .batch_execute(
            "INSERT INTO catchword.source SELECT 'team', decode(md5(n::text), 'hex'), 'm', 'anna', 'c', 's' || n, '', 'k', 'me',
                0, 1, 9, 9, 1, 1, 1, 1, 1, NULL, NULL, NULL FROM generate_series(1, 200) n;
             INSERT INTO catchword.item SELECT 'team', decode(md5((n % 200 + 1)::text), 'hex'), n, 0, NULL, 1, 0, n, 1, 1, 'h', '',
                'text ' || n, to_tsvector('simple', 'common word' || (n % 5000) || CASE WHEN n = 77 THEN ' rare' ELSE '' END)
                FROM generate_series(1, 60000) n;
             ANALYZE;",
        )
        .unwrap();
    let source = "decode(md5('1'), 'hex')";
    // A transcript that was replaced: its items are, too.
    let pushed = format!(
        "SELECT catchword.append({source}, 'm', NULL, 'c', 's1', '', 'k', 'me', NULL, NULL, 't',
            ARRAY[1, 1, 1, 1, 1, NULL, NULL, NULL]::bigint[], ARRAY[0, 1, 9, 9]::bigint[], ARRAY[1, 2, 9, 9]::bigint[],
            ARRAY[5]::bigint[], ARRAY[0]::bigint[], ARRAY[NULL]::bigint[], ARRAY[1]::smallint[], ARRAY[0]::smallint[],
            ARRAY[5]::bigint[], ARRAY[2]::bigint[], ARRAY[1]::integer[], ARRAY['h']::bytea[], ARRAY['']::text[],
            ARRAY['x'], ARRAY['x'])"
    );
    let mut calls = vec![
        pushed,
        "SELECT * FROM catchword.sources()".to_owned(),
        "SELECT * FROM catchword.machines()".to_owned(),
        "SELECT * FROM catchword.tombstones()".to_owned(),
        format!("SELECT * FROM catchword.items({source}, ARRAY[0, 0, 0]::bigint[], NULL, 250)"),
        format!("SELECT * FROM catchword.items({source}, NULL, ARRAY[1, 900]::bigint[], 250)"),
        format!("SELECT * FROM catchword.compactions({source})"),
        format!(
            "SELECT catchword.mask({source}, NULL, NULL, ARRAY[200, 400]::bigint[], ARRAY[0, 0]::bigint[], 2,
                ARRAY['h', 'h']::bytea[], ARRAY['', ''], ARRAY['x', 'x'], ARRAY['x', 'x'])"
        ),
        "SELECT catchword.forget('id1', 1::smallint, 'nothing', 1, false)".to_owned(),
        "SELECT catchword.forget('id2', 2::smallint, 'nothing', 1, false)".to_owned(),
        "SELECT catchword.forget('id4', 4::smallint, '0', 1, false)".to_owned(),
    ];
    for filter in [
        "NULL, NULL, NULL, false, NULL, NULL, NULL",
        "1, 59000, ARRAY[1]::smallint[], false, 's1', NULL, ARRAY['r1']",
    ] {
        for query in ["rare", "common", "common & rare", "word12:*", "never"] {
            calls.push(format!("SELECT * FROM catchword.find('{query}', {filter}, 100)"));
            calls.push(format!("SELECT catchword.occurrences('{query}', 1000)"));
        }
        calls.push(format!("SELECT * FROM catchword.find(NULL, {filter}, 100)"));
        for terms in ["'rare:*'", "'common:*'", "'common:*', 'rare:*', 'word12:*', 'never:*'"] {
            calls.push(format!("SELECT * FROM catchword.find_any(ARRAY[{terms}], {filter}, 1000, 10)"));
        }
    }
    for call in &calls {
        let (from_end_to_end, by_index) = scans_of(&server, &mut owner, call);
        assert_eq!(from_end_to_end, 0, "{call} read all words");
        assert!(by_index > 0 || !call.contains("catchword.find"), "{call} used no index");
    }
    let replaced =
        owner.query(&format!("SELECT 1 FROM catchword.item WHERE source = {source}"), &[]).unwrap();
    assert_eq!(replaced.len(), 1, "it was pushed");
    // The count sees what must not happen: under the policies, without a function, no index is used.
    owner.batch_execute("GRANT SELECT ON catchword.item TO anna").unwrap();
    let bare = "SELECT line FROM catchword.item WHERE words @@ to_tsquery('simple', 'rare')";
    assert!(scans_of(&server, &mut owner, bare).0 > 0);
    let mut anna = login(&server, "anna");
    assert_eq!((found(&mut anna, "rare"), found(&mut anna, "common")), (1, 10));
    // With some of the words the rare one comes first, whatever the common one has.
    let any = "SELECT line, counts FROM catchword.find_any(ARRAY['common', 'rare'], NULL, NULL, NULL, false, NULL, NULL, NULL, 1000, 5)";
    let rows = anna.query(any, &[]).unwrap();
    assert_eq!((rows[0].get::<_, i64>(0), rows[0].get::<_, Vec<i64>>(1)), (77, vec![1_000, 1]));
}

/// A text without what follows a mark in its lines.
fn without_comments(text: &str, mark: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.split(mark).next().unwrap_or_default()).collect();
    lines.join("\n")
}

/// The rules of `schema/1.sql`, in every schema and in what the client asks, without comments.
#[test]
fn sql_keeps_to_what_citus_cockroachdb_and_yugabytedb_run() {
    let sql = without_comments(&SCHEMAS.join("\n"), "--");
    let asked = without_comments(include_str!("../src/lib.rs"), "//");
    for forbidden in [
        "advisory",
        "NOTIFY",
        "LISTEN",
        "SERIAL",
        "SEQUENCE",
        "nextval",
        "EXTENSION",
        "fastupdate",
        "EXCEPTION WHEN",
        "gist",
        "btree_gin",
        "DEFERRABLE",
        "LOCK TABLE",
        "RECURSIVE",
        "GROUPING SETS",
        " || '|'",
    ] {
        for all in [&sql, &asked] {
            assert!(!all.to_lowercase().contains(&forbidden.to_lowercase()), "{forbidden}");
        }
    }
    // The client reads one table, the figures; all else comes from functions.
    let is_table = |rest: &&str| {
        let name = rest.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        TABLES.contains(&name)
    };
    let read: Vec<&str> = asked.split("FROM catchword.").skip(1).filter(is_table).collect();
    assert_eq!(read.len(), 2);
    for statement in read {
        let condition = statement.split('"').next().unwrap_or_default();
        assert!(condition.contains("team = (SELECT catchword.my_team())"), "{condition}");
    }
    let tables: Vec<&str> = sql.split("CREATE TABLE ").skip(1).collect();
    assert_eq!(tables.len(), TABLES.len());
    for table in tables {
        assert!(table.contains("PRIMARY KEY (team, ") || table.contains("PRIMARY KEY (team)"), "{table}");
    }
    assert_eq!(sql.matches("USING gin (words)").count(), 1, "one column");
    // Every statement about our tables names the team; only the team itself is looked up by the role.
    for statement in sql.split("WHERE ").skip(1) {
        let condition = statement.split([';', '$']).next().unwrap_or_default();
        assert!(
            condition.contains("team") || condition.starts_with("name = session_user"),
            "WHERE {condition}"
        );
    }
    assert!(
        sql.matches("to_tsquery('simple'").count() >= 2 && sql.matches("to_tsvector('simple'").count() >= 2
    );
    for function in sql.replace("CREATE OR REPLACE ", "CREATE ").split("CREATE FUNCTION ").skip(1) {
        assert!(
            function.contains("SECURITY DEFINER") && function.contains("search_path = catchword, pg_temp")
        );
    }
}
