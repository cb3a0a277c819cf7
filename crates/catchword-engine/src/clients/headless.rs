//! A client that runs without a terminal, in words that are the same for every client: what `catchword run` supervises.
//!
//! One prompt is one turn, however many tools it calls, and a turn may be longer than the context. The only moment at
//! which it can be ended without loss is after a batch of tools, before the model is asked again: a *boundary*.

use std::path::PathBuf;

use serde_json::Value;
use thiserror::Error;

/// How a client runs without a terminal. It prints a row per line, and takes prompts as rows on stdin.
pub struct Headless {
    /// A command line for people to start from; an argument with the prompt follows.
    pub example: &'static str,
    /// Further arguments such a command line may have, for the help.
    pub example_options: &'static str,
    /// Understands the words after the program.
    pub parse: fn(&[String]) -> Result<CommandLine, Refused>,
    /// The words for the first session (`true`) or a later one, with what was used so far taken off the limits.
    pub words: fn(&CommandLine, bool, &Spent) -> Vec<String>,
    /// What a printed row says. Never fails: what is not understood belongs to whoever reads the output.
    pub row: fn(&[u8]) -> StreamRow,
    /// The first line to the client: it is to ask us at each boundary. The value is what another program that drives the
    /// client wanted to say first; ours is added to it.
    pub hello: fn(Option<&Value>) -> String,
    /// The same for a later session, where the answer is not the other program's.
    pub hello_again: fn(Option<&Value>) -> String,
    /// Whether this row is the first line of another program that drives the client.
    pub is_hello: fn(&Value) -> bool,
    /// Asks the client about its context; [`StreamRow::Context`] is the answer.
    pub ask_context: fn() -> String,
    /// The answer to a boundary's request: go on (`true`) or end the turn.
    pub answer: fn(&str, bool) -> String,
    /// Texts as one prompt. The number tells it from all others of its session.
    pub prompt: fn(&[String], u64) -> StreamPrompt,
    /// A row of somebody's stdin, if it is a prompt. An id of its own is kept.
    pub prompt_of_row: fn(&str, u64) -> Option<StreamPrompt>,
    /// The same prompt with texts before it.
    pub put_before: fn(StreamPrompt, &[String]) -> StreamPrompt,
    /// A row for those who read the output: from here on another session is speaking. The session before, tokens used,
    /// the threshold, the number of resets.
    pub reset_row: fn(&str, u64, u64, u32) -> String,
}

/// How prompts come in, or answers go out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamFormat {
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// A row at a time.
    Rows,
}

/// A command line that is understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandLine {
    /// What the agent is asked to do, where the command line says so.
    pub prompt: Option<String>,
    pub input: StreamFormat,
    pub output: StreamFormat,
    /// Every row is wanted, not only the last.
    pub verbose: bool,
    /// Prompts are wanted back as rows.
    pub replay: bool,
    /// It goes on with an earlier session.
    pub resumes: bool,
    /// The model that was asked for.
    pub model: Option<String>,
    /// Requests to the model that the whole run may take.
    pub max_turns: Option<u64>,
    /// Dollars that the whole run may cost.
    pub max_cost: Option<f64>,
    /// All options in their order.
    pub options: Vec<GivenOption>,
}

impl CommandLine {
    /// Whether a further session could do anything within the client's own limits.
    pub fn has_left(&self, spent: &Spent) -> bool {
        self.max_turns.is_none_or(|most| spent.turns < most)
            && self.max_cost.is_none_or(|most| spent.cost < most)
    }
}

/// An option with its values, as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenOption {
    pub name: String,
    pub words: Vec<String>,
}

/// What the sessions so far have used of the client's own limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Requests to the model.
    pub turns: u64,
    /// Dollars.
    pub cost: f64,
}

/// Why a command line cannot be supervised; what to do instead is part of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Refused(pub String);

/// What a printed row says; the row itself belongs to whoever reads the output.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamRow {
    /// A turn begins; told again with every prompt.
    Begun {
        session: String,
        /// The model it was started with.
        model: Option<String>,
    },
    /// The model has answered.
    Used {
        /// Tokens that go with the next request.
        tokens: u64,
        model: Option<String>,
    },
    /// The context was compacted, after all.
    Compacted,
    /// A prompt of this id has reached the model, or is about to.
    Taken {
        id: String,
        /// The id is one of ours.
        ours: bool,
        /// The row repeats the prompt.
        replay: bool,
    },
    Background(Background),
    /// A prompt is about to reach the model. The client asks there, too: it is how we learn of the transcript of a
    /// session that calls no tools.
    Prompted(Boundary),
    /// Tools have run, and the client asks whether to go on.
    Boundary(Boundary),
    /// The client's own word on its context.
    Context(ToldContext),
    /// Another answer to a request of ours.
    Ours,
    /// An answer to somebody's request; the client also repeats answers that were given to itself.
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
    /// To be named in the answer.
    pub request: String,
    /// It happened in a subagent.
    pub sub: bool,
    pub session: String,
    pub transcript: PathBuf,
}

/// The client's own word on its context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToldContext {
    /// Tokens the model takes at most.
    pub window: Option<u64>,
    /// Tokens at which it will be compacted; `None` where it never is.
    pub threshold: Option<u64>,
}

/// How a turn ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndedTurn {
    pub session: String,
    /// It was ended at a boundary, because we said so.
    pub stopped: bool,
    /// Something went wrong.
    pub failed: bool,
    /// What the client prints where text is wanted.
    pub text: String,
    /// Requests to the model in this turn.
    pub turns: u64,
    /// What the session has cost so far, in dollars.
    pub cost: f64,
    /// Tokens the model takes at most, where the row tells of one model only.
    pub window: Option<u64>,
}

/// Something to be said to the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamPrompt {
    /// By which the client tells that it has reached the model.
    pub id: String,
    /// What it says.
    pub texts: Vec<String>,
    /// As the client takes it.
    pub row: Value,
}

impl StreamPrompt {
    /// The line for the client's stdin.
    pub fn line(&self) -> String {
        self.row.to_string()
    }

    /// A command of the client's, which means something only when nothing is before it.
    pub fn is_slash(&self) -> bool {
        self.texts.first().is_some_and(|text| text.trim_start().starts_with('/'))
    }
}
