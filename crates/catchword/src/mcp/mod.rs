//! `catchword mcp`: the record as tools for the agent, over the Model Context Protocol on stdin and stdout.
//!
//! Only the protocol, by the official SDK. Tools ([`tools`]) call the same functions as the commands, return pages
//! ([`page`]), and are about the session that the client works in ([`whose`]). The program's only async runtime starts
//! here, on one thread, and lives as long as the client keeps the pipe open. Only the protocol may write to stdout.
//! Each call opens the databases anew, so that a server that runs for days sees what hooks of any version have written.
//! Only the later pages of an answer come from memory: reading a long transcript again for each would be slow, and the
//! answer could change between two of its pages.

mod arguments;
mod note;
mod page;
mod requests;
mod tools;
mod whose;

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use catchword_engine::clients;
use catchword_engine::clients::CLIENTS;
use catchword_engine::model::event::is_session_id;
use catchword_engine::quote::harmless;
use catchword_engine::session::one_line;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as WireTool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use crate::app::env::Env;
use crate::app::privacy::LeaveOutRules;
use crate::app::sessions;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use arguments::Arguments;
use page::PageCursor;
use tools::{McpCall, McpTool, Pages, TOOLS, ToolAnswer, ToolReply};

/// Serve the record as tools for the agent (called by the client)
///
/// Speaks the Model Context Protocol on stdin and stdout. Its tools are recall, search, project, brief, note,
/// `open_work` and `what_was_lost`; all but note only read. `catchword init` registers it, `catchword doctor` says whether it is.
#[derive(clap::Args)]
pub struct Args {}

/// Serves until the client closes the pipe.
pub fn run(env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if ui.is_terminal() {
        let names = clients::names_for_people();
        ui.say(format!(
            "Waiting for a client on stdin; Ctrl-D ends. `catchword init` registers it with {names}."
        ));
    }
    serve(env.clone())?;
    Ok(Exit::Ok)
}

/// What a client tells its model about all tools together.
const INSTRUCTIONS: &str = "The record of this coding session and of earlier ones, back to the line. After a compaction: \
what_was_lost says what the summary dropped or got wrong, recall shows any place (L790) word for word. note keeps \
a line for after the next one.";
/// What a program sets in a call's metadata to get the document as structured content, too. Not every call gets it,
/// because that harms: Claude Code (2.1.325) hands the model structured content *instead of* the text, as JSON, so the
/// model would lose the frame that tells quoted words from orders, and the limit of a page.
/// `real_client_recalls_a_place_of_the_brief` fails when structured content is sent unasked.
const DOCUMENT: &str = "catchword/document";
/// Longest error message, in characters, without the advice.
const LONGEST_FAULT: usize = 400;

/// Longest request, in bytes; a longer one is dropped unanswered. Arguments of any size below that are rejected with an
/// error.
const LONGEST_REQUEST: usize = 256 << 20;
/// Bytes of a request that wait between the reader and the SDK.
const PIPE: usize = 64 << 10;

/// Why a tool failed, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// For programs.
    pub code: &'static str,
    pub message: String,
    /// What to do.
    pub todo: String,
    /// A database is damaged: the call is retried once the database is set aside.
    pub is_damage: bool,
}

impl Fault {
    pub fn new(code: &'static str, message: impl Into<String>, todo: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), todo: todo.into(), is_damage: false }
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Fault {
        let is_damage = sessions::is_damage(&error);
        let fault = Fault::new(
            "failed",
            format!("{error:#}."),
            "Run `catchword doctor` in a shell; it says what is wrong.",
        );
        Fault { is_damage, ..fault }
    }
}

/// Serves until the client closes the pipe.
fn serve(env: Env) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let served = runtime.block_on(async {
        let (stdin, stdout) = rmcp::transport::io::stdio_pipes();
        let (requests, whole) = tokio::io::duplex(PIPE);
        tokio::spawn(requests::forward(stdin, whole));
        let transport = AsyncRwTransport::new_server(requests, stdout).with_max_line_length(LONGEST_REQUEST);
        match (Server { env, kept: Mutex::new(None) }).serve(transport).await {
            Ok(service) => service.waiting().await.map(drop).context("the connection broke"),
            // A client that only checked whether we start.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error).context("the client did not begin as the protocol has it"),
        }
    });
    // A pending read of stdin must not keep the process alive.
    runtime.shutdown_background();
    served
}

struct Server {
    env: Env,
    /// The latest answer of several pages.
    kept: Mutex<Option<KeptAnswer>>,
}

/// An answer of several pages, and the call that it answers.
struct KeptAnswer {
    call: PagedCall,
    pages: Pages,
}

/// What makes two calls ask for pages of the same answer.
#[derive(Clone, PartialEq)]
struct PagedCall {
    tool: &'static str,
    /// Without the cursor.
    given: Map<String, Value>,
    session: Option<String>,
    /// Once something was forgotten or left out, the answer is made anew.
    rules: LeaveOutRules,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("catchword", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(wire).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("unknown tool: {}", request.name), None));
        };
        // A server runs for days: what was forgotten meanwhile is masked from now on.
        let rules = LeaveOutRules::load(&self.env);
        let mut env = Env { mask: rules.mask(), in_agent: true, ..self.env.clone() };
        env.session = session_in(&context.meta.0).or(env.session);
        let wants_document = context.meta.0.get(DOCUMENT).is_some_and(|wanted| wanted == &Value::Bool(true));
        let given = request.arguments.unwrap_or_default();
        let again = given.clone();
        let mut answered = self.answer(tool, given, wants_document, &env, &rules);
        if matches!(&answered, Err(fault) if fault.is_damage)
            && sessions::set_history_aside(&env).unwrap_or(false)
        {
            answered = self.answer(tool, again, wants_document, &env, &rules);
        }
        Ok(result(answered, &env).into())
    }
}

