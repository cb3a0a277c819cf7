//! The project around a folder: its name and version, files to look at first, its own status command.
//!
//! A few small reads in the working directory and at the root of its repository.

use std::path::Path;
use std::time::Duration;

use catchword_engine::facts::project::{Project, key_files, most_edited};
use catchword_engine::redact::Mask;
use catchword_engine::session::Session;
use serde_json::Value;

use crate::app::config::Config;
use crate::app::process::{self, RunLimits};

/// Bytes read of a manifest.
const MAX_MANIFEST: u64 = 64 * 1024;
/// Limits of the status command.
const STATUS_LIMITS: RunLimits = RunLimits { time: Duration::from_secs(1), output: 4_000 };
/// Files at the root that describe a plan or an issue.
const PLANS: [&str; 4] = ["PLAN.md", "ISSUE.md", "TODO.md", "docs/PLAN.md"];

/// Reads name and version from one kind of manifest.
type Reading = fn(&str) -> Option<(String, Option<String>)>;

/// The known manifests; the first one found counts.
const MANIFESTS: [(&str, Reading); 5] = [
    ("Cargo.toml", cargo),
    ("package.json", package_json),
    ("pyproject.toml", pyproject),
    ("go.mod", go_mod),
    ("composer.json", package_json),
];

/// Describes the project around `folder`.
pub fn look(config: &Config, folder: &Path, session: &Session, mask: &Mask) -> Project {
    let root = super::root(folder);
    let configured = !config.key_files.is_empty();
    let files = if configured {
        config.key_files.clone()
    } else {
        let there = PLANS.iter().filter(|plan| root.join(plan).is_file());
        key_files(session, there.map(|plan| (*plan).to_owned()).collect())
    };
    Project {
        name: name(folder, &root),
        key_files: files,
        configured,
        most_edited: most_edited(session),
        status: status(config, folder, mask),
    }
}

/// The output of the configured status command, masked; `None` if it fails or takes too long.
fn status(config: &Config, folder: &Path, mask: &Mask) -> Option<(String, String)> {
    let command = config.status.as_deref()?;
    let output = process::output_of(process::shell(command).current_dir(folder), STATUS_LIMITS)?;
    Some((command.to_owned(), mask.text(&String::from_utf8_lossy(&output)).into_owned()))
}

fn name(folder: &Path, root: &Path) -> Option<String> {
    let places = if folder == root { vec![root] } else { vec![folder, root] };
    let found = places.iter().find_map(|place| {
        MANIFESTS.iter().find_map(|(file, reading)| {
            let text = super::read(&place.join(file), MAX_MANIFEST, Some(root))?;
            reading(&text)
        })
    });
    found.map(|(name, version)| version.map_or(name.clone(), |version| format!("{name} {version}")))
}

/// Whether the project's package manager has tests to run.
pub fn has_test_script(root: &Path) -> bool {
    let manifest = super::read(&root.join("package.json"), MAX_MANIFEST, Some(root));
    let manifest: Option<Value> = manifest.and_then(|text| serde_json::from_str(&text).ok());
    manifest.is_some_and(|manifest| manifest["scripts"]["test"].is_string())
}

fn text(value: Option<&toml::Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

/// A package, or a workspace without one, which has only a version.
fn cargo(manifest: &str) -> Option<(String, Option<String>)> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let package = manifest.get("package")?;
    let shared = manifest.get("workspace").and_then(|w| w.get("package")?.get("version"));
    let version = text(package.get("version")).or_else(|| text(shared));
    Some((text(package.get("name"))?, version))
}

fn package_json(manifest: &str) -> Option<(String, Option<String>)> {
    let manifest: Value = serde_json::from_str(manifest).ok()?;
    let of = |key: &str| manifest.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((of("name")?, of("version")))
}

fn pyproject(manifest: &str) -> Option<(String, Option<String>)> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let poetry = || manifest.get("tool")?.get("poetry");
    let project = manifest.get("project").or_else(poetry)?;
    Some((text(project.get("name"))?, text(project.get("version"))))
}

fn go_mod(manifest: &str) -> Option<(String, Option<String>)> {
    let module = manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some((module.trim().to_owned(), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::{self, Access};
    use catchword_engine::redact::SECRETS;

    #[test]
    fn every_manifest_yields_name_and_version() {
        let table = [
            ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.2.3\"\n", Some("a 1.2.3")),
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\nversion.workspace = true\n[workspace.package]\nversion = \"2.0.0\"",
                Some("a 2.0.0"),
            ),
            ("Cargo.toml", "[workspace]\nmembers = []\n", None),
            ("package.json", r#"{"name": "@x/b", "version": "0.1.0"}"#, Some("@x/b 0.1.0")),
            ("package.json", r#"{"private": true}"#, None),
            ("pyproject.toml", "[project]\nname = \"c\"\ndynamic = [\"version\"]", Some("c")),
            ("pyproject.toml", "[tool.poetry]\nname = \"c\"\nversion = \"3\"", Some("c 3")),
            ("go.mod", "module example.org/d\n\ngo 1.22\n", Some("example.org/d")),
            ("package.json", "broken", None),
        ];
        for (file, text, expected) in table {
            let tmp = tempfile::tempdir().unwrap();
            files::replace(&tmp.path().join(file), text.as_bytes(), Access::Usual).unwrap();
            assert_eq!(name(tmp.path(), tmp.path()).as_deref(), expected, "{file}: {text}");
        }
    }

    #[test]
    fn key_files_are_the_configured_ones_or_an_existing_plan() {
        let tmp = tempfile::tempdir().unwrap();
        files::replace(&tmp.path().join("PLAN.md"), b"x", Access::Usual).unwrap();
        let found = look(&Config::default(), tmp.path(), &Session::default(), SECRETS);
        assert_eq!((found.key_files, found.configured), (vec!["PLAN.md".to_owned()], false));
        let config = Config { key_files: vec!["docs/a.md".into()], ..Config::default() };
        let found = look(&config, tmp.path(), &Session::default(), SECRETS);
        assert_eq!((found.key_files, found.configured), (vec!["docs/a.md".to_owned()], true));
    }
}
