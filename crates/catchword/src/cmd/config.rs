//! `catchword config`: shows and changes the settings.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use catchword_engine::quote::harmless;
use toml::{Table, Value};
use toml_edit::{DocumentMut, Key};

use crate::app::archive;
use crate::app::config::{self, Config};
use crate::app::edits;
use crate::app::env::Env;
use crate::app::files::{self, Access};
use crate::app::schema::{self, DEFAULTS, Setting, found};
use crate::app::workspace::project;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

const EXAMPLES: &str = "Examples:
  catchword config set budget 4000
  catchword config set checkpoints.left 40,10
  catchword config set privacy.leave_out ~/clients/acme
  catchword config set handoff.on false";

/// The page that explains every key.
const EXPLAINED: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/config.md");

/// Show or change the settings
///
/// Without a subcommand it is `config get`. Settings are in config.toml in the data directory; `catchword config schema`
/// explains each.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    action: Option<ConfigAction>,
}

#[derive(clap::Subcommand)]
enum ConfigAction {
    /// Print a setting, or all of them
    Get {
        /// A key, such as guide.lines, or a table, such as guide
        key: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Change a setting, keeping comments and order of the file
    Set {
        /// A key, such as guide.lines
        key: String,
        /// Its value; of a list, items separated by commas
        #[arg(required_unless_present = "default")]
        value: Option<String>,
        /// Take the setting out of the file, so that the default holds
        #[arg(long, conflicts_with = "value")]
        default: bool,
    },
    /// Take over the instructions for summaries that this repository brings in .catchword.toml
    ///
    /// Until then they reach no model. They become part of your own settings, so a later change of the file does not count
    /// until you accept it, too.
    Accept {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Open the settings in $VISUAL or $EDITOR, and check them afterwards
    Edit,
    /// Print the path of config.toml
    Path,
    /// Print the JSON schema of config.toml
    Schema {
        /// Print docs/config.md instead
        #[arg(long, hide = true)]
        markdown: bool,
    },
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    match args.action.as_ref().unwrap_or(&ConfigAction::Get { key: None, json: false }) {
        ConfigAction::Get { key, json } => get(key.as_deref(), *json, env, ui),
        ConfigAction::Set { key, value, .. } => set(key, value.as_deref(), env, ui),
        ConfigAction::Accept { yes } => accept(*yes, env, ui),
        ConfigAction::Edit => edit(env, ui),
        ConfigAction::Path => {
            ui.line(path(env)?.display().to_string());
            Ok(Exit::Ok)
        }
        ConfigAction::Schema { markdown: true } => {
            ui.pass_on(schema::markdown().as_bytes(), false);
            Ok(Exit::Ok)
        }
        ConfigAction::Schema { markdown: false } => {
            ui.line(serde_json::to_string_pretty(&schema::json_schema())?);
            Ok(Exit::Ok)
        }
    }
}

fn path(env: &Env) -> anyhow::Result<PathBuf> {
    config::path(env).context("no data directory: set HOME or CATCHWORD_HOME")
}

/// The file; its problems are told and not fatal, unless it cannot be parsed at all.
fn file(env: &Env, ui: &Ui) -> anyhow::Result<Table> {
    for problem in config::problems(env) {
        ui.say(ui.paragraph(&problem));
    }
    let text = config::text(env).map_err(anyhow::Error::msg)?.unwrap_or_default();
    Ok(toml::from_str(&text).unwrap_or_default())
}

fn get(key: Option<&str>, json: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (settings, set) = (schema::settings(), file(env, ui)?);
    let is_meant = |setting: &&Setting| {
        let below = |key: &str| setting.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        key.is_none_or(|key| setting.key == key || below(key))
    };
    let is_shown = |setting: &&Setting| !setting.default.is_table() || setting.is_by_folder();
    let meant: Vec<&Setting> = settings.iter().filter(is_meant).filter(is_shown).collect();
    if let (Some(key), true) = (key, meant.is_empty()) {
        bail!("{}", schema::unknown(key, &settings));
    }
    let values: Vec<(&Setting, Value, &str)> =
        meant.into_iter().map(|setting| effective(setting, &set, env)).collect();
    if json {
        let mut all = serde_json::Map::new();
        for (setting, value, _) in &values {
            all.insert(setting.key.clone(), serde_json::to_value(value)?);
        }
        ui.line(serde_json::to_string_pretty(&all)?);
        return Ok(Exit::Ok);
    }
    match values.as_slice() {
        [(_, Value::String(text), _)] if key.is_some() => ui.line(text),
        [(_, value, _)] if key.is_some() => ui.line(value.to_string()),
        all => all.iter().for_each(|(setting, value, from)| {
            let from = if from.is_empty() { String::new() } else { ui.dim(&format!("  # {from}")) };
            let lines = wrap(&format!("{} = {value}", setting.key), ui.width());
            ui.line(format!("{}{from}", lines.join("\n  ")));
        }),
    }
    if key.is_none() {
        if let Some(waiting) = project::waiting(&Config::load(env), &env.cwd, env) {
            ui.say(format!("\n{}", ui.paragraph(&format!("{waiting}."))));
        }
        ui.say(format!("\nEach key is explained by `catchword config schema`, and in\n{EXPLAINED}"));
    }
    Ok(Exit::Ok)
}

/// The value that holds, and where it is from; nothing for a default.
fn effective<'a>(setting: &'a Setting, set: &Table, env: &Env) -> (&'a Setting, Value, &'static str) {
    let variable = match setting.key.as_str() {
        "budget" => env.budget.as_deref().and_then(|text| text.trim().parse().ok()).map(Value::Integer),
        "next_start.headless" => env.next_start.clone().map(Value::String),
        _ => None,
    };
    let is_valid = |value: &Value| setting.problem(value).is_none();
    if let Some(value) = variable.filter(is_valid) {
        return (setting, value, "from the environment");
    }
    match found(set, &setting.key).filter(|value| is_valid(value)) {
        Some(value) => (setting, value.clone(), "set in config.toml"),
        None => (setting, setting.default.clone(), ""),
    }
}

fn set(key: &str, value: Option<&str>, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let keys = Key::parse(key).with_context(|| format!("`{key}` isn't a key: use one like guide.lines"))?;
    let names: Vec<&str> = keys.iter().map(Key::get).collect();
    let settings = schema::settings();
    let setting = meant(&names, &settings).with_context(|| schema::unknown(key, &settings))?;
    if setting.default.is_table() {
        bail!("`{key}` is a table: set one of its keys, which `catchword config get {key}` lists");
    }
    if let ("archive.address", Some(address)) = (key, value.filter(|address| !address.is_empty())) {
        archive::address_to_keep(address).context("archive.address was not set")?;
    }
    let value = value.map(|text| parsed(text, setting)).transpose()?;
    let changed = change(env, |text| {
        let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let fix = "fix it with `catchword config edit` first";
            anyhow::anyhow!("config.toml isn't valid TOML; {fix}\n{}", error.to_string().trim_end())
        })?;
        edits::put(&mut document, &names, value.clone())?;
        Ok(edits::with_line_ends_of(text, &document.to_string()))
    })?;
    let now = toml::from_str(&changed).ok().and_then(|table: Table| found_by(&table, &names).cloned());
    let shown = now.map_or_else(|| format!("{} (the default)", setting.default), |value| value.to_string());
    ui.say(format!("{key} = {shown}, in {}", env.show(&path(env)?)));
    Ok(Exit::Ok)
}

