//! Where a client keeps commands and skills, and which of them it restores after a compaction.

use std::path::PathBuf;

/// The commands of one client, as data and pure functions; the front end opens the files.
pub struct CommandFiles {
    /// Where a command's file can be below such a folder, likeliest first; empty for an invalid name.
    pub files: fn(&str) -> Vec<PathBuf>,
    /// Folders below it whose sub-folders are namespaces.
    pub namespaces: &'static [&'static str],
    /// `None` if plugins have no commands.
    pub plugins: Option<PluginCommands>,
    /// Most characters of one command that the client restores after a compaction.
    pub given_back: usize,
    /// Most characters of all of them.
    pub given_back_in_all: usize,
}

impl CommandFiles {
    /// No command is read from a file.
    pub const PLAIN: CommandFiles = CommandFiles {
        files: |_| Vec::new(),
        namespaces: &[],
        plugins: None,
        given_back: 0,
        given_back_in_all: 0,
    };
}

/// Commands of plugins.
pub struct PluginCommands {
    /// Splits a name into the plugin's and the command's.
    pub named: fn(&str) -> Option<(&str, &str)>,
    /// The list of installed plugins, below the client's own folder.
    pub installed: &'static str,
    /// The folder of an installed plugin, from that list.
    pub installed_at: fn(&[u8], &str) -> Option<PathBuf>,
    /// The list of plugin sources, below the client's own folder.
    pub origins: &'static str,
    /// The sources that are local checkouts, from that list.
    pub checkouts: fn(&[u8]) -> Vec<PathBuf>,
    /// The manifests of a checkout, below its root.
    pub manifests: &'static [&'static str],
    /// The folder of a plugin below a checkout, from a manifest.
    pub source_at: fn(&[u8], &str) -> Option<PathBuf>,
}

/// The files of a command; `{}` stands for its name. Empty for an invalid name.
pub fn named_files(name: &str, files: &[&str]) -> Vec<PathBuf> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
    files.iter().filter(|_| is_plain).map(|file| PathBuf::from(file.replace("{}", name))).collect()
}
