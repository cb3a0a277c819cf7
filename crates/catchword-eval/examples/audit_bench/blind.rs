//! Sentences written by somebody who had not seen the rules, as templates in six languages, split by lot: one half to
//! develop on, one that decides and is not read. Each is filled in from a session, and only where the session shows that
//! it is false: an open task, a command that failed last, a path that does not exist, a sentence that only the agent said,
//! a rule that is in force. A number out of nowhere contradicts nothing, so templates that need one are left out, except
//! those of a command's output.

use catchword_engine::model::finding::{Finding, FindingKind as Kind, FindingSubject as About};
use catchword_engine::session::{Session, instructions};

use crate::lies::{self, Lie, planted_at_end};

const DEVELOPED: &str = include_str!("blind/dev.jsonl");
const HELD: &str = include_str!("blind/held.jsonl");

/// One template.
#[derive(Clone, Copy)]
struct Template<'a> {
    kind: &'a str,
    text: &'a str,
    held: bool,
}

/// What a session has to fill in templates with.
struct Filling {
    task: Option<String>,
    /// A command that failed when it was last run, and its words.
    command: Option<String>,
    path: Option<String>,
    other_path: Option<String>,
    /// Another path of the record.
    second_path: Option<String>,
    /// Said by the agent only.
    unsaid: Option<String>,
    /// In force.
    rule: Option<String>,
}

/// The blind lies about one summary, and true sentences.
pub fn lies(session: &Session, summary: &str) -> Vec<Lie> {
    let open = session.tasks.open();
    let tasks: Vec<String> = open.iter().map(|task| lies::squashed(&task.subject)).collect();
    let task = tasks.into_iter().find(|subject| lies::words(subject).len() > 1);
    let mut rules = instructions::in_force(session).into_iter();
    let rule = rules.rfind(|rule| rule.is_lasting && lies::words(&rule.text).len() > 2);
    let (path, other_path) = lies::path_and_other(session, summary).unzip();
    let known = session.files.iter().map(|(path, _)| path).filter(|other| {
        let name = other.rsplit('/').next().unwrap_or(other);
        path.as_deref().is_some_and(|path| !path.ends_with(name))
    });
    let filling = Filling {
        second_path: known.min().map(str::to_owned),
        task,
        command: lies::failed_check(session),
        path,
        other_path,
        unsaid: lies::unsaid(session),
        rule: rule.map(|rule| rule.text.trim_end_matches('.').to_owned()),
    };
    let rows = DEVELOPED.lines().map(|line| (line, false)).chain(HELD.lines().map(|line| (line, true)));
    rows.filter_map(|(line, held)| {
        let row: serde_json::Value = serde_json::from_str(line).ok()?;
        let template = Template { kind: row["kind"].as_str()?, text: row["template"].as_str()?, held };
        planted(template, &filling, summary)
    })
    .collect()
}

fn planted(template: Template, filling: &Filling, summary: &str) -> Option<Lie> {
    let is_true = template.kind == "true";
    let mut text = template.text.to_owned();
    // A true sentence about a wish is about a rule, or about what the agent proposed.
    let is_proposal = template.kind == "owner" || (is_true && is_own(template.text));
    let wish = if is_proposal { &filling.unsaid } else { &filling.rule };
    let values = [
        ("{task}", &filling.task),
        ("{command}", &filling.command),
        ("{other_path}", if is_true { &filling.second_path } else { &filling.other_path }),
        ("{path}", &filling.path),
        ("{wish}", wish),
    ];
    for (name, value) in values {
        if text.contains(name) {
            text = text.replace(name, value.as_ref()?);
        }
    }
    if text.contains('{') || (text == template.text && filling.command.is_none()) {
        return None;
    }
    let (kind, bare): (&'static str, String) = match template.kind {
        "done" => ("blind done", filling.without_work(template.text, summary)),
        "owner" => ("blind owner", summary.to_owned()),
        "value" => ("blind value", summary.to_owned()),
        "dropped" => ("blind lifted", summary.to_owned()),
        _ => ("true: blind", filling.without_work(template.text, summary)),
    };
    let head: String = wish.iter().flat_map(|wish| wish.chars()).skip(2).take(30).collect();
    let other = filling.other_path.clone().unwrap_or_default();
    let is_it: Box<dyn Fn(&Finding) -> bool> = match kind {
        "blind done" => Box::new(|f| {
            f.kind == Kind::Contradicted && matches!(f.fact, About::Task | About::Command | About::File)
        }),
        "blind owner" => Box::new(move |f| f.kind == Kind::Invented && f.text.contains(&head)),
        "blind value" => Box::new(move |f| {
            f.kind == Kind::Mutated && f.summary_quote.as_deref().is_some_and(|quote| quote.contains(&other))
        }),
        "blind lifted" => Box::new(|f| f.kind == Kind::Contradicted),
        _ => Box::new(|_| false),
    };
    let planted = planted_at_end(&bare, &text);
    Some(Lie {
        kind,
        phrasing: template.text.to_owned(),
        held: template.held,
        is_true,
        text: planted,
        planted: text,
        is_it,
    })
}

/// The template speaks of what the agent proposed.
fn is_own(template: &str) -> bool {
    ["my own", "I proposed", "ma proposition", "propuesta mía", "mein Vorschlag", "私の提案", "我的建议"]
        .iter()
        .any(|own| template.contains(own))
}

impl Filling {
    /// The summary without what it says about the same work.
    fn without_work(&self, template: &str, summary: &str) -> String {
        let bare = match &self.task {
            Some(task) if template.contains("{task}") => lies::without(summary, task),
            _ => summary.to_owned(),
        };
        if template.contains("{task}") { bare } else { lies::without_present(&bare) }
    }
}
