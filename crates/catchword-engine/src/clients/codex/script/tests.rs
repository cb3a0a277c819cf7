use super::*;
use proptest::prelude::*;
use serde_json::json;

/// The commands of a script, each with the name under which it is told of.
fn commands(script: &str) -> Vec<(String, String)> {
    let calls = calls(script);
    let of = |(n, call): (usize, &ScriptCall)| {
        let input = call.input.clone().unwrap_or_default();
        let command = input["cmd"].as_str().or(input["command"].as_str()).unwrap_or("?").to_owned();
        (calls.id("c", n).trim_start_matches("c/").to_owned(), command)
    };
    calls.made().iter().enumerate().map(of).collect()
}

fn pairs(all: &[(String, String)]) -> Vec<(&str, &str)> {
    all.iter().map(|(id, command)| (id.as_str(), command.as_str())).collect()
}

#[test]
fn literals_are_read_however_they_are_written() {
    for script in [
        r#"const r = await tools.update_plan({"plan": [{"step": "a \"b\"", "status": "pending"}], "n": 2});"#,
        "await tools.update_plan({\n  plan: [{step: 'a \"b\"', status: `pending`,},],\n  n: 2,\n})",
    ] {
        let expected = json!({"plan": [{"step": "a \"b\"", "status": "pending"}], "n": 2});
        assert_eq!(arguments(script, "update_plan"), [expected], "{script}");
    }
}

#[test]
fn what_a_script_computes_is_unknown() {
    for script in [
        "tools.update_plan(plan)",
        "tools.update_plan({plan: steps.map(s => ({step: s}))})",
        "tools.update_plan({plan: [{step: `a ${n}`}]})",
        "tools.update_plan({plan: [",
        "tools.update_plan(",
        "tools.update_plan({plan: \"\\u12",
    ] {
        assert_eq!(arguments(script, "update_plan"), [] as [Value; 0], "{script}");
    }
    assert_eq!(arguments(&format!("tools.f({})", "[".repeat(1000)), "f"), [] as [Value; 0]);
}

