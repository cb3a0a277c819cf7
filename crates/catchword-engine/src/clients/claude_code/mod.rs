//! Claude Code: everything that knows its names.

mod arguments;
mod hook;
mod machine_text;
mod names;
mod origin;
mod replay;
mod setup;
mod skills;
mod status;
mod stream;
mod transcript;
mod window;
mod wire;

use super::environment::Environment;
use super::headless::Headless;
use super::{Client, Guide, Phrases, Room, SubagentFolder, Summaries, Transcripts, hook_protocol};
use crate::lexicon::summaries::Heading;

const NAME: &str = "claude-code";
const PROGRAM: &str = "claude";
/// Where transcripts of subagents are, see [`Transcripts::subagents`].
const SUBAGENTS: &str = "subagents";
/// Its folder in the home, and in a project.
const FOLDER: &str = ".claude";

/// Claude Code.
pub const CLIENT: Client = Client {
    name: NAME,
    phrases: Phrases {
        name: "Claude Code",
        compact: "/compact",
        clear: Some("/clear"),
        resume,
        tags: names::TAGS,
    },
    event: |payload| Some(hook::with_failed(hook_protocol::event(payload, hook::kind)?, payload)),
    entry: transcript::entry,
    marked_entry: Some(transcript::entry_with_marked_changes),
    replay: replay::row,
    is_row: transcript::is_row,
    owner: transcript::owner,
    transcripts: Transcripts {
        folder: "projects",
        subagents: Some(SubagentFolder {
            name: SUBAGENTS,
            of: |transcript| Some(transcript.with_extension("").join(SUBAGENTS)),
        }),
        is_of: transcript::is_of,
        project: Some(transcript::project),
        ..Transcripts::PLAIN
    },
    // Above 10,000 characters the model gets only a preview; this leaves a margin.
    room: Room::Characters(9_500),
    guide: Some(Guide { say: |_, text| text.to_owned(), characters: 10_000 }),
    status: status::status,
    window: window::window,
    has_larger: window::has_larger,
    chosen: window::chosen,
    threshold: window::threshold,
    model_key: window::model_key,
    environment: Environment {
        config_dir: "CLAUDE_CONFIG_DIR",
        home_folder: FOLDER,
        session: Some("CLAUDE_CODE_SESSION_ID"),
        process: Some("CLAUDE_PID"),
        in_shell: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
        attended: window::attended,
        limits: window::limits_set,
        model: window::chosen_in,
        ..Environment::PLAIN
    },
    commands: skills::COMMANDS,
    setup: setup::SETUP,
    headless: Some(Headless {
        example: "claude -p",
        example_options: "--permission-mode acceptEdits",
        parse: arguments::parse,
        words: arguments::words,
        row: stream::row,
        hello: stream::hello,
        hello_again: stream::hello_again,
        is_hello: stream::is_hello,
        ask_context: stream::ask_context,
        answer: stream::answer,
        prompt: stream::prompt,
        prompt_of_row: stream::prompt_of_row,
        put_before: stream::put_before,
        reset_row: stream::reset_row,
    }),
    summaries: SUMMARIES,
    words: names::WORDS,
    ..Client::PLAIN
};

const SUMMARIES: Summaries = Summaries {
    around: names::AROUND_SUMMARY,
    tags: Some(("analysis", "summary")),
    sections: &[
        (6, Heading::UserMessages),
        (7, Heading::Pending),
        (8, Heading::Current),
        (9, Heading::Current),
    ],
    errors: &[
        "api error",
        "limit reached",
        "rate limit",
        "overloaded",
        "prompt is too long",
        "conversation too long",
        "request timed out",
        "connection error",
        "internal server error",
        "authentication_error",
        "invalid api key",
        "credit balance",
        "request was aborted",
        "error during compaction",
        "execution error",
    ],
};

fn resume(session: &str) -> String {
    format!("{PROGRAM} --resume {session}")
}
