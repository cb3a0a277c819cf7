//! What a sentence claims, of a summary or of the agent: that something is done, that it is open, or that everything is done.
//!
//! Claims are read clause by clause, because one sentence may say both. The cue words cover a few languages; marks such
//! as ✅ and empty lists work in any.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::lexicon::summaries::{
    COMPLETE_AFTER, Cues, DONE_MARKS, FIELDS, IDLE, LANGUAGES, NARROWS, NOT_WORK, ONLY_ENGLISH, OPEN_MARKS,
    PASSIVE, READY, READY_FOR, SPEAKERS, STATUS, SummaryWords, TOLD_TO,
};
use crate::text::words::{MIXED, words};

/// What a clause says about its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It is done.
    Done,
    /// It is not done, or only under a condition.
    Open,
}

/// A part of a sentence, and what it says.
#[derive(Clone, Debug)]
pub struct Clause<'a> {
    pub text: &'a str,
    pub says: Option<Says>,
}

/// The words of a text in lower case.
pub fn lower_words(text: &str) -> Vec<String> {
    words(text, MIXED).map(|(_, word)| word.to_lowercase().replace('’', "'")).collect()
}

/// Cues by how they are looked up.
#[derive(Default)]
struct CueSet {
    exact: HashSet<&'static str>,
    /// `complet*`
    starts: Vec<&'static str>,
    /// `in_progress`, the last part may end in `*`.
    phrases: Vec<Vec<&'static str>>,
    /// In scripts without spaces, anywhere.
    wide: Vec<String>,
}

impl CueSet {
    fn add(&mut self, cues: &Cues) {
        for cue in cues.words.split(' ').filter(|cue| !cue.is_empty()) {
            match cue.strip_suffix('*') {
                _ if !cue.starts_with(is_spaced) => self.wide.push(spelled(cue)),
                _ if cue.contains('_') => {
                    self.exact.insert(cue);
                    self.phrases.push(cue.split('_').collect());
                }
                Some(start) => self.starts.push(start),
                None => drop(self.exact.insert(cue)),
            }
        }
    }

    fn has_word(&self, word: &str) -> bool {
        self.exact.contains(word)
            || self.starts.iter().any(|start| word.starts_with(start))
            || self.wide.iter().any(|cue| word.contains(cue.as_str()))
    }

    fn is_in(&self, text: &Cued) -> bool {
        let is_part = |(word, part): (&String, &&str)| match part.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == part,
        };
        let has = |phrase: &Vec<&str>| {
            text.words.windows(phrase.len()).any(|words| words.iter().zip(phrase).all(is_part))
        };
        text.words.iter().any(|word| self.has_word(word))
            || self.phrases.iter().any(has)
            || self.wide.iter().any(|cue| text.lower.contains(cue.as_str()))
    }
}

/// The lexicon's lists, prepared once. A list is known by where its words are.
struct AllCues {
    of_list: HashMap<(usize, usize), CueSet>,
    of_field: HashMap<(usize, usize), CueSet>,
}

static CUES: LazyLock<AllCues> = LazyLock::new(|| {
    let set = |lists: &[&Cues]| {
        let mut set = CueSet::default();
        for list in lists {
            set.add(list);
        }
        set
    };
    let fields = FIELDS.iter().map(|field| {
        let lists: Vec<&Cues> = LANGUAGES.iter().map(field).collect();
        (key(lists[0]), set(&lists))
    });
    let of_languages = LANGUAGES.iter().flat_map(|language| FIELDS.iter().map(move |field| field(language)));
    let lists = of_languages.chain(ONLY_ENGLISH.iter().copied()).filter(|list| !list.words.is_empty());
    AllCues { of_list: lists.map(|list| (key(list), set(&[list]))).collect(), of_field: fields.collect() }
});

fn key(cues: &Cues) -> (usize, usize) {
    (cues.words.as_ptr() as usize, cues.words.len())
}

/// A text prepared for looking up cue words.
pub struct Cued {
    lower: String,
    words: Vec<String>,
}

impl Cued {
    pub fn new(text: &str) -> Cued {
        Cued { lower: text.to_lowercase().replace('’', "'"), words: lower_words(text) }
    }

