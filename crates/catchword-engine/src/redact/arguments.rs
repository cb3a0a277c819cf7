//! Secrets in the arguments of programs: `curl -u`, `mysql -p`, `openssl -passin`, and what is piped into `sudo -S`.
//!
//! Like `shapes`, these functions get the position of an anchor from the table of `rules` and add what they find.

use super::bytes::{HEX, Set, TOKEN, contains, ends_word, one, run_end, run_start};
use super::shapes::cookies;
use super::span::{Evidence, SecretSpan, push};
use super::value::ValueSpan;
use super::value::judge::{is_path, is_placeholder};

/// How far a command reaches. The limit is for text that consists of anchors only.
const REACH: usize = 200;

/// The command that a flag belongs to: back to the last line, pipe or semicolon.
pub(super) fn command(bytes: &[u8], at: usize) -> &[u8] {
    let floor = at.saturating_sub(400);
    let start = bytes[floor..at].iter().rposition(|byte| matches!(byte, b';' | b'|' | b'&'));
    let command = &bytes[start.map_or(floor, |start| floor + start + 1)..at];
    // A line break ends a command, unless a backslash continues it.
    let mut cut = 0;
    for (offset, _) in command.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        if !command[..offset].ends_with(b"\\") {
            cut = offset + 1;
        }
    }
    &command[cut..]
}

/// Programs that take user and password in one argument: the flags for it, and what separates the two.
const LOGIN_FLAGS: &[(&str, &[&str], u8)] = &[
    ("curl", &["-u", "--user", "-U", "--proxy-user"], b':'),
    ("smbclient", &["-U", "--user"], b'%'),
    ("rpcclient", &["-U", "--user"], b'%'),
    ("smbget", &["-U", "--user"], b'%'),
    ("net rpc", &["-U", "--user"], b'%'),
    ("net ads", &["-U", "--user"], b'%'),
];

/// `curl -u user:password`, `smbclient -U user%password`.
pub(super) fn user_flag(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let flag_end = run_end(bytes, at + 1, TOKEN);
    let flag = &bytes[at + 1..flag_end];
    // Short flags may be joined: `-sSu`.
    let is_flag = |known: &&str| -> bool {
        let joined = known.len() == 2 && !flag.starts_with(b"--") && flag.len() <= 8;
        known.as_bytes() == flag || joined && flag.last() == known.as_bytes().last()
    };
    let mut programs = LOGIN_FLAGS.iter().filter(|(_, flags, _)| flags.iter().any(is_flag));
    let login = programs.find(|(program, ..)| contains(command(bytes, at), program.as_bytes()));
    let Some((_, _, separator)) = login else { return };
    let value = ValueSpan::after(bytes, flag_end + usize::from(bytes.get(flag_end) == Some(&b'=')));
    let inside = memchr::memchr(*separator, &bytes[value.start..value.end]).map(|sign| value.start + sign);
    // `'bob':'…'`: the quotes end before the separator.
    let behind = value.end + usize::from(value.quoted);
    let Some(sign) = inside.or_else(|| (bytes.get(behind) == Some(separator)).then_some(behind)) else {
        return;
    };
    push_password(bytes, sign + 1, value.end, found);
}

/// Adds the password that starts at `start` and ends at `end`, or, if a quote starts there, at the closing one.
fn push_password(bytes: &[u8], start: usize, end: usize, found: &mut Vec<SecretSpan>) {
    let (start, end) = match bytes.get(start) {
        Some(b'"' | b'\'') if start >= end => {
            let value = ValueSpan::after(bytes, start);
            (value.start, value.end)
        }
        _ => (start, end),
    };
    if start < end && !is_placeholder(&bytes[start..end]) {
        push(found, start, end, "password", Evidence::Place);
    }
}

/// `--key` and a UUID, on a command line or as two items of a list. Of other values nobody can tell: `sort --key 2,3`.
pub(super) fn key_flag(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    const BETWEEN: Set = one(b' ') | one(b'=') | one(b'"') | one(b'\'') | one(b',') | one(b'\\');
    let flag_end = at + b"--key".len();
    let start = run_end(bytes, flag_end, BETWEEN);
    let end = run_end(bytes, start, TOKEN);
    let groups = bytes[start..end].split(|byte| *byte == b'-').map(|group| (group, run_end(group, 0, HEX)));
    let lengths: Vec<usize> = groups.map(|(group, hex)| if hex == group.len() { hex } else { 0 }).collect();
    if start > flag_end && lengths == [8, 4, 4, 4, 12] {
        push(found, start, end, "secret key", Evidence::Place);
    }
}

