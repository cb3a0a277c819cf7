//! Seventeen long sessions in six languages, with summaries as long as real ones, played in the real client.
//!
//! `long_sessions.json` was written by somebody who had seen neither rules nor product. A line that the summary lost
//! counts as given back if the brief has it word by word.

use catchword_eval::pattern::{FactPattern, PatternText};
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Sessions {
    requirements: Vec<Session>,
    findings: Vec<Session>,
    unfinished: Vec<Session>,
}

#[derive(Deserialize)]
struct Session {
    id: String,
    /// Without one, the first step is what the person asks.
    prompt: Option<String>,
    steps: Vec<Step>,
    summary: String,
    /// What the summary lost of the prompt.
    #[serde(default)]
    dropped: Vec<Lost>,
    /// What it lost of what the agent said.
    #[serde(default)]
    must_find: Vec<String>,
    /// What nobody may say of it.
    #[serde(default)]
    must_not_say: Vec<String>,
}

#[derive(Deserialize)]
struct Lost {
    must_find: Vec<String>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Step {
    User { text: String },
    Say { text: String },
    Run { command: String, output: String, exit_code: i32 },
    Edit { path: String, old: String, new: String },
}

fn sessions() -> Sessions {
    serde_json::from_str(include_str!("long_sessions.json")).unwrap()
}

impl Session {
    /// Plays it in a world of its own, up to the request after its compaction.
    fn play(&self, client: &RealClient) -> (World, FakeApi) {
        let world = World::new(client, &Hook::Catchword);
        self.prepare(&world);
        let mut prompts: Vec<&str> = self.prompt.iter().map(String::as_str).collect();
        let mut turns = Turns::default();
        for step in &self.steps {
            match step {
                Step::User { text } => {
                    if !prompts.is_empty() {
                        turns.end();
                    }
                    prompts.push(text);
                }
                Step::Say { text } => turns.say(text),
                Step::Run { command, .. } => {
                    turns.call("Bash", json!({"command": command, "description": "Run"}));
                }
                Step::Edit { path, old, new } => {
                    let path = world.env.project().join(path);
                    if old.is_empty() {
                        turns.call("Write", json!({"file_path": path, "content": new}));
                    } else {
                        turns.call("Read", json!({"file_path": path}));
                        turns.call("Edit", json!({"file_path": path, "old_string": old, "new_string": new}));
                    }
                }
            }
        }
        turns.end();
        turns.say("Going on.");
        turns.end();
        let api = FakeApi::start(turns.script.never_full().summary(&self.summary));
        prompts.extend(["/compact", "Go on."]);
        let _ = world.run(&api, &[]).conversation(&prompts);
        assert_eq!(api.turns_left(), 0, "{}", self.id);
        (world, api)
    }

    /// The files that it edits, and a hook that gives each command the output that the session has for it.
    fn prepare(&self, world: &World) {
        for step in &self.steps {
            if let Step::Edit { path, old, .. } = step {
                let before = std::fs::read_to_string(world.env.project().join(path)).unwrap_or_default();
                if !old.is_empty() && !before.contains(old.as_str()) {
                    world.env.write(path, &format!("{before}{old}\n"));
                }
            }
        }
        let folder = world.env.root().join("outputs");
        let runs = self.steps.iter().filter_map(|step| match step {
            Step::Run { output, exit_code, .. } => Some((output, exit_code)),
            _ => None,
        });
        for (n, (output, code)) in runs.enumerate() {
            files::write(folder.join(format!("{n}.out")), output);
            files::write(
                folder.join(format!("{n}.sh")),
                format!("cat '{0}/{n}.out'\nexit {code}\n", folder.display()),
            );
        }
        let script = folder.join("hook.sh");
        let body = "cd \"$(dirname \"$0\")\"\ncat >/dev/null\nn=$(cat n)\necho $((n + 1)) >n\n[ -f $n.sh ] || exit 0\n\
            printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\
            \"updatedInput\":{\"command\":\"sh %s/%s.sh\"}}}' \"$PWD\" $n\n";
        files::write(folder.join("n"), "0\n");
        files::write(&script, body);
        let mut settings: Value = serde_json::from_str(&files::read(&world.settings)).unwrap();
        let hook = json!({"type": "command", "command": "/bin/sh", "args": [script], "timeout": 10});
        let before = settings["hooks"]["PreToolUse"].as_array_mut().unwrap();
        before.push(json!({"matcher": "Bash", "hooks": [hook]}));
        files::write(&world.settings, settings.to_string());
    }