    /// Whether it contains one of these cues.
    pub fn has(&self, cues: &Cues) -> bool {
        CUES.of_list.get(&key(cues)).is_some_and(|set| set.is_in(self))
    }

    /// Whether it contains one of these cues of any language.
    pub fn any(&self, of: fn(&SummaryWords) -> &Cues) -> bool {
        CUES.of_field.get(&key(of(&LANGUAGES[0]))).is_some_and(|set| set.is_in(self))
    }

    /// It denies something, or tells what has not happened: a wish, a plan, a condition, or a time by which it may be so.
    pub fn is_unsure(&self) -> bool {
        let denies = |language: &SummaryWords| {
            let doubles = language.doubles_negation && self.has(&language.none);
            self.has(&language.negations) && !doubles
        };
        self.any(|of| &of.conditions)
            || self.any(|of| &of.wishes)
            || self.words.first().is_some_and(|first| is_word_of(first, |of| &of.times))
            || LANGUAGES.iter().any(denies)
    }

    /// "all tasks", "all of the work", "everything", but not "all occurrences".
    fn has_all_work(&self) -> bool {
        // "every one of the tasks" is every task.
        let words: Vec<&String> =
            self.words.iter().filter(|word| !matches!(word.as_str(), "single" | "one")).collect();
        let at = |of: fn(&SummaryWords) -> &Cues| -> Vec<usize> {
            (0..words.len()).filter(|at| is_word_of(words[*at], of)).collect()
        };
        let (all, work) = (at(|of| &of.all), at(|of| &of.work));
        self.any(|of| &of.all_work) || all.iter().any(|a| work.iter().any(|w| w > a && w - a <= 3))
    }

    /// Without words that limit nothing: prepositions between "all" and the work ("all of the work", "the whole list of
    /// tasks") and at the end ("taken care of"), the "on" of "on the list", the "each" of "each and every", and whose
    /// work it is ("everything the user asked for"). "All tasks of phase 1" keeps its own.
    fn without_idle_words(&self) -> Cued {
        let is_all = |word: &String| is_all(word);
        let is_work = |word: &String| is_word_of(word, |of| &of.work);
        let is_idle = |at: usize| {
            let between = self.words[..at].iter().rev().take(3).any(is_all)
                && self.words[at + 1..].iter().take(2).any(is_work);
            let is_doubled =
                self.words[at] == "each" && self.words[at + 1..].starts_with(&["and".into(), "every".into()]);
            let on_list =
                self.words[at] == "on" && self.words[at + 1..].iter().take(4).any(|word| word == "list");
            let is_preposition = is_one_of(&self.words[at], &IDLE);
            let is_said = |word: &String| is_word_of(word, |of| &of.said);
            let of_user = |at: usize| {
                let since = self.words[..at].iter().rev().take(4);
                is_said(&self.words[at])
                    && since.clone().any(|w| is_word_of(w, |of| &of.user))
                    && since.clone().any(is_all)
            };
            let is_whose = of_user(at) || (is_preposition && at > 0 && of_user(at - 1));
            is_doubled || on_list || is_whose || (is_preposition && (between || at + 1 == self.words.len()))
        };
        let kept = (0..self.words.len()).filter(|at| !is_idle(*at)).map(|at| self.words[at].clone());
        Cued { lower: self.lower.clone(), words: kept.collect() }
    }

    /// "Complete the merge" asks for it, "merge: complete" says so.
    fn is_complete(&self) -> bool {
        let last = self.words.len().saturating_sub(1);
        self.words.iter().enumerate().any(|(at, word)| {
            word == "complete" && at > 0 && (at == last || is_one_of(&self.words[at - 1], &COMPLETE_AFTER))
        })
    }

    fn says(&self) -> Option<Says> {
        if mentions(&self.lower, &OPEN_MARKS) {
            return Some(Says::Open);
        }
        let is_open = self.any(|of| &of.open) || self.is_unsure();
        if mentions(&self.lower, &DONE_MARKS) {
            return Some(if is_open && !self.ends_done() { Says::Open } else { Says::Done });
        }
        if self.has_nothing_left() {
            return Some(Says::Done);
        }
        let is_done = self.any(|of| &of.done) || self.is_complete();
        match (is_done, is_open) {
            (true, true) if self.ends_done() => Some(Says::Done),
            (_, true) => Some(Says::Open),
            (true, false) => Some(Says::Done),
            (false, false) => None,
        }
    }

