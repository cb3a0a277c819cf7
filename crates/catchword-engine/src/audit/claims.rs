//! What a sentence of a summary claims: that something is done, that it is open, or that everything is done.
//!
//! Claims are read clause by clause, because one sentence may say both. The cue words cover a few languages; marks such
//! as ✅ and empty lists work in any.

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

const DONE_MARKS: [&str; 7] = ["✅", "✓", "✔", "☑", "[x]", "[X]", "🎉"];
const OPEN_MARKS: [&str; 9] = ["⏳", "🔄", "⬜", "☐", "[ ]", "🚧", "❌", "⚠", "◻"];

/// Words for done. A trailing `*` matches any ending. Words that are not ASCII match anywhere, because some scripts have
/// no spaces.
const DONE: &[&str] = &[
    "completed",
    "done",
    "finished",
    "implemented",
    "accomplished",
    "delivered",
    "shipped",
    "landed",
    "resolved",
    "in_place",
    "wrapped_up",
    "sorted_out",
    "checked_off",
    "taken_care",
    "finalized",
    "finalised",
    "feito",
    "feita",
    "feitos",
    "feitas",
    "pronto",
    "pronta",
    "implementad*",
    "finalizad*",
    "terminad*",
    "completad*",
    "concluid*",
    "concluíd",
    "hecho",
    "hecha",
    "hechas",
    "erledigt*",
    "abgeschlossen*",
    "fertig*",
    "umgesetzt*",
    "terminée",
    "terminé",
    "achevé",
    "completato",
    "completata",
    "完成",
    "完了",
    "済み",
    "終わ",
    "終了",
    "실행 완료",
    "완료",
    "끝났",
    "끝냈",
    "마쳤",
    "готов",
    "заверш",
    "выполнен",
];

/// Words that make a clause open, whatever else it says.
const OPEN: &[&str] = &[
    "pending",
    "in_progress",
    "todo",
    "to_do",
    "to_be",
    "remaining",
    "remains",
    "remain",
    "outstanding",
    "not",
    "still",
    "need",
    "needs",
    "needed",
    "partially",
    "partly",
    "almost",
    "nearly",
    "mostly",
    "half",
    "halfway",
    "started",
    "ongoing",
    "wip",
    "incomplete",
    "partial",
    "unfinished",
    "until",
    "once",
    "will",
    "would",
    "should",
    "must",
    "can",
    "could",
    "may",
    "might",
    "if",
    "unless",
    "when",
    "whether",
    "before",
    "after",
    "blocked",
    "waiting",
    "awaiting",
    "yet",
    "never",
    "cannot",
    "next",
    "later",
    "continue",
    "continuing",
    "begin",
    "began",
    "verify",
    "ensure",
    "confirm",
    "asked",
    "wants",
    "wanted",
    "requested",
    "working",
    "going_to",
    "deferred",
    "skipped",
    "failed",
    "fails",
    "failing",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "hasn't",
    "haven't",
    "doesn't",
    "don't",
    "didn't",
    "can't",
    "won't",
    "nem",
    "não",
    "nao",
    "falta",
    "faltam",
    "faltan",
    "ainda",
    "parcialmente",
    "andamento",
    "quando",
    "depois",
    "após",
    "pendente*",
    "pendiente*",
    "restante*",
    "todavía",
    "aún",
    "nicht",
    "noch",
    "offen*",
    "ausstehend*",
    "teilweise",
    "fast",
    "sobald",
    "wenn",
    "nachdem",
    "muss",
    "müssen",
    "pas",
    "reste",
    "encore",
    "presque",
    "未",
    "待",
    "还没",
    "尚",
    "部分完成",
    "まだ",
    "残り",
    "予定",
    "進行中",
    "していません",
    "ていない",
    "안 ",
    "아직",
    "미완료",
    "진행 중",
    "남은",
    "예정",
    "않",
    "ожида",
    "ещё",
    "осталось",
];

