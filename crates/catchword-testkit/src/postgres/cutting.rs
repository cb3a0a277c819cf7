//! A wire between a client and PostgreSQL that is cut at a chosen statement.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Statements end with one of these: a simple query, or the end of what is sent together.
const QUERY: u8 = b'Q';
const SYNC: u8 = b'S';
/// The server is ready for the next statement.
const READY: u8 = b'Z';

/// When a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The server never gets this statement; counted from 1, over all connections since it was set.
    Before(usize),
    /// The server has done it, and the client never hears of it.
    After(usize),
}

/// Hands on everything between clients and a server, until a statement.
pub struct CuttingWire {
    port: u16,
    plan: Arc<Plan>,
}

#[derive(Default)]
struct Plan {
    cut: Mutex<Option<Cut>>,
    statements: AtomicUsize,
    is_cut: AtomicBool,
}

impl Plan {
    fn cut(&self) -> Option<Cut> {
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CuttingWire {
    /// A wire to a port of this machine.
    pub fn to(server: u16) -> CuttingWire {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its number").port();
        let plan = Arc::new(Plan::default());
        let shared = Arc::clone(&plan);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let plan = Arc::clone(&shared);
                std::thread::spawn(move || connect(&client, &server, &plan));
            }
        });
        CuttingWire { port, plan }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts here from now on, or nowhere.
    pub fn cut(&self, cut: Option<Cut>) {
        *self.plan.cut.lock().unwrap_or_else(PoisonError::into_inner) = cut;
        self.plan.statements.store(0, Ordering::SeqCst);
        self.plan.is_cut.store(false, Ordering::SeqCst);
    }

    /// Whether the statement came and the connection was cut.
    pub fn was_cut(&self) -> bool {
        self.plan.is_cut.load(Ordering::SeqCst)
    }
}

fn connect(client: &TcpStream, server: &TcpStream, plan: &Plan) {
    let swallows = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = answers(client, server, &swallows);
            hang_up(client, server);
        });
        let _ = statements(client, server, plan, &swallows);
        if !swallows.load(Ordering::SeqCst) {
            hang_up(client, server);
        }
    });
}

fn hang_up(client: &TcpStream, server: &TcpStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

/// What the client says: a first message without a type, then typed ones.
fn statements(
    mut client: &TcpStream,
    mut server: &TcpStream,
    plan: &Plan,
    swallows: &AtomicBool,
) -> io::Result<()> {
    server.write_all(&rest(&mut client, Vec::new())?)?;
    loop {
        let mut kind = [0];
        client.read_exact(&mut kind)?;
        let message = rest(&mut client, kind.to_vec())?;
        if matches!(kind[0], QUERY | SYNC) {
            let number = plan.statements.fetch_add(1, Ordering::SeqCst) + 1;
            match plan.cut() {
                Some(Cut::Before(at)) if at == number => {
                    plan.is_cut.store(true, Ordering::SeqCst);
                    return Ok(());
                }
                Some(Cut::After(at)) if at == number => {
                    plan.is_cut.store(true, Ordering::SeqCst);
                    swallows.store(true, Ordering::SeqCst);
                    return server.write_all(&message);
                }
                _ => {}
            }
        }
        server.write_all(&message)?;
    }
}

/// What the server answers.
fn answers(mut client: &TcpStream, mut server: &TcpStream, swallows: &AtomicBool) -> io::Result<()> {
    loop {
        let mut kind = [0];
        server.read_exact(&mut kind)?;
        let message = rest(&mut server, kind.to_vec())?;
        match swallows.load(Ordering::SeqCst) {
            true if kind[0] == READY => return Ok(()),
            true => {}
            false => client.write_all(&message)?,
        }
    }
}

/// The rest of a message: its length, which counts itself, and that much.
fn rest(from: &mut &TcpStream, mut message: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let start = message.len() + length.len();
    message.extend(length);
    message.resize(start + (u32::from_be_bytes(length) as usize).saturating_sub(4), 0);
    from.read_exact(&mut message[start..])?;
    Ok(message)
}
