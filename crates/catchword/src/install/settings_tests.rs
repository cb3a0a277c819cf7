use super::*;
use catchword_engine::clients::CLIENTS;
use proptest::prelude::*;

const EXE: &str = "/opt/bin/catchword";
const SETUP: &Setup = &CLIENTS[0].setup;
const HOOKS: &[Hook] = SETUP.hooks.events;

fn group(hook: &Hook) -> BTreeMap<&'static str, [Fields; 1]> {
    [(HOOKS_KEY, [SETUP.hooks.handler(hook, EXE)])].into()
}

fn init(text: &str) -> String {
    with_hooks(SETUP, text, EXE).unwrap()
}

fn remove(text: &str) -> String {
    without_hooks(SETUP, text, EXE).unwrap()
}

/// Settings as people have them; each is restored byte for byte.
const SHAPES: &[&str] = &[
    "{}",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"model\": \"opus\"\n}",
    "{\"model\":\"opus\"}",
    "{ \"model\" :\"opus\" , \"env\":{ } }",
    "{\n\t\"env\": {\"A\": \"1\"},\n\n\n\t\"permissions\": {\n\t\t\"allow\": [ \"Bash(ls:*)\",\"Read\" ]\n\t}\n}\n",
    "{\r\n    \"model\": \"opus\",\r\n    \"unknownKey\": [1, 2.50, 1e3, -0]\r\n}\r\n",
    "\u{feff}{\n  \"model\": \"opus\"\n}\n",
    "\n\n  {\"z\":1,\n\"a\":2}  \n\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"guard\"}]}]\n  }\n}\n",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]},\"a\":\"\\u00e9\\\"{[\"}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"other hook\" }\n        ]\n      }\n    ]\n  },\n  \"after\": true\n}\n",
];

#[test]
fn remove_undoes_init_byte_for_byte() {
    for shape in SHAPES {
        let installed = init(shape);
        assert_eq!(found(SETUP, &installed, EXE).unwrap().len(), HOOKS.len(), "{installed}");
        assert_eq!(init(&installed), installed, "twice is once");
        assert_eq!(&remove(&installed), shape);
    }
}

#[test]
fn init_leaves_other_settings_unchanged() {
    for shape in SHAPES {
        let mut after: Value = serde_json::from_str(split_bom(&init(shape)).1).unwrap();
        let before: Value = serde_json::from_str(split_bom(shape).1).unwrap();
        for hook in HOOKS {
            let list = after["hooks"][hook.event].as_array_mut().unwrap();
            assert_eq!(list.pop(), Some(serde_json::to_value(group(hook)).unwrap()));
            if list.is_empty() {
                after["hooks"].as_object_mut().unwrap().remove(hook.event);
            }
        }
        if before.get("hooks").is_none() {
            after.as_object_mut().unwrap().remove("hooks");
        }
        assert_eq!(after, before);
    }
}

#[test]
fn empty_file_becomes_valid_settings() {
    for empty in ["", " \n\t", "\u{feff}"] {
        let installed = init(empty);
        assert_eq!(found(SETUP, &installed, EXE).unwrap().len(), HOOKS.len());
        assert!(installed.ends_with("}\n"));
        assert_eq!(remove(empty), empty);
    }
}

#[test]
fn old_path_is_updated_in_place() {
    let old = init("{\n  \"a\": 1\n}\n").replace(EXE, "/old/place/catchword");
    assert_eq!(init(&old), init("{\n  \"a\": 1\n}\n"));
}

#[test]
fn shell_lines_duplicates_and_obsolete_events_are_corrected() {
    let text = r#"{"hooks":{
      "Stop":[{"matcher":"x","hooks":[{"type":"command","command":"mine"},{"type":"command","command":"catchword hook"}]},
              {"hooks":[{"type":"command","command":"/b/catchword","args":["hook"]}]}],
      "PostToolUse":[{"hooks":[{"type":"command","command":"catchword","args":["hook"]}]},{"hooks":[]}]
    }}"#;
    let installed = init(text);
    let all = found(SETUP, &installed, EXE).unwrap();
    assert_eq!(all.len(), HOOKS.len());
    assert!(all.iter().all(|f| f.current && f.command == EXE));
    let left = remove(&installed);
    insta::assert_snapshot!(left, @r#"
    {"hooks":{
          "Stop":[{"matcher":"x","hooks":[{"type":"command","command":"mine"}]}],
          "PostToolUse":[{"hooks":[]}]
        }}
    "#);
}

#[test]
fn hooks_that_do_not_name_the_client_are_replaced_and_can_be_removed() {
    let wanted = init("{\n  \"a\": 1\n}\n");
    let old = wanted.replace("[\"hook\", \"claude-code\"]", "[\"hook\"]");
    assert_ne!(old, wanted);
    assert!(found(SETUP, &old, EXE).unwrap().iter().all(|found| !found.current && !found.names_client));
    assert_eq!(init(&old), wanted);
    assert_eq!(remove(&old), remove(&wanted));
}

#[test]
fn our_entries_are_removed_from_a_changed_file() {
    let installed = init("{\n  \"model\": \"opus\"\n}\n");
    let edited = installed
        .replace("\"model\": \"opus\"", "\"model\": \"haiku\"")
        .replace("\"Stop\": [", "\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}, ");
    insta::assert_snapshot!(remove(&edited), @r#"
    {
      "model": "haiku",
      "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]
      }
    }
    "#);
}

