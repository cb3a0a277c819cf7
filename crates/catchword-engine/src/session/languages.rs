//! The most common ways to set a rule in languages other than English.
//!
//! Covers "never", "always", "don't" and "from now on". Statements use the same words ("die Tests laufen nie durch"),
//! so each language says where they must be. A rule that is missed here is still quoted as a request.

/// A language with spaces between its words.
struct SpacedLanguage {
    /// A sentence that opens with one of these sets a rule.
    opens: &'static [&'static str],
    /// So does one that contains one of these, unless it opens with a subject.
    lasting: &'static [&'static str],
    /// Words that open a statement or a question.
    subjects: &'static [&'static str],
    /// Words that forbid when a verb in the imperative follows or precedes, and the endings of such verbs.
    forbids: &'static [(&'static str, &'static [&'static str])],
}

const GERMAN: SpacedLanguage = SpacedLanguage {
    opens: &[
        "nie",
        "niemals",
        "immer",
        "ab jetzt",
        "ab sofort",
        "von jetzt an",
        "von nun an",
        "künftig",
        "in zukunft",
        "bitte nicht",
        "bitte nie",
        "bitte immer",
        "bitte keine",
        "bitte kein",
        "nicht",
        "keine",
        "auf keinen fall",
        "vermeide",
    ],
    lasting: &["niemals", "nie", "immer", "auf keinen fall", "ab jetzt", "ab sofort", "künftig"],
    subjects: &[
        "ich", "du", "er", "sie", "es", "wir", "ihr", "das", "der", "die", "den", "dem", "ein", "eine",
        "mein", "meine", "dieser", "diese", "dieses", "warum", "wieso", "wie", "was", "wo", "wer", "wann",
        "da", "hier", "man", "alle", "kann", "ist", "sind", "hat", "haben", "wird", "tests", "noch", "fast",
    ],
    // "Pushe nicht auf main": imperatives end in -e; "geht nicht" and "läuft nicht" do not.
    forbids: &[("nicht", &["e"]), ("keine", &["e"]), ("keinen", &["e"]), ("kein", &["e"])],
};

const FRENCH: SpacedLanguage = SpacedLanguage {
    opens: &[
        "ne",
        "n'",
        "jamais",
        "toujours",
        "désormais",
        "dorénavant",
        "à partir de maintenant",
        "à l'avenir",
        "évite",
        "évitez",
        "pas de",
        "surtout pas",
        "merci de ne",
    ],
    lasting: &["toujours", "jamais", "désormais", "dorénavant"],
    subjects: &[
        "je", "j'ai", "tu", "il", "elle", "on", "nous", "vous", "ils", "elles", "le", "la", "les", "un",
        "une", "des", "ce", "c'est", "ça", "cela", "mon", "ma", "mes", "pourquoi", "comment", "que", "qui",
        "où", "quand", "est-ce", "y", "presque",
    ],
    forbids: &[],
};

const SPANISH: SpacedLanguage = SpacedLanguage {
    opens: &[
        "nunca",
        "jamás",
        "siempre",
        "a partir de ahora",
        "de ahora en adelante",
        "en adelante",
        "evita",
        "evite",
        "por favor no",
        "por favor nunca",
    ],
    lasting: &["nunca", "siempre", "a partir de ahora", "de ahora en adelante"],
    subjects: &[
        "yo", "tú", "él", "ella", "nosotros", "ellos", "el", "la", "los", "las", "un", "una", "esto", "eso",
        "este", "esta", "mi", "por", "cómo", "qué", "quién", "dónde", "cuándo", "hay", "es", "está", "casi",
        "se",
    ],
    // "No uses", "no toques" and "no hagas" forbid; "no funciona" and "no veo" are statements.
    forbids: &[("no", &["es", "as", "ar", "er", "ir"])],
};

