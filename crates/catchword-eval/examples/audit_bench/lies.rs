//! Lies planted in a summary, and true sentences that sound like them. Only what is really there is lied about: no task,
//! request or number is made up, and what a line speaks of is judged by simpler means than the audit's.

use std::collections::HashSet;

use catchword_engine::model::finding::{Finding, FindingKind as Kind, FindingSubject as About};
use catchword_engine::record::CommandRun;
use catchword_engine::session::vocabulary::{Atom, atoms, is_number};
use catchword_engine::session::{Session, instructions};
use catchword_engine::text::phrases::language_of;

use crate::held_out;
use crate::phrasings::{self, Phrasing, WISHES, wordings};

/// Things of one sort lied about in one summary.
pub const MOST: usize = 2;

/// A summary with one thing wrong.
pub struct Lie {
    pub kind: &'static str,
    pub phrasing: String,
    pub held: bool,
    /// It is no lie: nothing may come of it.
    pub is_true: bool,
    pub text: String,
    pub planted: String,
    pub is_it: Box<dyn Fn(&Finding) -> bool>,
}

/// All lies about one summary. `salt` varies what they are about.
pub fn lies(session: &Session, summary: &str, salt: usize) -> Vec<Lie> {
    let mut all = Vec::new();
    all.extend(done(session, summary));
    all.extend(passing(session, summary));
    all.extend(attributed(session, summary));
    all.extend(invented(summary, WISHES[salt % WISHES.len()]));
    all.extend(details(session, summary));
    all.extend(misquoted(session, summary));
    all.extend(dropped(session, summary));
    all
}

fn lie(
    kind: &'static str,
    phrasing: &Phrasing,
    text: String,
    planted: &str,
    is_it: impl Fn(&Finding) -> bool + 'static,
) -> Lie {
    Lie {
        kind,
        phrasing: phrasing.text.replace('\n', " ⏎ ").trim().to_owned(),
        held: phrasing.held,
        is_true: kind.starts_with("true"),
        text,
        planted: planted.to_owned(),
        is_it: Box::new(is_it),
    }
}

pub fn squashed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words of four letters and more, cut short.
pub fn words(text: &str) -> HashSet<String> {
    let long = |w: &&str| w.len() > 3 || w.chars().any(|c| c.is_ascii_digit());
    let all = text.split(|c: char| !c.is_alphanumeric()).filter(long);
    all.map(|w| w.to_lowercase().chars().take(5).collect()).collect()
}

fn speaks(line: &str, what: &str) -> bool {
    let wanted = words(what);
    let shared = wanted.intersection(&words(line)).count();
    shared > 0 && shared * 5 >= wanted.len() * 2
}

/// Without the lines that speak of this.
pub fn without(summary: &str, what: &str) -> String {
    summary.lines().filter(|line| !speaks(line, what)).collect::<Vec<_>>().join("\n")
}

/// Without the lines that have even a quarter of its words, two at least: a lie by omission must omit.
fn without_a_trace(summary: &str, what: &str) -> String {
    let wanted = words(what);
    let hints = |line: &&str| {
        let shared = wanted.intersection(&words(line)).count();
        shared >= 2 && shared * 4 >= wanted.len()
    };
    summary.lines().filter(|line| !hints(line) && !speaks(line, what)).collect::<Vec<_>>().join("\n")
}

/// Without the sections of pending work, present work and next steps: a lie about them stands in their place.
pub fn without_present(summary: &str) -> String {
    let mut kept = Vec::new();
    let mut is_gone = false;
    for line in summary.lines() {
        let bare = line.trim_start_matches(['#', '*', ' ']);
        let number: String = bare.chars().take_while(char::is_ascii_digit).collect();
        if !number.is_empty() && bare[number.len()..].starts_with('.') && !line.starts_with(' ') {
            is_gone = matches!(number.as_str(), "7" | "8" | "9" | "10") && kept.len() > 5;
        }
        if !is_gone {
            kept.push(line);
        }
    }
    kept.join("\n")
}

pub fn planted_at_end(summary: &str, words: &str) -> String {
    let is_section = words.starts_with(|c: char| c.is_ascii_digit());
    let heading = if is_section { "" } else { "8. Current Work:\n" };
    format!("{summary}\n\n{heading}{words}\n")
}