/// Words for nothing.
const NONE: &[&str] = &[
    "none",
    "nothing",
    "no",
    "zero",
    "n_a",
    "nil",
    "nenhum*",
    "nada",
    "ningun*",
    "keine*",
    "nichts",
    "aucun*",
    "rien",
    "nessun*",
    "なし",
    "無し",
    "ありません",
    "无",
    "無",
    "没有",
    "沒有",
    "없음",
    "없습니다",
    "없다",
    "нет",
];

/// Words for what is left.
const LEFT: &[&str] = &[
    "pending",
    "remaining",
    "remains",
    "remain",
    "outstanding",
    "left",
    "todo",
    "to_do",
    "open",
    "unfinished",
    "incomplete",
    "loose_ends",
    "further_work",
    "more_work",
    "pendente*",
    "pendiente*",
    "falta",
    "faltam",
    "faltan",
    "fazer",
    "hacer",
    "restante*",
    "offen*",
    "übrig",
    "ausstehend*",
    "tun",
    "faire",
    "reste",
    "attente",
    "待办",
    "待处理",
    "剩余",
    "未完",
    "残",
    "남은",
    "대기",
];

/// Words for everything.
pub const ALL: &[&str] = &[
    "all",
    "everything",
    "every",
    "entire",
    "whole",
    "fully",
    "todos",
    "todas",
    "tudo",
    "todo",
    "alle",
    "alles",
    "sämtliche",
    "tous",
    "toutes",
    "tout",
    "tutto",
    "tutti",
    "全部",
    "所有",
    "すべて",
    "全て",
    "全タスク",
    "모든",
    "모두",
    "전부",
    "все",
];

/// Words for work.
const WORK: &[&str] = &[
    "tasks",
    "task",
    "todos",
    "items",
    "steps",
    "work",
    "everything",
    "tarefa*",
    "tudo",
    "trabalho",
    "tareas",
    "trabajo",
    "aufgaben",
    "arbeiten",
    "alles",
    "tâches",
    "tout",
    "taches",
    "任务",
    "工作",
    "タスク",
    "作業",
    "작업",
    "задач",
];

