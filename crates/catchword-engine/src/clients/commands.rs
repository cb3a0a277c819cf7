//! Where a client keeps its commands and skills, and what it does with them by itself.

use std::path::PathBuf;

/// The commands of one client, as data and pure functions; the front end opens the files.
pub struct CommandFiles {
    /// The folder of a project that holds them, beside the project's own files.
    pub folder: &'static str,
    /// Where the file of a command may lie below such a folder, the likeliest first. None for what is no name.
    pub files: fn(&str) -> Vec<PathBuf>,
    /// Folders below such a folder; their sub-folders are namespaces.
    pub namespaces: &'static [&'static str],
    /// `None` if plugins bring no commands.
    pub plugins: Option<PluginCommands>,
    /// Characters of one text that the client puts back after a compaction.
    pub given_back: usize,
    /// Characters of all of them.
    pub given_back_in_all: usize,
}

impl CommandFiles {
    /// No command is read from a file.
    pub const PLAIN: CommandFiles = CommandFiles {
        folder: "",
        files: |_| Vec::new(),
        namespaces: &[],
        plugins: None,
        given_back: 0,
        given_back_in_all: 0,
    };
}

/// Commands that plugins bring.
pub struct PluginCommands {
    /// The plugin that a name belongs to, and the name within it.
    pub named: fn(&str) -> Option<(&str, &str)>,
    /// Where the list of installed plugins lies, below the client's own folder.
    pub installed: &'static str,
    /// The folder of an installed plugin, from that list.
    pub installed_at: fn(&[u8], &str) -> Option<PathBuf>,
    /// Where the list of places lies that plugins come from, below the client's own folder.
    pub origins: &'static str,
    /// The checkouts on this machine among these places, from that list.
    pub checkouts: fn(&[u8]) -> Vec<PathBuf>,
    /// Where a checkout says which plugin it is the source of, below its root.
    pub manifests: &'static [&'static str],
    /// The folder of a plugin below a checkout, from one of these.
    pub source_at: fn(&[u8], &str) -> Option<PathBuf>,
}

/// The files of a command, where a name means the same in every folder: `{}` stands for it. None for what is no name.
pub fn named_files(name: &str, files: &[&str]) -> Vec<PathBuf> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
    files.iter().filter(|_| is_plain).map(|file| PathBuf::from(file.replace("{}", name))).collect()
}