#[test]
fn unexpected_structures_are_rejected() {
    let table = [
        ("{\"a\": 1,}", "it is not valid JSON: trailing comma (line 1, column 9)"),
        ("{\n  // why\n}", "it is not valid JSON: key must be a string (line 2, column 3)"),
        ("{\"a\": ", "it is not valid JSON: EOF while parsing a value (line 1, column 6)"),
        ("{} {}", "it is not valid JSON: trailing characters (line 1, column 4)"),
        ("[]", "the whole file is an array where an object should be"),
        ("null", "the whole file is null where an object should be"),
        ("{\"hooks\": []}", "\"hooks\" is an array where an object should be"),
        ("{\"hooks\": null}", "\"hooks\" is null where an object should be"),
        ("{\"hooks\": {\"Stop\": {}}}", "\"Stop\" in \"hooks\" is an object where an array should be"),
        ("{\"hooks\": {}, \"hooks\": {}}", "\"hooks\" is there twice"),
    ];
    for (text, says) in table {
        assert_eq!(with_hooks(SETUP, text, EXE).unwrap_err().to_string(), says, "{text}");
    }
}

#[test]
fn unusual_entries_of_others_stay() {
    let text = r#"{"hooks":{"Odd":7,"Stop":[1,"x",{"hooks":"no"},{"hooks":[null,{"command":3}]}]}}"#;
    assert_eq!(remove(&init(text)), text);
    let half_a_pair = r#"{"\ud800":"\udfff","hooks":{"\ud800":[{"\ud800":{}}]}}"#;
    assert_eq!(remove(&init(half_a_pair)), half_a_pair);
    let deep = format!("{{\"d\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(remove(&init(&deep)), deep);
}

/// White space as a sloppy author leaves it.
fn space() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\r\n\t", "  "]).prop_map(str::to_owned)
}

fn key() -> impl Strategy<Value = String> {
    let names = ["hooks", "a", "model", "Stop", "SessionStart", "PreToolUse", "k\\\"{", "\\u00e9", "command"];
    prop::sample::select(names.to_vec()).prop_map(str::to_owned)
}

/// Any JSON value, in any layout.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2})?",
        "\"[a-z {}\\[\\],:]{0,6}\"",
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec((space(), inner.clone(), space()), 0..4).prop_map(|items| {
                let items: Vec<String> = items.into_iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
                format!("[{}]", items.join(","))
            }),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (prop::collection::vec((space(), key(), space(), inner, space()), 0..4), space()).prop_map(
        |(members, gap)| {
            let mut seen = std::collections::HashSet::new();
            let members: Vec<String> = members
                .into_iter()
                .filter(|(_, key, ..)| seen.insert(key.clone()))
                .map(|(a, key, b, value, c)| format!("{a}\"{key}\"{b}:{b}{value}{c}"))
                .collect();
            if members.is_empty() { format!("{{{gap}}}") } else { format!("{{{}}}", members.join(",")) }
        },
    )
}

/// A settings file, often with valid hooks of others.
pub(in crate::install) fn document() -> impl Strategy<Value = String> {
    let list = prop::collection::vec((space(), value(), space()), 0..3).prop_map(|groups| {
        let groups: Vec<String> = groups.into_iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
        format!("[{}]", groups.join(","))
    });
    let hooks = object(list);
    let with_hooks = (space(), hooks, space(), value(), space())
        .prop_map(|(a, hooks, b, other, c)| format!("{a}{{{b}\"x\":{other},{c}\"hooks\":{hooks}{a}}}{b}"));
    prop_oneof![object(value()), with_hooks]
}

/// Empty lists and objects that init filled are removed together with our entries; a record of the original restores
/// those. For the law of this module they count as absent.
fn without_empty(mut settings: Value) -> Value {
    if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|event, list| {
            list.as_array().is_none_or(|l| !l.is_empty()) || !HOOKS.iter().any(|h| h.event == event)
        });
        if hooks.is_empty() {
            settings.as_object_mut().unwrap().remove("hooks");
        }
    }
    settings
}

proptest! {
    #[test]
    fn any_file_survives_init_and_remove(text in document()) {
        let Ok(installed) = with_hooks(SETUP, &text, EXE) else { return Ok(()) };
        prop_assert_eq!(&with_hooks(SETUP, &installed, EXE).unwrap(), &installed);
        prop_assert_eq!(found(SETUP, &installed, EXE).unwrap().len(), HOOKS.len());
        let back = remove(&installed);
        let before: Value = serde_json::from_str(&text).unwrap();
        let after: Value = serde_json::from_str(&back).unwrap();
        prop_assert_eq!(without_empty(after), without_empty(before.clone()));
        if without_empty(before.clone()) == before && before != serde_json::json!({}) {
            prop_assert_eq!(back, text);
        }
    }

    #[test]
    fn no_text_panics(text in "[\\[\\]{}:,\"a-c0-9 \n\\\\]{0,30}") {
        let _ = with_hooks(SETUP, &text, EXE);
        let _ = without_hooks(SETUP, &text, EXE);
    }
}
