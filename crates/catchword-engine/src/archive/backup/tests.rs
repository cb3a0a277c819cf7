use std::fmt::Write as _;
use std::io::Write as _;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::redact::SECRETS;

struct Place {
    tmp: TempDir,
    backups: Backups,
}

fn thread(session: &str) -> TranscriptOwner {
    TranscriptOwner { session: session.to_owned(), subagent: String::new() }
}

impl Place {
    fn new() -> Place {
        let tmp = tempfile::tempdir().unwrap();
        Place { backups: Backups::at(&tmp.path().join("data")), tmp }
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.tmp.path().join(format!("{session}.jsonl"))
    }

    fn append(&self, session: &str, text: &str) {
        let mut options = File::options();
        options.create(true).append(true);
        options.open(self.transcript(session)).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn take(&self, session: &str) -> Taken {
        self.take_at(session, None, 0)
    }

    fn take_at(&self, session: &str, project: Option<&str>, now: i64) -> Taken {
        let lock = self.backups.lock(true).unwrap();
        let project = project.map(Path::new);
        let path = self.transcript(session);
        let original = Original {
            thread: &thread(session),
            path: &path,
            project,
            mask: SECRETS,
            is_left_out: &|_| None,
        };
        self.backups.take(&lock, &original, now, &|| true).unwrap()
    }

    fn restored(&self, session: &str) -> String {
        let kept = self.backups.find(&thread(session)).unwrap().expect("a backup");
        let mut bytes = Vec::new();
        self.backups.write(&kept, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// Every file below the backup folder, except the lock.
    fn files(&self) -> Vec<String> {
        fn walk(folder: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    walk(&entry.path(), found);
                } else {
                    found.push(entry.file_name().to_string_lossy().into_owned());
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.tmp.path().join("data"), &mut found);
        found.retain(|name| name != "lock" && name != "pruned");
        found.sort();
        found
    }
}

/// Lines that do not compress well, so that sizes can be compared.
fn rows(count: usize, salt: u64) -> String {
    let mut state = salt;
    let mut text = String::new();
    for n in 0..count {
        let mut noise = String::new();
        for _ in 0..60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let _ = write!(noise, "{:x}", state >> 40);
        }
        let _ = writeln!(text, "{{\"n\":{n},\"text\":\"{noise}\"}}");
    }
    text
}

#[test]
fn growing_transcript_rewrites_only_the_tail() {
    let place = Place::new();
    place.append("s", &rows(8_000, 1));
    let first = place.take("s");
    assert!(first.whole && first.bytes > 3_000_000, "{first:?}");
    place.append("s", "{\"more\":1}\n");
    let second = place.take("s");
    assert_eq!((second.bytes, second.whole), (11, true));
    assert!(second.packed < first.packed / 2, "the tail alone is written: {second:?} after {first:?}");
    assert_eq!(place.restored("s"), fs::read_to_string(place.transcript("s")).unwrap());
    assert_eq!(place.take("s"), Taken { whole: true, ..Taken::default() }, "nothing new, nothing written");
    let tails = place.files().iter().filter(|name| name.starts_with("main.")).count();
    assert_eq!(tails, 2, "one list, one tail: {:?}", place.files());
}

#[test]
fn half_line_waits_and_a_masked_line_keeps_its_number() {
    let place = Place::new();
    let token = ["ghp", "x7Kd92LmQp4RtVw8YbNc3FhJs6ZaGe1Uo5Ti"].join("_");
    place.append("s", &format!("{{\"a\":\"x\\n{token}\"}}\n\nnot json\n{{\"half\":"));
    place.take("s");
    assert_eq!(place.restored("s"), "{\"a\":\"x\\n[masked: github token]\"}\n\nnot json\n");
    place.append("s", "1}\n");
    place.take("s");
    assert!(place.restored("s").ends_with("not json\n{\"half\":1}\n"));
    let mut lines = Vec::new();
    let kept = place.backups.find(&thread("s")).unwrap().unwrap();
    place.backups.lines(&kept)(&mut |n, line| {
        lines.push((n, line.len()));
        n < 3
    })
    .unwrap();
    assert_eq!(lines.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2, 3], "as many as were wanted");
}

#[test]
fn shared_pieces_are_stored_once() {
    let place = Place::new();
    for session in ["a", "b"] {
        place.append(session, &rows(4_500, 1));
    }
    let (first, second) = (place.take("a"), place.take("b"));
    assert!(first.whole && second.whole);
    let pieces = |place: &Place| place.files().iter().filter(|name| !name.starts_with("main.")).count();
    let stored = pieces(&place);
    let lock = place.backups.lock(true).unwrap();
    place.backups.remove(&lock, &["a"]).unwrap();
    assert_eq!(pieces(&place), stored, "the other one still needs them");
    assert_eq!(place.restored("b"), rows(4_500, 1));
    place.backups.remove(&lock, &["b"]).unwrap();
    assert_eq!(place.files(), [] as [&str; 0]);
}

#[test]
fn backup_is_replaced_by_a_longer_transcript_only() {
    let place = Place::new();
    place.append("s", &rows(100, 1));
    place.take("s");
    catchword_testkit::files::write(place.transcript("s"), "{\"n\":0}\n");
    assert!(place.take("s").shorter);
    assert_eq!(place.restored("s"), rows(100, 1));
    catchword_testkit::files::write(place.transcript("s"), rows(200, 2));
    assert!(place.take("s").whole);
    assert_eq!(place.restored("s"), rows(200, 2));
}

#[test]
fn large_transcript_takes_several_passes_under_a_deadline() {
    let place = Place::new();
    place.append("s", &rows(9_000, 1));
    let mut passes = 0;
    loop {
        let left = std::cell::Cell::new(4_000);
        let in_time = || {
            left.set(left.get() - 1);
            left.get() > 0
        };
        let lock = place.backups.lock(true).unwrap();
        let path = place.transcript("s");
        let original = Original {
            thread: &thread("s"),
            path: &path,
            project: None,
            mask: SECRETS,
            is_left_out: &|_| None,
        };
        let taken = place.backups.take(&lock, &original, 0, &in_time).unwrap();
        passes += 1;
        if taken.whole || passes > 20 {
            break;
        }
    }
    assert!((2..20).contains(&passes), "{passes}");
    assert_eq!(place.restored("s"), rows(9_000, 1));
}

#[test]
fn one_process_writes_at_a_time() {
    let place = Place::new();
    let held = place.backups.lock(false).unwrap();
    assert!(matches!(place.backups.lock(false), Err(BackupError::Busy)));
    drop(held);
    assert!(place.backups.lock(false).is_ok());
}

#[test]
fn prune_removes_old_then_large_backups_but_keeps_the_latest_of_the_project() {
    let place = Place::new();
    let day = 86_400_000;
    let sessions = [
        ("here1", 10, 300),
        ("here2", 20, 300),
        ("old", 5, 10),
        ("large", 80, 600),
        ("small", 80, 20),
        ("new", 99, 300),
    ];
    for (n, (session, at, count)) in sessions.into_iter().enumerate() {
        place.append(session, &rows(count, n as u64));
        let project = if session.starts_with("here") { "/home/user/here/sub" } else { "/home/user/there" };
        place.take_at(session, Some(project), at * day);
    }
    let lock = place.backups.lock(true).unwrap();
    let here = Some(Path::new("/home/user/here"));
    let limits = |keep_days, max_bytes, keep_last| BackupLimits { keep_days, max_bytes, keep_last };
    let prune = |limits: &BackupLimits| {
        let mut pruned = place.backups.prune(&lock, limits, here, 100 * day).unwrap();
        pruned.sessions.sort();
        pruned.sessions
    };
    assert!(place.backups.is_prune_due(0));
    assert_eq!(prune(&limits(90, u64::MAX, 5)), ["old"]);
    assert!(!place.backups.is_prune_due(100 * day + 1) && place.backups.is_prune_due(101 * day));
    let all: u64 = place.backups.all().unwrap().iter().map(BackupList::packed).sum();
    assert_eq!(prune(&limits(1_000, all - 1, 5)), ["large"]);
    assert_eq!(prune(&limits(1_000, 0, 1)), ["here1", "new", "small"]);
    assert_eq!(place.backups.all().unwrap().len(), 1);
    assert_eq!(place.restored("here2"), rows(300, 1));
}

#[test]
fn leftovers_of_a_killed_process_are_deleted_and_never_read() {
    let place = Place::new();
    place.append("s", &rows(3_000, 1));
    place.take("s");
    let expected = place.files();
    let folder = place.tmp.path().join("data/backups/sessions/s");
    catchword_testkit::files::write(folder.join("main.0123.zst.new"), "half");
    catchword_testkit::files::write(folder.join("main.0123.zst"), "another tail");
    place.append("s", "{}\n");
    place.take("s");
    assert_eq!(place.files().len(), expected.len(), "{:?}", place.files());
    assert_eq!(place.restored("s"), rows(3_000, 1) + "{}\n");
}

#[cfg(unix)]
#[test]
fn files_are_private_and_odd_ids_stay_in_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.append("s", &rows(10, 1));
    let lock = place.backups.lock(true).unwrap();
    for session in ["../../evil", "a b:c", "..", "."] {
        let path = place.transcript("s");
        let original = Original {
            thread: &thread(session),
            path: &path,
            project: None,
            mask: SECRETS,
            is_left_out: &|_| None,
        };
        let taken = place.backups.take(&lock, &original, 0, &|| true);
        assert!(taken.unwrap().whole);
        assert!(place.backups.find(&thread(session)).unwrap().is_some());
    }
    let mut folders = vec![place.tmp.path().join("data")];
    assert_eq!(fs::read_dir(place.tmp.path()).unwrap().count(), 2, "nothing beside data and transcript");
    while let Some(folder) = folders.pop() {
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
    }
}