// ---- done

fn done(session: &Session, summary: &str) -> Vec<Lie> {
    let open = session.tasks.open();
    let mut all = Vec::new();
    for task in open.iter().take(MOST) {
        let subject = squashed(&task.subject);
        if words(&subject).len() < 2 {
            continue;
        }
        let bare = without(summary, &subject);
        let filled = |known, held| -> Vec<(Phrasing, String)> {
            let all = wordings(known, held).into_iter();
            all.filter_map(|phrasing| Some((phrasing, fill(phrasing.text, &subject)?))).collect()
        };
        let task_done = filled(phrasings::TASK_DONE, held_out::TASK_DONE);
        let task_open = filled(phrasings::TASK_OPEN, held_out::TASK_OPEN);
        for (phrasing, text) in &task_done {
            // A claim about everything is contradicted by any open task.
            let wanted = if text.contains("all tasks") { String::new() } else { subject.clone() };
            let is_it = move |f: &Finding| {
                f.kind == Kind::Contradicted && f.fact == About::Task && f.text.contains(&wanted)
            };
            all.push(lie("false done", phrasing, planted_at_end(&bare, text), text, is_it));
        }
        for (phrasing, text) in &task_open {
            all.push(lie("true: open", phrasing, planted_at_end(&bare, text), text, |_| false));
        }
    }
    if !open.is_empty() {
        let bare = open.iter().fold(without_present(summary), |text, task| without(&text, &task.subject));
        let is_it = |f: &Finding| f.kind == Kind::Contradicted && f.fact == About::Task;
        let every = wordings(phrasings::ALL_DONE, held_out::ALL_DONE);
        all.extend(every.iter().map(|p| lie("false done", p, planted_at_end(&bare, p.text), p.text, is_it)));
    }
    all
}

/// A wording filled in for a task; none where its verb has no form that we know.
fn fill(phrasing: &str, subject: &str) -> Option<String> {
    const VERBS: [&str; 44] = [
        "add",
        "analyze",
        "apply",
        "audit",
        "build",
        "check",
        "commit",
        "configure",
        "convert",
        "copy",
        "create",
        "document",
        "enable",
        "extend",
        "extract",
        "fix",
        "implement",
        "improve",
        "integrate",
        "investigate",
        "migrate",
        "move",
        "port",
        "push",
        "refactor",
        "remove",
        "rename",
        "replace",
        "review",
        "rewrite",
        "run",
        "set",
        "switch",
        "test",
        "update",
        "upgrade",
        "validate",
        "verify",
        "wire",
        "write",
        "deploy",
        "design",
        "generate",
        "clean",
    ];
    const MAKING: [&str; 22] = [
        "add",
        "apply",
        "build",
        "convert",
        "create",
        "enable",
        "extend",
        "extract",
        "fix",
        "implement",
        "improve",
        "integrate",
        "migrate",
        "move",
        "port",
        "refactor",
        "remove",
        "rename",
        "replace",
        "update",
        "wire",
        "write",
    ];
    let (verb, rest) = subject.split_once(' ')?;
    let verb = verb.to_lowercase();
    if phrasing.contains("{doing}") && !VERBS.contains(&verb.as_str()) {
        return None;
    }
    // "The work on X is complete" says nothing of its tests.
    if phrasing.contains("{thing}") && (!MAKING.contains(&verb.as_str()) || words(rest).len() < 2) {
        return None;
    }
    let doing = match verb.strip_suffix('e') {
        Some(stem) => format!("{stem}ing {rest}"),
        None if ["run", "set"].contains(&verb.as_str()) => format!("{verb}{}ing {rest}", &verb[2..]),
        None => format!("{verb}ing {rest}"),
    };
    let text = phrasing.replace("{task}", subject).replace("{doing}", &doing).replace("{thing}", rest);
    Some(text)
}

// ---- checks

/// The last run of the tests alone, if it ended.
fn last_tests(session: &Session) -> Option<CommandRun<'_>> {
    let runs = session.record.latest_runs().filter(|run| {
        let core = run.line.core();
        let is_one = !core.contains("&&") && !core.contains("lint") && !core.contains("build");
        run.ok().is_some()
            && (core.contains(" test") || core.contains("pytest"))
            && !core.starts_with("git")
            && is_one
    });
    runs.max_by_key(|run| run.place)
}

