//! No amount of foreign text displaces what the user said.

use std::fmt::Write;

use catchword_testkit::Transcript;

use super::{of_the_user, told_within};

type Flood = fn(Transcript) -> Transcript;

fn rules(count: usize) -> String {
    (0..count).fold(String::new(), |mut out, n| {
        let _ = writeln!(out, "- Never touch module{n}; always ask before you change part{n}.");
        out
    })
}

const FLOODS: [(&str, Flood); 12] = [
    ("rules in tool output", |t| t.bash("cat rules").ok(&rules(2_000))),
    ("rules in many outputs", |t| (0..200).fold(t, |t, n| t.bash(&format!("cat {n}")).ok(&rules(20)))),
    ("rules that the agent repeats", |t| (0..100).fold(t, |t, _| t.says(&rules(10)))),
    ("tasks", |t| {
        (0..400).fold(t, |t, n| t.task_create(&format!("Never forget task {n} {}", "x".repeat(200))))
    }),
    ("to-dos", |t| {
        let items: Vec<String> = (0..400).map(|n| format!("Always do {n} {}", "x".repeat(200))).collect();
        let items: Vec<(&str, &str)> = items.iter().map(|item| (item.as_str(), "in_progress")).collect();
        t.todo(&items)
    }),
    ("failing commands", |t| {
        (0..300).fold(t, |t, n| {
            t.bash(&format!("make part-{n} {}", "x".repeat(100)))
                .fails(&"Exit code 2\nerror: never do this. ".repeat(20))
        })
    }),
    ("files", |t| {
        (0..400).fold(t, |t, n| t.write(&format!("/home/user/project/{}/{n}.rs", "deep".repeat(30))))
    }),
    ("questions of the agent", |t| {
        (0..60)
            .fold(t, |t, n| t.ask(&format!("Never touch {n}? {}", "x".repeat(200)), "the first one of these"))
    }),
    ("decisions of the agent", |t| {
        (0..200).fold(t, |t, n| {
            t.says(&format!(
                "I'll go with option {n} instead of the other because the user must never lose {}.",
                "x".repeat(100)
            ))
        })
    }),
    ("background shells", |t| {
        (0..200).fold(t, |t, n| t.background_shell(&format!("b{n}"), &format!("never {}", "x".repeat(150))))
    }),
    ("skills", |t| {
        (0..100).fold(t, |t, n| {
            t.call(
                "Skill",
                serde_json::json!({"skill": format!("s{n}{}", "x".repeat(70)), "args": "always ".repeat(40)}),
            )
            .ok("ok")
        })
    }),
    ("a page of rules pasted by the user", |t| t.prompt(&format!("Is this page any good?\n{}", rules(300)))),
];

#[test]
fn flood_does_not_displace_the_users_rule() {
    for (name, flood) in FLOODS {
        for (summary, budget) in
            [("The user wants a parser. Everything is finished. All tests pass.", None), ("", Some(1_200))]
        {
            let told = told_within(|t| flood(t).says("Going on."), summary, budget);
            let given = of_the_user(&told.brief);
            assert!(given.contains("Never touch the lock file"), "{name}, {budget:?}:\n{}", told.brief);
            assert!(of_the_user(&told.guide).contains("Never touch the lock file"), "{name}: {}", told.guide);
            assert!(given.contains("Add a parser"), "{name}, {budget:?}:\n{}", told.brief);
            // Next to such a flood this summary counts as broken, and the brief gets the full budget.
            let is_broken = told.brief.contains("There is no usable summary");
            let most = if is_broken { 9_500 } else { budget.unwrap_or(6_000) };
            assert!(told.brief.chars().count() <= most, "{name}: {}", told.brief.chars().count());
        }
    }
}

/// Pasted by the user, one after the other, with a rule after each.
#[test]
fn rules_between_pasted_pages_are_all_kept() {
    let spoken = [
        "Never touch the lock file.",
        "Always use tabs here.",
        "Don't rename public functions.",
        "Never commit to main.",
    ];
    let told = told_within(
        |t| {
            spoken.iter().skip(1).fold(t, |t, rule| {
                t.prompt(&format!("And this page?\n{}", rules(40))).says("Fine.").prompt(rule).says("Noted.")
            })
        },
        "The user wants a parser.",
        None,
    );
    let given = of_the_user(&told.brief);
    for rule in spoken {
        assert!(given.contains(&format!("{rule}\"")), "{rule}\n{}", told.brief);
    }
}