    /// "ready to merge", "ready for review", "it is production ready", but not "production-ready components".
    fn is_ready(&self) -> bool {
        let at = self.words.iter().position(|word| word == "ready");
        let rest = at.map(|at| &self.words[at + 1..]).unwrap_or_default();
        let target = rest.iter().find(|word| !matches!(word.as_str(), "to" | "for" | "be"));
        let is_status = rest.is_empty() && self.has(&READY);
        is_status || target.is_some_and(|word| is_one_of(word, &READY_FOR))
    }

    /// The text ends with a status: "Check what may not be cleaned up: done".
    fn ends_done(&self) -> bool {
        let end = self.lower.trim_end_matches(|c: char| !c.is_alphanumeric() && !"✅✓✔☑]".contains(c));
        let Some(status) = end.rsplit([':', '(', '[', '—', '–', '*']).next().map(str::trim) else {
            return false;
        };
        is_one_of(status, &STATUS) || DONE_MARKS.words.split(' ').any(|mark| end.ends_with(&spelled(mark)))
    }

    /// "nothing is left", "no pending work".
    fn has_nothing_left(&self) -> bool {
        self.any(|of| &of.none) && self.any(|of| &of.left)
    }
}

/// What a text says as a whole.
pub fn says(text: &str) -> Option<Says> {
    Cued::new(text).without_idle_words().says()
}

/// Where a sentence turns: words between spaces, or anywhere in scripts without spaces.
static TURNS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let words = LANGUAGES.iter().flat_map(|of| [&of.but, &of.except, &of.times]);
    let words = words.flat_map(|cues| cues.words.split(' '));
    let turn =
        |word: &str| if word.starts_with(is_spaced) { format!(" {} ", spelled(word)) } else { word.into() };
    words.filter(|word| !word.is_empty()).map(turn).collect()
});

/// The clauses of a sentence, each with what it says.
pub fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut cuts: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let splits = match c {
            ',' | ';' => text[end..].starts_with(' '),
            '，' | '、' | '；' | '—' => true,
            _ => false,
        };
        cuts.extend(splits.then_some(end));
    }
    for turn in TURNS.iter() {
        cuts.extend(text.match_indices(turn.as_str()).map(|(at, _)| at));
    }
    cuts.sort_unstable();
    cuts.push(text.len());
    let mut from = 0;
    let mut out = Vec::new();
    for cut in cuts {
        let part = text.get(from..cut).unwrap_or_default().trim();
        from = cut.max(from);
        if !part.is_empty() {
            // An exception to a claim is not done.
            let says = if is_exception(part) { Some(Says::Open) } else { says(part) };
            out.push(Clause { text: part, says });
        }
    }
    out
}

/// "except the docs".
pub fn is_exception(clause: &str) -> bool {
    begins_with(&clause.to_lowercase(), |of| &of.except)
}

/// "but it is untested", "except the docs".
pub fn is_turn(clause: &str) -> bool {
    is_exception(clause) || begins_with(&clause.to_lowercase(), |of| &of.but)
}

fn begins_with(lower: &str, of: fn(&SummaryWords) -> &Cues) -> bool {
    let words = LANGUAGES.iter().flat_map(|language| of(language).words.split(' '));
    words.filter(|word| !word.is_empty()).any(|word| lower.starts_with(&spelled(word)))
}

/// The entry of an empty list: "None", or "None explicitly pending".
pub fn is_nothing(text: &str) -> bool {
    let bare =
        text.trim_start_matches(['-', '*', '(', ' ', '_']).trim_end_matches(['.', '*', ')', ' ', '。', '_']);
    let first = Cued::new(bare.split([',', '.', ';', '(', '。', '，', '—', '-']).next().unwrap_or(bare));
    let few = first.words.len() <= 6;
    let whole = Cued::new(bare);
    let says_more = whole.any(|of| &of.but) || whole.any(|of| &of.except);
    matches!(bare.to_lowercase().as_str(), "n/a" | "-" | "無" | "无" | "なし" | "없음")
        || (few
            && !says_more
            && !first.has(&NARROWS)
            && first.any(|of| &of.none)
            && (first.words.len() == 1 || first.any(|of| &of.left)))
}

