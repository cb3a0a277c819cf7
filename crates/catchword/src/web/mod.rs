//! `catchword serve`: what was lost, what came back, and everything else that was recorded, as a page in the browser.
//!
//! The server only renders Documents as JSON ([`api`]); the page ([`assets`]) draws them. [`guard`] decides who may ask
//! before anything is routed. It runs on the runtime that `mcp` brings, on one thread; what reads a database runs beside
//! it. It ends with its terminal and leaves nothing behind.

mod api;
mod assets;
pub mod export;
mod guard;
mod kept;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, bail};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use tokio::net::TcpListener;

use crate::app::env::Env;
use crate::app::page::ServedPage;
use crate::app::process;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use guard::Guard;
use kept::{KeptReplies, Stamp};

/// Show sessions, compactions and search as a page in the browser
///
/// Serves on this machine only and prints the address first; Ctrl-C ends it. The address contains a token: whoever has it
/// can read what was recorded. Projects that the settings leave out are not shown. While the page runs, `catchword status`
/// links to it, and `catchword lost 2 --web` opens a compaction on it.
#[derive(clap::Args, Default)]
pub struct Args {
    /// The port [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Open the browser [default: on a terminal with a display]
    #[arg(long, conflicts_with = "no_open")]
    open: bool,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
    /// Show projects that the settings leave out, too
    #[arg(long)]
    left_out: bool,
    /// Listen on this address of the machine instead; beyond loopback --public is needed
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<IpAddr>,
    /// The https address of the reverse proxy in front of it, which has to provide TLS
    #[arg(long, value_name = "URL")]
    public: Option<String>,
    /// The view that is opened.
    #[arg(skip)]
    view: Option<String>,
}

/// Opens a view of the page that runs, or serves one.
pub fn show(view: &str, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let args = Args { view: Some(view.to_owned()), open: true, ..Args::default() };
    run(&args, env, ui)
}

/// Serves until the terminal or a signal ends it.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    // Nobody reads it there, and the address would be in the agent's context.
    if env.in_agent {
        bail!("the page is for a person: run this in a terminal of your own");
    }
    let bind = args.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let public = public_origin(args.public.as_deref())?;
    if !bind.is_loopback() && public.is_none() {
        bail!(
            "{bind} can be reached from other machines, and this server has no TLS: put a reverse proxy with TLS in \
             front of it and name its address with --public https://…"
        );
    }
    if let Some(page) = ServedPage::running(env).filter(|_| args.port == 0 && args.bind.is_none()) {
        let address = page.address(args.view());
        ui.line(&address);
        ui.say("The page is being served already, by another terminal.");
        open_if_wanted(args, &address, env, ui);
        return Ok(Exit::Ok);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve(args, SocketAddr::new(bind, args.port), public, env, ui));
    // A query that still runs must not keep the process alive.
    runtime.shutdown_background();
    served.map(|()| Exit::Ok)
}

impl Args {
    fn view(&self) -> &str {
        self.view.as_deref().unwrap_or("/")
    }
}

/// The address of the proxy as an origin: `https://name`, with a port if it has one.
fn public_origin(given: Option<&str>) -> anyhow::Result<Option<String>> {
    let Some(given) = given else { return Ok(None) };
    let host = given.strip_prefix("https://").map(|rest| rest.trim_end_matches('/'));
    match host.filter(|host| !host.is_empty() && !host.contains(['/', '@', ' ', '#', '?'])) {
        Some(host) => Ok(Some(format!("https://{host}"))),
        None => bail!("--public takes the address of the proxy: https://catchword.example"),
    }
}

async fn serve(
    args: &Args,
    at: SocketAddr,
    public: Option<String>,
    env: &Env,
    ui: &Ui,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind(at).await.with_context(|| {
        format!("cannot listen on {at}; another program may: leave --port out to get one that is free")
    })?;
    let page = ServedPage { at: listener.local_addr()?, token: token()?, process: std::process::id() };
    let _announced = page.announce(env)?;
    let address = page.address(args.view());
    ui.line(&address);
    ui.say("Whoever has this address can read what was recorded. Ctrl-C ends the page.");
    open_if_wanted(args, &address, env, ui);
    let guard = Guard::new(page.at.port(), public.as_deref(), page.token.clone());
    let kept = KeptReplies::default();
    let server = Arc::new(PageServer { guard, kept, env: env.clone(), shows_left_out: args.left_out });
    let routes = Router::new().fallback(answer).with_state(server);
    tokio::select! {
        ended = async { axum::serve(listener, routes).await } => ended.context("the server broke down"),
        // Whoever still waits for an answer must not keep the process alive.
        () = ended() => Ok(()),
    }
}

