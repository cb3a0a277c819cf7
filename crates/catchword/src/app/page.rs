//! Where a running page is found: its address and token, in a file that only its person can read.

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::app::env::Env;
use crate::app::files::{self, Access};

/// How long a page on this machine may take to accept a connection.
const PATIENCE: Duration = Duration::from_millis(300);

/// A page that is being served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServedPage {
    /// Where it listens.
    pub at: SocketAddr,
    pub token: String,
    /// The process that serves it.
    pub process: u32,
}

impl ServedPage {
    /// The address of a view, with the token in the part that a browser sends to nobody.
    pub fn address(&self, view: &str) -> String {
        format!("http://{}{view}#token={}", self.at, self.token)
    }

    /// The page that runs now, if there is one.
    pub fn running(env: &Env) -> Option<ServedPage> {
        let text = files::read_within(&file(env).ok()?, 4_096).ok()?;
        let page: ServedPage = serde_json::from_str(&text).ok()?;
        TcpStream::connect_timeout(&page.at, PATIENCE).is_ok().then_some(page)
    }

    /// Lets other commands find it, until the guard is dropped.
    pub fn announce(&self, env: &Env) -> anyhow::Result<Announcement> {
        let file = file(env)?;
        if let Some(folder) = file.parent() {
            files::private_folder(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let text = serde_json::to_vec(self)?;
        files::replace(&file, &text, Access::Private)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Announcement { file, process: self.process })
    }
}

fn file(env: &Env) -> anyhow::Result<PathBuf> {
    let folder = env.data_dir.as_ref().context("no home directory: set HOME or CATCHWORD_HOME")?;
    Ok(folder.join("page.json"))
}

/// Deletes the file when the page ends, unless another page has replaced it.
pub struct Announcement {
    file: PathBuf,
    process: u32,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        let text = files::read_within(&self.file, 4_096).unwrap_or_default();
        let page = serde_json::from_str::<ServedPage>(&text);
        if page.is_ok_and(|page| page.process == self.process) {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}
