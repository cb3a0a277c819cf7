//! Transcripts damaged by crashes, disks, other programs and strangers.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use catchword_testkit::{SESSION, Transcript, files};
use serde_json::json;

use super::{BIN, brief, index};
use crate::hook::{SOON, Stage, a_session};

/// All ways of cutting, damaging and mixing that leave the other rows as they were. The brief must still have them.
#[test]
fn damaged_rows_do_not_affect_others() {
    type Spoil = fn(&str) -> Vec<u8>;
    let cases: [(&str, Spoil); 14] = [
        ("cut in the middle of its last row", |text| text.as_bytes()[..text.len() - 40].to_vec()),
        ("cut within a character", |text| {
            let mut bytes = format!("{text}{{\"type\":\"user\",\"message\":\"ä").into_bytes();
            bytes.pop();
            bytes
        }),
        ("invalid UTF-8 in a row of its own", |text| [text.as_bytes(), b"\xff\xfe\xc3\x28\n"].concat()),
        ("invalid UTF-8 within a text", |text| {
            [text.as_bytes(), b"{\"type\":\"user\",\"message\":{\"content\":\"a\xff\xfeb\"}}\n"].concat()
        }),
        ("NUL bytes before, within and behind rows", |text| {
            let mut bytes = vec![0; 4096];
            bytes.extend_from_slice(text.as_bytes());
            bytes.extend_from_slice(b"\0\0\n\0{\"type\":\"user\"}\0\n");
            bytes.extend(std::iter::repeat_n(0, 4096));
            bytes
        }),
        ("lone surrogates", |text| {
            format!(
                "{text}{{\"type\":\"user\",\"uuid\":\"\\ud800\",\"message\":{{\"content\":\"a\\udfffb\"}}}}\n"
            )
            .into_bytes()
        }),
        ("nested deeply", |text| {
            let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
            format!("{text}{{\"type\":\"user\",\"message\":{{\"content\":{deep}}}}}\n{deep}\n").into_bytes()
        }),
        ("nested deeply in objects", |text| {
            let deep = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
            format!("{text}{{\"type\":\"assistant\",\"toolUseResult\":{deep}}}\n").into_bytes()
        }),
        ("every row twice", |text| format!("{text}{text}").into_bytes()),
        ("rows that are their own parents", |text| {
            let own = json!({"type": "user", "uuid": "a", "parentUuid": "a", "message": {"content": "x"}});
            let (b, c) = (
                json!({"type": "user", "uuid": "b", "parentUuid": "c", "message": {"content": "y"}}),
                json!({"type": "user", "uuid": "c", "parentUuid": "b", "message": {"content": "z"}}),
            );
            format!("{text}{own}\n{b}\n{c}\n").into_bytes()
        }),
        ("times out of order", |text| {
            let times =
                ["2026-01-01T00:00:09Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday", ""];
            let rows = times.iter().fold(String::new(), |rows, time| {
                let row = json!({"type": "user", "timestamp": time, "message": {"content": "x"}});
                format!("{rows}{row}\n")
            });
            format!("{rows}{text}").into_bytes()
        }),
        ("unknown everything", |text| {
            let rows = [
                json!({"type": "hologram", "beam": [1, 2, {"x": null}]}),
                json!({"type": "user", "message": {"role": "user", "content": [{"type": "smell", "of": "coffee"}]}}),
                json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Teleport", "input": 7}]}}),
                json!({"type": "system", "subtype": "unheard_of", "content": {"a": 1}}),
                json!({"type": "attachment", "attachment": {"type": "gift", "wrapped": true}}),
                json!({"type": ["user"], "uuid": 7, "timestamp": {}, "isSidechain": "yes", "cwd": 4, "message": []}),
                json!([1, 2, 3]),
                json!("a string"),
                json!(null),
            ];
            rows.iter().fold(text.to_owned(), |text, row| format!("{text}{row}\n")).into_bytes()
        }),
        ("empty rows and other line ends", |text| {
            format!("\n\n\r\n{}\r\n \n\t\n", text.replace('\n', "\r\n")).into_bytes()
        }),
        ("a byte order mark", |text| format!("\u{feff}{}\n{text}", json!({"type": "user"})).into_bytes()),
    ];
    for (name, spoil) in cases {
        let stage = Stage::new();
        files::write(stage.env.transcript_path(SESSION), spoil(&a_session().build()));
        for hook in [stage.hooks().post_tool_batch(&[]), stage.hooks().stop("Done.")] {
            super::assert_silent(name, &hook);
        }
        assert!(!stage.log().contains("panicked"), "{name}: {}", stage.log());
        let brief = brief(&stage);
        for told in ["Never touch the lock file", "write the parser", "src/parser.rs"] {
            assert!(brief.contains(told), "{name}: {told}\n{brief}");
        }
        let entries = index(&stage.env);
        assert!(entries.iter().all(|(_, times)| *times == 1), "{name}: {entries:?}");
        for args in
            [&["brief", SESSION][..], &["recall", "L1", "--session", SESSION], &["brief", "--why", SESSION]]
        {
            let output = stage.env.run(BIN, args);
            assert!(!output.stderr.contains("panicked"), "{name} {args:?}:\n{output}");
        }
    }
}

