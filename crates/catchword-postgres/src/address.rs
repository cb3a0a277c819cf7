//! Where the archive is, and whether words may travel there.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use postgres::Config;
use postgres::config::{Host, SslMode};

/// An address from the settings or the environment, with what is needed to connect.
#[derive(Clone)]
pub struct ArchiveAddress {
    pub(crate) config: Config,
    /// A certificate authority of one's own, as PEM.
    pub(crate) authority: Option<PathBuf>,
}

impl std::fmt::Debug for ArchiveAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

impl ArchiveAddress {
    /// Parses an address. Off this machine it requires TLS, whatever the address says.
    pub fn parse(address: &str) -> Result<ArchiveAddress, String> {
        // The parser's own message may quote what it does not understand, which may be a password.
        let mut config = Config::from_str(address).map_err(|_| {
            "it is not an address of PostgreSQL: postgresql://person@host/database".to_owned()
        })?;
        if config.get_hosts().is_empty() {
            return Err("it names no host: postgresql://person@host/database".to_owned());
        }
        let is_here = config.get_hosts().iter().all(is_loopback);
        match (is_here, config.get_ssl_mode()) {
            (true, SslMode::Prefer) => config.ssl_mode(SslMode::Disable),
            (true, _) => &mut config,
            (false, SslMode::Disable) => {
                return Err(
                    "it says sslmode=disable, but words never leave this machine unencrypted".to_owned()
                );
            }
            (false, _) => config.ssl_mode(SslMode::Require),
        };
        config.application_name("catchword");
        Ok(ArchiveAddress { config, authority: None })
    }

    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    #[must_use]
    pub fn with_password(mut self, password: &str) -> ArchiveAddress {
        self.config.password(password);
        self
    }

    #[must_use]
    pub fn with_authority(mut self, authority: Option<PathBuf>) -> ArchiveAddress {
        self.authority = authority;
        self
    }

    /// The login role; the name of the system's user if the address has none.
    pub fn person(&self) -> Option<&str> {
        self.config.get_user()
    }

    pub fn is_encrypted(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }

    /// The address without a password.
    pub fn shown(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
        let person = self.person().map(|name| format!("{name}@")).unwrap_or_default();
        format!("postgresql://{person}{host}{port}/{}", self.config.get_dbname().unwrap_or_default())
    }
}

/// Whether a host is this machine.
pub fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_leave_the_machine_only_encrypted() {
        for (address, is_encrypted) in [
            ("postgresql://anna@127.0.0.1/db", false),
            ("postgresql://anna@localhost:5433/db", false),
            ("postgresql://anna@127.0.0.1/db?sslmode=require", true),
            ("postgresql://anna@archive.example/db", true),
            ("postgresql://anna@archive.example/db?sslmode=prefer", true),
            ("host=10.0.0.7 user=anna dbname=db", true),
        ] {
            assert_eq!(ArchiveAddress::parse(address).unwrap().is_encrypted(), is_encrypted, "{address}");
        }
        for address in ["postgresql://anna@archive.example/db?sslmode=disable", "host=a.b sslmode=disable"] {
            assert!(ArchiveAddress::parse(address).unwrap_err().contains("unencrypted"), "{address}");
        }
    }

    #[test]
    fn a_password_is_in_no_message() {
        let address = ArchiveAddress::parse("postgresql://anna:s3cret@host/db").unwrap();
        assert!(address.has_password());
        assert_eq!(address.shown(), "postgresql://anna@host:5432/db");
        assert_eq!(format!("{address:?}"), address.shown());
        for broken in
            ["postgresql://anna:s3cret@host:port/db", "s3cret", "postgresql://anna:s3cret@/db?nothing=s3cret"]
        {
            let message = ArchiveAddress::parse(broken).unwrap_err();
            assert!(!message.contains("s3cret") && !message.is_empty(), "{broken}: {message}");
        }
    }
}