/// The words of a text in lower case.
pub fn lower_words(text: &str) -> Vec<String> {
    words(text, MIXED).map(|(_, word)| word.to_lowercase().replace('’', "'")).collect()
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

    /// Whether it contains one of these cues. `_` stands for a space.
    pub fn has(&self, cues: &[&str]) -> bool {
        cues.iter().any(|cue| self.has_one(cue))
    }

    fn has_one(&self, cue: &str) -> bool {
        if !cue.is_ascii() {
            // In scripts with spaces, a cue must start a word.
            let spaced = cue.chars().next().is_some_and(|c| (c as u32) < 0x2E80);
            return self
                .lower
                .match_indices(cue.trim_end_matches('*'))
                .any(|(at, _)| !spaced || !self.lower[..at].ends_with(char::is_alphanumeric));
        }
        if let Some(start) = cue.strip_suffix('*') {
            return self.words.iter().any(|word| word.starts_with(start));
        }
        let phrase: Vec<&str> = cue.split('_').collect();
        self.words.iter().any(|word| word == cue)
            || self.words.windows(phrase.len()).any(|words| words == phrase)
    }

    /// "all tasks", "all of the work", "everything", but not "all occurrences".
    fn has_all_work(&self) -> bool {
        const WHOLE: &[&str] = &[
            "everything",
            "every_single_one",
            "whole_list",
            "entire_list",
            "full_list",
            "tudo",
            "alles",
            "tout",
        ];
        const WIDE: &[&str] = &[
            "すべてのタスク",
            "全てのタスク",
            "全タスク",
            "所有任务",
            "全部任务",
            "所有工作",
            "全部工作",
            "모든 작업",
            "все задач",
        ];
        let is =
            |word: &String, cues: &[&str]| Cued { lower: word.clone(), words: vec![word.clone()] }.has(cues);
        // "every one of the tasks" is every task.
        let words: Vec<&String> =
            self.words.iter().filter(|word| !matches!(word.as_str(), "single" | "one")).collect();
        let at = |cues: &[&str]| {
            words.iter().enumerate().filter(|(_, w)| is(w, cues)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let (all, work) = (at(ALL), at(WORK));
        self.has(WHOLE) || self.has(WIDE) || all.iter().any(|a| work.iter().any(|w| w > a && w - a <= 3))
    }

    /// Without words that limit nothing: prepositions between "all" and the work ("all of the work", "the whole list of
    /// tasks") and at the end ("taken care of"), the "on" of "on the list", and the "each" of "each and every". "All
    /// tasks of phase 1" keeps its own.
    fn without_idle_words(&self) -> Cued {
        const PREPOSITIONS: [&str; 6] = ["of", "in", "for", "von", "de", "di"];
        let is_all = |word: &String| ALL.contains(&word.as_str());
        let is_work = |word: &String| Cued { lower: word.clone(), words: vec![word.clone()] }.has(WORK);
        let is_idle = |at: usize| {
            let between = self.words[..at].iter().rev().take(3).any(is_all)
                && self.words[at + 1..].iter().take(2).any(is_work);
            let is_doubled =
                self.words[at] == "each" && self.words[at + 1..].starts_with(&["and".into(), "every".into()]);
            let on_list =
                self.words[at] == "on" && self.words[at + 1..].iter().take(4).any(|word| word == "list");
            let is_preposition = PREPOSITIONS.contains(&self.words[at].as_str());
            is_doubled || on_list || (is_preposition && (between || at + 1 == self.words.len()))
        };
        let kept = (0..self.words.len()).filter(|at| !is_idle(*at)).map(|at| self.words[at].clone());
        Cued { lower: self.lower.clone(), words: kept.collect() }
    }

    /// "Complete the merge" asks for it, "merge: complete" says so.
    fn is_complete(&self) -> bool {
        let last = self.words.len().saturating_sub(1);
        self.words.iter().enumerate().any(|(at, word)| {
            let said_of = |before: &str| {
                matches!(
                    before,
                    "is" | "are" | "now" | "fully" | "100" | "been" | "all" | "be" | "code" | "feature"
                )
            };
            word == "complete" && at > 0 && (at == last || said_of(&self.words[at - 1]))
        })
    }

    fn says(&self) -> Option<Says> {
        let has_mark = |marks: &[&str]| marks.iter().any(|mark| self.lower.contains(&mark.to_lowercase()));
        if has_mark(&OPEN_MARKS) {
            return Some(Says::Open);
        }
        let is_open = self.has(OPEN);
        if has_mark(&DONE_MARKS) {
            return Some(if is_open && !self.ends_done() { Says::Open } else { Says::Done });
        }
        if self.has(NONE) && self.has(LEFT) {
            return Some(Says::Done);
        }
        let is_done = self.has(DONE) || self.is_complete();
        match (is_done, is_open) {
            (true, true) if self.ends_done() => Some(Says::Done),
            (_, true) => Some(Says::Open),
            (true, false) => Some(Says::Done),
            (false, false) => None,
        }
    }

    /// The text ends with a status: "Check what may not be cleaned up: done".
    fn ends_done(&self) -> bool {
        let end = self.lower.trim_end_matches(|c: char| !c.is_alphanumeric() && !"✅✓✔☑]".contains(c));
        let Some(status) = end.rsplit([':', '(', '[', '—', '–', '*']).next().map(str::trim) else {
            return false;
        };
        let is_status = matches!(status, "done" | "completed" | "complete" | "finished" | "implemented");
        is_status || DONE_MARKS.iter().any(|mark| end.ends_with(mark))
    }
}

/// What a text says as a whole.
pub fn says(text: &str) -> Option<Says> {
    Cued::new(text).says()
}

/// The clauses of a sentence, each with what it says.
pub fn clauses(text: &str) -> Vec<Clause<'_>> {
    const TURNS: [&str; 18] = [
        " but ",
        " however ",
        " although ",
        " though ",
        " while ",
        " except ",
        " apart from ",
        " other than ",
        " exceto ",
        " excepto ",
        " außer ",
        " sauf ",
        " mas ",
        " pero ",
        " aber ",
        " mais ",
        "ただし",
        "但",
    ];
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
    for turn in TURNS {
        cuts.extend(text.match_indices(turn).map(|(at, _)| at));
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
    const OPENINGS: [&str; 9] =
        ["except", "apart from", "other than", "besides", "aside from", "exceto", "excepto", "außer", "sauf"];
    let lower = clause.to_lowercase();
    OPENINGS.iter().any(|opening| lower.starts_with(opening))
}

/// The entry of an empty list: "None", or "None explicitly pending".
pub fn is_nothing(text: &str) -> bool {
    let bare =
        text.trim_start_matches(['-', '*', '(', ' ', '_']).trim_end_matches(['.', '*', ')', ' ', '。', '_']);
    let first = Cued::new(bare.split([',', '.', ';', '(', '。', '，', '—', '-']).next().unwrap_or(bare));
    let few = first.words.len() <= 6;
    let says_more = Cued::new(bare).has(&["but", "except", "however", "though", "mas", "pero", "aber"]);
    let is_limited = first.has(&["work_on", "work_in"]);
    matches!(bare.to_lowercase().as_str(), "n/a" | "-" | "無" | "无" | "なし" | "없음")
        || (few
            && !says_more
            && !is_limited
            && first.has(NONE)
            && (first.words.len() == 1 || first.has(LEFT)))
}

/// "All tasks are completed", "nothing is left to do", "ready to merge": a claim that everything is done. A claim
/// about one phase or one list does not count.
pub fn is_all_done(text: &str) -> bool {
    const LIMITS: &[&str] = &[
        "phase",
        "phases",
        "part",
        "session",
        "above",
        "these",
        "those",
        "previous",
        "earlier",
        "first",
        "so_far",
        "listed",
        "following",
        "original",
        "each",
        "review",
        "reviewer",
        "feedback",
        "fase",
        "parte",
        "above",
        "from",
        "of",
        "in",
        "on",
        "for",
        "except",
        "but",
        "other",
        "prior",
        "subtasks",
        "most",
        "nearly",
        "almost",
    ];
    const READY: &[&str] = &[
        "ready_merge",
        "ready_ship",
        "ready_release",
        "ready_deploy",
        "merge_ready",
        "production_ready",
        "release_ready",
    ];
    if text.split(['.', ';', '。']).flat_map(clauses).any(|clause| is_exception(clause.text)) {
        return false;
    }
    text.split(['.', ';', '。']).flat_map(clauses).any(|clause| {
        let cued = Cued::new(clause.text);
        if cued.words.len() > 14 {
            return false;
        }
        let nothing_left = cued.has(NONE)
            && cued.has(LEFT)
            && !cued.has(&["longer", "decisions", "question", "questions", "errors"]);
        let joined: Vec<&str> = cued
            .words
            .iter()
            .map(String::as_str)
            .filter(|w| !matches!(*w, "to" | "for" | "be" | "merging"))
            .collect();
        let ready = joined.windows(2).any(|two| READY.contains(&format!("{}_{}", two[0], two[1]).as_str()))
            || cued.words.windows(3).any(|w| {
                w[0] == "ready"
                    && w[1] == "for"
                    && matches!(
                        w[2].as_str(),
                        "merge" | "merging" | "release" | "review" | "deployment" | "production"
                    )
            });
        let everything = cued.has_all_work() && clause.says == Some(Says::Done);
        let limited = cued.without_idle_words().has(LIMITS);
        let unsure = cued.has(&[
            "not", "if", "once", "until", "when", "after", "before", "should", "will", "ensure", "verify",
            "unless", "isn't", "aren't", "nicht", "未",
        ]);
        // "Não resta nada a fazer": two negations that deny once.
        let unsure = unsure || (cued.has(&["não"]) && !cued.has(&["nada", "nenhum*"]));
        (everything || (nothing_left && !unsure) || (ready && !unsure)) && (ready || !limited)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(says(text), Some(Says::Open), "{text}");
        }
        for text in ["Complete the merge", "the docs describe the limiter"] {
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
