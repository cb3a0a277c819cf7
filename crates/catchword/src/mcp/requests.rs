//! Hands the client's requests to the SDK, one line each.
//!
//! The SDK drops a line that is not strict JSON, and the client would wait for its answer forever. JavaScript writes half
//! a surrogate pair as `\ud83e`, and a program that cuts text writes half a UTF-8 sequence. Both become U+FFFD, so that
//! the request is read; an argument with that character is rejected.

use std::io;
use std::ops::Range;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

use super::LONGEST_REQUEST;

const BROKEN: &[u8] = b"\\ufffd";
const HIGH: Range<u16> = 0xd800..0xdc00;
const LOW: Range<u16> = 0xdc00..0xe000;

/// Copies lines until the client closes the pipe.
pub async fn forward(stdin: impl AsyncRead + Unpin, mut out: impl AsyncWrite + Unpin) -> io::Result<()> {
    let mut stdin = BufReader::new(stdin);
    let mut line = Vec::new();
    while (&mut stdin).take(LONGEST_REQUEST as u64).read_until(b'\n', &mut line).await? > 0 {
        replace_half_pairs(&mut line);
        out.write_all(String::from_utf8_lossy(&line).as_bytes()).await?;
        line.clear();
    }
    Ok(())
}

/// Replaces escapes of half a surrogate pair.
fn replace_half_pairs(line: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = line.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += found;
        at += match (unit(line, at), unit(line, at + BROKEN.len())) {
            (Some(high), Some(low)) if HIGH.contains(&high) && LOW.contains(&low) => 2 * BROKEN.len(),
            (Some(half), _) => {
                if HIGH.contains(&half) || LOW.contains(&half) {
                    line[at..at + BROKEN.len()].copy_from_slice(BROKEN);
                }
                BROKEN.len()
            }
            // Another escape: a backslash and one character.
            (None, _) => 2,
        };
    }
}

/// The UTF-16 unit that is escaped at `at`.
fn unit(line: &[u8], at: usize) -> Option<u16> {
    let digits = line.get(at..at + BROKEN.len())?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_half_pairs_are_replaced() {
        let table = [
            (r#""plain \n \u00e9""#, r#""plain \n \u00e9""#),
            (r#""\ud83e\udd80""#, r#""\ud83e\udd80""#),
            (r#""\ud83e""#, r#""\ufffd""#),
            (r#""\udd80\ud83e""#, r#""\ufffd\ufffd""#),
            (r#""\ud83e\ud83e\udd80""#, r#""\ufffd\ud83e\udd80""#),
            (r#""\\ud83e \\\ud83e""#, r#""\\ud83e \\\ufffd""#),
            (r#""\ud83"#, r#""\ud83"#),
            (r#""\"#, r#""\"#),
        ];
        for (given, expected) in table {
            let mut line = given.as_bytes().to_vec();
            replace_half_pairs(&mut line);
            assert_eq!(String::from_utf8(line).unwrap(), expected);
        }
    }
}
