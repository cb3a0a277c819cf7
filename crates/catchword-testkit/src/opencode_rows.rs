//! Sessions of OpenCode 1.18.33 as its database has them, event by event, without what nobody reads.

use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::SessionRows;

const CWD: &str = "/home/user/project";
/// The tables that are read, with the columns that are.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, time_updated integer);
    CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text NOT NULL, data text NOT NULL);
    CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text NOT NULL, session_id text, data text NOT NULL);
    CREATE TABLE IF NOT EXISTS event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL,
        type text NOT NULL, data text NOT NULL);
    CREATE TABLE IF NOT EXISTS event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL);";

/// The log of one session.
#[derive(Clone, Debug)]
pub struct OpenCodeLog {
    id: String,
    parent: Option<String>,
    cwd: String,
    client: &'static str,
    events: Vec<(&'static str, Value)>,
    todos: Vec<Value>,
}

impl OpenCodeLog {
    pub fn new(id: &str) -> Self {
        let log = OpenCodeLog {
            id: id.to_owned(),
            parent: None,
            cwd: CWD.to_owned(),
            client: "opencode",
            events: Vec::new(),
            todos: Vec::new(),
        };
        let info = json!({"id": id, "directory": CWD});
        log.event("session.created.1", json!({"info": info}))
    }

    /// The same of Kilo.
    #[must_use]
    pub fn of_kilo(self) -> Self {
        OpenCodeLog { client: "kilo", ..self }
    }

    /// Another session's agent started it.
    #[must_use]
    pub fn started_by(self, parent: &str) -> Self {
        OpenCodeLog { parent: Some(parent.to_owned()), ..self }
    }

    #[must_use]
    pub fn cwd(self, folder: &Path) -> Self {
        OpenCodeLog { cwd: folder.to_string_lossy().into_owned(), ..self }
    }

    /// An event of any kind.
    #[must_use]
    pub fn event(mut self, kind: &'static str, mut data: Value) -> Self {
        data["sessionID"] = json!(self.id);
        data["time"] = json!(1_767_225_600_000_i64 + 1_000 * self.events.len() as i64);
        self.events.push((kind, data));
        self
    }

    fn message(self, info: Value) -> (Self, String) {
        let id = format!("msg_{}_{}", self.id, self.events.len());
        let mut info = info;
        info["id"] = json!(id);
        (self.event("message.updated.1", json!({"info": info})), id)
    }

    fn part(self, message: &str, mut part: Value) -> Self {
        let id = part["id"]
            .as_str()
            .map_or_else(|| format!("prt_{}_{}", self.id, self.events.len()), str::to_owned);
        part["id"] = json!(id);
        part["messageID"] = json!(message);
        self.event("message.part.updated.1", json!({"part": part}))
    }

    fn user(self, part: Value) -> Self {
        let (log, message) = self.message(json!({"role": "user"}));
        log.part(&message, part)
    }

    /// The person takes back the message before the latest event.
    #[must_use]
    pub fn takes_back_last_prompt(self) -> Self {
        let prompt = self.events.iter().rfind(|(_, data)| data["info"]["role"] == "user");
        let id = prompt.expect("a prompt").1["info"]["id"].clone();
        self.event("message.removed.1", json!({"messageID": id}))
    }