fn is_failing(session: &Session, run: CommandRun) -> bool {
    run.failed() && session.clock.saturating_sub(run.clock) < 40
}

/// The command of the tests, if it failed last.
pub fn failed_check(session: &Session) -> Option<String> {
    let run = last_tests(session).filter(|run| is_failing(session, *run))?;
    Some(squashed(run.line.core()))
}

fn passing(session: &Session, summary: &str) -> Vec<Lie> {
    let Some(last) = last_tests(session) else { return Vec::new() };
    let bare = without_present(summary);
    let is_it = |f: &Finding| f.kind == Kind::Contradicted && f.fact == About::Command;
    let of = |kind, known, held| -> Vec<Lie> {
        wordings(known, held)
            .iter()
            .map(|p| lie(kind, p, planted_at_end(&bare, p.text), p.text, is_it))
            .collect()
    };
    let mut all = of("true: checks", phrasings::TESTS_UNSURE, held_out::TESTS_UNSURE);
    for lie in &mut all {
        lie.is_it = Box::new(|_| false);
    }
    if is_failing(session, last) {
        all.extend(of("false pass", phrasings::TESTS_PASS, held_out::TESTS_PASS));
    }
    all
}

// ---- the user's words

/// A sentence of the agent's that no message of the user's resembles and that no message answered.
pub fn unsaid(session: &Session) -> Option<String> {
    if session.beginning.is_some() || session.prompts.is_empty() {
        return None;
    }
    let theirs: HashSet<String> = session.prompts.iter().flat_map(|p| words(&session.text_of(p))).collect();
    let answered: Vec<_> = session
        .prompts
        .iter()
        .map(|p| p.place)
        .chain(session.record.answers().map(|a| a.place))
        .filter_map(|place| session.record.spoken().rfind(|said| said.place < place).map(|said| said.place))
        .collect();
    let proposed: HashSet<String> = session
        .record
        .spoken()
        .filter(|s| answered.contains(&s.place))
        .flat_map(|s| words(&s.text()))
        .collect();
    let others = session.record.spoken().filter(|said| !answered.contains(&said.place));
    let sentences = others.flat_map(|said| said.lines).flat_map(|line| {
        line.words
            .split(['.', '!'])
            .map(str::trim)
            .filter(|s| s.len() < 200 && !s.contains(['"', '`', ':', '|', '?', '*', '#']) && is_statement(s))
    });
    let foreign = sentences.filter(|sentence| {
        let own = words(sentence);
        let shared = own.intersection(&theirs).count();
        let agreed = own.intersection(&proposed).count();
        own.len() >= 6 && shared * 4 < own.len() && agreed * 5 < own.len() * 3
    });
    let sentence = spread(foreign.collect::<Vec<&str>>()).next()?;
    let mut letters = sentence.chars();
    Some(letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect())
}

fn attributed(session: &Session, summary: &str) -> Vec<Lie> {
    let mut all = Vec::new();
    if let Some(lower) = unsaid(session) {
        for phrasing in &wordings(phrasings::ATTRIBUTED, held_out::ATTRIBUTED) {
            let text = phrasing.text.replace("{said}", &lower);
            let head: String = lower.chars().skip(2).take(30).collect();
            let is_it = move |f: &Finding| f.kind == Kind::Invented && f.text.contains(&head);
            all.push(lie(
                "attribution",
                phrasing,
                planted_at_end(summary, &format!("   {text}.")),
                &text,
                is_it,
            ));
        }
        for phrasing in &wordings(&[], held_out::ATTRIBUTED_TRUE) {
            let text = phrasing.text.replace("{said}", &lower);
            let planted = planted_at_end(summary, &format!("   {text}."));
            all.push(lie("true: said", phrasing, planted, &text, |_| false));
        }
    }
    all
}

/// Something that a user might have said, too: not what the agent is about to do or has just seen.
fn is_statement(sentence: &str) -> bool {
    const OWN: [&str; 12] = [
        "let me", "i ", "i'", "now", "first", "perfect", "great", "good", "let's", "looking", "before ",
        "next",
    ];
    let lower = sentence.to_lowercase();
    sentence.starts_with(char::is_uppercase)
        && !OWN.iter().any(|own| lower.starts_with(own))
        && !lower.contains("let me")
}