/// Changes the file at once, while no other catchword does. A linked file is changed where it is; a new one is readable by
/// its owner alone. Returns the new text.
fn change(env: &Env, change: impl Fn(&str) -> anyhow::Result<String>) -> anyhow::Result<String> {
    let path = path(env)?;
    let shown = env.show(&path);
    let cannot = || format!("cannot write {shown}");
    let folder = path.parent().unwrap_or(Path::new("."));
    files::private_folder(folder).with_context(cannot)?;
    let real = files::resolve(&path).with_context(|| format!("{shown} is a link to a missing file"))?;
    let _held = files::lock_within(&folder.join(files::LOCK), files::LOCK_WAIT).with_context(cannot)?;
    loop {
        let before = config::text(env).map_err(anyhow::Error::msg)?;
        let after = change(before.as_deref().unwrap_or_default())?;
        if before.as_ref() == Some(&after) {
            return Ok(after);
        }
        let access = match std::fs::metadata(&real) {
            Ok(found) if found.permissions().readonly() => {
                bail!("{shown} is read-only. Make it writable and run this again.")
            }
            Ok(found) => Access::Like(found.permissions()),
            Err(_) => Access::Private,
        };
        // An editor does not take the lock.
        if files::replace_same(&real, before.as_deref().map(str::as_bytes), after.as_bytes(), access)
            .with_context(cannot)?
        {
            return Ok(after);
        }
    }
}

/// Copies the repository's instructions into the user's settings for it.
fn accept(yes: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let config = Config::load(env);
    let Some(waiting) = project::waiting(&config, &env.cwd, env) else {
        ui.line("No instructions are waiting: .catchword.toml has none that your settings lack.");
        return Ok(Exit::Ok);
    };
    let text = harmless(waiting.text.trim()).into_owned();
    ui.line("The repository asks the summariser:");
    text.lines().for_each(|line| ui.line(format!("> {line}")));
    if !yes {
        match ui.ask_before_loss("Pass this on as your own instructions?") {
            Some(true) => {}
            Some(false) => {
                ui.say("Nothing was changed.");
                return Ok(Exit::Ok);
            }
            None => {
                ui.say("There is no terminal to ask on, so nothing was changed. Run it again with --yes.");
                return Ok(Exit::Failed);
            }
        }
    }
    let table = config.of_project(&waiting.root, env);
    let before = table.and_then(|table| table.instructions.clone()).unwrap_or_default();
    let both = format!("{}\n{}", before.trim_end(), waiting.text.trim());
    let folder = config.folder_of_project(&waiting.root, env).unwrap_or(&waiting.root).to_string_lossy();
    let key = format!("projects.{}.instructions", Key::new(&*folder));
    set(&key, Some(both.trim()), env, ui)
}

