//! Asks a client for its version.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use catchword_engine::clients::Client;
use catchword_engine::clients::setup::printed_version;

use crate::app::env::Env;
use crate::app::host;
use crate::app::process::{RunLimits, on_path, output_of};

/// Limits for asking a client for its version (it takes 0.2 s).
const VERSION_LIMITS: RunLimits = RunLimits { time: Duration::from_secs(5), output: 4096 };

pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The version of the client on `PATH`; `None` if there is no client or it does not answer. One that the project brings
/// along is not run.
pub fn client_version(client: &Client, env: &Env) -> Option<[u32; 3]> {
    let printed = output_of(Command::new(own_program(client, env)?).arg("--version"), VERSION_LIMITS)?;
    printed_version(&String::from_utf8_lossy(&printed))
}

/// Whether all programs of the client's name are in this project.
pub fn is_of_project(client: &Client, env: &Env) -> bool {
    own_program(client, env).is_none() && on_path(client.setup.program, &env.path, None).is_some()
}

fn own_program(client: &Client, env: &Env) -> Option<PathBuf> {
    on_path(client.setup.program, &env.path, host::foreign_tree(env, &env.cwd).as_deref())
}
