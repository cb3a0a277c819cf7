//! What we promise about ourselves: the docs are true, and the boundaries of ARCHITECTURE.md hold.
//!
//! Compares texts with texts. A boundary that the compiler can check (no clap in the engine) needs no test here; these
//! are the ones it cannot see.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use catchword_engine::clients::{CLIENTS, Client, hook_protocol};
use catchword_testkit::{HookPlayer, SESSION, Skip, TestEnv, Transcript, files};
use proc_macro2::{TokenStream, TokenTree};

mod counts;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const ENGINE: &str = "crates/catchword-engine/src";
const EVAL: &str = "crates/catchword-eval/src";
const BINARY: &str = "crates/catchword/src";

mod documents {
    use super::*;

    #[test]
    fn every_path_in_the_architecture_exists() {
        let map = read("ARCHITECTURE.md");
        let roots =
            ["", ENGINE, EVAL, BINARY, "crates/catchword-testkit/src"].map(|root| repository().join(root));
        let named = code_spans(&map).into_iter().filter(|span| is_path(span));
        assert!(named.clone().count() > 50, "paths are recognised");
        let missing: Vec<&str> =
            named.filter(|path| !roots.iter().any(|root| root.join(path).exists())).collect();
        assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
    }

    #[test]
    fn every_folder_is_in_the_architecture() {
        let map = read("ARCHITECTURE.md");
        let spans: BTreeSet<&str> = code_spans(&map).into_iter().collect();
        for crate_folder in [ENGINE, BINARY] {
            let root = repository().join(crate_folder);
            for folder in folders(&root) {
                let name = format!("{}/", folder.strip_prefix(&root).unwrap().display());
                // A client's folder, and the tests beside a file, are explained by their parent folder.
                let top = name.matches('/').count() == 1;
                assert!(
                    !top || spans.contains(name.as_str()),
                    "ARCHITECTURE.md does not say what {name} is for"
                );
            }
        }
    }

    #[test]
    fn every_command_in_the_docs_exists_with_its_flags() {
        let env = TestEnv::new();
        let others = ["CHANGELOG.md", "plugin/skills/catchword/SKILL.md"].map(str::to_owned);
        for document in written_by_hand().into_iter().chain(others) {
            let text = read(&document);
            for call in calls(&text) {
                let help = env.run(BIN, &[call.command, "--help"]);
                assert!(help.status.success(), "{document}: there is no `catchword {}`", call.command);
                for flag in call.flags {
                    assert!(
                        help.stdout.contains(flag),
                        "{document}: `catchword {}` has no {flag}",
                        call.command
                    );
                }
            }
        }
    }

    #[test]
    fn docs_name_every_hook_and_the_oldest_client() {
        let (readme, hooks) = (read("README.md"), read("docs/hooks.md"));
        for setup in CLIENTS.iter().map(|client| &client.setup) {
            for hook in setup.hooks.events {
                let event = format!("`{}`", hook.event);
                assert!(hooks.contains(&event), "docs/hooks.md does not say what is done at {event}");
            }
            let oldest = setup.oldest.map(|n| n.to_string()).join(".");
            assert!(readme.contains(&oldest), "README.md does not say that {oldest} is the oldest client");
        }
    }