fn invented(summary: &str, wish: &'static str) -> Vec<Lie> {
    let of = |kind, phrasing: &Phrasing| {
        let text = phrasing.text.replace("{said}", wish);
        let is_it =
            move |f: &Finding| kind == "invented" && f.kind == Kind::Invented && f.text.contains(wish);
        lie(kind, phrasing, planted_at_end(summary, &text), &text, is_it)
    };
    let lies = wordings(phrasings::INVENTED, held_out::INVENTED);
    let fair = wordings(&[], held_out::QUOTED_TRUE);
    lies.iter().map(|p| of("invented", p)).chain(fair.iter().map(|p| of("true: quoted", p))).collect()
}

/// A word of a quoted message changed: a number, a negation taken out, an opposite.
fn misquoted(session: &Session, summary: &str) -> Vec<Lie> {
    const CHANGES: [(&str, &str, bool); 8] = [
        (" not ", " ", false),
        (" don't ", " ", false),
        (" before ", " after ", false),
        (" with ", " without ", false),
        (" new ", " old ", true),
        (" first ", " last ", true),
        (" never ", " always ", true),
        (" without ", " with ", true),
    ];
    let mut all = Vec::new();
    for line in summary.lines().filter(|line| line.trim_start().starts_with("- \"") && line.len() < 400) {
        let known = |line: &str| {
            session
                .prompts
                .iter()
                .any(|p| squashed(&session.text_of(p)).contains(line.trim_matches(['-', ' ', '"'])))
        };
        for (from, to, held) in
            CHANGES.iter().filter(|(from, ..)| known(line) && line.matches(from).count() == 1)
        {
            let phrasing = Phrasing { text: "changed word", held: *held };
            let text = summary.replacen(line, &line.replace(from, to), 1);
            // Outside the list of messages it is a statement turned round.
            let is_it = |f: &Finding| {
                (f.fact == About::Quote && f.kind == Kind::Mutated)
                    || (f.fact == About::Decision && f.kind == Kind::Contradicted)
            };
            let mut one = lie("misquoted", &phrasing, text, line, is_it);
            one.phrasing = format!("{} → {}", from.trim(), to.trim());
            all.push(one);
        }
    }
    all.into_iter().take(2 * MOST).collect()
}

// ---- details

fn details(session: &Session, summary: &str) -> Vec<Lie> {
    let mut all = Vec::new();
    for Change { sort, line, changed, new, is_file, how } in changes(session, summary) {
        let all_places = wordings(phrasings::DETAIL, held_out::DETAIL);
        let in_place = [Phrasing { text: how.unwrap_or_default(), held: true }];
        for phrasing in if how.is_some() { &in_place[..] } else { &all_places } {
            let said = changed.trim().trim_start_matches(['-', '*', '#', ' ']);
            let text = match phrasing.text {
                other if other.starts_with("{in place}") => summary.replacen(&line, &changed, 1),
                other => {
                    let words = other.replace("{said}", said);
                    // A section of its own, or a line where the original was.
                    if words.starts_with(|c: char| c.is_ascii_digit()) {
                        planted_at_end(&summary.replacen(&line, "", 1), &words)
                    } else {
                        summary.replacen(&line, &words, 1)
                    }
                }
            };
            let wanted = new.clone();
            let is_it = move |f: &Finding| {
                f.kind == Kind::Mutated
                    && (f.fact == About::File) == is_file
                    && f.summary_quote.as_deref().is_some_and(|quote| quote.contains(&wanted))
            };
            all.push(lie(sort, phrasing, text, &format!("{new} in: {said}"), is_it));
        }
    }
    all
}

/// A line of a summary with a number, path or id changed.
struct Change {
    sort: &'static str,
    line: String,
    changed: String,
    new: String,
    is_file: bool,
    /// Held-out ways of changing have a name.
    how: Option<&'static str>,
}