/// "All tasks are completed", "nothing is left to do", "ready to merge": a claim that everything is done. A claim
/// about one phase or one list does not count.
pub fn is_all_done(text: &str) -> bool {
    if text.split(['.', ';', '。']).flat_map(clauses).any(|clause| is_exception(clause.text)) {
        return false;
    }
    text.split(['.', ';', '。']).flat_map(clauses).any(|clause| {
        let whole = Cued::new(clause.text);
        if whole.words.len() > 14 {
            return false;
        }
        let cued = whole.without_idle_words();
        let nothing_left = cued.has_nothing_left() && !cued.has(&NOT_WORK);
        let ready = cued.is_ready();
        let everything = whole.has_all_work() && cued.says() == Some(Says::Done);
        // "Everything else is done" says nothing of what it is apart from.
        let limited = cued.has(&NARROWS) || cued.any(|of| &of.rest);
        let unsure = cued.is_unsure();
        (everything || ((nothing_left || ready) && !unsure)) && (ready || !limited)
    })
}

/// Words at the start of a text among which it must name the user to be about what they said.
const LEAD: usize = 6;
/// Words between the user and what they did with words.
const BETWEEN: usize = 4;

/// The words that a text gives to the user: what follows "the user wants", "an instruction from the user", or "ユーザーは"
/// with a verb of saying at the end. "I told the user that …" and "the user was shown …" give them none.
pub fn attributed(text: &str) -> Option<&str> {
    let spaced: Vec<(usize, &str)> = words(text, MIXED).collect();
    let lower: Vec<String> = lower_words(text);
    let cued = |words: &[String]| Cued { lower: words.join(" "), words: words.to_vec() };
    let is_saying = |cued: &Cued| cued.any(|of| &of.said) || cued.any(|of| &of.messages);
    let user = lower.iter().take(LEAD).position(|word| is_word_of(word, |of| &of.user))?;
    // In scripts without spaces a word is as long as a sentence, and its verb stands anywhere.
    if !lower[user].starts_with(is_spaced) {
        let users = LANGUAGES
            .iter()
            .flat_map(|of| of.user.words.split(' '))
            .filter(|name| !name.starts_with(is_spaced));
        let end = users.filter_map(|name| Some(text.find(name)? + name.len())).max()?;
        // What is quoted may be in another language and say anything.
        let frame: String = text.chars().filter(|c| !is_spaced(*c)).collect();
        let frame = Cued { lower: frame, words: Vec::new() };
        let denies = LANGUAGES.iter().any(|of| frame.has(&of.negations));
        return text.get(end..).filter(|_| is_saying(&frame) && !denies);
    }
    let after = lower.get(user + 1..)?;
    let is_passive = after.first().is_some_and(|word| is_one_of(word, &PASSIVE));
    let is_told = lower[..user].iter().any(|word| is_one_of(word, &TOLD_TO) || is_one_of(word, &SPEAKERS));
    let said = (1..=BETWEEN.min(after.len().saturating_sub(1))).find(|n| is_saying(&cued(&after[..*n])));
    // "Der Nutzer hat … verlangt."
    let ends_saying = after.last().is_some_and(|last| is_word_of(last, |of| &of.said));
    let before = &lower[user.saturating_sub(BETWEEN)..user];
    let frame = &lower[..(user + 1 + said.unwrap_or(0)).min(lower.len())];
    let denies = LANGUAGES.iter().any(|of| cued(frame).has(&of.negations));
    if is_passive || is_told || denies || (said.is_none() && !ends_saying && !is_saying(&cued(before))) {
        return None;
    }
    let (at, last) = spaced[frame.len() - 1];
    // "… - I explained that …": from there on somebody else speaks.
    let other = (frame.len()..lower.len()).find(|at| is_one_of(&lower[*at], &SPEAKERS));
    text.get(at + last.len()..other.map_or(text.len(), |other| spaced[other].0))
}