/// The setting of a key; one for a single project is that of all.
fn meant<'a>(names: &[&str], settings: &'a [Setting]) -> Option<&'a Setting> {
    let of = |key: &str| settings.iter().find(|setting| setting.key == key);
    match names {
        [table, _, name] if of(table).is_some_and(Setting::is_by_folder) => {
            of(&format!("project.{name}")).or_else(|| of(name).filter(|setting| !setting.default.is_table()))
        }
        names => of(&names.join(".")),
    }
}

fn found_by<'a>(table: &'a Table, names: &[&str]) -> Option<&'a Value> {
    let (last, tables) = names.split_last()?;
    tables.iter().try_fold(table, |table, name| table.get(*name)?.as_table())?.get(*last)
}

/// The value as its type, or what is wrong with it.
fn parsed(text: &str, setting: &Setting) -> anyhow::Result<Value> {
    let literal = || toml::from_str::<Table>(&format!("value = {text}")).ok()?.remove("value");
    let items = || text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let value = match &setting.default {
        Value::String(_) => Value::String(text.to_owned()),
        Value::Array(_) if text.trim_start().starts_with('[') => literal().unwrap_or_else(|| text.into()),
        Value::Array(known) if known.iter().any(Value::is_integer) => {
            let number = |item: &str| item.parse().map_or_else(|_| item.into(), Value::Integer);
            Value::Array(items().map(number).collect())
        }
        Value::Array(_) => Value::Array(items().map(Value::from).collect()),
        _ => literal().unwrap_or_else(|| text.into()),
    };
    match setting.problem(&value) {
        Some(_) if !setting.has_type_of(&value) => {
            bail!("`{}` takes {}, not `{text}`", setting.key, setting.type_name())
        }
        Some(problem) => bail!("{problem}"),
        None => Ok(value),
    }
}

fn edit(env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let path = path(env)?;
    if config::text(env).map_err(anyhow::Error::msg)?.is_none() {
        change(env, |_| Ok(template()))?;
    }
    let editor = env.editor.clone().unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().context("VISUAL or EDITOR is empty: set it to your editor")?;
    let status = Command::new(program).args(words).arg(&path).status();
    let status = status.with_context(|| {
        format!("cannot start `{editor}`: set VISUAL or EDITOR, or edit {}", env.show(Path::new(&path)))
    })?;
    anyhow::ensure!(status.success(), "`{editor}` failed; {} is as it left it", env.show(&path));
    let problems = config::problems(env);
    for problem in &problems {
        ui.say(ui.paragraph(problem));
    }
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

/// The defaults, all commented out: what is not set follows later versions.
fn template() -> String {
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        limit if limit.starts_with("#: ") => String::new(),
        comment if comment.starts_with('#') => format!("{comment}\n"),
        value => format!("#{value}\n"),
    };
    DEFAULTS.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_the_type_of_the_setting() {
        let settings = schema::settings();
        let read = |key: &str, text: &str| {
            parsed(text, settings.iter().find(|setting| setting.key == key).unwrap())
                .map(|value| value.to_string())
                .map_err(|error| error.to_string())
        };
        assert_eq!(read("budget", "4000").as_deref(), Ok("4000"));
        assert_eq!(read("instructions", "Keep SQL").as_deref(), Ok("\"Keep SQL\""));
        assert_eq!(read("checkpoints.left", "40, 10").as_deref(), Ok("[40, 10]"));
        assert_eq!(read("privacy.leave_out", "~/a,~/b").as_deref(), Ok("[\"~/a\", \"~/b\"]"));
        assert_eq!(read("privacy.leave_out", "[\"~/a,b\"]").as_deref(), Ok("[\"~/a,b\"]"));
        assert_eq!(read("budget", "much").unwrap_err(), "`budget` takes a whole number, not `much`");
        assert_eq!(read("guide.on", "yes").unwrap_err(), "`guide.on` takes true or false, not `yes`");
    }

    #[test]
    fn template_sets_nothing_and_is_the_defaults_when_uncommented() {
        assert!(toml::from_str::<Table>(&template()).unwrap().is_empty());
        // A value follows its `#` at once, a comment after a space.
        let text = template();
        let is_value = |line: &&str| line.starts_with('#') && !line.starts_with("# ");
        let values: Vec<&str> = text.lines().filter(is_value).map(|line| &line[1..]).collect();
        let set = values.join("\n");
        let defaults: Table = toml::from_str(DEFAULTS).unwrap();
        assert_eq!(toml::from_str::<Table>(&set).unwrap(), defaults);
        assert!(defaults.len() > 5, "{defaults}");
    }
}