/// 128 bits that nobody can guess.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// The person or the terminal ends it.
async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let wait = |kind: SignalKind| async move {
            match signal(kind) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = wait(SignalKind::interrupt()) => {}
            () = wait(SignalKind::terminate()) => {}
            () = wait(SignalKind::hangup()) => {}
        }
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
}

fn open_if_wanted(args: &Args, address: &str, env: &Env, ui: &Ui) {
    let wanted = args.open || (!args.no_open && ui.is_terminal() && env.has_display);
    if wanted && !open(address, env) {
        ui.say("No program opens the browser here: copy the address into it.");
    }
}

/// Opens an address in the person's browser; false if nothing does.
pub fn open(address: &str, env: &Env) -> bool {
    let names: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };
    let programs = names.iter().filter_map(|name| process::on_path(name, &env.path, Some(&env.cwd)));
    let mut calls = programs.map(|program| {
        let mut call = std::process::Command::new(program);
        call.arg(address);
        call
    });
    calls.any(|mut call| {
        let quiet = std::process::Stdio::null;
        call.stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
    })
}

/// What every request needs.
struct PageServer {
    guard: Guard,
    kept: KeptReplies,
    env: Env,
    shows_left_out: bool,
}

/// Answers a request, whatever it is.
async fn answer(State(server): State<Arc<PageServer>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let reply = match server.guard.check(&head.method, &head.uri, &head.headers) {
        Err(refused) => PageReply::error(refused.status, refused.why),
        Ok(()) if path.starts_with("/api/") => api::answer(server, head.uri, head.headers, body).await,
        Ok(()) => match assets::find(&path) {
            Some(asset) => {
                PageReply::new(StatusCode::OK, asset.kind, Bytes::from_static(asset.content.as_bytes()))
            }
            None => PageReply::error(StatusCode::NOT_FOUND, "There is no such page."),
        },
    };
    reply.into_response()
}

const JSON: &str = "application/json";

/// What a browser gets.
struct PageReply {
    status: StatusCode,
    kind: &'static str,
    content: Bytes,
    /// What it was made from; whoever has the same answer need not get it again.
    stamp: Option<Stamp>,
}

/// On every answer: nothing but our own files is loaded or run, nobody frames the page, nothing is kept or passed on.
const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

impl PageReply {
    fn new(status: StatusCode, kind: &'static str, content: Bytes) -> PageReply {
        PageReply { status, kind, content, stamp: None }
    }

    fn json(status: StatusCode, document: &impl serde::Serialize) -> PageReply {
        match serde_json::to_vec(document) {
            Ok(text) => PageReply::new(status, JSON, text.into()),
            Err(_) => PageReply::error(StatusCode::INTERNAL_SERVER_ERROR, "The answer could not be written."),
        }
    }

    /// An answer that was made before.
    fn of_kept(content: Bytes, stamp: Stamp) -> PageReply {
        PageReply { stamp: Some(stamp), ..PageReply::new(StatusCode::OK, JSON, content) }
    }

    /// The page has this answer already.
    fn unchanged(stamp: Stamp) -> PageReply {
        PageReply { stamp: Some(stamp), ..PageReply::new(StatusCode::NOT_MODIFIED, JSON, Bytes::new()) }
    }

    /// An error with a sentence that says what to do.
    fn error(status: StatusCode, why: &str) -> PageReply {
        PageReply::new(status, JSON, serde_json::json!({"error": why}).to_string().into())
    }

    fn into_response(self) -> Response {
        let mut response = Response::new(self.content.into());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if let Some(stamp) = self.stamp.and_then(|stamp| HeaderValue::from_str(stamp.as_str()).ok()) {
            headers.insert(header::ETAG, stamp);
        }
        for (name, value) in HEADERS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }
}
