//! The connection, encrypted off this machine, and its errors in plain words.

use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use catchword_engine::archive::{ArchiveError, SharedSource};
use postgres::types::ToSql;
use postgres::{Client, NoTls, Row, Statement};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::ArchiveAddress;
use crate::setup::SCHEMA_VERSION;

/// A connection on which nothing was heard for this long is checked, and given up if the other side is gone.
const QUIET: Duration = Duration::from_secs(30);

/// A connection to the shared archive.
pub struct PostgresArchive {
    client: Client,
    machine_name: Option<String>,
    prepared: HashMap<&'static str, Statement>,
    /// Transcripts as last listed, so that not every batch lists all of them.
    pub(crate) listed: HashMap<Vec<u8>, SharedSource>,
}

impl PostgresArchive {
    /// Connects, and checks that the archive has a schema that this version knows.
    pub fn connect(address: &ArchiveAddress, patience: Duration) -> Result<PostgresArchive, ArchiveError> {
        let mut archive = PostgresArchive::connect_unchecked(address, patience)?;
        match archive.version()? {
            Some(version) if version == SCHEMA_VERSION => Ok(archive),
            Some(version) if version > SCHEMA_VERSION => Err(ArchiveError::Refused(format!(
                "the archive has schema {version}, this catchword knows {SCHEMA_VERSION}: upgrade catchword. Nothing is lost \
                 meanwhile, what is new stays on this machine"
            ))),
            Some(version) if version > 0 => Err(ArchiveError::Refused(format!(
                "the archive has schema {version}, this catchword needs {SCHEMA_VERSION}: an administrator runs `catchword \
                 archive migrate`"
            ))),
            Some(_) => Err(ArchiveError::Refused(format!(
                "{} is not in a team of this archive: its administrator runs what `catchword archive add` prints",
                address.person().unwrap_or("your role")
            ))),
            None => Err(ArchiveError::Refused(
                "there is no archive in this database, or you may not use it: `catchword archive init` makes one, \
                 `catchword archive add` lets somebody in"
                    .to_owned(),
            )),
        }
    }

    /// The same for one quick question: everything on the server ends within this time, too.
    pub fn connect_within(
        address: &ArchiveAddress,
        limit: Duration,
    ) -> Result<PostgresArchive, ArchiveError> {
        let mut address = address.clone();
        let given = address.config.get_options().unwrap_or_default();
        let options = format!("{given} -c statement_timeout={}", limit.as_millis().max(1));
        address.config.options(options.trim_start());
        PostgresArchive::connect(&address, limit)
    }

    /// The same without looking at the schema, to set it up.
    pub fn connect_unchecked(
        address: &ArchiveAddress,
        patience: Duration,
    ) -> Result<PostgresArchive, ArchiveError> {
        let mut config = address.config.clone();
        config.connect_timeout(patience).keepalives_idle(QUIET);
        // For what was sent and not acknowledged; not every system has it.
        config.tcp_user_timeout(QUIET);
        let unreachable =
            |why: &str| ArchiveError::Unreachable(format!("cannot reach {}: {why}", address.shown()));
        let encryption = address.is_encrypted().then(|| encryption(address)).transpose()?;
        // In a thread: the time-out of the configuration ends when the server accepts, and a server that accepts and then
        // says nothing would be waited for without end.
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let connected = match encryption {
                Some(encryption) => config.connect(encryption),
                None => config.connect(NoTls),
            };
            let _ = send.send(connected);
        });
        let client = match receive.recv_timeout(patience) {
            Ok(connected) => connected.map_err(|error| unreachable(&described(&error)))?,
            Err(_) => return Err(unreachable(&format!("no answer within {} ms", patience.as_millis()))),
        };
        Ok(PostgresArchive { client, machine_name: None, prepared: HashMap::new(), listed: HashMap::new() })
    }

    /// What this machine is called in listings.
    #[must_use]
    pub fn named(mut self, machine: Option<String>) -> PostgresArchive {
        self.machine_name = machine;
        self
    }

    pub(crate) fn machine_name(&self) -> Option<String> {
        self.machine_name.clone()
    }

    /// The schema of the archive; `None` if there is none or it may not be used, 0 for somebody who is in no team.
    pub fn version(&mut self) -> Result<Option<i32>, ArchiveError> {
        match self.client.query_one("SELECT catchword.version()", &[]) {
            Ok(row) => row.try_get(0).map(Some).map_err(failed),
            Err(error) if error.as_db_error().is_some() => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Runs statements without values.
    pub fn run(&mut self, sql: &str) -> Result<(), ArchiveError> {
        self.client.batch_execute(sql).map_err(failed)
    }

    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, ArchiveError> {
        let statement = match self.prepared.get(sql) {
            Some(known) => known.clone(),
            None => self.client.prepare(sql).map_err(failed)?,
        };
        self.prepared.insert(sql, statement.clone());
        self.client.query(&statement, values).map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used as `map_err(failed)`")]
pub(crate) fn failed(error: postgres::Error) -> ArchiveError {
    let words = described(&error);
    if error.as_db_error().is_some() && !error.is_closed() {
        ArchiveError::Refused(words)
    } else {
        ArchiveError::Unreachable(format!("the archive stopped answering: {words}"))
    }
}

/// What the client library says where the server wants a password.
const NO_PASSWORD: &str = "password missing";

/// The server's own words, or the innermost cause; neither has a password in it.
fn described(error: &postgres::Error) -> String {
    if let Some(told) = error.as_db_error() {
        return told.message().to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let words = cause.to_string();
    if words != NO_PASSWORD {
        return words;
    }
    format!(
        "{words}: give it by CATCHWORD_ARCHIVE_PASSWORD, archive.password_file or archive.password_command"
    )
}

/// TLS with the system's certificate authorities and one's own.
fn encryption(address: &ArchiveAddress) -> Result<MakeRustlsConnect, ArchiveError> {
    let refused = |words: String| ArchiveError::Refused(words);
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &address.authority {
        let unreadable =
            |error| refused(format!("cannot read the certificates in {}: {error}", path.display()));
        for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
            roots.add(certificate.map_err(unreadable)?).map_err(|error| refused(error.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
