//! A stretch of lines under the hash of its content.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Level 3 packs 97 MB of transcripts to 13.0 MB in 0.25 s of processor; level 9 to 11.8 MB in 1.2 s.
const LEVEL: i32 = 3;
/// A piece ends with the line that fills it, and lines have at most 16 MB; masking may add a little to each.
const MAX_PIECE: u64 = 64 * 1024 * 1024;
const EXTENSION: &str = ".zst";

/// The hash of a text: 32 digits are more than chance or malice can find twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Name(String);

impl Name {
    /// Of a text.
    pub fn of(text: &str) -> Name {
        Name(blake3::hash(text.as_bytes()).to_hex()[..32].to_owned())
    }
}

/// A piece that is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Its name.
    pub name: Name,
    /// Lines in it.
    pub lines: u32,
    /// Bytes it takes.
    pub packed: u64,
}

impl Piece {
    /// Where it lies. Full pieces lie in folders by the start of their names, tails (with a prefix) in one.
    pub fn path_in(&self, folder: &Path, prefix: &str) -> PathBuf {
        let name = &self.name.0;
        let file = format!("{prefix}{name}{EXTENSION}");
        match prefix {
            "" => folder.join(name.get(..2).unwrap_or("00")).join(file),
            _ => folder.join(file),
        }
    }
}

/// The folder of full pieces.
pub fn path(backups: &Path) -> PathBuf {
    backups.join("pieces")
}

/// The name of the piece that lies there.
pub fn name_of(path: &Path) -> Option<Name> {
    let file = path.file_name()?.to_str()?.strip_suffix(EXTENSION)?;
    Some(Name(file.rsplit('.').next()?.to_owned()))
}

/// Packs a text.
pub fn pack(text: &str) -> io::Result<Vec<u8>> {
    zstd::encode_all(text.as_bytes(), LEVEL)
}

/// Unpacks one.
pub fn unpack(bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    zstd::Decoder::with_buffer(bytes)?.take(MAX_PIECE).read_to_string(&mut text)?;
    Ok(text)
}