    #[test]
    fn every_variable_in_the_docs_is_read_by_the_code() {
        let known = read(&format!("{BINARY}/app/env.rs")) + &read("crates/catchword/build.rs");
        let mut named = 0;
        for document in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/store.md", "docs/archive.md"] {
            for variable in read(document).split(|c: char| !(c.is_ascii_uppercase() || c == '_')) {
                let ours = variable.starts_with("CATCHWORD_") && variable != "CATCHWORD_";
                assert!(!ours || known.contains(variable), "{document}: nothing reads {variable}");
                named += usize::from(ours);
            }
        }
        assert!(named > 3, "variables are recognised");
    }

    /// A row of a table in tidy/coverage.md names the tests that hold it, and they exist.
    #[test]
    fn every_capability_is_held_by_tests_that_exist() {
        let sources = [
            "crates/catchword/src",
            "crates/catchword/tests",
            "crates/catchword-engine",
            "crates/catchword-eval",
            "crates/catchword-postgres/tests",
        ];
        let code: String = sources
            .iter()
            .flat_map(|folder| {
                let root = repository().join(folder);
                folders(&root).into_iter().chain([root])
            })
            .flat_map(|folder| entries(&folder))
            .filter(|path| path.extension().is_some_and(|of| of == "rs"))
            .map(|path| files::read(&path))
            .collect();
        let coverage = include_str!("tidy/coverage.md");
        let rows =
            coverage.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| capability"));
        let mut held = 0;
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            let [capability, tests] = cells[..] else { panic!("not two cells: {row}") };
            let names = code_spans(tests);
            assert!(!names.is_empty(), "nothing holds{capability}");
            for name in names {
                assert!(code.contains(&format!("fn {name}(")), "tidy/coverage.md names no test: {name}");
                held += 1;
            }
        }
        assert!(held > 40, "{held} tests");
    }

    #[test]
    fn generated_pages_are_up_to_date() {
        let env = catchword_testkit::TestEnv::new();
        for (page, arguments) in [
            ("docs/cli.md", &["man", "--markdown"][..]),
            ("docs/config.md", &["config", "schema", "--markdown"]),
        ] {
            let generated = env.run(env!("CARGO_BIN_EXE_catchword"), arguments).success().stdout;
            let command = arguments.join(" ");
            assert!(read(page) == generated, "{page} is out of date: `cargo run -- {command} > {page}`");
        }
    }

    #[test]
    fn every_table_is_documented() {
        let explained = read("docs/store.md");
        for schema in entries(&repository().join("crates/catchword-engine/schema")) {
            let sql = files::read(&schema);
            let tables = sql.split("CREATE TABLE ").skip(1);
            for statement in tables.chain(sql.split("CREATE VIRTUAL TABLE ").skip(1)) {
                let table = statement.split_whitespace().next().unwrap_or_default();
                assert!(
                    explained.contains(&format!("| `{table}` |")),
                    "docs/store.md does not say what {table} holds"
                );
            }
        }
    }

    /// The picture in the README is drawn from what the program says of the sample.
    #[test]
    fn picture_in_the_readme_matches_the_output() {
        let script = repository().join("docs/compaction.mjs");
        let drawn = TestEnv::new().command("node").arg(script).arg(BIN).output();
        let Ok(drawn) = drawn else { return Skip::because("node is missing").say(module_path!()) };
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        assert!(
            String::from_utf8_lossy(&drawn.stdout) == read("docs/compaction.svg"),
            "the brief has changed: node docs/compaction.mjs target/debug/catchword >docs/compaction.svg"
        );
        assert!(read("README.md").contains("(docs/compaction.svg)"));
    }

    /// The docs show the status line for a model that the client compacts by its rule.
    #[test]
    fn status_line_in_the_docs_matches_the_output() {
        let mut env = TestEnv::new();
        env.set_var("NO_COLOR", "1");
        env.write(".git/HEAD", "ref: refs/heads/main\n");
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = Transcript::new().prompt("go");
        for task in ["write the lexer", "write the grammar", "write the docs"] {
            transcript = transcript.task_create(task);
        }
        for _ in 0..2 {
            let brief = hooks.compaction(&mut transcript, "auto", "a summary").brief().expect("a brief");
            transcript = transcript.hook_context("SessionStart", &brief).says("On it.");
            transcript.append_to(hooks.transcript_path());
            let _ = hooks.stop("On it.").success();
        }
        let asked = serde_json::json!({"session_id": SESSION, "transcript_path": hooks.transcript_path(),
            "cwd": env.project(), "model": {"id": "claude-sonnet-4-6", "display_name": "Sonnet 4.6"},
            "context_window": {"context_window_size": 200_000, "current_usage": {"input_tokens": 10,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 103_950, "output_tokens": 40}}});
        let printed =
            env.run_with_stdin(BIN, &["statusline", "claude-code"], asked.to_string()).success().stdout;
        let page = read("docs/daily-use.md");
        let block = fenced(&page).into_iter().find(|block| block.contains("█"));
        assert_eq!(block.expect("docs/daily-use.md shows the status line").trim(), printed.trim());
    }

    #[test]
    fn links_in_the_docs_lead_somewhere() {
        for document in written_by_hand().into_iter().chain(["CHANGELOG.md".to_owned()]) {
            let text = read(&document);
            let folder = repository().join(&document).parent().unwrap().to_owned();
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for target in targets.filter(|target| !target.contains("://")) {
                let (path, heading) = target.split_once('#').unwrap_or((target, ""));
                let path = if path.is_empty() { repository().join(&document) } else { folder.join(path) };
                assert!(path.exists(), "{document} links to {target}, which is not there");
                let has_heading = || files::read(&path).lines().any(|line| anchor(line) == heading);
                assert!(heading.is_empty() || has_heading(), "{document}: no heading for {target}");
            }
        }
    }

    /// The anchor that a heading gets; nothing for other lines.
    fn anchor(line: &str) -> String {
        let Some(heading) = line.strip_prefix('#') else { return String::new() };
        let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    }

    /// Nobody reads a manual that is as long as a book. Tables, code and generated pages do not count. The limit leaves room
    /// for the archive, the page and the clients to come.
    #[test]
    fn docs_stay_short() {
        let words = |document: &String| -> usize {
            let text = read(document);
            let is_prose = |line: &&str| !line.starts_with('|') && !line.starts_with("    ");
            let prose = text.split("```").step_by(2).flat_map(str::lines).filter(is_prose);
            prose.map(|line| line.split_whitespace().count()).sum()
        };
        let all: usize = written_by_hand().iter().map(words).sum();
        assert!(all <= 22_000, "{all} words");
        let readme = read("README.md").lines().count();
        assert!(readme <= 130, "README.md has {readme} lines");
    }

    /// Tables, code and links cannot be wrapped.
    #[test]
    fn docs_are_wrapped_at_120_columns() {
        let pages = ["CHANGELOG.md", "docs/cli.md", "docs/config.md"].map(str::to_owned);
        for document in written_by_hand().into_iter().chain(pages) {
            let text = read(&document);
            for line in
                text.split("```").step_by(2).flat_map(str::lines).filter(|line| !line.starts_with('|'))
            {
                assert!(line.chars().count() <= 120 || !line.trim().contains(' '), "{document}: {line}");
            }
        }
    }

    /// Whoever runs a package that is not ours yet runs the program of whoever takes its name. With the first release
    /// the changelog gets a heading with a version, and these commands may come back.
    #[test]
    fn before_the_first_release_no_doc_runs_a_published_package() {
        let is_released = read("CHANGELOG.md").lines().any(|line| {
            line.strip_prefix("## ")
                .is_some_and(|name| name.trim_matches('[').starts_with(|c: char| c.is_ascii_digit()))
        });
        if is_released {
            return;
        }
        let commands =
            ["npx catchword", "npx --yes catchword", "npm install -g catchword", "npm i -g catchword"];
        let pages = written_by_hand().into_iter().chain(["CHANGELOG.md".to_owned()]);
        for document in pages.chain(GENERATED.map(str::to_owned)) {
            let text = read(&document);
            for command in
                commands.iter().chain(["cargo install --locked catchword", "cargo binstall catchword"].iter())
            {
                assert!(
                    !text.contains(command),
                    "{document} tells people to run `{command}`: there is no such package"
                );
            }
        }
        for document in ["README.md", "npm/catchword/README.md"] {
            let text = read(document);
            let first = text.split("```sh\n").nth(1).and_then(|block| block.lines().next());
            let from_here = "cargo install --locked --path crates/catchword && catchword try";
            assert!(
                first.is_some_and(|line| line.starts_with(from_here)),
                "{document} begins with {first:?}"
            );
        }
        let contributing = read("CONTRIBUTING.md");
        let checklist =
            contributing.split("## Releases").nth(1).and_then(|rest| rest.lines().find(|l| !l.is_empty()));
        assert!(
            checklist.is_some_and(|line| line.contains("reserve")),
            "the checklist begins with {checklist:?}"
        );
    }

    /// The docs, apart from the changelog and generated pages.
    fn written_by_hand() -> Vec<String> {
        let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
        let packages = ["npm/README.md", "npm/catchword/README.md", "plugin/README.md"];
        let pages = ["docs", "docs/formats"].into_iter().flat_map(|folder| {
            let below = entries(&repository().join(folder)).into_iter();
            let pages = below.filter(|path| path.extension().is_some_and(|of| of == "md"));
            pages.filter_map(move |path| Some(format!("{folder}/{}", path.file_name()?.to_str()?)))
        });
        let pages = pages.filter(|page| !GENERATED.contains(&page.as_str()));
        top.into_iter().chain(packages).map(str::to_owned).chain(pages).collect()
    }

    const GENERATED: [&str; 2] = ["docs/cli.md", "docs/config.md"];

    #[test]
    fn ci_runs_the_tests_that_the_readme_names() {
        let readme = read("README.md");
        let commands: Vec<&str> = readme.lines().filter(|line| line.starts_with("cargo test")).collect();
        assert_eq!(
            commands.len(),
            1,
            ".ci/run takes the one line that starts with `cargo test`: {commands:?}"
        );
        assert!(read(".ci/run").contains("'^cargo test'"), ".ci/run takes its test command from the README");
    }

    #[test]
    fn no_tracked_file_has_a_path_of_a_developers_machine() {
        // Made-up homes: of fixtures, of built transcripts, of the sample.
        let made_up = ["user", "dev", "bob"];
        let root = repository().canonicalize().unwrap().display().to_string();
        for path in tracked() {
            let text = files::read(repository().join(&path));
            let name = path.display();
            assert!(root.len() < 5 || !text.contains(&root), "{name} names this checkout's own folder");
            for parent in ["Users", "home"] {
                let prefix = format!("/{parent}/");
                for (at, _) in text.match_indices(&prefix) {
                    let owner: String =
                        text[at + prefix.len()..].chars().take_while(char::is_ascii_alphanumeric).collect();
                    let fine = owner.is_empty() || made_up.contains(&owner.as_str());
                    assert!(fine, "{name} names {prefix}{owner}");
                }
            }
            assert!(!text.contains(&["", "root", "."].join("/")), "{name} names the home of root");
        }
    }
}

