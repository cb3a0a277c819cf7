//! The hook that records its input.

use std::path::{Path, PathBuf};

use catchword_testkit::{TestEnv, files};
use serde_json::{Map, Value, json};

use crate::scrub::Scrub;

/// Every event the client knows, whether or not a scene triggers it.
const EVENTS: [&str; 28] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TaskCreated",
    "TaskCompleted",
    "ConfigChange",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "WorktreeRemove",
];

pub struct Recorder {
    settings: PathBuf,
    payloads: PathBuf,
    status_lines: PathBuf,
}

impl Recorder {
    pub fn new(env: &TestEnv) -> Self {
        let folder = env.root().join("recorder");
        let (payloads, status_lines) = (folder.join("payloads"), folder.join("status-lines"));
        let hook = write_down(&folder.join("hook.sh"), &payloads);
        let status_line = write_down(&folder.join("status-line.sh"), &status_lines);
        let hooks: Map<String, Value> = EVENTS
            .iter()
            .map(|event| {
                // Without `args`: old versions only know the shell form.
                let hook = json!({"type": "command", "command": format!("/bin/sh {}", hook.display())});
                ((*event).to_owned(), json!([{"hooks": [hook]}]))
            })
            .collect();
        let line = json!({"type": "command", "command": format!("/bin/sh {}", status_line.display())});
        let settings = folder.join("settings.json");
        files::write(&settings, json!({"hooks": hooks, "statusLine": line}).to_string());
        Recorder { settings, payloads, status_lines }
    }

    pub fn settings(&self) -> &Path {
        &self.settings
    }

    /// From now on the hook answers `event` with `text`; `SessionStart` includes its source: `SessionStart-compact`.
    pub fn answer(&self, event: &str, text: &str) {
        files::write(self.settings.with_file_name("answers").join(event), text);
    }

    /// The number of recorded payloads of `event`.
    pub fn count(&self, event: &str) -> usize {
        let is_event = |text: &String| {
            serde_json::from_str::<Value>(text).is_ok_and(|payload| payload["hook_event_name"] == event)
        };
        read_all(&self.payloads).iter().filter(|text| is_event(text)).count()
    }

    /// The number of recorded inputs of the status line.
    pub fn status_line_count(&self) -> usize {
        read_all(&self.status_lines).len()
    }

    /// Writes `hooks.jsonl`, the transcripts, and the inputs of the status line if there were any.
    pub fn lay_down(&self, env: &TestEnv, into: &Path) {
        let mut scrub = Scrub::new(env);
        let mut payloads = |folder: &Path| -> String {
            read_all(folder).iter().map(|text| scrub.text(text.trim_end()) + "\n").collect()
        };
        let (hooks, status_lines) = (payloads(&self.payloads), payloads(&self.status_lines));
        for (name, text) in [("hooks.jsonl", hooks), ("status-line.jsonl", status_lines)] {
            if !text.is_empty() {
                files::write(into.join(name), text);
            }
        }
        let projects = env.home().join(".claude/projects");
        for path in files_below(&projects) {
            // The first part is the slug of a temporary folder.
            let inside: PathBuf =
                path.strip_prefix(&projects).expect("found below it").components().skip(1).collect();
            let name = scrub.text(inside.to_str().expect("the client's names are ASCII"));
            let text = files::read(&path);
            let is_transcript = path.extension().is_some_and(|e| e == "jsonl");
            let scrubbed: String = if is_transcript {
                text.lines().map(|line| scrub.row(line) + "\n").collect()
            } else {
                scrub.text(&text)
            };
            files::write(into.join("transcripts").join(name), scrubbed);
        }
    }
}

/// The texts of all payloads in `folder`, in the order in which they came.
pub fn read_all(folder: &Path) -> Vec<String> {
    let whole = files_below(folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "json"));
    whole.map(files::read).collect()
}

/// Prints the text that [`Recorder::answer`] stored for the event, if any.
const ANSWER: &str = r#"
name=$(sed -n 's/.*"hook_event_name":"\([A-Za-z]*\)".*/\1/p' $f.json)
source=$(sed -n 's/.*"source":"\([a-z]*\)".*/-\1/p' $f.json)
answer=$(dirname $0)/answers/$name$source
if [ -f $answer ]; then cat $answer; fi
"#;

/// A script that puts its stdin into a file named by the time, then into place: a half-written payload is no
/// payload.
pub fn write_down(script: &Path, into: &Path) -> PathBuf {
    std::fs::create_dir_all(into).expect("a folder in our own temporary directory");
    let body = format!("f={}/$(date +%s%N)-$$\ncat > $f.part\nmv $f.part $f.json\n{ANSWER}", into.display());
    files::write(script, body);
    script.to_owned()
}

/// All files below `folder`, sorted by name.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
