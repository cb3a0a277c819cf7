//! The files of the page, embedded. No Node is needed to build them: they are what the browser gets.

/// A file of the page.
pub struct Asset {
    pub path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Everything that is served outside `/api/`; scripts in the order of their imports.
pub const ASSETS: &[Asset] = &[
    Asset { path: "/style.css", kind: "text/css; charset=utf-8", content: include_str!("assets/style.css") },
    Asset { path: "/ask.js", kind: SCRIPT, content: include_str!("assets/ask.js") },
    Asset { path: "/element.js", kind: SCRIPT, content: include_str!("assets/element.js") },
    Asset { path: "/prose.js", kind: SCRIPT, content: include_str!("assets/prose.js") },
    Asset { path: "/diff.js", kind: SCRIPT, content: include_str!("assets/diff.js") },
    Asset { path: "/rows.js", kind: SCRIPT, content: include_str!("assets/rows.js") },
    Asset { path: "/four.js", kind: SCRIPT, content: include_str!("assets/four.js") },
    Asset { path: "/timeline.js", kind: SCRIPT, content: include_str!("assets/timeline.js") },
    Asset { path: "/conversation.js", kind: SCRIPT, content: include_str!("assets/conversation.js") },
    Asset { path: "/sessions.js", kind: SCRIPT, content: include_str!("assets/sessions.js") },
    Asset { path: "/session.js", kind: SCRIPT, content: include_str!("assets/session.js") },
    Asset { path: "/cut.js", kind: SCRIPT, content: include_str!("assets/cut.js") },
    Asset { path: "/rules.js", kind: SCRIPT, content: include_str!("assets/rules.js") },
    Asset { path: "/project.js", kind: SCRIPT, content: include_str!("assets/project.js") },
    Asset { path: "/search.js", kind: SCRIPT, content: include_str!("assets/search.js") },
    Asset { path: "/main.js", kind: SCRIPT, content: include_str!("assets/main.js") },
    Asset { path: "/icon.svg", kind: "image/svg+xml", content: include_str!("assets/icon.svg") },
];

/// The page itself, for every address that a view may have.
pub const PAGE: Asset =
    Asset { path: "/", kind: "text/html; charset=utf-8", content: include_str!("assets/index.html") };

/// The file at `path`; the page for the address of a view.
pub fn find(path: &str) -> Option<&'static Asset> {
    let is_view = path == "/" || VIEWS.iter().any(|view| path.starts_with(view));
    ASSETS.iter().find(|asset| asset.path == path).or(is_view.then_some(&PAGE))
}

/// How addresses of views begin.
const VIEWS: &[&str] = &["/session/", "/search", "/project"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_is_served() {
        assert_eq!(find("/style.css").map(|asset| asset.path), Some("/style.css"));
        assert_eq!(find("/session/0a1b/L812").map(|asset| asset.path), Some("/"));
        for path in ["/../Cargo.toml", "/assets/style.css", "//style.css", "/style.css/..", "/etc/passwd", ""]
        {
            assert!(find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn the_page_has_no_inline_script_or_style() {
        for asset in ASSETS.iter().chain([&PAGE]).filter(|asset| asset.kind.starts_with("text/html")) {
            assert!(!asset.content.contains("<style"), "{}", asset.path);
            assert!(!asset.content.contains(" style="), "{}", asset.path);
            assert_eq!(
                asset.content.matches("<script").count(),
                asset.content.matches("<script type=\"module\" src=").count(),
                "{}",
                asset.path
            );
        }
        assert!(PAGE.content.contains("<script type=\"module\" src=\"/main.js\">"));
    }

    #[test]
    fn no_text_becomes_markup() {
        let ways = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "eval(",
            "srcdoc",
        ];
        for asset in ASSETS {
            for way in ways {
                assert!(!asset.content.contains(way), "{} has {way}", asset.path);
            }
        }
        assert!(ASSETS.iter().any(|asset| asset.content.contains("textContent")));
    }
}