    /// The brief, and everything else that we say of the session.
    fn told(&self, client: &RealClient) -> (String, String) {
        let (world, api) = self.play(client);
        let start: String = self.summary.chars().take(40).collect();
        let brief = the_one_brief(&api, &start).unwrap_or_else(|error| panic!("{}: {error}", self.id));
        let guide = api.requests_for(&Asked::Summary)[0].conversation();
        let guide = guide.split_once("Keep in the summary, verbatim").map(|(_, guide)| guide.to_owned());
        let said =
            |arguments: &[&str]| world.env.run(env!("CARGO_BIN_EXE_catchword"), arguments).success().stdout;
        let rest =
            [guide.unwrap_or_default(), said(&["handoff"]), said(&["handoff", "--replay"]), said(&["note"])];
        (brief, rest.join("\n"))
    }
}

/// The answers of the agent: what it says before a call stands in the same one.
#[derive(Default)]
struct Turns {
    script: Script,
    said: Option<FakeAnswer>,
}

impl Turns {
    fn say(&mut self, text: &str) {
        self.said = Some(match self.said.take() {
            Some(said) => said.and_text(text),
            None => FakeAnswer::text(text),
        });
    }

    fn call(&mut self, tool: &str, input: Value) {
        let answer = match self.said.take() {
            Some(said) => said.and_tool(tool, input),
            None => FakeAnswer::tool(tool, input),
        };
        self.script = std::mem::take(&mut self.script).turn(answer);
    }

    /// A turn ends with words; some of the sessions break off after a call.
    fn end(&mut self) {
        let said = self.said.take().unwrap_or_else(|| FakeAnswer::text("One moment."));
        self.script = std::mem::take(&mut self.script).turn(said);
    }
}

/// On one line; our quotations have ' for quotation marks.
fn flat(text: &str) -> String {
    text.replace('"', "'").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn has_all(text: &str, wanted: &[String]) -> bool {
    let text = flat(text);
    wanted.iter().all(|words| text.contains(&flat(words)))
}

#[test]
fn requirements_that_a_long_summary_lost_come_back() {
    let client = real_client_or_skip!();
    let (mut all, mut missing) = (0, Vec::new());
    for session in sessions().requirements {
        let (brief, _) = session.told(&client);
        all += session.dropped.len();
        let lost = session.dropped.iter().filter(|lost| !has_all(&brief, &lost.must_find));
        missing.extend(lost.map(|lost| format!("{}: {:?} in\n{brief}", session.id, lost.must_find)));
    }
    assert_eq!(all, 16);
    assert!(missing.len() <= 3, "{} of 16 are missing:\n{}", missing.len(), missing.join("\n\n"));
}

#[test]
fn findings_that_a_long_summary_lost_come_back() {
    let client = real_client_or_skip!();
    let mut missing = Vec::new();
    let all = sessions().findings;
    assert_eq!(all.len(), 6);
    for session in all {
        let (brief, _) = session.told(&client);
        if !has_all(&brief, &session.must_find) {
            missing.push(format!("{}: {:?} in\n{brief}", session.id, session.must_find));
        }
    }
    assert!(missing.len() <= 1, "{} of 6 are missing:\n{}", missing.len(), missing.join("\n\n"));
}

#[test]
fn what_is_left_comes_back_and_nothing_is_called_finished() {
    let client = real_client_or_skip!();
    let mut missing = Vec::new();
    let all = sessions().unfinished;
    assert_eq!(all.len(), 5);
    for session in all {
        let (brief, rest) = session.told(&client);
        let told = PatternText::new(&format!("{brief}\n{rest}"));
        for pattern in &session.must_not_say {
            let pattern: FactPattern = pattern.parse().unwrap();
            assert_eq!(pattern.is_in(&told), Ok(false), "{}: {pattern:?} in\n{brief}\n{rest}", session.id);
        }
        if !has_all(&brief, &session.must_find) {
            missing.push(format!("{}: {:?} in\n{brief}", session.id, session.must_find));
        }
    }
    assert!(missing.len() <= 1, "{} of 5 are missing:\n{}", missing.len(), missing.join("\n\n"));
}