mod seams {
    use super::*;

    #[test]
    fn engine_reads_neither_environment_nor_clock() {
        assert!(
            !mentions(BINARY, "SystemTime::now").is_empty() || !mentions(BINARY, "Timestamp::now").is_empty()
        );
        assert!([ENGINE, EVAL].iter().all(|folder| mentions(folder, "pub fn").len() > 3), "both are read");
        for banned in
            ["std::env", "env::var", "SystemTime::now", "Instant::now", "Timestamp::now", "Zoned::now"]
        {
            for folder in [ENGINE, EVAL] {
                assert_eq!(mentions(folder, banned), [] as [&str; 0], "{banned}: callers hand it in");
            }
        }
    }

    /// The engine's folders in order: a folder imports only those before it.
    const ENGINE_FOLDERS: [&[&str]; 19] = [
        &["lexicon"],
        &["text"],
        &["model"],
        &["redact"],
        &["clients"],
        &["quote"],
        &["transcript"],
        &["reading"],
        &["record"],
        &["session"],
        &["fixes"],
        &["context"],
        &["audit"],
        &["choose"],
        &["brief"],
        &["store"],
        &["archive"],
        &["project"],
        &["ops"],
    ];

    /// The program's, in the same way. The front ends share a row: none imports another.
    const PROGRAM_FOLDERS: [&[&str]; 5] =
        [&["ui"], &["app"], &["install"], &["cmd", "mcp", "statusline", "hook", "web"], &["cli"]];

