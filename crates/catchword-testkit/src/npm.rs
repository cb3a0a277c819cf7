//! Our npm packages as a user gets them: packed by `npm/pack.mjs`, served by a registry on loopback.
//!
//! With a registry npm itself picks the package for this platform, as it will after a release; tarballs named on a
//! command line would skip that step. The registry knows nothing but these packages.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::loopback::{HttpRequest, Loopback, Reply};
use crate::{Skip, TestEnv};

/// A package in its tarball.
struct Package {
    manifest: Value,
    tarball: Vec<u8>,
}

/// A registry with our packages.
pub struct NpmRegistry(Loopback<Arc<Vec<Package>>>);

impl NpmRegistry {
    /// Serves `program`, packed for this platform by the script `pack`: once per process, because a debug build takes
    /// seconds to compress and all tests pack the same one.
    pub fn with(pack: &Path, program: &Path) -> Result<NpmRegistry, Skip> {
        static PACKED: OnceLock<Result<Arc<Vec<Package>>, Skip>> = OnceLock::new();
        let packages = PACKED.get_or_init(|| packed(pack, program).map(Arc::new)).clone();
        packages.map(|packages| NpmRegistry(Loopback::start(packages, answer)))
    }

    /// npm's variables: this registry, a cache and a place for global packages outside the home, no chatter.
    pub fn variables(&self, env: &TestEnv) -> Vec<(&'static str, String)> {
        let inside = |folder: &str| env.root().join(folder).display().to_string();
        vec![
            ("npm_config_registry", format!("http://{}", self.0.address)),
            ("npm_config_cache", inside("npm-cache")),
            ("npm_config_prefix", inside("npm")),
            ("npm_config_audit", "false".to_owned()),
            ("npm_config_fund", "false".to_owned()),
            ("npm_config_update_notifier", "false".to_owned()),
        ]
    }

    /// Where `npm install -g` puts programs.
    pub fn bin(env: &TestEnv) -> PathBuf {
        env.root().join("npm/bin")
    }
}

fn packed(pack: &Path, program: &Path) -> Result<Vec<Package>, Skip> {
    let found = Command::new("npm").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        return Err(Skip::because("npm is missing"));
    }
    let env = TestEnv::new();
    let platform = env.run("node", &["-p", "`${process.platform}-${process.arch}`"]).success().stdout;
    let folder = env.root().join("packs");
    let program = format!("{}={}", platform.trim(), program.display());
    let mut packing = env.command("node");
    packing.arg(pack).arg(&folder).arg(program);
    let _ = env.run_command(packing, "").success();
    let tarballs = std::fs::read_dir(&folder).expect("the script made it");
    Ok(tarballs.map(|entry| Package::read(entry.expect("our own folder").path())).collect())
}

impl Package {
    fn read(path: PathBuf) -> Package {
        let mut tar = Command::new("tar");
        let shown = tar.arg("-xzOf").arg(&path).arg("package/package.json").output().expect("tar is there");
        let manifest = serde_json::from_slice(&shown.stdout).expect("a package has a package.json");
        Package { manifest, tarball: std::fs::read(&path).expect("it was just read") }
    }

    fn name(&self) -> &str {
        self.manifest["name"].as_str().expect("a package has a name")
    }

    /// What a registry says of a package: all versions, here one.
    fn document(&self, address: SocketAddr) -> Value {
        let (name, version) = (self.name(), self.manifest["version"].as_str().expect("a version"));
        let mut manifest = self.manifest.clone();
        manifest["dist"] = json!({"tarball": format!("http://{address}/-/{name}")});
        json!({"name": name, "dist-tags": {"latest": version}, "versions": {version: manifest}})
    }
}

fn answer(packages: &mut Arc<Vec<Package>>, request: HttpRequest) -> Reply {
    let path = request.line.trim_start_matches("GET /").replace("%2f", "/");
    let (tarball, name) = path.strip_prefix("-/").map_or((false, path.as_str()), |name| (true, name));
    match packages.iter().find(|package| package.name() == name) {
        Some(package) if tarball => Reply {
            kind: "application/octet-stream",
            body: package.tarball.clone(),
            ..Reply::json(&Value::Null)
        },
        Some(package) => Reply::json(&package.document(request.address)),
        None => Reply::not_found(),
    }
}
