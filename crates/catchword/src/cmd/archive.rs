//! `catchword archive`: sets up and looks after the shared archive.

use anyhow::bail;
use catchword_engine::archive::Archive;
use catchword_engine::archive::{ForgottenThing, Tombstone};
use catchword_engine::text::numbers::{ago, count_of, grouped};
use catchword_postgres::{
    PersonFigures, PostgresArchive, SCHEMA_VERSION, migration_sql, person_sql, setup_sql,
};
use clap::Subcommand;
use serde_json::json;

use crate::app::archive::{self, PATIENCE};
use crate::app::config::Config;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::width;

const DAY: i64 = 86_400_000;

/// Set up and look after the shared archive
///
/// The shared archive is a PostgreSQL server (15 or newer) that several machines or a team use: `archive.address` in the
/// settings, or `CATCHWORD_ARCHIVE`. `catchword sync` exchanges with it. `init --print` shows the SQL that sets it up;
/// `migrate --vacuum` and `migrate --keep-days` keep it small. docs/archive.md explains it.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: ArchiveTask,
}

#[derive(Subcommand)]
enum ArchiveTask {
    /// Create tables, functions and roles; needs a role that may create roles and a schema
    Init {
        /// Print the SQL and run nothing
        #[arg(long)]
        print: bool,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
        /// The name of the team
        #[arg(long, default_value = "team")]
        team: String,
    },
    /// Print the SQL that lets a person in, for psql
    Add {
        /// The login role of the person
        name: String,
        /// Only to read
        #[arg(long)]
        reader: bool,
        /// The name of the team
        #[arg(long, default_value = "team")]
        team: String,
    },
    /// Bring the tables to the schema of this version, and as an administrator keep the archive small
    Migrate {
        /// Delete sessions of everybody that were inactive for this many days; `archive.keep_days` if not given
        #[arg(long, value_name = "DAYS")]
        keep_days: Option<u32>,
        /// Rewrite the tables, so that no byte of what was deleted is left
        #[arg(long)]
        vacuum: bool,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// As an administrator, forget a session of anybody: there at once, on every machine with its next sync
    Forget {
        /// The session, by the start of its id
        session: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Show how much the archive has, and the figures of the team
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    match &args.what {
        ArchiveTask::Init { print: true, team, .. } => {
            ui.document(&setup_sql(team));
            Ok(Exit::Ok)
        }
        ArchiveTask::Init { yes, team, .. } => init(team, *yes, env, ui),
        ArchiveTask::Add { name, reader, team } => {
            ui.document(&person_sql(team, name, *reader));
            ui.say("-- For psql, as an administrator of the server; \\password asks for a password.");
            Ok(Exit::Ok)
        }
        ArchiveTask::Migrate { keep_days, vacuum, yes } => migrate(*keep_days, *vacuum, *yes, env, ui),
        ArchiveTask::Forget { session, yes } => forget(session, *yes, env, ui),
        ArchiveTask::Status { json } => status(*json, env, ui),
    }
}

fn init(team: &str, yes: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let address = archive::required_address(env)?;
    let mut server = PostgresArchive::connect_unchecked(&address, PATIENCE)?;
    if let Some(version) = server.version()? {
        ui.line(format!("There is an archive already, with schema {version}; nothing was changed."));
        return Ok(Exit::Ok);
    }
    let question = format!(
        "Create the schema catchword and the roles catchword_owner, _reader, _writer and _admin in {}? (--print shows the \
         SQL)",
        address.shown()
    );
    if !yes && ui.ask(&question) != Some(true) {
        bail!("nothing was changed; --yes does it without a question");
    }
    // All or nothing.
    server.run(&format!("BEGIN; {} COMMIT;", setup_sql(team)))?;
    ui.line(ui.paragraph(&format!(
        "The archive is set up in {}, for the team `{team}`. `catchword archive add NAME` prints what lets a person in.",
        address.shown()
    )));
    Ok(Exit::Ok)
}

fn migrate(keep_days: Option<u32>, vacuum: bool, yes: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let address = archive::required_address(env)?;
    let mut server = PostgresArchive::connect_unchecked(&address, PATIENCE)?;
    if let Some(version) = server.version()?.filter(|version| (1..SCHEMA_VERSION).contains(version)) {
        let question = format!("Change {} from schema {version} to {SCHEMA_VERSION}?", address.shown());
        if !yes && ui.ask(&question) != Some(true) {
            bail!("nothing was changed; --yes does it without a question");
        }
        // All or nothing.
        server.run(&format!("BEGIN; {} COMMIT;", migration_sql(version)))?;
    }
    let (mut server, address) = archive::connect(env)?;
    ui.line(format!("{} has schema {SCHEMA_VERSION}, that of this version.", address.shown()));
    let set = Config::load(env).archive.keep_days;
    if let Some(days) = keep_days.or((set > 0).then_some(set)) {
        let question =
            format!("Delete everybody's sessions in the archive that were inactive for {days} days?");
        if !yes && ui.ask_before_loss(&question) != Some(true) {
            bail!("nothing was deleted; --yes does it without a question");
        }
        let now = server.now()?;
        let stone = Tombstone { what: ForgottenThing::Before(now - i64::from(days) * DAY), at: now };
        let items = server.forget_for_all(&stone)?;
        ui.line(format!("Deleted {} from the archive.", count_of(items, "item")));
    }
    if vacuum {
        server.rewrite()?;
        ui.line("The tables were rewritten: nothing of what was deleted is left in them.");
    }
    Ok(Exit::Ok)
}

fn forget(start: &str, yes: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (mut server, _) = archive::connect(env)?;
    let session = match server.sessions_named(start)?.as_slice() {
        [one] => one.clone(),
        [] => bail!("no session in the archive begins with {start}"),
        several => bail!("{} sessions there begin with {start}; give more of the id", several.len()),
    };
    let question =
        format!("Forget session {session} for everybody, on every machine? This cannot be undone.");
    if !yes && ui.ask_before_loss(&question) != Some(true) {
        bail!("nothing was forgotten; --yes does it without a question");
    }
    let stone = Tombstone { what: ForgottenThing::session(&session), at: server.now()? };
    let items = server.forget_for_all(&stone)?;
    ui.line(ui.paragraph(&format!(
        "Deleted {} of session {session} from the archive; each machine forgets it with its next `catchword sync`.",
        count_of(items, "item")
    )));
    Ok(Exit::Ok)
}

fn status(is_json: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (mut server, address) = archive::connect(env)?;
    let (status, figures) = (server.status()?, server.figures()?);
    if is_json {
        let by_person = figures.iter().map(|one| {
            let PersonFigures { person, sessions, machines, figures } = one;
            json!({
                "person": person, "sessions": sessions, "machines": machines, "last_at": figures.last_at,
                "prompts": figures.prompts, "calls": figures.calls, "compactions": figures.compactions,
                "tokens": figures.tokens, "lost": figures.lost, "given_back": figures.given_back,
            })
        });
        let view = json!({
            "archive": address.shown(), "schema": SCHEMA_VERSION, "encrypted": address.is_encrypted(),
            "items": status.items, "sessions": status.sessions, "machines": status.machines,
            "tombstones": status.tombstones, "figures": by_person.collect::<Vec<_>>(),
        });
        ui.line(format!("{view:#}"));
        return Ok(Exit::Ok);
    }
    ui.line(ui.paragraph(&format!(
        "{}: {} that you may read, {} of {}; {} forgotten.",
        address.shown(),
        count_of(status.items as usize, "item"),
        count_of(status.sessions as usize, "session"),
        count_of(status.machines as usize, "machine"),
        count_of(status.tombstones as usize, "thing"),
    )));
    if !figures.is_empty() {
        print_figures(&figures, env, ui);
    }
    Ok(Exit::Ok)
}

/// What the team may know of each person's work, a line each.
fn print_figures(all: &[PersonFigures], env: &Env, ui: &Ui) {
    let longest = all.iter().map(|one| width(&one.person)).max().unwrap_or_default().max("person".len());
    let heading = "sessions  prompts  compactions  lost  given back  last active";
    ui.line(ui.bold(&format!("{:<longest$}  {heading}", "person")));
    let known = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), grouped);
    for PersonFigures { person, sessions, figures, .. } in all {
        let [sessions, prompts, compactions] = [*sessions, figures.prompts, figures.compactions].map(grouped);
        let (lost, given_back) = (known(figures.lost), known(figures.given_back));
        let latest = figures.last_at.map_or_else(|| "-".to_owned(), |at| ago(env.now() - at));
        let space = " ".repeat(longest - width(person));
        ui.line(format!(
            "{person}{space}  {sessions:>8}  {prompts:>7}  {compactions:>11}  {lost:>4}  {given_back:>10}  {latest}"
        ));
    }
}
