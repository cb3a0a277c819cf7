//! Which model the user chose, where a transcript does not tell: in the environment, or in the client's settings.

use std::path::{Path, PathBuf};

use catchword_engine::clients::Client;
use catchword_engine::clients::setup::{Root, SettingsFile};
use serde_json::Value;

use crate::app::env::Env;
use crate::app::workspace;

/// Bytes of a settings file that are read.
const MAX_SETTINGS: u64 = 256 * 1024;

/// The names that were chosen for a session in this folder, what counts most first.
pub fn chosen(env: &Env, client: &Client, folder: Option<&Path>) -> Vec<String> {
    let place = |file: &SettingsFile| -> Option<PathBuf> {
        let root = match file.root {
            Root::Config => env.config_dir(client)?,
            Root::Project => folder?,
        };
        Some(root.join(file.path))
    };
    let read = |file: &SettingsFile| {
        let text = workspace::read(&place(file)?, MAX_SETTINGS, None)?;
        let settings: Value = serde_json::from_str(&text).ok()?;
        (client.setup.model)(&settings).map(str::to_owned)
    };
    let in_settings = client.setup.settings.iter().rev().filter_map(read);
    env.of(client).model.into_iter().chain(in_settings).collect()
}