/// `openssl … -passin pass:…`; `at` is the word `pass`.
pub(super) fn openssl_password(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    const BETWEEN: Set = one(b' ') | one(b'=') | one(b'"') | one(b'\'') | one(b',') | one(b'\n') | one(b'\\');
    let before = &bytes[..run_start(bytes, at, BETWEEN, 6)];
    if before.len() == at
        || ![&b" -pass"[..], b"-passin", b"-passout"].iter().any(|flag| before.ends_with(flag))
    {
        return;
    }
    let start = at + b"pass:".len();
    let value = match bytes[at - 1] {
        b'"' | b'\'' => ValueSpan::after(bytes, at - 1),
        _ => ValueSpan::after(bytes, at),
    };
    push_password(bytes, start, value.end, found);
}

/// `htpasswd -b file user password`, `htpasswd -nb user password`.
pub(super) fn htpasswd(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let (mut flags, mut words) = (Vec::new(), Vec::new());
    for word in ArgumentWords::after(bytes, at + b"htpasswd".len()) {
        match word.text(bytes) {
            [b'-', letters @ ..] => flags.extend_from_slice(letters),
            // The cost is the only value of a flag.
            _ if flags.ends_with(b"C") => flags.push(b' '),
            _ => words.push(word),
        }
    }
    let password = if flags.contains(&b'n') { words.get(1) } else { words.get(2) };
    if let Some(password) = password.filter(|_| flags.contains(&b'b')) {
        push_password(bytes, password.start, password.end, found);
    }
}

/// `echo user:password | chpasswd`, also with a here-string or a here-document.
pub(super) fn chpasswd(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let after = at + b"chpasswd".len();
    // With `-e` the passwords are hashes.
    if !ends_word(bytes, after)
        || ArgumentWords::after(bytes, after).any(|word| matches!(word.text(bytes), b"-e" | b"--encrypted"))
    {
        return;
    }
    for (start, end) in input_of(bytes, at) {
        let Some(colon) = memchr::memchr(b':', &bytes[start..end]).map(|colon| start + colon) else {
            continue;
        };
        push_password(bytes, colon + 1, end, found);
    }
}

/// `echo password | sudo -S`, also with a here-string.
pub(super) fn sudo_password(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let mut flags = ArgumentWords::after(bytes, at + b"sudo".len())
        .take(4)
        .map(|word| word.text(bytes))
        .take_while(|word| word.starts_with(b"-"));
    let reads = flags.any(|flag| flag == b"--stdin" || !flag.starts_with(b"--") && flag.contains(&b'S'));
    if let Some((start, end)) = input_of(bytes, at).last().filter(|_| reads) {
        push_password(bytes, *start, *end, found);
    }
}

