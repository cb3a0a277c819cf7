//! The log of what went wrong in hooks, for `doctor` and for people: one file in the data directory.
//!
//! Kept small: once it exceeds its limit it becomes `hook.log.old`.

use std::io::Write;
use std::path::Path;

use catchword_engine::quote::is_shown;

use crate::app::env::Env;
use crate::app::files;

/// Size at which the log is rotated, in bytes.
const LIMIT: u64 = 512 * 1024;

/// Writes one line. Ignores errors: a log that cannot be written must not disturb anybody.
pub fn problem(env: &Env, what: &str) {
    if let Some(folder) = &env.data_dir {
        // The message may quote a row.
        let _ = append(folder, env.now(), &env.mask.text(what));
    }
}

/// Logs a message that would otherwise recur at every start only if the log does not contain it yet.
pub fn once(env: &Env, what: &str) {
    let log =
        env.data_dir.as_deref().map(|folder| std::fs::read(folder.join("hook.log")).unwrap_or_default());
    if !log.is_some_and(|log| String::from_utf8_lossy(&log).contains(what)) {
        problem(env, what);
    }
}

/// Passes each line through `keep`, which may change or drop it.
pub fn rewrite(folder: &Path, keep: impl Fn(&str) -> Option<String>) -> std::io::Result<()> {
    for name in ["hook.log", "hook.log.old"] {
        let change = |text: &str| {
            let lines = text.lines().filter_map(&keep);
            let kept: String = lines.flat_map(|line| [line, "\n".to_owned()]).collect();
            (kept != text).then_some(kept)
        };
        files::change(&folder.join(name), &folder.join(files::LOCK), files::LOCK_WAIT, &change)?;
    }
    Ok(())
}

fn append(folder: &Path, now: i64, what: &str) -> std::io::Result<()> {
    files::private_folder(folder)?;
    let path = folder.join("hook.log");
    if std::fs::metadata(&path).is_ok_and(|m| m.len() > LIMIT) {
        std::fs::rename(&path, folder.join("hook.log.old"))?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let time = jiff::Timestamp::from_millisecond(now).unwrap_or_default();
    let line: String = what.chars().map(|c| if is_shown(c) { c } else { ' ' }).take(2_000).collect();
    // A single write, so that lines of parallel hooks do not mix.
    options.open(path)?.write_all(format!("{time:.3} {line}\n").as_bytes())
}
