//! A client that runs without a terminal, in terms that fit every client: what `catchword run` supervises.
//!
//! One prompt is one turn, however many tools it calls, and a turn may be longer than the context. It can be ended
//! without loss only after a batch of tools, before the next request to the model: at a *boundary*.

use std::path::PathBuf;

use serde_json::Value;
use thiserror::Error;

/// How a client runs without a terminal. It prints one row per line, and reads prompts as rows from stdin.
pub struct Headless {
    /// An example of a command line; the prompt follows.
    pub example: &'static str,
    /// More arguments for the example in the help.
    pub example_options: &'static str,
    /// Parses the arguments.
    pub parse: fn(&[String]) -> Result<CommandLine, Refused>,
    /// The arguments for the first session (`true`) or a later one, with what was spent subtracted from the limits.
    pub words: fn(&CommandLine, bool, &Spent) -> Vec<String>,
    /// Parses a printed row. Never fails: unknown rows are [`StreamRow::Other`].
    pub row: fn(&[u8]) -> StreamRow,
    /// The first row for the client: it should ask us at each boundary. The value is the first row of another program that
    /// drives the client; ours is merged into it.
    pub hello: fn(Option<&Value>) -> String,
    /// The same for a later session, whose answer is not for the other program.
    pub hello_again: fn(Option<&Value>) -> String,
    /// Whether this row is the first line of another program that drives the client.
    pub is_hello: fn(&Value) -> bool,
    /// Asks the client about its context; [`StreamRow::Context`] is the answer.
    pub ask_context: fn() -> String,
    /// The answer to a boundary's request: go on (`true`) or end the turn.
    pub answer: fn(&str, bool) -> String,
    /// Texts as one prompt. The number makes its id unique in the session.
    pub prompt: fn(&[String], u64) -> StreamPrompt,
    /// A row from stdin, if it is a prompt. It keeps its id.
    pub prompt_of_row: fn(&str, u64) -> Option<StreamPrompt>,
    /// The same prompt with texts in front.
    pub put_before: fn(StreamPrompt, &[String]) -> StreamPrompt,
    /// A row for readers of the output: another session continues from here. Arguments: the session before, tokens used,
    /// the threshold, the number of resets.
    pub reset_row: fn(&str, u64, u64, u32) -> String,
}

/// Format of prompts or answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamFormat {
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// A row at a time.
    Rows,
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandLine {
    /// The prompt, if the command line has one.
    pub prompt: Option<String>,
    pub input: StreamFormat,
    pub output: StreamFormat,
    /// Print every row, not only the last.
    pub verbose: bool,
    /// Print prompts as rows, too.
    pub replay: bool,
    /// It resumes an earlier session.
    pub resumes: bool,
    /// The requested model.
    pub model: Option<String>,
    /// Most requests to the model in the whole run.
    pub max_turns: Option<u64>,
    /// Most dollars for the whole run.
    pub max_cost: Option<f64>,
    /// All options in their order.
    pub options: Vec<GivenOption>,
}

impl CommandLine {
    /// Whether the limits leave room for another session.
    pub fn has_left(&self, spent: &Spent) -> bool {
        self.max_turns.is_none_or(|most| spent.turns < most)
            && self.max_cost.is_none_or(|most| spent.cost < most)
    }
}

/// An option with its values, as given.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenOption {
    pub name: String,
    pub words: Vec<String>,
}

/// What the sessions so far used of the client's own limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Requests to the model.
    pub turns: u64,
    /// Dollars.
    pub cost: f64,
}

/// Why a command line cannot be supervised, and what to do instead.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Refused(pub String);

/// The meaning of a printed row.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamRow {
    /// A turn begins; repeated with every prompt.
    Begun {
        session: String,
        /// The model it was started with.
        model: Option<String>,
    },
    /// The model has answered.
    Used {
        /// Tokens of the next request.
        tokens: u64,
        model: Option<String>,
    },
    /// The context was compacted.
    Compacted,
    /// The prompt with this id has reached the model, or is about to.
    Taken {
        id: String,
        /// It is one of our prompts.
        ours: bool,
        /// The row repeats the prompt.
        replay: bool,
    },
    Background(Background),
    /// A prompt is about to reach the model. The client asks there, too; a session without tool calls tells us its
    /// transcript only this way.
    Prompted(Boundary),
    /// Tools have run, and the client asks whether to go on.
    Boundary(Boundary),
    /// The client's own word on its context.
    Context(ToldContext),
    /// Another answer to a request of ours.
    Ours,
    /// An answer to a request of another program; the client also repeats answers that it received.
    Answered(String),
    /// The turn is over.
    Ended(EndedTurn),
    /// Everything else, subagents included.
    Other,
}

/// What the client runs in the background.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Background {
    /// Subagents at work.
    pub agents: usize,
    /// Shells, in a few words each.
    pub shells: Vec<String>,
}

/// The moment between two requests to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// The id to repeat in the answer.
    pub request: String,
    /// It happened in a subagent.
    pub sub: bool,
    pub session: String,
    pub transcript: PathBuf,
}

/// The client's own word on its context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToldContext {
    /// The model's window in tokens.
    pub window: Option<u64>,
    /// Tokens at which it will be compacted; `None` if never.
    pub threshold: Option<u64>,
}

/// How a turn ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndedTurn {
    pub session: String,
    /// We ended it at a boundary.
    pub stopped: bool,
    /// Something went wrong.
    pub failed: bool,
    /// What the client prints in text mode.
    pub text: String,
    /// Requests to the model in this turn.
    pub turns: u64,
    /// Cost of the session so far, in dollars.
    pub cost: f64,
    /// The model's window in tokens, if the row names a single model.
    pub window: Option<u64>,
}

/// A prompt for the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamPrompt {
    /// The id with which the client reports that it reached the model.
    pub id: String,
    /// Its texts.
    pub texts: Vec<String>,
    /// As the client reads it.
    pub row: Value,
}

impl StreamPrompt {
    /// The line for the client's stdin.
    pub fn line(&self) -> String {
        self.row.to_string()
    }

    /// A command of the client, which works only if nothing precedes it.
    pub fn is_slash(&self) -> bool {
        self.texts.first().is_some_and(|text| text.trim_start().starts_with('/'))
    }
}