#[test]
fn damaged_piece_becomes_empty_lines() {
    let place = Place::new();
    place.append("s", &rows(10, 1));
    place.take("s");
    let name = place.files().into_iter().find(|name| !name.ends_with("json")).unwrap();
    let path = place.tmp.path().join("data/backups/sessions/s").join(name);
    catchword_testkit::files::write(path, piece::pack("something else\n").unwrap());
    let kept = place.backups.find(&thread("s")).unwrap().unwrap();
    let mut written = Vec::new();
    assert_eq!(place.backups.write(&kept, &mut written).unwrap(), [(1, 10)]);
    assert_eq!(written, b"\n".repeat(10));
    assert!(place.backups.lines(&kept)(&mut |_, _| true).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn any_split_of_a_transcript_gives_the_same_backup(cuts in prop::collection::vec(0..2_000_000usize, 0..4)) {
        let text = rows(4_000, 7);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.sort_unstable();
        cuts.push(text.len());
        let place = Place::new();
        let mut done = 0;
        for cut in cuts {
            place.append("s", &text[done..cut]);
            place.take("s");
            done = cut;
        }
        prop_assert_eq!(place.restored("s"), text.clone());
        let whole = Place::new();
        whole.append("s", &text);
        whole.take("s");
        prop_assert_eq!(place.files(), whole.files());
    }
}
