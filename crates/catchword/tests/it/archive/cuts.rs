//! The connection is cut between every two statements of a push, a pull and a forgetting, before the server gets the
//! statement and after it has done it: nothing is lost, doubled or kept.

use super::*;
use catchword_testkit::postgres::{Cut, CuttingWire};
use postgres::{Client, NoTls};

/// More than one batch.
const REQUESTS: usize = 300;

/// Items of a session on the server, and different places among them.
fn items_of(owner: &mut Client, session: &str) -> (i64, i64) {
    let sql = "SELECT count(*), count(DISTINCT (i.line, i.part)) FROM catchword.item i
        JOIN catchword.source s ON s.team = i.team AND s.source = i.source WHERE s.session = $1";
    let row = owner.query_one(sql, &[&session]).unwrap();
    (row.get(0), row.get(1))
}

/// Runs a command of the program whose connection is cut there; whether it was.
fn cut_short(env: &TestEnv, wire: &CuttingWire, cut: Cut, arguments: &[&str]) -> bool {
    wire.cut(Some(cut));
    let output = env.run(BIN, arguments);
    let was_cut = wire.was_cut();
    // `forget` has forgotten here, whatever the archive says.
    assert!(was_cut != output.status.success() || arguments[0] == "forget", "{cut:?}: {output}");
    wire.cut(None);
    was_cut
}

/// Cuts at every `step`-th statement; the number of cuts.
fn survives_cuts(server: &Postgres, step: usize) -> usize {
    set_up(server, &["anna"]);
    let mut owner = Client::connect(&server.address("postgres"), NoTls).unwrap();
    let there = machine(server, "anna");
    long_work(&there, ONE, "Weigh the marzipan", REQUESTS);
    assert_eq!(sync(&there, &[])["pushed"]["items"], REQUESTS);
    let wire = server.wire();
    let mut cuts = 0;
    for is_done in [false, true] {
        let (mut at, mut goes_on) = (1, true);
        while goes_on {
            let cut = if is_done { Cut::After(at) } else { Cut::Before(at) };
            let session = format!("{at:08x}-2222-4222-8222-00000000000{}", u8::from(is_done));
            let mut env = machine(server, "anna");
            env.set_var("CATCHWORD_ARCHIVE", server.address_by(&wire, "anna"));
            long_work(&env, &session, "Weigh the kohlrabi", REQUESTS);
            // It pushes its own session and fetches the other.
            let synced = cut_short(&env, &wire, cut, &["sync"]);
            sync(&env, &[]);
            let again = sync(&env, &[]);
            let counts = [&again["pushed"]["items"], &again["pulled"]["items"], &again["refused"]];
            assert_eq!(counts, [&Value::from(0); 3], "{cut:?}: {again}");
            let all = REQUESTS as i64;
            assert_eq!(items_of(&mut owner, &session), (all, all), "{cut:?}");
            for n in [0, REQUESTS - 1] {
                for word in ["marzipan", "kohlrabi"] {
                    assert_eq!(hits(&env, &format!("\"{word} {n}\"")), 1, "{cut:?}: {word} {n}");
                }
            }
            let forgotten = cut_short(&env, &wire, cut, &["forget", "--session", &session, "--yes"]);
            sync(&env, &[]);
            assert_eq!(items_of(&mut owner, &session), (0, 0), "{cut:?}");
            assert_eq!(hits(&env, "kohlrabi"), 0, "{cut:?}");
            goes_on = synced || forgotten;
            cuts += usize::from(synced) + usize::from(forgotten);
            at += step;
        }
    }
    assert_eq!(items_of(&mut owner, ONE), (REQUESTS as i64, REQUESTS as i64), "nobody touched the other one");
    cuts
}

#[test]
fn connection_that_is_cut_at_some_statements_loses_and_doubles_nothing() {
    let cuts = survives_cuts(&postgres_or_skip!(18), 11);
    assert!(cuts >= 4, "{cuts}");
}

/// Named in docs/measured.md with its date.
#[test]
#[ignore = "takes minutes: cargo test -p catchword --test it -- --ignored archive::cuts::suite"]
#[expect(clippy::print_stdout, reason = "the figure is what it is for")]
fn suite_of_cuts_between_every_two_statements() {
    for version in [15, 18] {
        let cuts = survives_cuts(&postgres_or_skip!(version), 1);
        println!("PostgreSQL {version}: {cuts} cuts");
    }
}