/// The words that a command reads from its standard input: what `echo` or `printf` pipes into it, a here-string, a
/// here-document. `at` is the command.
fn input_of(bytes: &[u8], at: usize) -> Vec<(usize, usize)> {
    let words = |from: usize, to: usize| {
        let mut words = Vec::new();
        let mut start = from;
        for end in (from..=to).filter(|&end| end == to || bytes[end].is_ascii_whitespace()) {
            let quotes = |byte: &&u8| matches!(byte, b'"' | b'\'' | b'\\');
            let word = &bytes[start..end];
            let (first, last) =
                (word.iter().take_while(quotes).count(), word.iter().rev().take_while(quotes).count());
            if first + last < word.len() {
                words.push((start + first, end - last));
            }
            start = end + 1;
        }
        words
    };
    let line_end = memchr::memchr(b'\n', &bytes[at..bytes.len().min(at + REACH)]).map(|length| at + length);
    let end = line_end.unwrap_or(bytes.len().min(at + REACH));
    if let Some(sign) = memchr::memmem::find(&bytes[at..end], b"<<").map(|sign| at + sign) {
        if bytes[sign..].starts_with(b"<<<") {
            let value = ValueSpan::after(bytes, sign + 3);
            return words(value.start, value.end);
        }
        let near = bytes.len().min(end + 10 * REACH);
        let mark = ValueSpan::after(bytes, run_end(bytes, sign, one(b'<') | one(b'-')));
        let close =
            memchr::memmem::find(&bytes[end..near], mark.text(bytes)).filter(|_| mark.end > mark.start);
        return words(end, close.map_or(near, |close| end + close));
    }
    // The command may be given with its path, or run with sudo.
    let piped = bytes[at.saturating_sub(40)..at].iter().rposition(|&byte| byte == b'|');
    let Some(pipe) = piped.map(|bar| at.saturating_sub(40) + bar) else { return Vec::new() };
    let prefix = bytes[pipe + 1..at].trim_ascii();
    if !(prefix.is_empty() || prefix == b"sudo" || prefix.ends_with(b"/")) {
        return Vec::new();
    }
    let source = command(bytes, pipe);
    let from = pipe - source.len();
    let Some(echo) = [&b"echo "[..], b"printf "]
        .iter()
        .find_map(|echo| memchr::memmem::rfind(source, echo).map(|found| from + found + echo.len() - 1))
    else {
        return Vec::new();
    };
    // A text with spaces is no password.
    let values: Vec<_> = ArgumentWords::after(&bytes[..pipe], echo)
        .filter(|word| !word.text(bytes).starts_with(b"-"))
        .collect();
    let is_one = |word: &ValueSpan| !word.text(bytes).iter().any(u8::is_ascii_whitespace);
    values.iter().filter(|word| is_one(word)).map(|word| (word.start, word.end)).collect()
}

/// The words of a command from a position on, up to the end of the command.
struct ArgumentWords<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ArgumentWords<'a> {
    fn after(bytes: &'a [u8], at: usize) -> ArgumentWords<'a> {
        ArgumentWords { bytes: &bytes[..bytes.len().min(at + 2 * REACH)], at }
    }
}

impl Iterator for ArgumentWords<'_> {
    type Item = ValueSpan;

    fn next(&mut self) -> Option<ValueSpan> {
        let value = ValueSpan::after(self.bytes, self.at);
        let apart = self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace);
        // A quotation that nothing closes ends with the text.
        self.at = (value.end + usize::from(value.quoted)).min(self.bytes.len());
        (value.start < value.end && apart).then_some(value)
    }
}

/// Programs with a short flag for a password: the flag, and whether a space may be between flag and value.
const PASSWORD_FLAGS: &[(&str, &str, bool)] = &[
    ("mysql", "-p", false),
    ("mariadb", "-p", false),
    ("sshpass", "-p", true),
    ("mongo", "-p", true),
    ("docker login", "-p", true),
    ("podman login", "-p", true),
    ("helm registry login", "-p", true),
    ("az login", "-p", true),
    ("redis-cli", "-a", true),
];

/// `mysql -p'…'`, `sshpass -p …`, `redis-cli -a …`.
pub(super) fn password_flag(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    let flag = &bytes[at + 1..at + 3];
    let apart = matches!(bytes.get(at + 3), Some(b' '));
    let command = command(bytes, at);
    let takes = |(program, its_flag, may_stand_apart): &&(&str, &str, bool)| {
        its_flag.as_bytes() == flag && (*may_stand_apart || !apart) && contains(command, program.as_bytes())
    };
    if PASSWORD_FLAGS.iter().any(|entry| takes(&entry)) {
        let value = ValueSpan::after(bytes, at + 3);
        let text = &bytes[value.start..value.end];
        if !is_placeholder(text) && !is_path(text) && text[0] != b'-' {
            push(found, value.start, value.end, "password", Evidence::Place);
        }
    }
}

/// `curl -b 'session=…'`.
pub(super) fn cookie_flag(bytes: &[u8], at: usize, found: &mut Vec<SecretSpan>) {
    if contains(command(bytes, at), b"curl") {
        let value = ValueSpan::after(bytes, run_end(bytes, at + 1, TOKEN));
        cookies(&bytes[..value.end], value.start, usize::MAX, found);
    }
}