/// A text contains one of these, anywhere.
pub fn mentions(lower: &str, cues: &Cues) -> bool {
    cues.words.split(' ').any(|cue| !cue.is_empty() && lower.contains(&spelled(cue)))
}

/// A word is one of these.
pub fn is_one_of(word: &str, cues: &Cues) -> bool {
    !word.is_empty() && cues.words.split(' ').any(|cue| cue == word)
}

/// A word for everything.
pub fn is_all(word: &str) -> bool {
    is_word_of(word, |of| &of.all)
}

/// A word is one of these, in any language.
pub fn is_word_of(word: &str, of: fn(&SummaryWords) -> &Cues) -> bool {
    CUES.of_field.get(&key(of(&LANGUAGES[0]))).is_some_and(|set| set.has_word(word))
}

/// A cue as it is written.
fn spelled(cue: &str) -> String {
    cue.trim_end_matches('*').replace('_', " ")
}

/// Its script has spaces between words.
fn is_spaced(c: char) -> bool {
    (c as u32) < 0x2E80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_its_word() {
        let of_languages = LANGUAGES.iter().flat_map(|language| FIELDS.map(|field| field(language)));
        for cues in of_languages.chain(ONLY_ENGLISH.iter().copied()).filter(|cues| !cues.words.is_empty()) {
            let lower = cues.example.to_lowercase();
            assert!(Cued::new(cues.example).has(cues) || mentions(&lower, cues), "{}", cues.example);
        }
    }

    #[test]
    fn claims_are_read_in_many_wordings() {
        for text in [
            "Write the docs — completed",
            "- [x] Write the docs",
            "✅ Write the docs",
            "Writing the docs is done",
            "the docs have been finished",
            "docs: complete",
            "A documentação foi concluída",
            "Die Dokumentation ist abgeschlossen",
            "文档已完成",
            "ドキュメントは完了しました",
            "문서 작업 완료",
            "no pending work",
            "the docs are up and running",
            "The docs have been put to bed",
            "- ~~Write the docs~~",
            "A documentação chegou ao fim",
            "La documentación se ha llevado a cabo",
            "Die Doku ist unter Dach und Fach",
            "La documentation a été menée à bien",
            "La documentazione è stata portata a termine",
            "文档已经处理完",
            "最後に残っていた文書も片付きました",
            "문서 작업을 마무리했습니다",
            "Документация доведена до ума",
        ] {
            assert_eq!(says(text), Some(Says::Done), "{text}");
        }
        for text in [
            "Write the docs (in progress)",
            "the docs are not done",
            "the docs are almost finished",
            "once the docs are done",
            "[ ] Write the docs",
            "⏳ Write the docs",
            "A documentação ainda não foi concluída",
            "Die Dokumentation ist noch nicht fertig",
            "文档未完成",
            "ドキュメントはまだ完了していません",
            "문서 작업 미완료",
            "The docs are ready to start",
            "Die Doku ist noch zu erledigen",
            "La documentation reste à terminer",
            "La documentazione è da completare",
            "Документация готовится, но ещё не готова",
        ] {
            assert_eq!(says(text), Some(Says::Open), "{text}");
        }
        for text in [
            "Complete the merge",
            "the docs describe the limiter",
            "La documentación está sin hacer",
            "L'index est construit sans faire de copie",
            "Документация готовится",
        ] {
            assert_eq!(says(text), None, "{text}");
        }
    }

    #[test]
    fn everything_is_said_to_be_done_in_many_wordings() {
        for text in [
            "All tasks are completed.",
            "none, all tasks are completed, including wiring the limiter into the gateway",
            "Everything is implemented.",
            "Nothing is left to do.",
            "There is no remaining work",
            "No pending tasks.",
            "The branch is ready to merge.",
            "All work is done",
            "All of the work has been finished.",
            "All of our tasks are completed",
            "The whole list of tasks is finished.",
            "Everything has been taken care of.",
            "Each and every task is complete.",
            "Every single task has been wrapped up.",
            "Every single one is done.",
            "Every one of the tasks is done.",
            "The whole list is finished.",
            "The entire list has been completed.",
            "Nothing remains.",
            "Nothing is left over.",
            "No loose ends remain.",
            "There is no further work.",
            "Everything on the list is done.",
            "No tasks remain on the to-do list.",
            "Não resta nada a fazer.",
            "Todas as tarefas foram concluídas.",
            "Alle Aufgaben sind erledigt.",
            "所有任务已完成",
            "すべてのタスクが完了しました",
            "모든 작업 완료",
        ] {
            assert!(is_all_done(text), "{text}");
        }
        for text in [
            "All tasks of phase 1 are completed.",
            "All of the work of phase 1 has been finished.",
            "All of the work in the parser is done.",
            "Everything in the list of phase 1 has been taken care of.",
            "Não está tudo concluído.",
            "Not all of the work has been finished.",
            "Not all tasks are completed.",
            "All tasks are completed except the docs.",
            "Once all tasks are completed, push.",
            "All review comments are resolved.",
            "It is not ready to merge.",
            "Nem todas as tarefas foram concluídas.",
            "Nicht alle Aufgaben sind erledigt.",
            "Not every single one is done.",
            "Each task is reviewed, then every task of phase 2 is done.",
            "Each and every task of phase 1 is complete.",
            "Once the whole list is finished, push.",
            "The whole list is in docs/todo.md.",
            "Each commit was resolved.",
            "Nothing in the parser remains open.",
            "A single one is done.",
            "There is no further work on the parser planned.",
            "No further work in the parser is planned.",
            "All work on the parser is done.",
            "Nothing is left to do on the parser.",
        ] {
            assert!(!is_all_done(text), "{text}");
        }
    }

    #[test]
    fn the_users_words_are_what_follows_who_speaks() {
        for (text, expected) in [
            ("The user requires a dry run first", Some("a dry run first")),
            ("Explicit instruction from the user: keep the old parser", Some("keep the old parser")),
            ("The user's exact words were to keep it", Some("were to keep it")),
            ("The user asked why it hangs - I explained that the pool is full", Some("why it hangs -")),
            ("Der Nutzer hat einen Probelauf verlangt", Some("hat einen Probelauf verlangt")),
            ("L'utilisateur souhaite garder le parseur", Some("garder le parseur")),
            ("Пользователь просит оставить парсер", Some("оставить парсер")),
            ("ユーザーは parser の保持を希望しています", Some("は parser の保持を希望しています")),
            ("I told the user that the pool is full", None),
            ("The user was told that the pool is full", None),
            ("The user has not asked for a dry run", None),
            ("The user clicks a button and the form opens", None),
            ("ユーザーは希望していません", None),
        ] {
            assert_eq!(attributed(text).map(|words| words.trim_matches([' ', ':'])), expected, "{text}");
        }
    }

    #[test]
    fn what_plans_narrows_or_goes_on_claims_nothing() {
        for text in [
            "The plan is to have the docs done by Friday",
            "Die Doku wird gerade erledigt",
            "La documentation sera terminée",
            "The docs are currently being finished",
            "Push after the docs are done",
        ] {
            assert!(clauses(text).iter().all(|clause| clause.says != Some(Says::Done)), "{text}");
        }
        for text in
            ["Everything else is finished", "The rest of the tasks are done", "Alles andere ist erledigt"]
        {
            assert!(!is_all_done(text), "{text}");
        }
        assert!(is_all_done("Everything the user asked for has been delivered"));
        assert_eq!(clauses("I wrapped up the docs before the tests ran")[0].says, Some(Says::Done));
    }

    #[test]
    fn an_empty_list_is_distinguished_from_one_with_an_entry() {
        for text in [
            "None",
            "none.",
            "(none)",
            "N/A",
            "None explicitly pending.",
            "Nenhuma",
            "Keine",
            "なし",
            "无",
            "없음",
        ] {
            assert!(is_nothing(text), "{text}");
        }
        for text in [
            "Write docs",
            "None of the tests pass",
            "No tests were written for the parser of dates",
            "None, but see the docs",
            "No further work on the parser.",
            "No more work in the parser.",
        ] {
            assert!(!is_nothing(text), "{text}");
        }
    }
}