    #[test]
    fn folders_import_only_folders_above_them_in_the_list() {
        assert_eq!(imports_upward(ENGINE, &ENGINE_FOLDERS), [] as [&str; 0]);
        assert_eq!(imports_upward(BINARY, &PROGRAM_FOLDERS), [] as [&str; 0]);
    }

    #[test]
    fn forbidden_imports_are_found() {
        let floors: [&[&str]; 3] = [&["low"], &["one", "other"], &["high"]];
        for (own, code, is_found) in [
            ("low", "use crate::high::X;", true),
            ("low", "use crate::{one, low};", true),
            ("one", "let x = crate::other::x();", true),
            ("one", "use crate::{\n    high::{A, B},\n    low,\n};", true),
            ("one", "use crate::low::X;\nuse crate::one::Y;", false),
            ("high", "use crate::{low, one, other};", false),
        ] {
            let found = wrong_imports(own, code, &floors);
            assert_eq!(!found.is_empty(), is_found, "{own}: {code}: {found:?}");
        }
    }

    fn imports_upward(root: &str, floors: &[&[&str]]) -> Vec<String> {
        let mut wrong = Vec::new();
        for file in mentions(root, "crate::") {
            let inside = file.strip_prefix(&format!("{root}/")).unwrap_or(&file);
            let own = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
            if ["main", "lib"].contains(&own) {
                continue;
            }
            let found = wrong_imports(own, &production_code(&read(&file)), floors);
            wrong.extend(found.into_iter().map(|folder| format!("{file} imports {folder}")));
        }
        wrong
    }

    /// The folders in the same row or later that this code names after `crate::`, alone or in braces.
    fn wrong_imports(own: &str, code: &str, floors: &[&[&str]]) -> Vec<String> {
        let floor_of = |name: &str| floors.iter().position(|floor| floor.contains(&name));
        let own_floor = floor_of(own).unwrap_or_else(|| panic!("{own} has no place in the list of folders"));
        let is_wrong = |name: &&str| *name != own && floor_of(name).is_some_and(|floor| floor >= own_floor);
        let named = code.split("crate::").skip(1).flat_map(first_segments);
        named.filter(|name| is_wrong(&name.as_str())).collect()
    }

    /// `a` of `a::b::c`, and `a` and `d` of `{a::{b, c}, d}`.
    fn first_segments(tree: &str) -> BTreeSet<String> {
        paths_in(tree).into_iter().filter_map(|path| path.into_iter().next()).collect()
    }

    /// `a::b::c` and `a::d` of `a::{b::c, d}`.
    fn paths_in(tree: &str) -> Vec<Vec<String>> {
        let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        let (path, rest) = tree.split_at(tree.find(|c| !is_path(c)).unwrap_or(tree.len()));
        let path: Vec<String> = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let Some(list) = rest.strip_prefix('{') else { return vec![path] };
        let below = items_of(list).into_iter().flat_map(|item| paths_in(item.trim_start()));
        below.map(|below| path.iter().cloned().chain(below).collect()).collect()
    }

