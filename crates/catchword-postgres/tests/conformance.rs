//! The promises of every archive, against a real PostgreSQL.

use std::time::Duration;

use catchword_engine::archive::conformance;
use catchword_postgres::{ArchiveAddress, PostgresArchive, setup_sql};
use catchword_testkit::postgres::Postgres;
use catchword_testkit::postgres_or_skip;

const PATIENCE: Duration = Duration::from_secs(10);

fn address(server: &Postgres, role: &str) -> ArchiveAddress {
    ArchiveAddress::parse(&server.address(role)).unwrap()
}

fn conforms(server: &Postgres) {
    let mut owner = PostgresArchive::connect_unchecked(&address(server, "postgres"), PATIENCE).unwrap();
    owner.run(&setup_sql("team")).unwrap();
    owner
        .run("CREATE ROLE anna LOGIN; GRANT catchword_writer TO anna; INSERT INTO catchword.person VALUES ('team', 'anna')")
        .unwrap();
    conformance::all(|_, promise| {
        owner
            .run("TRUNCATE catchword.item, catchword.about, catchword.source, catchword.machine, catchword.tombstone")
            .unwrap();
        promise(&|| Box::new(PostgresArchive::connect(&address(server, "anna"), PATIENCE).unwrap()));
    });
}

#[test]
fn postgres_18_conforms_to_what_every_archive_promises() {
    conforms(&postgres_or_skip!(18));
}

#[test]
#[ignore = "one version is enough for every run; named in docs/measured.md"]
fn postgres_15_conforms_to_what_every_archive_promises() {
    conforms(&postgres_or_skip!(15));
}
