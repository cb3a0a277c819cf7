//! An HTTP server on loopback, for the fake model APIs and the npm registry: plain HTTP/1.1, one connection per request,
//! one thread each. A request whose answer got lost on the way is repeated by the client; it gets the same answer, and
//! the state does not hear of it again.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// A running server with its state; stops when dropped.
pub(crate) struct Loopback<S> {
    pub address: SocketAddr,
    state: Arc<Mutex<S>>,
    stopping: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

pub(crate) struct HttpRequest {
    /// `POST /v1/messages?beta=true`.
    pub line: String,
    /// The body; null if it is not JSON.
    pub body: Value,
    /// Where it was sent to.
    pub address: SocketAddr,
}

#[derive(Clone)]
pub(crate) struct Reply {
    pub status: &'static str,
    pub kind: &'static str,
    pub body: Vec<u8>,
    /// The connection ends before the answer, the first time.
    pub is_lost: bool,
}

/// What was answered, by request.
type SentReplies = Arc<Mutex<HashMap<String, Reply>>>;

impl Reply {
    pub fn json(value: &Value) -> Self {
        Reply { status: "200 OK", kind: "application/json", body: value.to_string().into(), is_lost: false }
    }

    /// A stream of events.
    pub fn events(events: String) -> Self {
        Reply { kind: "text/event-stream", body: events.into(), ..Reply::json(&Value::Null) }
    }

    pub fn not_found() -> Self {
        Reply { status: "404 Not Found", body: "{}".into(), ..Reply::json(&Value::Null) }
    }

    /// Lost on the way: the client has to ask again.
    pub fn lost_if(self, is_lost: bool) -> Self {
        Reply { is_lost, ..self }
    }
}

impl<S: Send + 'static> Loopback<S> {
    /// Listens on a free port of 127.0.0.1.
    pub fn start(state: S, answer: fn(&mut S, HttpRequest) -> Reply) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free loopback port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let (state, stopping) = (Arc::new(Mutex::new(state)), Arc::new(AtomicBool::new(false)));
        let answered = SentReplies::default();
        let accepting = std::thread::spawn({
            let (state, stopping) = (Arc::clone(&state), Arc::clone(&stopping));
            move || {
                for stream in listener.incoming().take_while(|_| !stopping.load(Ordering::SeqCst)).flatten() {
                    let (state, answered) = (Arc::clone(&state), Arc::clone(&answered));
                    // Ignores a client that hangs up midway; the request is recorded by then.
                    std::thread::spawn(move || {
                        serve(&stream, |request| {
                            once(&answered, request, |request| answer(&mut locked(&state), request))
                        })
                    });
                }
            }
        });
        Loopback { address, state, stopping, accepting: Some(accepting) }
    }

    pub fn state(&self) -> MutexGuard<'_, S> {
        locked(&self.state)
    }
}

impl<S> Drop for Loopback<S> {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that blocks in accept.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
    }
}

fn locked<S>(state: &Mutex<S>) -> MutexGuard<'_, S> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a request that was answered before with the same.
fn once(answered: &SentReplies, request: HttpRequest, answer: impl FnOnce(HttpRequest) -> Reply) -> Reply {
    // Without a body it is a look at something that may have changed.
    if request.body.is_null() {
        return answer(request);
    }
    let mut answered = locked(answered);
    let key = format!("{} {}", request.line, request.body);
    if let Some(reply) = answered.get(&key) {
        return reply.clone().lost_if(false);
    }
    let reply = answer(request);
    answered.insert(key, reply.clone());
    reply
}

fn serve(mut stream: &TcpStream, answer: impl FnOnce(HttpRequest) -> Reply) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let Some(request) = read_request(stream)? else { return Ok(()) };
    let Reply { status, kind, body, is_lost } = answer(request);
    if is_lost {
        return Ok(());
    }
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)?;
    stream.flush()
}

fn read_request(stream: &TcpStream) -> std::io::Result<Option<HttpRequest>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let (mut length, mut header) = (0, String::new());
    while reader.read_line(&mut header)? > 0 && header != "\r\n" {
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        header.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(HttpRequest { line, body, address: stream.local_addr()? }))
}