    /// The items of a list in braces, up to its end.
    fn items_of(list: &str) -> Vec<&str> {
        let (mut depth, mut start, mut items) = (0, 0, Vec::new());
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    items.push(&list[start..at]);
                    return items;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    items.push(&list[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        items
    }

    #[test]
    fn files_of_a_folder_do_not_import_each_other() {
        for root in [ENGINE, EVAL, BINARY] {
            let code = mentions(root, "").into_iter().map(|file| {
                let module = module_of(file.strip_prefix(&format!("{root}/")).unwrap());
                (module, production_code(&read(&file)))
            });
            let found = import_cycles(&code.collect());
            assert_eq!(found, BTreeSet::new(), "move what both need to a file of its own");
        }
    }

    #[test]
    fn import_cycles_are_found() {
        let cycles = |files: &[(&str, &str)]| {
            let code = |(file, code): &(&str, &str)| (module_of(file), (*code).to_owned());
            import_cycles(&files.iter().map(code).collect()).into_iter().collect::<Vec<String>>()
        };
        let mutual = [("f/a.rs", "use super::b::X;"), ("f/b.rs", "use super::{Y, a};")];
        assert_eq!(cycles(&mutual), ["f::{a, b}"]);
        let ring = [
            ("f/a.rs", "super::b::x()"),
            ("f/b.rs", "use crate::f::{c::{X, Y}};"),
            ("f/c.rs", "super::a::y()"),
        ];
        assert_eq!(cycles(&ring), ["f::{a, b, c}"]);
        let nested = [("f/a/x.rs", "use super::super::b;"), ("f/b/mod.rs", "use super::a::x::Z;")];
        assert_eq!(cycles(&nested), ["f::{a, b}"]);
        let parent =
            [("f/mod.rs", "mod a; use a::X;"), ("f/a.rs", "use super::Y;"), ("f/b.rs", "use super::a;")];
        assert_eq!(cycles(&parent), [] as [&str; 0]);
    }

    type Code = BTreeMap<Vec<String>, String>;

    /// `a::b` of `a/b.rs` or `a/b/mod.rs`.
    fn module_of(file: &str) -> Vec<String> {
        let names =
            file.trim_end_matches(".rs").split('/').filter(|name| !["mod", "lib", "main"].contains(name));
        names.map(str::to_owned).collect()
    }

    /// The modules of a folder that import each other, directly or by way of others in it.
    fn import_cycles(code: &Code) -> BTreeSet<String> {
        let mut imports: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
        let is_module = |path: &[String]| code.keys().any(|module| module.starts_with(path));
        for (module, text) in code {
            for path in imported(module, text) {
                let common = module.iter().zip(&path).take_while(|(a, b)| a == b).count();
                if common < module.len() && common < path.len() && is_module(&path[..=common]) {
                    let from = imports.entry(module[..=common].to_vec()).or_default();
                    from.insert(path[..=common].to_vec());
                }
            }
        }
        let cycle = |module: &Vec<String>| {
            let all = reached(module, &imports);
            let cycle = all.iter().filter(|other| reached(other, &imports).contains(module));
            let names: Vec<&str> = cycle.filter_map(|path| path.last()).map(String::as_str).collect();
            let folder = module[..module.len() - 1].join("::");
            (!names.is_empty()).then(|| format!("{folder}::{{{}}}", names.join(", ")))
        };
        imports.keys().filter_map(cycle).collect()
    }

    fn reached(
        module: &Vec<String>,
        imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
    ) -> BTreeSet<Vec<String>> {
        let (mut found, mut next) = (BTreeSet::new(), vec![module]);
        while let Some(module) = next.pop() {
            let new = imports.get(module).into_iter().flatten();
            next.extend(new.filter(|path| found.insert((*path).clone())));
        }
        found
    }

    /// The paths that the code of a module names after `crate::` and `super::`, from the root.
    fn imported(module: &[String], code: &str) -> Vec<Vec<String>> {
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let code: String = code.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect();
        let from_root = code.split("crate::").skip(1).flat_map(paths_in);
        let starts =
            code.match_indices("super::").map(|(at, _)| at).filter(|at| !code[..*at].ends_with("super::"));
        let from_parent = starts.flat_map(|at| {
            let below = code[at..].trim_start_matches("super::");
            let ups = (code.len() - at - below.len()) / "super::".len();
            let folder = &module[..module.len().saturating_sub(ups)];
            paths_in(below).into_iter().map(move |path| folder.iter().cloned().chain(path).collect())
        });
        from_root.chain(from_parent).collect()
    }

    #[test]
    fn only_a_clients_folder_uses_its_words() {
        let mut wrong = Vec::new();
        for file in [ENGINE, EVAL, BINARY].iter().flat_map(|root| mentions(root, "")) {
            let code = production_code(&read(&file));
            for client in CLIENTS {
                let folder = client.name.replace('-', "_");
                let is_of = |client: &&&Client| {
                    file.starts_with(&format!("{ENGINE}/clients/{}/", client.name.replace('-', "_")))
                };
                let owner = CLIENTS.iter().find(is_of);
                let is_protocol = file == format!("{ENGINE}/clients/hook_protocol.rs");
                if owner.is_none_or(|owner| owner.name != client.name) {
                    let allowed = (file == format!("{ENGINE}/clients/mod.rs")).then_some(folder.as_str());
                    // Clients share words, as hooks have the same names in several: a folder may use those that its
                    // own client lists, too.
                    let listed = owner.map(|owner| {
                        let words = &owner.words;
                        [words.anywhere, words.alone, owner.phrases.tags, owner.summaries.around].concat()
                    });
                    let is_own = |word: &String| {
                        (is_protocol || owner.is_some()) && hook_protocol::WORDS.contains(&word.as_str())
                            || listed.iter().flatten().any(|own| word.starts_with(own))
                    };
                    let found = words_of(client, &code, allowed);
                    let found = found.into_iter().filter(|word| !is_own(word));
                    wrong.extend(found.map(|word| format!("{file}: {word}")));
                }
            }
        }
        assert_eq!(wrong, [] as [&str; 0], "let the client's value in `CLIENTS` say it");
    }

    #[test]
    fn client_words_in_strings_and_paths_are_found() {
        for (code, found) in [
            (r#"let x = "claude-code";"#, "claude"),
            (r##"let x = json!({"a": r#"{"tool": "TodoWrite"}"#});"##, "TodoWrite"),
            (r#"let x = [("a", vec!["Read"])];"#, "Read"),
            (r#"#[command(after_help = "type /compact")] struct A;"#, "/compact"),
            ("fn f() { use crate::clients::claude_code::CLIENT; }", "claude_code"),
            ("struct A { claude_dir: PathBuf }", "claude_dir"),
            // Phrases: tags, what is around a summary, commands, marks in outputs.
            (r#"let x = text.replace("<tool_use_error>", "");"#, "tool_use_error"),
            (r#"let x = text.find("</system-reminder>");"#, "system-"),
            (
                r#"line.starts_with("Please continue the conversation from where")"#,
                "Continue the conversation from where",
            ),
            (r#"text.rsplit_once("</analysis>")"#, "</analysis>"),
            (r#"matches!(name, "/exit" | "/quit")"#, "/exit"),
            (r#"output.contains("characters truncated")"#, "characters truncated"),
            (r#"const SIGNS: [&str; 2] = ["usage limit reached", "x"];"#, "usage limit reached"),
        ] {
            assert!(words_of(CLIENTS[0], code, None).contains(&found.to_owned()), "{code}");
        }
        for fine in [
            "/// Claude Code, its `PreCompact`.\n//! claude\nfn f() {}",
            "fn f() { let x = \"Read it\"; } // claude",
            r#"let x = "the user-facing system-wide command-line";"#,
            "enum Tool { TaskCreate }",
        ] {
            assert_eq!(words_of(CLIENTS[0], fine, None), [] as [&str; 0], "{fine}");
        }
        assert_eq!(words_of(CLIENTS[0], "mod claude_code;", Some("claude_code")), [] as [&str; 0]);
    }

    /// A client's words in the strings of this code, and names that contain the client's. Not in comments.
    fn words_of(client: &Client, code: &str, allowed: Option<&str>) -> Vec<String> {
        let mut tokens = Vec::new();
        flatten(code.parse().unwrap_or_else(|error| panic!("{error}: {code}")), &mut tokens);
        let (anywhere, alone) = (client.words.anywhere, client.words.alone);
        let (tags, around) = (client.phrases.tags, client.summaries.around);
        let of_string = |text: &str| {
            let inside = text.trim_start_matches(['b', 'r', '#']).trim_end_matches('#').trim_matches('"');
            let lower = inside.to_lowercase();
            let is_tag =
                |tag: &str| inside.contains(&format!("<{tag}")) || inside.contains(&format!("</{tag}"));
            let parts = anywhere.iter().filter(|word| inside.contains(**word));
            let whole = alone.iter().filter(|word| **word == inside);
            let tags = tags.iter().filter(|tag| is_tag(tag));
            let around = around.iter().filter(|start| lower.contains(&start.to_lowercase()));
            parts.chain(whole).chain(tags).chain(around).map(ToString::to_string).collect()
        };
        let of_name = |name: &str| -> Vec<String> {
            let lower = name.to_lowercase();
            // A short name is part of many words.
            let is_short = client.setup.program.len() < 4;
            let has = if is_short {
                lower.split('_').any(|word| word == client.setup.program)
            } else {
                lower.contains(client.setup.program)
            };
            let is_its = has && Some(name) != allowed;
            is_its.then(|| name.to_owned()).into_iter().collect()
        };
        let of_token = |token: &TokenTree| match token {
            TokenTree::Literal(text) => of_string(&text.to_string()),
            TokenTree::Ident(name) => of_name(&name.to_string()),
            _ => Vec::new(),
        };
        tokens.iter().flat_map(of_token).collect()
    }

    /// All tokens, including those in brackets, without doc comments, which the tokeniser turns into attributes.
    pub fn flatten(tokens: TokenStream, into: &mut Vec<TokenTree>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let first = group.stream().into_iter().next();
                    if !matches!(first, Some(TokenTree::Ident(name)) if name == "doc") {
                        flatten(group.stream(), into);
                    }
                }
                token => into.push(token),
            }
        }
    }

    #[test]
    fn only_store_and_history_know_sql() {
        for sql in ["rusqlite", "SELECT ", "INSERT ", "DELETE FROM", "UPDATE ", "CREATE TABLE", "PRAGMA "] {
            assert!(!mentions(&format!("{ENGINE}/store"), sql).is_empty(), "{sql}: the store knows it");
            let elsewhere: Vec<String> = [ENGINE, EVAL, BINARY]
                .iter()
                .flat_map(|root| mentions(root, sql))
                .filter(|file| {
                    // In the last ones clients, or their agents, keep sessions and tasks.
                    ["store/", "archive/history/", "transcript/database.rs", "clients/opencode/database.rs"]
                        .iter()
                        .chain(&["clients/copilot/todos.rs"])
                        .all(|of| !file.starts_with(&format!("{ENGINE}/{of}")))
                })
                .collect();
            assert_eq!(elsewhere, [] as [&str; 0], "{sql}: only store and history know SQL");
        }
    }

    /// What a question answers is a document of `ops/read/`; what commands report of their own work may be defined where
    /// it is printed.
    #[test]
    fn commands_lay_out_documents_and_define_few() {
        let root = repository().join(BINARY).join("cmd");
        let files = folders(&root).into_iter().chain([root]).flat_map(|folder| entries(&folder));
        let code: Vec<String> =
            files.filter(|path| is_product_code(path)).map(|path| files::read(&path)).collect();
        let is_derived = |line: &&str| line.contains("derive(") && line.contains("Serialize");
        let defined = code.iter().flat_map(|code| code.lines()).filter(is_derived).count();
        assert!(code.len() > 20 && defined > 0, "{} files, {defined} documents", code.len());
        assert!(defined <= 8, "{defined} documents are defined in cmd/");
    }

    #[test]
    fn environment_is_read_in_one_place() {
        let readers: BTreeSet<String> = ["env::var(", "env::var_os(", "SystemTime::now"]
            .iter()
            .flat_map(|call| mentions(BINARY, call))
            .collect();
        assert_eq!(readers.into_iter().collect::<Vec<_>>(), [format!("{BINARY}/app/env.rs")]);
    }
}

mod names {
    use super::*;

    /// Every command has its `Args`: one meaning, many commands.
    const EXCEPTIONS: [&str; 1] = ["Args"];

    #[test]
    fn type_names_have_one_meaning() {
        let folders = [ENGINE, EVAL, BINARY, "crates/catchword-testkit/src"];
        let definitions = folders.iter().flat_map(|folder| mentions(folder, "")).flat_map(|file| {
            // Two platforms may each define a type in one file.
            let names: BTreeSet<String> = types_in(&production_code(&read(&file))).into_iter().collect();
            names.into_iter().map(move |name| (name, file.clone()))
        });
        assert_eq!(defined_twice(definitions), [] as [&str; 0]);
    }

    #[test]
    fn type_names_with_two_meanings_are_found() {
        let files = [
            ("a.rs", "pub struct Plan<'a> { x: &'a str }"),
            ("b.rs", "mod m { pub(crate) enum Plan { A } }"),
            ("c.rs", "trait T { type Plan; } fn plan(struct_: Plan) {}"),
        ];
        let definitions = files.iter().flat_map(|(file, code)| {
            types_in(code).into_iter().map(|name| (name, (*file).to_owned())).collect::<Vec<_>>()
        });
        let found = defined_twice(definitions.filter(|(name, _)| name == "Plan"));
        assert_eq!(found, ["Plan: a.rs, b.rs"]);
    }

    fn defined_twice(definitions: impl Iterator<Item = (String, String)>) -> Vec<String> {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, file) in definitions {
            files.entry(name).or_default().push(file);
        }
        let is_twice = |name: &str, files: &[String]| files.len() > 1 && !EXCEPTIONS.contains(&name);
        let twice = files.into_iter().filter(|(name, files)| is_twice(name, files));
        twice.map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
    }

    /// Structs, enums, traits and type aliases, except types that belong to a trait or an implementation.
    fn types_in(code: &str) -> Vec<String> {
        let tokens: TokenStream = code.parse().unwrap_or_else(|error| panic!("{error}: {code}"));
        let mut found = Vec::new();
        collect_types(tokens, true, &mut found);
        found
    }

    fn collect_types(tokens: TokenStream, with_aliases: bool, found: &mut Vec<String>) {
        let (mut keyword, mut belongs_to_a_type) = (String::new(), false);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if ["struct", "enum", "trait"].contains(&keyword.as_str())
                        || (keyword == "type" && with_aliases)
                    {
                        found.push(name.clone());
                    }
                    belongs_to_a_type |= ["trait", "impl"].contains(&name.as_str());
                    keyword = name;
                }
                TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace => {
                    collect_types(group.stream(), with_aliases && !belongs_to_a_type, found);
                    (keyword, belongs_to_a_type) = (String::new(), false);
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => {
                    (keyword, belongs_to_a_type) = (String::new(), false);
                }
                _ => keyword = String::new(),
            }
        }
    }
}

mod dependencies {
    use super::*;

    /// What only the tests of a crate use is one of its dev-dependencies.
    #[test]
    fn every_dependency_is_used() {
        for krate in ["catchword", "catchword-engine", "catchword-eval", "catchword-testkit"] {
            let folder = format!("crates/{krate}");
            let manifest: toml::Table = read(&format!("{folder}/Cargo.toml")).parse().expect("a manifest");
            let sources = |of: &[&str]| -> String {
                of.iter()
                    .flat_map(|of| sources_under(&format!("{folder}/{of}")))
                    .map(|file| read(&file))
                    .collect()
            };
            let program = sources(&["src"]);
            let tests = sources(&["src", "tests", "benches", "examples"]);
            let listed = |table: &toml::Table, key: &str| -> Vec<String> {
                table
                    .get(key)
                    .and_then(|of| of.as_table())
                    .into_iter()
                    .flat_map(|of| of.keys().cloned())
                    .collect()
            };
            let unix =
                &manifest.get("target").and_then(|of| of.get("cfg(unix)")).and_then(|of| of.as_table());
            let normal = listed(&manifest, "dependencies").into_iter();
            for name in normal.chain(unix.iter().flat_map(|of| listed(of, "dependencies"))) {
                assert!(uses(&program, &name), "{krate} does not use {name}: take it out of its Cargo.toml");
            }
            for name in listed(&manifest, "dev-dependencies") {
                assert!(uses(&tests, &name), "the tests of {krate} do not use {name}");
            }
        }
    }

    fn uses(sources: &str, name: &str) -> bool {
        let name = name.replace('-', "_");
        [format!("{name}::"), format!("use {name};"), format!("use {name} as")]
            .iter()
            .any(|use_| sources.contains(use_))
    }

    fn sources_under(folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(repository().join(folder)) else { return Vec::new() };
        let paths = entries.map(|entry| entry.expect("a folder of ours").path());
        paths
            .flat_map(|path| {
                let shown = format!("{folder}/{}", path.file_name().expect("it has one").to_string_lossy());
                let is_source = path.extension().is_some_and(|of| of == "rs");
                if path.is_dir() {
                    sources_under(&shown)
                } else if is_source {
                    vec![shown]
                } else {
                    Vec::new()
                }
            })
            .collect()
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[track_caller]
fn read(path: &str) -> String {
    let text = files::read(repository().join(path));
    assert!(!text.is_empty(), "{path} is missing or empty");
    text
}

/// The code spans of a line, outside fenced blocks.
fn code_spans(markdown: &str) -> Vec<&str> {
    let outside = markdown.split("```").step_by(2);
    outside.flat_map(str::lines).flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Fenced blocks, without the fences.
fn fenced(markdown: &str) -> Vec<&str> {
    markdown.split("```").skip(1).step_by(2).filter_map(|block| Some(block.split_once('\n')?.1)).collect()
}

/// A path that should exist: not a pattern, not somebody's home, not an address, not a command line.
fn is_path(span: &str) -> bool {
    let last = span.rsplit('/').next().unwrap_or_default();
    let file = [".rs", ".md", ".toml", ".sql", ".json"].iter().any(|end| last.ends_with(end));
    (span.contains('/') || file) && !span.contains([' ', '<', '*', '…', '~', '$', ':'])
}

/// A call of ours in the docs.
struct Call<'a> {
    command: &'a str,
    flags: Vec<&'a str>,
}

/// Every `catchword <command> --flags` in code spans and fenced blocks.
fn calls(markdown: &str) -> Vec<Call<'_>> {
    let lines = fenced(markdown).into_iter().flat_map(str::lines);
    let indented = markdown.lines().filter(|line| line.starts_with("    "));
    lines
        .chain(indented)
        .chain(code_spans(markdown))
        .flat_map(|code| code.split(['&', '|', ';', '#']))
        .filter_map(call)
        .collect()
}

fn call(code: &str) -> Option<Call<'_>> {
    let mut words = code.trim().trim_start_matches("$ ").split_whitespace();
    if words.next() != Some("catchword") {
        return None;
    }
    let command = words.next().filter(|word| word.chars().all(|c| c.is_ascii_lowercase()))?;
    Some(Call { command, flags: words.filter(|word| word.starts_with("--")).collect() })
}

/// The files below `folder` whose code, without its tests, contains `word`.
fn mentions(folder: &str, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let root = repository().join(folder);
    for below in folders(&root).into_iter().chain([root]) {
        for path in entries(&below).into_iter().filter(|path| is_product_code(path)) {
            if production_code(&files::read(&path)).contains(word) {
                let name = path.strip_prefix(repository()).unwrap();
                found.push(name.display().to_string());
            }
        }
    }
    found
}

/// A file without its test module.
fn production_code(text: &str) -> String {
    let (before, tests) = text.split_once("\nmod tests {").unwrap_or((text, ""));
    let after = tests.split_once("\n}\n").map_or("", |(_, after)| after);
    format!("{before}\n{after}")
}

fn is_product_code(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    path.extension().is_some_and(|end| end == "rs") && stem != "tests" && !stem.ends_with("_tests")
}

/// All folders below `root`.
fn folders(root: &Path) -> Vec<PathBuf> {
    let direct: Vec<PathBuf> = entries(root).into_iter().filter(|path| path.is_dir()).collect();
    direct.iter().flat_map(|folder| folders(folder)).chain(direct.clone()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// Every file that git tracks; empty if this is not a checkout.
fn tracked() -> Vec<PathBuf> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(repository()).output();
    let listed = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    listed.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}
