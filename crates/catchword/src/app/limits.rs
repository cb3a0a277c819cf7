//! The tokens at which the user lets a client compact, from the client's own files.

use std::path::Path;

use catchword_engine::clients::Client;
use serde_json::Value;

use crate::app::env::Env;
use crate::app::workspace;

/// Most bytes read of a file; a longer one says nothing.
const MAX_CONFIG: u64 = 256 * 1024;

/// The limit for a session in this folder. A project's file counts where the user trusts the project.
pub fn compaction(env: &Env, client: &Client, folder: Option<&Path>) -> Option<u64> {
    let limit = client.compaction_limit.as_ref()?;
    let own = read(&env.config_dir(client)?.join(limit.file)).unwrap_or_default();
    let trusted = |folder: &Path| folder.to_str().is_some_and(|folder| (limit.trusts)(&own, folder));
    let in_project = folder.and_then(|folder| {
        let root = workspace::root(folder);
        let folders = [folder, root.as_path()];
        let is_trusted = folders.iter().any(|folder| trusted(folder));
        let mut read = folders.iter().filter_map(|folder| read(&folder.join(limit.project_file)));
        is_trusted.then(|| read.find_map(|config| (limit.tokens)(&config)))?
    });
    in_project.or_else(|| (limit.tokens)(&own))
}

fn read(path: &Path) -> Option<Value> {
    let text = workspace::read(path, MAX_CONFIG, None)?;
    serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()
}