/// Scripts as models write them, with the commands in them and the item that tells of each.
#[test]
fn commands_are_found_in_scripts_as_models_write_them() {
    let cases: [(&str, &[(&str, &str)]); 24] = [
        (
            r#"const r = await tools.exec_command({cmd:"git status","workdir":"/w","yield_time_ms":10000}); text(r.output);"#,
            &[("1of1", "git status")],
        ),
        (
            "const r = await tools.exec_command({cmd: 'ls'}); text(r.output); if(r.session_id) text(`SESSION_ID=${r.session_id}`);",
            &[("1of1", "ls")],
        ),
        (
            "const r = await tools.exec_command({cmd: 'ls'}); text(r.output); if (r.exit_code) text('exit code ' + r.exit_code);",
            &[("1of1", "ls")],
        ),
        (
            "const r = await tools.exec_command({cmd: 'ls'}); text(r.output); text(`exit:${r.exit_code}`);",
            &[("1of2+", "ls")],
        ),
        (
            "const r = await tools.exec_command({cmd: 'ls'}); text(r.output); if(r.session_id) text(`S=${r.session_id}`); else text(`E=${r.exit_code}`);",
            &[("1of2+", "ls")],
        ),
        ("text(await tools.shell_command({command: \"py -3 'x y'\"}))", &[("1of1*", "py -3 'x y'")]),
        ("const r = await tools.exec_command({cmd: 'ls'});\ntext(JSON.stringify(r));", &[("1of1*", "ls")]),
        (
            "const r = await tools.exec_command({cmd: 'ls'});\ntext(JSON.stringify({exit_code:r.exit_code, output:r.output}));",
            &[("1of1*", "ls")],
        ),
        (
            "const results = await Promise.all([\n  tools.exec_command({cmd:\"a\"}),\n  tools.exec_command({cmd:\"b\"})\n]); \
             results.forEach((r,i)=>{text(`---RESULT ${i+1}---`); text(r.output); if(r.session_id) text(`ID=${r.session_id}`)});",
            &[("2of4", "a"), ("4of4", "b")],
        ),
        (
            "const [a, b] = await Promise.all([tools.exec_command({cmd:'a'}), tools.exec_command({cmd:'b'})]);\ntext(b.output)\ntext(a)",
            &[("2of2*", "a"), ("1of2", "b")],
        ),
        (
            "const rs = await Promise.all([tools.exec_command({cmd:'a'}), tools.exec_command({cmd:'b'})]);\nfor (const r of rs) text(r);",
            &[("1of2*", "a"), ("2of2*", "b")],
        ),
        (
            "const ids = [46,47]; const q = 'x{y}';\nconst rs = await Promise.all(ids.map(id => tools.exec_command({cmd:`gh ${q} ${id}`})));\nrs.forEach(r=>text(r.output));",
            &[("1of2", "gh x{y} 46"), ("2of2", "gh x{y} 47")],
        ),
        (
            "const {output, exit_code} = await tools.exec_command({cmd: 'cargo ' + 'test'}); text(output); text(`code ${exit_code}`)",
            &[("1of2+", "cargo test")],
        ),
        (
            "for (const cmd of ['a', 'b']) { const r = await tools.exec_command({cmd}); text(r.output); }",
            &[("1of2", "a"), ("2of2", "b")],
        ),
        (
            "const run = async (cmd) => { const r = await tools.exec_command({cmd, workdir: '/w'}); text(r.output); return r; };\nawait run('a');\nawait run('b');",
            &[("1of2", "a"), ("2of2", "b")],
        ),
        (
            "async function run(cmd) { return await tools.exec_command({cmd}); }\nconst a = await run('a'); text(a.output.trim())",
            &[("1of1", "a")],
        ),
        (
            "// @exec: {\"yield_time_ms\": 1000}\nconst cmd = [\"set -e\", 'make'].join('\\n');\nconst r = await tools.exec_command({cmd}); text(r.output || '(no output)');",
            &[("1of1", "set -e\nmake")],
        ),
        (
            "const r = await tools.exec_command({cmd: String.raw`rg \"\\bfoo\\b\" C:\\new`}); text(r.output)",
            &[("1of1", r#"rg "\bfoo\b" C:\new"#)],
        ),
        (
            "const r = await Promise.allSettled([tools.exec_command({cmd:'a'})]); text(r[0].value.output)",
            &[("1of1", "a")],
        ),
        // Printed together, or in an order that nobody knows: the commands are known, their outputs are not.
        (
            "const a = await tools.exec_command({cmd:'a'}), b = await tools.exec_command({cmd:'b'}); text(a.output + b.output);",
            &[("0-", "a"), ("1-", "b")],
        ),
        (
            "await Promise.all(['a','b'].map(async cmd => { const r = await tools.exec_command({cmd}); text(r.output) }))",
            &[("0-", "a"), ("1-", "b")],
        ),
        (
            "const r = await tools.exec_command({cmd:'a'}); if (r.output.includes('x')) text('found'); text(r.output);",
            &[("0-", "a")],
        ),
        ("await tools.exec_command({cmd:'a'});", &[("0-", "a")]),
        (
            "const r = await tools.exec_command({cmd:'a', yield_time_ms: t}); text(r.session_id ? 'goes on' : r.output);",
            &[("0-", "a")],
        ),
    ];
    for (script, expected) in cases {
        assert_eq!(pairs(&commands(script)), expected, "{script}");
        assert!(!calls(script).is_unread(), "{script}");
    }
}

/// What may or may not be called is not reported, and the script says so.
#[test]
fn script_with_an_uncertain_call_is_unread() {
    let cases: [(&str, &[&str]); 20] = [
        ("if (x) await tools.exec_command({cmd:'a'});", &[]),
        (
            "const r = await tools.exec_command({cmd:'a'}); if (r.exit_code === 0) await tools.exec_command({cmd:'b'});",
            &["a"],
        ),
        (
            "const r = await tools.exec_command({cmd:'a'}); if (r.exit_code !== 0) exit(); await tools.exec_command({cmd:'b'});",
            &["a"],
        ),
        ("while (go()) await tools.exec_command({cmd:'a'});", &[]),
        ("for (const cmd of list) await tools.exec_command({cmd});", &[]),
        ("const f = () => tools.exec_command({cmd:'a'});", &[]),
        ("later(() => tools.exec_command({cmd:'a'}))", &[]),
        ("x && await tools.exec_command({cmd:'a'})", &[]),
        ("const r = x ? await tools.exec_command({cmd:'a'}) : null", &[]),
        ("try { await tools.exec_command({cmd:'a'}) } catch (e) { text(String(e)) }", &[]),
        ("await tools.exec_command({cmd:'a'}).catch(() => null)", &["a"]),
        ("wrap(tools.exec_command)({cmd:'a'})", &[]),
        ("await tools[name]({cmd:'a'})", &[]),
        ("const t = [tools]; use(t)", &[]),
        ("exit(); await tools.exec_command({cmd:'a'})", &[]),
        ("switch (x) { case 1: await tools.exec_command({cmd:'a'}) }", &[]),
        ("class A { run() { return tools.exec_command({cmd:'a'}) } }", &[]),
        ("const r = await tools.exec_command({cmd:'a'", &[]),
        ("let f = n => { f(n + 1); tools.exec_command({cmd:'a'}) }; f(0)", &[]),
        (
            "let s = 'a'; for (const x of [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]) s = s + s;\nawait tools.exec_command({cmd:s})",
            &[],
        ),
    ];
    for (script, expected) in cases {
        let found = commands(script);
        assert_eq!(
            found.iter().map(|(_, command)| command.as_str()).collect::<Vec<_>>(),
            expected,
            "{script}"
        );
        assert!(calls(script).is_unread(), "{script}");
    }
}

#[test]
fn input_that_is_not_known_is_not_guessed() {
    for script in [
        "let cmd = 'old'; cmd = next(); await tools.exec_command({cmd});",
        "let cmd = 'old'; if (x) cmd = 'new'; await tools.exec_command({cmd});",
        "const input = {cmd:'old'}; input.cmd = 'new'; await tools.exec_command(input);",
        "await tools.exec_command({cmd:'old', ...more});",
        "await tools.exec_command({cmd: `git ${x}`});",
        "await tools.exec_command({cmd: 'a' + x});",
        "const f = (cmd = 'a') => tools.exec_command({cmd}); await f();",
    ] {
        let found = commands(script);
        assert_eq!(pairs(&found), [("0-", "?")], "{script}");
    }
    assert_eq!(commands("const input = {cmd:'old'}; input.cmd = 'new'; text(1)"), []);
}

#[test]
fn polling_a_command_leaves_the_script_read() {
    let script = "let r = await tools.exec_command({cmd:'make'}); while (r.session_id) { r = await tools.write_stdin({session_id: \
                  r.session_id, chars: ''}); if (!r.session_id) break; } text(r.output)";
    assert_eq!(pairs(&commands(script)), [("0-", "make")]);
    assert!(!calls(script).is_unread());
    assert!(!calls("text(load('x'))").is_unread());
}

#[test]
fn items_of_an_output_answer_to_the_names_they_can_have() {
    let of = |items: &[&str]| {
        let all = answers("c", items);
        let short = |answer: ScriptAnswer| {
            (answer.call.replace("c/", ""), answer.text, answer.exit_code, answer.goes_on)
        };
        all.into_iter().map(short).collect::<Vec<_>>()
    };
    let told = |id: &str, text: &str, code| (id.to_owned(), text.to_owned(), code, false);
    assert_eq!(of(&["ok"]), [told("1of1", "ok", None)]);
    assert_eq!(
        of(&["bad", "exit: 1"]),
        [
            told("1of2", "bad", None),
            told("1of2+", "bad", Some(1)),
            told("1of1", "bad", Some(1)),
            told("2of2", "exit: 1", None)
        ]
    );
    let goes_on = |id: &str| (id.to_owned(), "half".to_owned(), None, true);
    assert_eq!(
        of(&["half", "SESSION_ID=84530"]),
        [
            told("1of2", "half", None),
            goes_on("1of2+"),
            goes_on("1of1"),
            told("2of2", "SESSION_ID=84530", None)
        ]
    );
    assert_eq!(of(&[r#"{"exit_code":2,"output":"x"}"#]), [told("1of1*", "x", Some(2))]);
    assert_eq!(of(&[r#"{"session_id":7000,"output":"x"}"#]), [("1of1*".into(), "x".into(), None, true)]);
    assert_eq!(of(&[r#"{"output":"x"}"#]), [told("1of1", r#"{"output":"x"}"#, None)]);
    let headed = "Exit code: 3\nWall time: 0 seconds\nOutput:\nboom";
    assert_eq!(of(&[headed]), [told("1of1*", headed, Some(3))]);
    assert_eq!(answers("c", &[headed])[0].heading_lines, 3);
}

/// A script of statements that are known, and the commands that it certainly runs.
fn known_script() -> impl Strategy<Value = (String, Vec<String>)> {
    let quoted = |text: &str, mark: char| {
        let escaped: String = text
            .chars()
            .map(|c| match c {
                '\n' => "\\n".to_owned(),
                '$' if mark == '`' => "\\$".to_owned(),
                c if c == mark || c == '\\' => format!("\\{c}"),
                c => c.to_string(),
            })
            .collect();
        format!("{mark}{escaped}{mark}")
    };
    let statement = ("[ -~\\n]{0,20}", 0_usize..6, 0_usize..3).prop_map(move |(command, form, mark)| {
        let literal = quoted(&command, ['"', '\'', '`'][mark]);
        let script = match form {
            0 => format!("await tools.exec_command({{cmd:{literal}}});"),
            1 => format!(
                "{{ const c = {literal}; text((await tools.shell_command({{\"command\":c}})).output) }}"
            ),
            2 => format!("for (const cmd of [{literal}]) {{ text(await tools.exec_command({{cmd}})) }}"),
            3 => format!("await Promise.all([{literal}].map(c => tools.exec_command({{cmd: c + ''}})));"),
            4 => format!("/* {} */ text({literal});", "tools.exec_command({cmd:'no'})"),
            _ => format!("if (q) text({literal}); // tools.exec_command({{cmd:'no'}})"),
        };
        (script, (form < 4).then_some(command))
    });
    proptest::collection::vec(statement, 0..8).prop_map(|all| {
        let (scripts, commands): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        (scripts.join("\n"), commands.into_iter().flatten().collect())
    })
}

proptest! {
    #[test]
    fn every_certain_command_is_reported_as_it_is_written((script, expected) in known_script()) {
        let found: Vec<String> = commands(&script).into_iter().map(|(_, command)| command).collect();
        prop_assert_eq!(found, expected, "{}", script);
        prop_assert!(!calls(&script).is_unread());
    }

    /// Any piece of a script, with anything in between, is read without a panic; what is reported stands in it.
    #[test]
    fn any_text_is_read_and_nothing_is_made_up(pieces in proptest::collection::vec(piece(), 0..40)) {
        let script = pieces.concat();
        for (_, command) in commands(&script) {
            prop_assert!(command == "?" || script.contains(&command), "{command} in {script}");
        }
    }

    #[test]
    fn any_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = calls(&String::from_utf8_lossy(&bytes));
    }
}

fn piece() -> impl Strategy<Value = String> {
    let parts = [
        "tools",
        ".exec_command",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "cmd:",
        "'a b'",
        "\"c\"",
        "`d`",
        "`${",
        "=>",
        "await ",
        "const x = ",
        "x",
        "if (",
        "else ",
        "for (const x of ",
        "text",
        ";",
        "\n",
        ",",
        "? ",
        ": ",
        " || ",
        "...",
        "async ",
        "return ",
        "/",
        "//",
        "try ",
        "catch ",
        "function f",
        ".map",
        "Promise.all",
        "1",
        "\\",
    ];
    prop_oneof![
        8 => proptest::sample::select(parts.to_vec()).prop_map(str::to_owned),
        2 => Just("await tools.exec_command({cmd:'a b'})".to_owned()),
        1 => "[ -~]{0,3}",
    ]
}

/// Whatever a script repeats or nests, its steps are bounded by its length. What is quadratic takes minutes here.
#[test]
fn cost_is_linear() {
    let start = std::time::Instant::now();
    let many = |piece: &str| piece.repeat(200_000 / piece.len());
    for script in [
        many("["),
        many("("),
        many("`${"),
        many("({a:"),
        many("x=>"),
        many("(x)=>{"),
        many("a+"),
        many("a.b"),
        many("f(1);"),
        many("x=[x];"),
        many("if(a)b;else "),
        many("if(r.exit_code)text(1);"),
        many("[a=[b]=c];"),
        many("/*"),
        many("'a'+'b'+"),
        many("await tools.exec_command({cmd:'a'});"),
        format!("const l=[{}];{}", many("1,"), many("for(const x of l)for(const y of l)text(x);")),
        format!("let s='{}';{}", many("s"), many("s=s+s;")),
        format!("const o={{{}}};{}", many("a:1,"), many("o.b;")),
        many("f=()=>{f();f()};f();"),
    ] {
        let _ = calls(&script);
    }
    assert!(start.elapsed().as_secs() < 60);
}