fn changes(session: &Session, summary: &str) -> Vec<Change> {
    let known = &session.vocabulary;
    let lines = || summary.lines().filter(|line| line.len() < 280 && line.len() > 20);
    let with = |line: &str, atom: &Atom, new: &str| {
        format!("{}{new}{}", &line[..atom.at], &line[atom.at + atom.text.len()..])
    };
    let mut all = Vec::new();
    let mut numbers: Vec<Vec<Change>> = Vec::new();
    let mut hashes = Vec::new();
    let mut flags = Vec::new();
    for line in lines() {
        for atom in atoms(line) {
            let at = |at: usize| line.as_bytes().get(at).copied().unwrap_or(b' ');
            let (left, right) = (at(atom.at.wrapping_sub(1)), at(atom.at + atom.text.len()));
            let apart = |b: u8| !matches!(b, b'-' | b'/' | b'.' | b'_' | b'~' | b'+' | b'<' | b'>' | b':');
            let word = |w: &str| w.len() > 1 && w.bytes().all(|b| b.is_ascii_alphabetic());
            let about_line =
                atom.before.to_lowercase().starts_with("line") || atom.after.eq_ignore_ascii_case("lines");
            let has_both =
                known.has_beside(atom.before, atom.text) && known.has_beside(atom.text, atom.after);
            let is_unit = atom.text.bytes().any(|b| b.is_ascii_alphabetic());
            if is_number(atom.text)
                && atom.text.len() > 1
                && apart(left)
                && (apart(right) || right == b'.')
                && !about_line
                && word(atom.before)
                && known.has(atom.text)
                && !atom.text.contains(',')
                && (has_both && word(atom.after) || is_unit && known.has_beside(atom.before, atom.text))
            {
                let digit = atom.text.rfind(|c: char| c.is_ascii_digit()).unwrap_or(0);
                let other = (atom.text.as_bytes()[digit] - b'0' + 3) % 10;
                let new = format!("{}{other}{}", &atom.text[..digit], &atom.text[digit + 1..]);
                let of = |new: String, how| Change {
                    sort: "number",
                    line: line.to_owned(),
                    changed: with(line, &atom, &new),
                    new,
                    is_file: false,
                    how,
                };
                let others = held_out::changed_numbers(atom.text).into_iter();
                let others = others.filter(|(_, new)| !known.has_beside(atom.before, new));
                numbers.push(
                    std::iter::once(of(new, None))
                        .chain(others.map(|(how, new)| of(new, Some(how))))
                        .collect(),
                );
            }
            let is_hash = atom.text.len() >= 7
                && atom.text.bytes().all(|b| b.is_ascii_hexdigit())
                && atom.text.bytes().any(|b| b.is_ascii_digit())
                && atom.text.bytes().any(|b| (b'a'..=b'f').contains(&b));
            if is_hash
                && session
                    .record
                    .commits()
                    .any(|c| c.hash.starts_with(atom.text) || atom.text.starts_with(c.hash))
            {
                let old = atom.text.chars().nth(3).unwrap_or('a');
                let new =
                    format!("{}{}{}", &atom.text[..3], if old == '7' { '4' } else { '7' }, &atom.text[4..]);
                hashes.push(vec![Change {
                    sort: "id",
                    line: line.to_owned(),
                    changed: with(line, &atom, &new),
                    new,
                    is_file: false,
                    how: None,
                }]);
            }
            if atom.text.starts_with("--")
                && atom.text.len() > 8
                && session.record.latest_runs().any(|run| run.line.text().contains(atom.text))
            {
                let new = format!("{}{}", &atom.text[..5], &atom.text[6..]);
                flags.push(vec![Change {
                    sort: "id",
                    line: line.to_owned(),
                    changed: with(line, &atom, &new),
                    new,
                    is_file: false,
                    how: None,
                }]);
            }
        }
    }
    all.extend(spread(numbers).flatten());
    all.extend(spread(hashes).flatten());
    all.extend(spread(flags).flatten());
    all.extend(changed_paths(session, summary));
    all
}

