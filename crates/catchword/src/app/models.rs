//! The model that the user chose, if the transcript does not show it: from the environment or the client's settings.

use std::path::{Path, PathBuf};

use catchword_engine::clients::Client;
use catchword_engine::clients::setup::{Root, Scope};
use serde_json::Value;

use crate::app::env::Env;
use crate::app::workspace;

/// Most bytes read of a settings file.
const MAX_SETTINGS: u64 = 256 * 1024;

/// The models chosen for a session in this folder, highest precedence first.
pub fn chosen(env: &Env, client: &Client, folder: Option<&Path>) -> Vec<String> {
    let place = |(scope, path): &(Scope, &str)| -> Option<PathBuf> {
        let root = match scope.root() {
            Root::Config => env.config_dir(client)?,
            Root::Project => folder?,
        };
        Some(root.join(path))
    };
    let read = |file: &(Scope, &str)| {
        let text = workspace::read(&place(file)?, MAX_SETTINGS, None)?;
        let settings: Value = serde_json::from_str(&text).ok()?;
        (client.setup.model)(&settings).map(str::to_owned)
    };
    let in_settings = client.setup.settings.iter().rev().filter_map(read);
    env.of(client).model.into_iter().chain(in_settings).collect()
}