#[test]
fn duplicate_rows_count_once() {
    let stage = Stage::new();
    let text = a_session().build();
    files::write(stage.env.transcript_path(SESSION), format!("{text}{text}{text}"));
    super::assert_silent("stop", &stage.hooks().stop("Done."));
    assert_eq!(index(&stage.env).len(), a_session().line_count());
    let brief = brief(&stage);
    assert_eq!(brief.matches("Goal:").count(), 1, "{brief}");
    assert_eq!(brief.matches("write the parser").count(), 1, "{brief}");
}

/// The client says which session a hook belongs to; rows of another session in the file cannot change that.
#[test]
fn two_sessions_in_one_file_count_as_the_one_the_client_names() {
    let stage = Stage::new();
    let other = Transcript::new().session("22222222-2222-4222-8222-222222222222").prompt("Other words.");
    let sub =
        Transcript::new().as_subagent("a1").prompt("Never trust a subagent.").says("Words of a subagent.");
    files::write(
        stage.env.transcript_path(SESSION),
        format!("{}{}{}", a_session().build(), other.build(), sub.build()),
    );
    super::assert_silent("stop", &stage.hooks().stop("Done."));
    let sessions = stage.env.run(BIN, &["status", "--all", "--json"]).success().json();
    assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{sessions:#}");
    let brief = brief(&stage);
    assert!(brief.contains("write the parser") && !brief.contains("subagent"), "{brief}");
}

#[test]
fn replaced_transcript_is_read_from_the_start() {
    let stage = Stage::new();
    let path = stage.env.transcript_path(SESSION);
    super::assert_silent("first", &stage.hooks().stop("Done."));
    std::fs::remove_file(&path).expect("our own file");
    super::assert_silent("gone", &stage.hooks().post_tool_batch(&[]));
    super::assert_silent("gone", &stage.hooks().stop("Done."));
    assert!(brief(&stage).contains("write the parser"), "what was read before is kept");
    let other = Transcript::new().prompt("Paint the door. Never use red.").task_create("buy the paint");
    other.write_to(&path);
    super::assert_silent("another", &stage.hooks().stop("Done."));
    assert_eq!(index(&stage.env).len(), other.line_count());
    let then = brief(&stage);
    assert!(then.contains("buy the paint") && !then.contains("write the parser"), "{then}");
    // Truncated, as by a restored backup.
    let text = other.build();
    let first = text.find('\n').expect("a row") + 1;
    files::write(&path, &text.as_bytes()[..first]);
    super::assert_silent("cut", &stage.hooks().stop("Done."));
    assert_eq!(index(&stage.env).len(), 1);
    other.write_to(&path);
    super::assert_silent("whole", &stage.hooks().stop("Done."));
    assert_eq!(index(&stage.env).len(), other.line_count());
}

#[test]
fn rows_written_during_a_read_are_recorded_by_this_hook_or_the_next() {
    let stage = Stage::new();
    let path = stage.env.transcript_path(SESSION);
    let mut transcript = a_session();
    transcript.append_to(&path);
    // Only the last 500 rows of a new transcript are indexed; this one is known from its first rows on.
    super::assert_silent("first", &stage.hooks().post_tool_batch(&[]));
    let lines = std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("our own file");
            for n in 0..3_000 {
                let from = transcript.line_count();
                transcript = transcript.says(&format!("row {n} {}", "x".repeat(n % 3_000)));
                // In two halves, as clients flush.
                let text = transcript.text_from(from);
                let (head, tail) = text.split_at(text.len() / 2);
                file.write_all(head.as_bytes()).expect("our own file");
                std::thread::yield_now();
                file.write_all(tail.as_bytes()).expect("our own file");
            }
            transcript.line_count()
        });
        let mut n = 0;
        while n < 5 || !writer.is_finished() {
            let hooks = stage.hooks();
            let output = if n % 5 == 4 { hooks.stop("Done.") } else { hooks.post_tool_batch(&[]) };
            super::assert_silent("growing", &output);
            n += 1;
        }
        writer.join().expect("no panic")
    });
    let rows: Vec<(String, i64)> = (1..=lines).map(|line| (format!("{SESSION}:{line}"), 1)).collect();
    // As many hooks as it takes: on a slow machine a hook stops at its deadline.
    for _ in 0..60 {
        super::assert_silent("after", &stage.hooks().stop("Done."));
        if index(&stage.env).len() == rows.len() {
            break;
        }
    }
    assert_eq!(index(&stage.env), rows);
    assert!(!stage.log().contains("JSON"), "no half row was taken for one: {}", stage.log());
}