    fn answer(self, part: Value, finish: &str, mode: &str) -> Self {
        let parent = self.events.iter().rev().find(|(_, data)| data["info"]["role"] == "user");
        let parent = parent.map(|(_, data)| data["info"]["id"].clone()).unwrap_or_default();
        let info = json!({"role": "assistant", "mode": mode, "summary": mode == "compaction", "parentID": parent,
            "modelID": "fake-model", "time": {"created": 1}});
        let (log, message) = self.message(info.clone());
        let log = log.part(&message, part);
        let mut info = info;
        info["id"] = json!(message);
        info["finish"] = json!(finish);
        info["time"]["completed"] = json!(2);
        info["tokens"] =
            json!({"input": 12_000, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        log.event("message.updated.1", json!({"info": info}))
    }

    fn call(self, tool: &str, input: Value, output: &str, metadata: Value) -> Self {
        let id = format!("prt_{}_{}", self.id, self.events.len());
        let call = format!("call_{}", self.events.len());
        let part = |status: &str| {
            let state = json!({"status": status, "input": input, "output": output, "metadata": metadata});
            json!({"id": id, "type": "tool", "tool": tool, "callID": call, "state": state})
        };
        let log = self.part("msg_of_a_call", part("running"));
        log.answer(part("completed"), "tool-calls", "build")
    }

    /// What the latest row of a message says.
    fn latest(&self, id: Option<&str>, key: &str) -> Value {
        let rows = self.events.iter().rev().filter(|(kind, _)| *kind == "message.updated.1");
        let row = id.and_then(|id| rows.map(|(_, data)| &data["info"]).find(|info| info["id"] == id));
        row.map(|info| info[key].clone()).unwrap_or_default()
    }

    /// Writes the session into a database, which it makes if there is none.
    pub fn store(&self, path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of the test's own");
        let database = Connection::open(path).expect("a file of the test's own");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let written = || -> rusqlite::Result<()> {
            database.pragma_update(None, "journal_mode", "wal")?;
            database.execute_batch(SCHEMA)?;
            let session = params![self.id, self.parent, self.cwd, 1_767_225_600_000_i64];
            database.execute("INSERT OR REPLACE INTO session VALUES (?1, ?2, ?3, ?4)", session)?;
            for (seq, (kind, data)) in self.events.iter().enumerate() {
                let (info, part) = (&data["info"], &data["part"]);
                if *kind == "message.updated.1" {
                    let row = params![text(&info["id"]), self.id, info.to_string()];
                    database.execute("INSERT OR REPLACE INTO message VALUES (?1, ?2, ?3)", row)?;
                } else if part.is_object() {
                    let row = params![text(&part["id"]), text(&part["messageID"]), self.id, part.to_string()];
                    database.execute("INSERT OR REPLACE INTO part VALUES (?1, ?2, ?3, ?4)", row)?;
                } else if *kind == "message.removed.1" {
                    database.execute("DELETE FROM message WHERE id = ?1", [text(&data["messageID"])])?;
                }
                let id = format!("evt_{}_{seq}", self.id);
                let row = params![id, self.id, seq as i64, kind, data.to_string()];
                database.execute("INSERT OR REPLACE INTO event VALUES (?1, ?2, ?3, ?4, ?5)", row)?;
            }
            let last = params![self.id, self.events.len() as i64 - 1];
            database.execute("INSERT OR REPLACE INTO event_sequence VALUES (?1, ?2)", last)?;
            Ok(())
        };
        written().expect("the test's own database");
    }
}

impl SessionRows for OpenCodeLog {
    fn prompt(self, text: &str) -> Self {
        self.user(json!({"type": "text", "text": text}))
    }

    fn note(self, text: &str) -> Self {
        self.user(json!({"type": "text", "text": text, "synthetic": true}))
    }

    fn says(self, text: &str) -> Self {
        self.answer(json!({"type": "text", "text": text, "time": {"start": 1, "end": 2}}), "stop", "build")
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        self.call("bash", json!({"command": command}), printed, json!({"exit": exit}))
    }

    fn reads(self, path: &str, printed: &str) -> Self {
        self.call("read", json!({"filePath": path}), printed, json!({}))
    }

    fn task(mut self, subject: &str) -> Self {
        self.todos.push(json!({"content": subject, "status": "pending", "priority": "high"}));
        let input = json!({"todos": self.todos});
        self.call("todowrite", input, "ok", json!({}))
    }

    fn compaction(self, summary: &str) -> Self {
        let log = self.user(json!({"type": "compaction", "auto": true}));
        let part = json!({"type": "text", "text": summary, "time": {"start": 1, "end": 2}});
        let log = log.answer(part, "stop", "compaction");
        log.note("Continue if you have next steps.")
    }

    fn build(&self) -> String {
        let written = |(kind, data): &(&str, Value)| {
            if matches!(data["part"]["state"]["status"].as_str(), Some("pending" | "running")) {
                return "{}\n".to_owned();
            }
            let id = [&data["part"]["messageID"], &data["messageID"]].into_iter().find_map(Value::as_str);
            let of = |key: &str| self.latest(id, key);
            let is_summary = of("mode") == "compaction";
            let asked = of("parentID");
            let auto = self.events.iter().find(|(_, data)| {
                is_summary && data["part"]["type"] == "compaction" && data["part"]["messageID"] == asked
            });
            let auto = auto.map(|(_, data)| i32::from(data["part"]["auto"] == true));
            let is_typed = |(_, data): &(&str, Value)| {
                let part = &data["part"];
                part["messageID"].as_str() == id && part["type"] == "text" && part["synthetic"].is_null()
            };
            let typed = i32::from(*kind == "message.removed.1" && self.events.iter().any(is_typed));
            let failed = !of("error").is_null();
            format!(
                "{}\n",
                json!({"client": self.client, "event": kind, "session": self.id, "parent": self.parent,
                "cwd": self.cwd, "role": of("role"), "typed": typed, "mode": of("mode"), "failed": i32::from(failed), "auto": auto,
                "data": data})
            )
        };
        self.events.iter().map(written).collect()
    }
}