const PORTUGUESE: SpacedLanguage = SpacedLanguage {
    opens: &[
        "nunca",
        "jamais",
        "sempre",
        "a partir de agora",
        "de agora em diante",
        "daqui em diante",
        "evite",
        "por favor não",
        "não use",
        "não faça",
        "não altere",
        "não mexa",
        "não toque",
        "não apague",
        "não remova",
        "não edite",
        "não mude",
        "não crie",
        "não adicione",
        "não rode",
        "não execute",
        "não envie",
        "não commite",
        "não instale",
        "não renomeie",
    ],
    lasting: &["nunca", "sempre", "a partir de agora", "de agora em diante"],
    subjects: &[
        "eu", "você", "ele", "ela", "nós", "eles", "o", "a", "os", "as", "um", "uma", "isso", "isto", "este",
        "esta", "meu", "minha", "por", "como", "que", "quem", "onde", "quando", "há", "é", "está", "quase",
        "não",
    ],
    forbids: &[("não", &["ar", "er", "ir"])],
};

const SPACED_LANGUAGES: [&SpacedLanguage; 4] = [&GERMAN, &FRENCH, &SPANISH, &PORTUGUESE];

/// Character sequences that forbid, anywhere in a sentence.
const FORBIDDING: [&str; 22] = [
    "不要",
    "不得",
    "禁止",
    "绝不",
    "切勿",
    "请勿",
    "勿要",
    "别再",
    "ないで",
    "しないこと",
    "するな",
    "てはいけ",
    "てはなら",
    "ないように",
    "やめて",
    "지 마",
    "지마",
    "지 말",
    "하지말",
    "말 것",
    "금지",
    "말아",
];
/// Words for lasting rules, and the endings that make a sentence with one of them a request.
const LASTING: [&str; 15] = [
    "必ず",
    "常に",
    "今後",
    "これから",
    "务必",
    "必须",
    "始终",
    "总是",
    "从现在起",
    "以后",
    "항상",
    "반드시",
    "앞으로",
    "무조건",
    "지금부터",
];
const ASKING: [&str; 15] = [
    "ください",
    "下さい",
    "こと",
    "てね",
    "お願いします",
    "お願い",
    "すること",
    "세요",
    "해줘",
    "해 줘",
    "할 것",
    "하기",
    "해라",
    "주세요",
    "합시다",
];
/// Chinese imperatives have no ending; these open one.
const COMMANDS: [&str; 8] = ["请", "务必", "必须", "始终", "从现在起", "以后", "总是用", "总是使用"];
/// Words that contain one of [`FORBIDDING`] but do not forbid.
const HARMLESS: [&str; 4] = ["要不要", "不要紧", "不得不", "不得了"];

/// Whether a lower-case sentence sets a rule.
pub fn is_rule(lower: &str) -> bool {
    let bare = lower.trim();
    if bare.ends_with(['?', '？', ':', '：', '吗', '呢']) {
        return false;
    }
    is_unspaced_rule(bare)
        || (is_other_than_english(bare) && SPACED_LANGUAGES.iter().any(|language| language.is_rule(bare)))
}

/// Whether a sentence has an accent or a word of one of these languages, so that English is not taken for Spanish.
fn is_other_than_english(lower: &str) -> bool {
    const WORDS: [&str; 25] = [
        "nie", "niemals", "nicht", "immer", "bitte", "keine", "keinen", "und", "der", "das", "jamais",
        "toujours", "les", "ne", "nunca", "siempre", "sempre", "el", "los", "antes", "avant", "para", "cada",
        "ab", "auf",
    ];
    lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
        || lower.split(|c: char| !c.is_alphabetic()).any(|word| WORDS.contains(&word))
}

/// Whether a lower-case sentence forbids something.
pub fn forbids(lower: &str) -> bool {
    const WORDS: [&str; 15] = [
        "nicht", "nie", "niemals", "kein", "keine", "keinen", "jamais", "pas", "ne", "nunca", "jamás", "não",
        "évite", "evita", "evite",
    ];
    let word = |word: &str| WORDS.contains(&word) || word.starts_with("n'");
    FORBIDDING.iter().any(|sign| lower.contains(sign))
        || lower.split(|c: char| !c.is_alphabetic() && c != '\'').any(word)
}

