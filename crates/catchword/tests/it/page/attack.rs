//! What others may try against the server: a page in the same browser, a program on the same machine, a slow client.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};

use super::{BIN, ServedPage, worked};

const SECRET_WORDS: &str = "the zebra crosses at midnight";

fn recorded() -> TestEnv {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().cwd(env.project()).prompt(SECRET_WORDS).says("Understood.");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("Understood.").success();
    env
}

#[test]
fn nobody_but_the_page_gets_data() {
    let env = recorded();
    let page = ServedPage::start(&env, &[]);
    assert!(page.ask("/api/sessions", &[]).body.contains(SECRET_WORDS), "the page itself gets them");
    let (host, token) = (page.host(), page.token.as_str());
    let port = host.rsplit(':').next().unwrap();
    let evil = [
        // DNS rebinding: the browser thinks that it talks to somebody else.
        (format!("Host: evil.example:{port}\r\nX-Catchword-Token: {token}"), 421),
        (format!("Host: 127.0.0.1.evil.example:{port}\r\nX-Catchword-Token: {token}"), 421),
        (format!("X-Catchword-Token: {token}"), 421),
        (format!("Host: {host}\r\nHost: evil.example\r\nX-Catchword-Token: {token}"), 421),
        (format!("Host: {host}\r\nOrigin: http://evil.example\r\nX-Catchword-Token: {token}"), 403),
        (format!("Host: {host}\r\nOrigin: null\r\nX-Catchword-Token: {token}"), 403),
        (format!("Host: {host}\r\nSec-Fetch-Site: cross-site\r\nX-Catchword-Token: {token}"), 403),
        (format!("Host: {host}"), 401),
        (format!("Host: {host}\r\nX-Catchword-Token: {}", &token[1..]), 401),
        (format!("Host: {host}\r\nX-Catchword-Token: {token}\r\nX-Catchword-Token: {token}"), 401),
        (format!("Host: {host}\r\nCookie: token={token}"), 401),
    ];
    for (headers, status) in &evil {
        for path in ["/api/sessions", "/api/search?q=zebra", "/api/session/1/rows", "/api/nothing"] {
            let answer = page.send(&format!("GET {path} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n"));
            // A request without a host never reaches us.
            let is_refused = answer.status == *status || (*status == 421 && answer.status == 400);
            assert!(is_refused && !answer.body.contains("zebra"), "{headers}: {answer:?}");
        }
    }
    for (method, path, status) in [
        ("POST", "/api/sessions", 405),
        ("OPTIONS", "/api/sessions", 405),
        ("DELETE", "/api/note", 405),
        ("POST", "/api/note", 403),
    ] {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nX-Catchword-Token: {token}\r\nConnection: close\r\n\r\n"
        );
        let answer = page.send(&request);
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{answer:?}");
    }
    // The token is in no query and no path, and no answer tells it.
    assert_eq!(
        page.send(&format!(
            "GET /api/sessions?token={token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
        .status,
        401
    );
    for path in ["/", "/main.js", "/session/1/L3"] {
        let answer = page.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.body.contains(token) && !answer.body.contains("zebra"), "{path}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
}

#[test]
fn no_path_leads_to_a_file() {
    let env = recorded();
    files::write(env.data().join("config.toml"), "# the data folder\n");
    let page = ServedPage::start(&env, &[]);
    let paths = [
        "/../config.toml",
        "/..%2fconfig.toml",
        "/%2e%2e/config.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/style.css/../../config.toml",
        "/config.toml",
        "/page.json",
        "/catchword.db",
        "/assets/style.css",
        "/api/../config.toml",
        "/api/session/..%2f..%2fconfig.toml/rows",
        "/api/session/%2fetc%2fpasswd",
        "/api/session/%00",
        "/api/session//rows",
        "/api/session/%ff/rows",
        "/api/session/*",
        "/api/session/' OR 1=1 --/rules",
    ];
    for path in paths {
        let answer = page.ask(&path.replace(' ', "%20"), &[]);
        assert!((400..=404).contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("data folder"), "{path}: {answer:?}");
    }
    for (path, status) in [
        (format!("/api/session/{SESSION}/rows?from=4294967295&to=1"), 200),
        (format!("/api/session/{SESSION}/rows?from=-1&to=x"), 200),
        (format!("/api/session/{SESSION}/rows?subagent=..%2f..%2fconfig.toml"), 404),
        (format!("/api/session/{SESSION}/compaction/99999999999999999999"), 400),
        (format!("/api/session/{SESSION}/compaction/7"), 404),
        (format!("/api/search?q={}", "x".repeat(8_000)), 200),
        ("/api/search?q=%22".to_owned(), 400),
        ("/api/search?q=role:nobody".to_owned(), 400),
    ] {
        let answer = page.ask(&path, &[]);
        assert_eq!(answer.status, status, "{}: {}", &path[..path.len().min(80)], answer.body);
    }
}

#[test]
fn odd_requests_get_an_error_and_no_data() {
    let env = recorded();
    let page = ServedPage::start(&env, &[]);
    let (host, token) = (page.host(), page.token.as_str());
    let own = format!("Host: {host}\r\nX-Catchword-Token: {token}\r\nConnection: close");
    let socket = "Upgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    let long = "x".repeat(1 << 20);
    let form = "Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: close";
    let hidden = format!("GET /api/sessions HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let refused = [
        ("a socket", format!("GET /api/sessions HTTP/1.1\r\nHost: {host}\r\n{socket}\r\n\r\n")),
        (
            "a foreign socket",
            format!("GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\n{socket}\r\n\r\n"),
        ),
        ("a proxy", format!("GET http://evil.example/api/sessions HTTP/1.1\r\n{own}\r\n\r\n")),
        ("a tunnel", format!("CONNECT evil.example:443 HTTP/1.1\r\n{own}\r\n\r\n")),
        ("another version", format!("GET /api/sessions HTTP/9.9\r\n{own}\r\n\r\n")),
        ("no host", format!("GET /api/sessions HTTP/1.0\r\nX-Catchword-Token: {token}\r\n\r\n")),
        ("a long header", format!("GET /api/sessions HTTP/1.1\r\n{own}\r\nX-A: {long}\r\n\r\n")),
        ("a long address", format!("GET /api/sessions?{long} HTTP/1.1\r\n{own}\r\n\r\n")),
        (
            "another method",
            format!(
                "POST /api/sessions HTTP/1.1\r\n{own}\r\nOrigin: http://{host}\r\nX-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n"
            ),
        ),
        (
            "a form of another site",
            format!(
                "POST /api/note HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\n{form}\r\n\r\n{{}}"
            ),
        ),
        (
            "a request in a request",
            format!(
                "POST /api/note HTTP/1.1\r\n{own}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
            ),
        ),
        ("no project", format!("GET /api/project?of=/etc HTTP/1.1\r\n{own}\r\n\r\n")),
        ("a folder above", format!("GET /api/project?of=../.. HTTP/1.1\r\n{own}\r\n\r\n")),
    ];
    for (what, request) in &refused {
        let answer = page.send(request);
        // A server may also hang up on what is no request.
        assert!(answer.status == 0 || (400..500).contains(&answer.status), "{what}: {answer:?}");
        assert!(!answer.body.contains("zebra") && !answer.head.contains("101 "), "{what}: {answer:?}");
    }
    let folder = env.project().display().to_string();
    assert!(page.json(&format!("/api/project?of={folder}"))["sections"].is_array());
    assert!(
        page.json("/api/sessions").to_string().contains(SECRET_WORDS),
        "it still answers the page itself"
    );
}

#[test]
fn hooks_record_while_the_page_reads() {
    let env = TestEnv::new();
    let mut transcript = worked(&env, SESSION);
    let page = ServedPage::start(&env, &[]);
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for view in ["", "/rows", "/compactions", "/rules"] {
            let path = format!("/api/session/{SESSION}{view}");
            let (page, is_done, asked) = (&page, &is_done, &asked);
            scope.spawn(move || {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    assert_eq!(page.ask(&path, &[]).status, 200, "{path}");
                    asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
        for at in 0..20 {
            transcript = transcript.clone().prompt(&format!("Weigh marzipan {at}."));
            transcript.append_to(hooks.transcript_path());
            let _ = hooks.user_prompt(&format!("Weigh marzipan {at}.")).success();
            let _ = hooks.stop("Weighed.").success();
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(asked.into_inner() > 4);
    let found = page.json("/api/search?q=marzipan");
    assert_eq!(found["fitting"], 20, "all were recorded: {found}");
}

#[test]
fn slow_clients_keep_nobody_waiting_and_the_page_ends_all_the_same() {
    let env = recorded();
    let mut page = ServedPage::start(&env, &[]);
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(page.host()).expect("it listens");
            stream.write_all(b"GET /api/sessions HTTP/1.1\r\nHost: 127").expect("it reads");
            stream
        })
        .collect();
    // A note that never comes, and answers that nobody takes.
    let stuck: Vec<TcpStream> = (0..100)
        .map(|at| {
            let mut stream = TcpStream::connect(page.host()).expect("it listens");
            let (host, token) = (page.host(), &page.token);
            let request = match at % 2 {
                0 => format!("POST /api/note HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nX-Catchword-Token: {token}\r\nContent-Length: 100\r\n\r\n{{"),
                _ => format!("GET /api/session/{SESSION}/rows HTTP/1.1\r\nHost: {host}\r\nX-Catchword-Token: {token}\r\n\r\n"),
            };
            stream.write_all(request.as_bytes()).expect("it reads");
            stream
        })
        .collect();
    assert!(page.ask("/api/sessions", &[]).body.contains(SECRET_WORDS));
    // A header or a body without end is refused.
    let endless = format!("GET / HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", page.host(), "X-A: b\r\n".repeat(200));
    assert!((400..500).contains(&page.send(&endless).status));
    let origin = format!("http://{}", page.host());
    let long = format!(
        "POST /api/note HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nX-Catchword-Token: {}\r\nContent-Length: 40000\r\nConnection: close\r\n\r\n{}",
        page.host(),
        page.token,
        "x".repeat(40_000)
    );
    assert_eq!(page.send(&long).status, 413);
    assert!(page.end("-TERM") < Duration::from_secs(10));
    drop((slow, stuck));
}

#[test]
fn address_file_is_private_and_goes_with_the_page() {
    let env = recorded();
    let file = env.data().join("page.json");
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut page = ServedPage::start(&env, &[]);
        let mode = file.metadata().expect("other commands find it").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(files::read(&file).contains(&page.token));
        let status = env.run(BIN, &["status", "--all"]).success();
        assert!(status.stderr.contains(&page.address("/")), "{status}");
        // A second one hands out the address of the first.
        let again = env.run(BIN, &["serve", "--no-open"]).success();
        assert_eq!(again.stdout.trim(), page.address("/"));
        page.end(signal);
        assert!(!file.exists(), "{signal}");
        assert!(!env.run(BIN, &["status", "--all"]).success().stderr.contains("127.0.0.1"));
    }
    // A page that was killed leaves a file that nobody answers for.
    let page = ServedPage::start(&env, &[]);
    drop(page);
    assert!(file.exists());
    assert!(!env.run(BIN, &["status", "--all"]).success().stderr.contains("127.0.0.1"));
    let _ = ServedPage::start(&env, &[]);
}

#[test]
fn an_agent_gets_no_page_and_beyond_loopback_a_proxy_is_needed() {
    let mut env = recorded();
    let refused = env.run(BIN, &["serve", "--no-open", "--bind", "0.0.0.0"]);
    assert!(!refused.status.success() && refused.stderr.contains("TLS"), "{refused}");
    let refused = env.run(BIN, &["serve", "--no-open", "--public", "http://plain.example"]);
    assert!(!refused.status.success() && refused.stderr.contains("https://"), "{refused}");
    let page = ServedPage::start(&env, &[]);
    let port = page.host().rsplit(':').next().unwrap();
    let taken = env.run(BIN, &["serve", "--no-open", "--port", port]);
    assert!(!taken.status.success() && taken.stderr.contains("--port"), "{taken}");
    env.set_var("CLAUDECODE", "1");
    let refused = env.run(BIN, &["serve", "--no-open"]);
    assert!(!refused.status.success() && !refused.stdout.contains("token="), "{refused}");
    assert!(
        !env.run(BIN, &["status", "--all"]).stderr.contains(&page.token),
        "an agent does not learn the address"
    );
}

#[test]
fn lost_opens_the_compaction_on_the_page_that_runs() {
    let env = TestEnv::new();
    worked(&env, SESSION);
    let page = ServedPage::start(&env, &[]);
    for (args, view) in [
        (&["lost", "2", "--web"][..], format!("/session/{SESSION}/compaction/2")),
        (&["lost", SESSION, "--web"], format!("/session/{SESSION}")),
        (&["lost", "--web"], "/?state=compacted".to_owned()),
    ] {
        let opened = env.run(BIN, args).success();
        assert_eq!(opened.stdout.trim(), page.address(&view), "{args:?}");
    }
    assert!(!env.run(BIN, &["lost", "9", "--web"]).status.success());
}

#[test]
fn what_is_left_out_or_forgotten_is_not_on_the_page() {
    let env = recorded();
    let page = ServedPage::start(&env, &[]);
    let row = format!("/api/session/{SESSION}/rows");
    let first = page.ask(&row, &[]);
    assert!(first.body.contains("zebra"));
    let stamp_of = |answer: &super::HttpAnswer| answer.header("etag").expect("a stamp").to_owned();
    let stamp = stamp_of(&first);
    let again = page.ask(&row, &[("If-None-Match", &stamp)]);
    assert_eq!(again.status, 304, "nothing has changed");
    // The answer was kept; what is forgotten now must not be in it.
    let _ = env.run(BIN, &["forget", "--pattern", "zebra", "--yes"]).success();
    let answer = page.ask(&row, &[("If-None-Match", &stamp)]);
    assert!(answer.status == 200 && !answer.body.contains("zebra"), "{answer:?}");
    files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"/**\"]\n");
    assert_eq!(page.ask(&row, &[]).status, 404);
    assert_eq!(page.json("/api/sessions")["sessions"].as_array().map(Vec::len), Some(0));
    let open = ServedPage::start(&env, &["--left-out", "--port", "0", "--bind", "127.0.0.1"]);
    assert_eq!(open.json("/api/sessions")["sessions"].as_array().map(Vec::len), Some(1), "when asked for");
}

#[test]
fn a_note_from_the_page_is_the_persons() {
    let env = recorded();
    let page = ServedPage::start(&env, &[]);
    let body = serde_json::json!({"session": SESSION, "text": "staging is read-only"}).to_string();
    let answer = page.send(&format!(
        "POST /api/note HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nX-Catchword-Token: {1}\r\nContent-Length: {2}\r\nConnection: close\r\n\r\n{body}",
        page.host(),
        page.token,
        body.len()
    ));
    assert_eq!(answer.status, 200, "{answer:?}");
    let brief = env.run(BIN, &["brief", SESSION]).success();
    assert!(brief.stdout.contains("staging is read-only"), "{brief}");
}