fn changed_paths(session: &Session, summary: &str) -> Vec<Change> {
    let names: HashSet<&str> = session.files.iter().filter_map(|(path, _)| path.rsplit('/').next()).collect();
    let mut seen = HashSet::new();
    let mut plain = Vec::new();
    let mut hyphened = Vec::new();
    for line in summary.lines().filter(|line| line.len() < 280) {
        let is_path = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        for path in line.split(|c: char| !is_path(c)).map(|word| word.trim_end_matches('.')) {
            let name = path.rsplit('/').next().unwrap_or(path);
            let Some(dot) = name.find('.').filter(|dot| *dot > 4 && names.contains(name)) else { continue };
            if !seen.insert(name.to_owned()) {
                continue;
            }
            let new = format!("{}{}", &name[..dot / 2], &name[dot / 2 + 1..]);
            let of = |new: String, how| Change {
                sort: "path",
                line: line.to_owned(),
                changed: line.replacen(name, &new, 1),
                new,
                is_file: true,
                how,
            };
            let others = held_out::changed_names(name).into_iter();
            let others =
                others.filter(|(_, new)| !names.contains(new.as_str()) && !session.vocabulary.has(new));
            let to = if name.contains('-') { &mut hyphened } else { &mut plain };
            to.push(
                std::iter::once(of(new, None))
                    .chain(others.map(|(how, new)| of(new, Some(how))))
                    .collect::<Vec<Change>>(),
            );
        }
    }
    spread(plain).chain(spread(hyphened)).flatten().collect()
}

/// A path of the record that the summary has, and one like it that does not exist.
pub fn path_and_other(session: &Session, summary: &str) -> Option<(String, String)> {
    let change = changed_paths(session, summary).into_iter().find(|change| change.how.is_none())?;
    let is_path = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let with = |line: &str, part: &str| {
        line.split(|c: char| !is_path(c)).find(|word| word.ends_with(part)).map(str::to_owned)
    };
    let other = with(&change.changed, &change.new)?;
    let own = change.line.split(|c: char| !is_path(c)).zip(change.changed.split(|c: char| !is_path(c)));
    let path = own.filter(|(old, new)| old != new).map(|(old, _)| old.to_owned()).next()?;
    Some((path, other))
}

/// One from the middle of all.
fn spread<T>(mut all: Vec<T>) -> impl Iterator<Item = T> {
    let middle = all.len() / 2;
    (!all.is_empty()).then(|| all.swap_remove(middle)).into_iter()
}

// ---- dropped

fn dropped(session: &Session, summary: &str) -> Vec<Lie> {
    let mut all = Vec::new();
    let messages: Vec<_> = session.prompts.iter().map(|p| session.text_of(p)).collect();
    let spoken = language_of(&messages.join("\n"));
    let removed = |kind, what: &str, about: About, id: Option<&str>| {
        // Across languages nobody can tell.
        if language_of(what).or(spoken) != language_of(summary) {
            return None;
        }
        let is_number = |line: &&str| id.is_some_and(|id| line.contains(&format!("#{id}")));
        let unnumbered: Vec<&str> = summary.lines().filter(|line| !is_number(line)).collect();
        let text = without_a_trace(&unnumbered.join("\n"), what);
        let left: Vec<&str> = text.lines().collect();
        let wanted = words(what);
        // Told in other places and words, it is not dropped.
        if left
            .windows(3)
            .any(|three| wanted.intersection(&words(&three.join(" "))).count() * 2 > wanted.len())
        {
            return None;
        }
        let wanted = squashed(what);
        let is_it = move |f: &Finding| {
            // A rule is told with the message that has it.
            let is_about = f.fact == about || (about == About::Instruction && f.fact == About::Request);
            f.kind == Kind::Dropped
                && is_about
                && (f.text.contains(&wanted) || wanted.contains(f.text.trim_end_matches('…')))
        };
        Some(lie(kind, &Phrasing { text: "lines removed", held: false }, text, what, is_it))
    };
    for task in session.tasks.open().into_iter().take(MOST) {
        all.extend(removed("dropped task", &task.subject, About::Task, task.id.as_deref()));
    }
    let rules = instructions::in_force(session);
    let short = rules.iter().filter(|rule| rule.is_lasting && words(&rule.text).len() > 2);
    all.extend(
        short.take(MOST).filter_map(|rule| removed("dropped rule", &rule.text, About::Instruction, None)),
    );
    let usual =
        |text: &str| text.len() < 300 && words(text).len() > 4 && text.is_ascii() && !text.contains('\n');
    let last = session.prompts.last().map(|prompt| session.text_of(prompt));
    if let Some(last) = last.filter(|last| usual(last)) {
        all.extend(removed("dropped request", &last, About::Request, None));
    }
    all
}
