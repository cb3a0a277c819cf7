//! The expected values are what the benchmark's regular expressions find.

use super::*;

const PATHS: &[(&str, &[&str])] = &[
    ("cargo run src/main.rs", &["src/main.rs"]),
    ("see ./x.rs and ../a/b.py, ~/c/d.toml", &["./x.rs", "../a/b.py", "~/c/d.toml"]),
    ("/abs/dir/file.ts:12", &["/abs/dir/file.ts"]),
    ("/x.rs", &[]),
    ("~/x.rs", &[]),
    (".../a/b.rs", &[".../a/b.rs"]),
    ("a/b.rs/c", &["a/b.rs"]),
    ("a/b.c/d.e/f", &["a/b.c/d.e"]),
    ("x/y.toolongext9 x/y.eightext", &["x/y.eightext"]),
    ("foo.rs", &["foo.rs"]),
    ("foo.rsx", &[]),
    ("-foo.rs a.foo.rs", &["-foo.rs"]),
    ("foo-bar_1.tsx.", &["foo-bar_1.tsx"]),
    ("v1.2/a.b.c", &["v1.2/a.b.c"]),
    ("a/.env", &[]),
    ("a/.b.rs", &["a/.b.rs"]),
    ("a//b.rs", &[]),
    ("dir/a.b-c", &["dir/a.b"]),
    ("dir/a.rs-b", &["dir/a.rs"]),
    ("https://host.io/a/b.html?x=1", &["/host.io/a/b.html"]),
    ("src/é/ü.rs", &["src/é/ü.rs"]),
    ("node_modules/@s/p+q/i.js", &["node_modules/@s/p+q/i.js"]),
    ("(src/a.rs)", &["src/a.rs"]),
    ("x=src/a.rs", &["src/a.rs"]),
    ("grep -rn a.b src/", &[]),
    ("a/b.rsé", &["a/b.rsé"]),
    ("Makefile README.md README.mdx", &["README.md"]),
    ("./a.rs", &["./a.rs"]),
    ("..a/b.rs", &["..a/b.rs"]),
    (".a.rs", &[]),
    ("crates/x/Cargo.toml'", &["crates/x/Cargo.toml"]),
    ("-rf/a.md", &["-rf/a.md"]),
    ("a./b.rs", &["a./b.rs"]),
];

const NAMES: &[(&str, &[&str])] = &[
    ("snake_case_name", &["snake_case_name"]),
    ("a_bc a_bcd", &["a_bcd"]),
    ("_lead_ing x_yz1", &["x_yz1"]),
    ("CONST_NAME", &["CONST_NAME"]),
    ("fooBar fooBarBaz", &["fooBarBaz"]),
    ("fooBarB fooBarBa", &["fooBarBa"]),
    ("fooBarBaz_x", &[]),
    ("FooBar Foo", &["FooBar"]),
    ("FooBarX", &[]),
    ("HTTPServer", &[]),
    ("AbcDef1Gh2", &["AbcDef1Gh2"]),
    ("ABC-123 A-1 ABCDEFGHI-1", &["ABC-123"]),
    ("ABC-1234567", &[]),
    ("abc1234 abcdefg 1234567", &["abc1234"]),
    ("abc123z1", &[]),
    ("0123456789abcdef0123456789abcdef01234567", &["0123456789abcdef0123456789abcdef01234567"]),
    ("0123456789abcdef0123456789abcdef012345678", &[]),
    ("one-two one-two-three", &["one-two-three"]),
    ("1a2b3c4d-0000-4000-8000-123456789abc", &["1a2b3c4d-0000-4000-8000-123456789abc"]),
    ("a-b-c-dX", &["a-b-c"]),
    ("a-b-cX", &[]),
    ("a-b-cX-d-e-f", &["d-e-f"]),
    ("a-b-c-", &["a-b-c"]),
    ("x.fooBarBaz()", &["fooBarBaz"]),
    ("naïve_name_x", &[]),
    ("name_with_é", &[]),
    ("deadbeef1-two-three", &["deadbeef1"]),
    ("Foo_bar_baz", &["Foo_bar_baz"]),
    ("foo__bar", &["foo__bar"]),
    ("2abc_defg", &[]),
    ("feat-x1-y2 UTF-8", &["feat-x1-y2", "UTF-8"]),
    ("getHTTPResponse2", &["getHTTPResponse2"]),
    ("ids toolu_01ABC", &["toolu_01ABC"]),
];

const COMMANDS: &[(&str, &str)] = &[
    ("  cargo   test\n -q ", "cargo test -q"),
    ("cd a && cargo test", "cargo test"),
    ("cd a && cd /b ; npm run x", "npm run x"),
    ("cd a; ls", "cd a; ls"),
    ("cargo test 2>&1 | tail -5", "cargo test"),
    ("cargo test 2>&1 | grep -v x | head -3", "cargo test"),
    ("cargo test | grep a | wc -l", "cargo test | grep a | wc -l"),
    ("cargo test 2>/dev/null 2>&1", "cargo test"),
    ("cargo test | tail", "cargo test"),
    ("cargo test | tailor x", "cargo test | tailor x"),
    ("a || tail b", "a || tail b"),
    ("x | grep 'a|b'", "x | grep 'a|b'"),
    ("x | grep a |head", "x | grep a |head"),
    ("npm test 2>&1 | tee log 2>&1", "npm test 2>&1 | tee log"),
    ("cd a && ", "cd a &&"),
    ("cd  a  &&  b", "b"),
    ("make | tail -5 2>&1", "make"),
    ("make |tail", "make |tail"),
    (" ", ""),
    ("make 2>&1", "make"),
    ("make > out 2>&1 | grep a 2>&1 | tail -1", "make > out"),
];

const TRIVIAL: &[(&str, bool)] = &[
    ("git status", true),
    ("git status --short --branch x", true),
    ("git statuses", false),
    ("git diff HEAD~1 -- a/b/c.rs", true),
    ("git logx", false),
    ("git commit -m x", false),
    ("ls", true),
    ("ls -la src/abc", true),
    ("ls -la src/abcdef", false),
    ("lsof -i", false),
    ("pwd", true),
    ("pwd x", false),
    ("cd /a/b", true),
    ("cat", true),
    ("cat x", false),
    ("echo hi", true),
    ("echoes", true),
    ("sleep 5", true),
    ("true", true),
    ("true x", false),
    ("wc -l", true),
    ("date", true),
    ("dates", false),
    ("git push origin main", true),
];

#[test]
fn paths_match_the_benchmark() {
    for (text, found) in PATHS {
        assert_eq!(paths(text), *found, "{text:?}");
    }
}

#[test]
fn names_match_the_benchmark() {
    for (text, found) in NAMES {
        assert_eq!(names(text), *found, "{text:?}");
    }
}

#[test]
fn normal_command_drops_cd_and_output_filters() {
    for (command, normal) in COMMANDS {
        assert_eq!(normal_command(command), *normal, "{command:?}");
    }
}

#[test]
fn trivial_commands_match_the_benchmark() {
    for (command, trivial) in TRIVIAL {
        assert_eq!(is_trivial(command), *trivial, "{command:?}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[a-zA-F0-9_./~@é| &>-]{0,40}") {
        paths(&text);
        names(&text);
        is_trivial(&normal_command(&text));
    }
}