impl SpacedLanguage {
    fn is_rule(&self, lower: &str) -> bool {
        let words: Vec<&str> = lower
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| ",;.!\"()".contains(c)))
            .collect();
        let Some(first) = words.first() else { return false };
        let plain = words.join(" ");
        let opens = |phrase: &&str| {
            plain.strip_prefix(*phrase).is_some_and(|rest| rest.starts_with(' ') || phrase.ends_with('\''))
        };
        if self.opens.iter().any(opens) {
            // "Siempre falla", "nie gesehen": two words are a statement.
            return words.len() > 2;
        }
        let lasts = self.lasting.iter().any(|phrase| format!(" {plain} ").contains(&format!(" {phrase} ")));
        (lasts && words.len() > 2 && !self.subjects.contains(first)) || self.opens_with_prohibition(&words)
    }

    /// Whether the sentence opens with a forbidding word next to an imperative.
    fn opens_with_prohibition(&self, words: &[&str]) -> bool {
        let polite = usize::from(matches!(words.first(), Some(&("bitte" | "por" | "please"))));
        let [first, second, rest @ ..] = &words[polite..] else { return false };
        let is_command = |word: &str, ends: &[&str]| {
            !self.subjects.contains(&word) && ends.iter().any(|end| word.ends_with(end)) && word.len() > 3
        };
        !rest.is_empty()
            && self.forbids.iter().any(|(no, ends)| {
                (first == no && is_command(second, ends))
                    || (second == no && *no != "no" && is_command(first, ends))
            })
    }
}

/// Japanese, Chinese and Korean, matched by character sequences and endings.
fn is_unspaced_rule(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(['。', '！', '.', '!', ' ', '~', '～']);
    let forbids =
        FORBIDDING.iter().any(|sign| bare.contains(sign)) && !HARMLESS.iter().any(|sign| bare.contains(sign));
    let asks =
        || ASKING.iter().any(|end| bare.ends_with(end)) || COMMANDS.iter().any(|open| bare.starts_with(open));
    forbids || (LASTING.iter().any(|sign| bare.contains(sign)) && asks())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_in_seven_languages() {
        for rule in [
            "Ändere niemals die alten Migrationen.",
            "Pushe nicht auf main.",
            "Bitte keine neuen Abhängigkeiten hinzufügen.",
            "Ab jetzt schreibst du die Commits auf Englisch.",
            "Führe immer erst die Tests aus.",
            "Ne touche jamais au schéma.",
            "N'utilise pas npm dans ce dépôt.",
            "Lance toujours les tests avant un commit.",
            "Désormais, réponds en français.",
            "Nunca subas cambios a main.",
            "No toques los archivos generados.",
            "Usa siempre pnpm en este proyecto.",
            "A partir de ahora responde en español.",
            "Nunca faça push para main.",
            "Não altere o esquema do banco.",
            "Use sempre pnpm neste projeto.",
            "De agora em diante escreva em português.",
            "絶対に本番のデータを消さないでください。",
            "必ずテストを実行してください。",
            "今後はコメントを日本語で書いてください。",
            "mainには直接プッシュしないこと。",
            "不要修改数据库迁移文件。",
            "请始终使用 pnpm。",
            "以后提交信息用英文写。",
            "禁止直接推送到主分支。",
            "main 브랜치에 푸시하지 마세요.",
            "항상 테스트를 먼저 실행해 주세요.",
            "앞으로 커밋 메시지는 영어로 써 주세요.",
            "설정 파일은 절대 수정하지 말 것.",
        ] {
            assert!(is_rule(&rule.to_lowercase()), "{rule}");
        }
    }

    #[test]
    fn statements_and_questions_are_not_rules() {
        for other in [
            "Die Tests laufen nicht.",
            "Es geht immer noch nicht.",
            "Warum pushst du nie auf main?",
            "Les tests ne passent pas.",
            "C'est toujours cassé.",
            "Los tests no pasan.",
            "No funciona en mi máquina.",
            "El servidor siempre falla.",
            "Os testes não passam.",
            "Não funciona na minha máquina.",
            "テストが常に失敗します。",
            "これから何をしますか？",
            "测试总是失败。",
            "要不要加一个缓存？",
            "테스트가 항상 실패합니다.",
            "다음 작업은 무엇일까요?",
            "Never mind the tests.",
            "Fix the login bug in the parser.",
            "The build is broken, no idea why.",
            "No changes were needed — fine.",
        ] {
            assert!(!is_rule(&other.to_lowercase()), "{other}");
        }
    }
}
