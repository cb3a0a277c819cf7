//! Who may ask: decided from a request's headers alone, before anything is routed.
//!
//! Any web page that a person visits can send requests to this machine, and by DNS rebinding under a name of its own.
//! So the name in `Host` must be ours, a foreign `Origin` or a cross-site `Sec-Fetch-Site` is refused on every route, and
//! nothing below `/api/` is answered without the token, which only the address printed at the start contains. The token
//! travels in a header of our own: a browser sends that to another site only if the site allows it, and we never do.

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};

/// The header with the token.
pub const TOKEN_HEADER: &str = "x-catchword-token";

/// Below it is data.
const API: &str = "/api/";
/// The only call that changes anything.
const ACTION: &str = "/api/note";

/// What a request has to match.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Names under which the page is reached, with the port.
    hosts: Vec<String>,
    /// The same as origins.
    origins: Vec<String>,
    token: String,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedRequest {
    pub status: StatusCode,
    /// A sentence that says what to do.
    pub why: &'static str,
}

const fn refused(status: StatusCode, why: &'static str) -> RefusedRequest {
    RefusedRequest { status, why }
}

impl Guard {
    /// For a page on this port of the loopback interface and, behind a reverse proxy, at `public` (`https://name`).
    pub fn new(port: u16, public: Option<&str>, token: String) -> Guard {
        let local = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let mut origins: Vec<String> = local.iter().map(|host| format!("http://{host}")).collect();
        let mut hosts = local.to_vec();
        if let Some((_, host)) = public.and_then(|origin| origin.split_once("://")) {
            hosts.push(host.to_ascii_lowercase());
            origins.extend(public.map(str::to_ascii_lowercase));
        }
        Guard { hosts, origins, token }
    }

    /// Whether this request may be answered.
    pub fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), RefusedRequest> {
        let path = uri.path();
        let is_own = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        let host = only(headers, header::HOST.as_str());
        // A request to a proxy names the host a second time.
        let is_meant = uri.authority().is_none_or(|authority| is_own(authority.as_str()));
        if !host.is_some_and(is_own) || !is_meant {
            return Err(refused(
                StatusCode::MISDIRECTED_REQUEST,
                "This page is only reached under the address that `catchword serve` printed.",
            ));
        }
        let site = headers.get("sec-fetch-site").map(axum::http::HeaderValue::as_bytes);
        if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
            return Err(refused(StatusCode::FORBIDDEN, "Another site may not ask."));
        }
        let is_action = method == Method::POST && path == ACTION;
        let is_ours = |origin: &str| self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin));
        match (headers.contains_key(header::ORIGIN), only(headers, header::ORIGIN.as_str())) {
            (false, _) if is_action => {
                return Err(refused(StatusCode::FORBIDDEN, "A change needs an Origin."));
            }
            (true, origin) if !origin.is_some_and(is_ours) => {
                return Err(refused(StatusCode::FORBIDDEN, "Another site may not ask."));
            }
            _ => {}
        }
        if !is_action && !matches!(*method, Method::GET | Method::HEAD) {
            return Err(refused(StatusCode::METHOD_NOT_ALLOWED, "Only GET is answered here."));
        }
        if path.starts_with(API) && !only(headers, TOKEN_HEADER).is_some_and(|token| self.is_token(token)) {
            return Err(refused(
                StatusCode::UNAUTHORIZED,
                "The token is missing or old: open the address that `catchword serve` printed.",
            ));
        }
        Ok(())
    }

    /// Compares all of it, so that the time taken says nothing about where it differs.
    fn is_token(&self, given: &str) -> bool {
        let (own, given) = (self.token.as_bytes(), given.as_bytes());
        own.len() == given.len() && own.iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

/// A header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    all.next().is_none().then(|| first.to_str().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn check(method: &str, path: &str, headers: &[(&str, &str)]) -> Result<(), u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        let guard = Guard::new(4117, Some("https://catchword.example"), TOKEN.to_owned());
        guard
            .check(&method.parse().unwrap(), &path.parse().unwrap(), &map)
            .map_err(|refused| refused.status.as_u16())
    }

    const HERE: (&str, &str) = ("host", "127.0.0.1:4117");

    #[test]
    fn only_our_own_names_are_answered() {
        for host in ["127.0.0.1:4117", "localhost:4117", "LOCALHOST:4117", "[::1]:4117", "catchword.example"]
        {
            assert_eq!(check("GET", "/", &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:4118",
            "evil.example:4117",
            "localhost.evil.example:4117",
            "127.0.0.1:4117.evil.example",
            "0.0.0.0:4117",
            "[::ffff:127.0.0.1]:4117",
            "",
        ] {
            assert_eq!(check("GET", "/", &[("host", host)]), Err(421), "{host}");
        }
        assert_eq!(check("GET", "/", &[]), Err(421));
        assert_eq!(check("GET", "/", &[HERE, ("host", "evil.example")]), Err(421), "two hosts");
        assert_eq!(check("GET", "http://127.0.0.1:4117/", &[HERE]), Ok(()));
        assert_eq!(check("GET", "http://evil.example/", &[HERE]), Err(421), "named a second time");
    }

    #[test]
    fn no_data_without_the_token() {
        assert_eq!(check("GET", "/api/sessions", &[HERE, (TOKEN_HEADER, TOKEN)]), Ok(()));
        assert_eq!(check("GET", "/api/sessions", &[HERE]), Err(401));
        for wrong in ["", "0", &TOKEN[1..], &TOKEN.to_uppercase()] {
            assert_eq!(check("GET", "/api/sessions", &[HERE, (TOKEN_HEADER, wrong)]), Err(401), "{wrong}");
        }
        let twice = [HERE, (TOKEN_HEADER, TOKEN), (TOKEN_HEADER, TOKEN)];
        assert_eq!(check("GET", "/api/sessions", &twice), Err(401));
        assert_eq!(check("GET", "/style.css", &[HERE]), Ok(()), "the page itself has no data");
    }

    #[test]
    fn other_sites_are_refused_everywhere() {
        for path in ["/", "/style.css", "/api/sessions"] {
            let token = (TOKEN_HEADER, TOKEN);
            for site in ["cross-site", "same-site", "same-origin, none", ""] {
                assert_eq!(check("GET", path, &[HERE, token, ("sec-fetch-site", site)]), Err(403), "{site}");
            }
            for origin in
                ["http://evil.example", "null", "http://127.0.0.1:3000", "https://127.0.0.1:4117", ""]
            {
                assert_eq!(check("GET", path, &[HERE, token, ("origin", origin)]), Err(403), "{origin}");
            }
            for (name, value) in [
                ("sec-fetch-site", "same-origin"),
                ("sec-fetch-site", "none"),
                ("origin", "http://127.0.0.1:4117"),
            ] {
                assert_eq!(check("GET", path, &[HERE, token, (name, value)]), Ok(()), "{name}: {value}");
            }
        }
    }

    #[test]
    fn only_a_note_is_written_and_only_by_the_page_itself() {
        let token = (TOKEN_HEADER, TOKEN);
        let origin = ("origin", "http://localhost:4117");
        assert_eq!(check("POST", "/api/note", &[HERE, token, origin]), Ok(()));
        assert_eq!(check("POST", "/api/note", &[HERE, token]), Err(403), "no origin");
        assert_eq!(check("POST", "/api/note", &[HERE, origin]), Err(401), "no token");
        assert_eq!(check("POST", "/api/sessions", &[HERE, token, origin]), Err(405));
        for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
            assert_eq!(check(method, "/api/note", &[HERE, token, origin]), Err(405), "{method}");
        }
    }
}
