//! Kilo, which is built on OpenCode: the same database, plugins and events under other names. What is claimed about the client
//! was seen by running it (7.7.9).

use super::environment::Environment;
use super::opencode::database::{database, rows};
use super::opencode::{self, events, setup};
use super::setup::{HookEntries, Scope, Setup, Shim};
use super::{Client, Phrases, Transcripts, Words};

const NAME: &str = "kilo";
const PROGRAM: &str = "kilo";

pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases {
        name: "Kilo",
        resume: |session| format!("{PROGRAM} --session {session}"),
        ..opencode::CLIENT.phrases
    },
    is_row: |line| events::is_row(line, NAME),
    transcripts: Transcripts {
        database: Some(database("kilo/kilo.db", rows!("kilo"))),
        ..Transcripts::PLAIN
    },
    environment: Environment {
        config_dir: "KILO_CONFIG_DIR",
        home_folder: ".config/kilo",
        process: Some("KILO_PID"),
        in_shell: &["KILO"],
        ..Environment::PLAIN
    },
    setup: Setup {
        program: PROGRAM,
        oldest: [7, 7, 9],
        update: "npm install -g @kilocode/cli@latest",
        settings: &[(Scope::User, "plugin/catchword.js"), (Scope::Project, ".kilo/plugin/catchword.js")],
        hooks: HookEntries { client: NAME, events: setup::HOOKS, ..HookEntries::PLAIN },
        shim: Some(Shim { template: setup::PLUGIN, client: NAME, names: NAMES }),
        servers: Some(setup::servers("kilo.json")),
        project_folder: ".kilo",
        ..setup::SETUP
    },
    // Its rows are those of the client that it is built on.
    words: Words { anywhere: &["kilo", "Kilo", "KILO", "opencode"], alone: &[] },
    ..opencode::CLIENT
};

/// What the plugin needs to know.
const NAMES: &[(&str, &str)] = &[
    ("CLIENT_NAME", NAME),
    ("CLIENT_FOLDER", "kilo"),
    ("CLIENT_DATABASE_VARIABLE", "KILO_DB"),
    ("CLIENT_DATABASE", "kilo.db"),
];