#[test]
fn row_of_200_megabytes_is_skipped_in_bounded_memory() {
    let stage = Stage::new();
    let path = stage.env.transcript_path(SESSION);
    {
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("our own file");
        file.write_all(b"{\"type\":\"user\",\"message\":{\"content\":\"").expect("our own file");
        let megabyte = vec![b'x'; 1 << 20];
        for _ in 0..200 {
            file.write_all(&megabyte).expect("our own file");
        }
        file.write_all(b"\"}}\n").expect("our own file");
    }
    files::append(&path, Transcript::new().session("s2").prompt("Never use red paint.").build());
    // 192 MB of address space: more than the program and its longest row, less than this one.
    let begun = std::time::Instant::now();
    let limit = "ulimit -v 196608";
    for _ in 0..20 {
        let payload = stage.hooks().payload("Stop", json!({"last_assistant_message": "Done."})).to_string();
        let output = stage.env.run_command(super::limited(&stage.env, limit), payload);
        super::assert_silent("a long row", &output);
        if index(&stage.env).len() == a_session().line_count() + 1 {
            break;
        }
    }
    assert!(begun.elapsed() < SOON * 4, "{:?}", begun.elapsed());
    assert!(stage.log().contains("too long"), "{}", stage.log());
    let brief = brief(&stage);
    assert!(brief.contains("write the parser") && brief.contains("Never use red paint"), "{brief}");
}

/// Sparse: a gigabyte of NUL bytes is one row that nobody wrote.
#[test]
fn a_gigabyte_of_nul_bytes_is_survived() {
    let stage = Stage::new();
    let path = stage.env.transcript_path(SESSION);
    {
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).expect("our own file");
        file.seek(SeekFrom::Start(1 << 30)).expect("our own file");
        file.write_all(b"\n").expect("our own file");
    }
    let begun = std::time::Instant::now();
    for output in [stage.hooks().post_tool_batch(&[]), stage.hooks().stop("Done.")] {
        super::assert_silent("sparse", &output);
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert!(brief(&stage).contains("write the parser"));
}

#[test]
#[ignore = "writes a gigabyte; the results are in docs/reliability.md"]
fn a_gigabyte_of_rows_is_read_in_bounded_memory() {
    let stage = Stage::new();
    let path = stage.env.transcript_path(SESSION);
    let rows = write_a_gigabyte(&path);
    let limit = "ulimit -v 262144";
    let begun = std::time::Instant::now();
    let mut hooks = 0;
    while index_len(&stage) < rows && hooks < 2_000 {
        let payload = stage.hooks().payload("Stop", json!({"last_assistant_message": "Done."})).to_string();
        let output = stage.env.run_command(super::limited(&stage.env, limit), payload);
        super::assert_silent("a gigabyte", &output);
        hooks += 1;
    }
    #[expect(clippy::print_stderr, reason = "the figures are what it is run for")]
    {
        eprintln!("{rows} rows in {hooks} hooks and {:?}", begun.elapsed());
    }
    assert_eq!(index_len(&stage), rows);
    assert!(brief(&stage).contains("Never use red paint"));
}

fn index_len(stage: &Stage) -> usize {
    if stage.env.data().join("catchword.db").exists() { index(&stage.env).len() } else { 0 }
}

fn write_a_gigabyte(path: &Path) -> usize {
    let mut transcript = Transcript::new().prompt("Never use red paint.");
    transcript.write_to(path);
    let mut file =
        std::io::BufWriter::new(std::fs::OpenOptions::new().append(true).open(path).expect("our own"));
    let (mut written, mut rows) = (0_usize, transcript.line_count());
    while written < 1 << 30 {
        let from = transcript.line_count();
        transcript = transcript.bash(&format!("cat part-{rows}")).ok(&"lorem ipsum ".repeat(900));
        let text = transcript.text_from(from);
        written += text.len();
        rows += 2;
        file.write_all(text.as_bytes()).expect("our own file");
    }
    rows
}