impl Server {
    /// A call that breaks down is a fault like others: nobody should wait for its answer forever.
    fn answer(
        &self,
        tool: &McpTool,
        given: Map<String, Value>,
        wants_document: bool,
        env: &Env,
        rules: &LeaveOutRules,
    ) -> Result<CallAnswer, Fault> {
        let call = || {
            let mut same = given.clone();
            let cursor = same.remove("cursor").filter(|_| !wants_document);
            let asked = PagedCall {
                tool: tool.name,
                given: same,
                session: env.session.clone(),
                rules: rules.clone(),
            };
            let arguments = Arguments::new(tool.name, tool.arguments, given, &env.mask)?;
            let from = arguments.text("cursor");
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(kept) = kept.as_ref().filter(|kept| cursor.is_some() && kept.call == asked) {
                return Ok(CallAnswer { text: kept.pages.page(from.as_deref(), env)?, document: None });
            }
            let reader = whose::opened(tool.fresh, env)?;
            let ToolAnswer { reply, document } =
                (tool.call)(&McpCall { arguments, reader, env, wants_document })?;
            let text = match reply {
                ToolReply::Text(text) => masked(text, env),
                ToolReply::Pages(pages) => {
                    let text = pages.page(from.as_deref(), env)?;
                    *kept = Some(KeptAnswer { call: asked, pages });
                    text
                }
            };
            Ok(CallAnswer { text, document })
        };
        std::panic::catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
            Err(Fault::new("failed", format!("{} broke down.", tool.name), "Try it with other arguments."))
        })
    }
}

/// What a call is answered with: for a model, and for a program that wants the document.
struct CallAnswer {
    text: String,
    document: Option<Value>,
}

impl Pages {
    /// The page at a cursor that was handed out, or the first one.
    fn page(&self, cursor: Option<&str>, env: &Env) -> Result<String, Fault> {
        let page = page::page(&self.about, &self.blocks, PageCursor::parse(cursor)?)?;
        Ok(masked(page, env))
    }
}

/// Everything was masked when it was read; this is for what is put together here.
fn masked(text: String, env: &Env) -> String {
    match env.mask.text(&text) {
        std::borrow::Cow::Owned(masked) => masked,
        std::borrow::Cow::Borrowed(_) => text,
    }
}

/// The session that a call's metadata names.
fn session_in(meta: &Map<String, Value>) -> Option<String> {
    let mut keys = CLIENTS.iter().flat_map(|client| client.environment.call);
    let named = keys.find_map(|key| meta.get(*key)?.as_str());
    named.filter(|id| is_session_id(id)).map(str::to_owned)
}

fn result(answer: Result<CallAnswer, Fault>, env: &Env) -> CallToolResult {
    match answer {
        Ok(CallAnswer { text, document }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = document;
            result
        }
        Err(fault) => {
            // The message may quote an argument of any length.
            let message = one_line(&harmless(&env.mask.text(&fault.message)), LONGEST_FAULT);
            let text = format!("{message} {}", fault.todo);
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            result.structured_content =
                Some(json!({"error": fault.code, "message": message, "todo": fault.todo}));
            result
        }
    }
}

fn wire(tool: &McpTool) -> WireTool {
    let hints = ToolAnnotations::new().read_only(!tool.writes).open_world(false);
    let hints = if tool.writes { hints.destructive(false) } else { hints };
    WireTool::new(tool.name, tool.about, arguments::schema(tool.arguments)).with_annotations(hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_tools_has_at_most_3000_characters() {
        let listed = ListToolsResult::with_all_items(TOOLS.iter().map(wire).collect());
        let characters = serde_json::to_string(&listed.tools).unwrap().chars().count();
        assert!(characters <= 3_000, "{characters} characters");
    }

    #[test]
    fn a_calls_metadata_may_name_its_session() {
        let named = |meta: Value| session_in(meta.as_object().expect("an object"));
        let both = json!({"threadId": "01a1-sub", "sessionId": "01a1-root", "callId": "c"});
        assert_eq!(named(both).as_deref(), Some("01a1-root"), "a subagent's call is about the session");
        assert_eq!(named(json!({"threadId": "01a1"})).as_deref(), Some("01a1"));
        assert_eq!(named(json!({"threadId": "../x"})), None);
        assert_eq!(named(json!({"progressToken": 1})), None);
    }

    #[test]
    fn only_what_writes_is_not_marked_read_only() {
        let writing: Vec<&str> = TOOLS.iter().filter(|tool| tool.writes).map(|tool| tool.name).collect();
        assert_eq!(writing, ["note"]);
        let hints = TOOLS.iter().map(|tool| wire(tool).annotations.unwrap().read_only_hint);
        assert_eq!(hints.filter(|hint| *hint == Some(true)).count(), TOOLS.len() - 1);
    }
}
