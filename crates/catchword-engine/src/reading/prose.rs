//! What a sentence says: a rule, a withdrawal, a request, a question, a decision, a finding, work that is put off, not
//! done or done, a correction, a nod.
//!
//! The words are in `lexicon/languages/`, [`crate::text::phrases`] finds them. Words alone do not decide: "the tests
//! don't pass" and "don't pass secrets" share theirs. Their position does: a demand opens its clause, or has a phrase
//! that always demands. In doubt a sentence says nothing; it is still quoted as part of its message.

use serde::{Deserialize, Serialize};

use crate::lexicon::languages::Sense;
use crate::text::phrases::{PhraseHit, ReadClause, ReadSentence};
use crate::text::sentences::sentences;
use crate::text::words::{self, IDENTIFIERS};

/// Characters of a sentence that reports something: longer ones are explanations, shorter ones remarks.
const REPORT: std::ops::RangeInclusive<usize> = 20..=320;
/// Words of an order that only sets a value.
const SHORT: usize = 5;

/// How long a demand holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleLifetime {
    /// Until it is withdrawn.
    Lasting,
    /// For the request it came with: "make sure it compiles".
    Request,
}

/// What a sentence withdraws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Withdrawal {
    /// A prohibition: "you can push now".
    Prohibition,
    /// A duty: "no need to run the linter".
    Duty,
    /// Whatever it names: "forget the naming rule".
    Any,
}

/// A rule that a sentence sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleReading {
    pub lifetime: RuleLifetime,
    /// It is recognisable without context: in a long text no other counts.
    pub is_plain: bool,
    /// It says itself that it holds at any time: "never …", "… from now on".
    pub is_general: bool,
}

impl ReadSentence<'_> {
    /// The rule that the sentence sets; none if it asks for a piece of work, reports or asks a question.
    pub fn rule(&self) -> Option<RuleReading> {
        let asks = self.all(Sense::Question).any(|hit| !hit.spaced) || self.opens(Sense::Question);
        if self.ends_open() || asks || self.has(Sense::Vents) {
            return None;
        }
        let lead = self.lead()?;
        let is_led_by_order = self.is_order(lead) || lead.to - lead.opens <= 2;
        let openings: Vec<&PhraseHit> = self
            .clauses
            .iter()
            .filter_map(|clause| self.opening_demand(clause, clause.from == lead.from, is_led_by_order))
            .collect();
        let mut norms = self.all(Sense::Rule).filter(|hit| !hit.is_opening);
        let norm = norms.next();
        let is_set = norm.is_some()
            || !openings.is_empty()
            || self.is_ban(lead)
            || self.is_lasting_order(lead)
            || (self.opening(lead, Sense::Habit).is_some() && self.has(Sense::Choice))
            || self.is_order_for_a_case()
            || self.is_about_the_environment()
            || self.is_wish_for_each()
            || self.is_sequence()
            || self.sets_tongue();
        let is_general = self.has(Sense::General) || self.has(Sense::Lasting);
        let is_passing = |hit: &&PhraseHit| hit.sense == Sense::Care || self.is_about_one_thing(hit);
        let is_of_the_request = !openings.is_empty() && !is_general && openings.iter().all(is_passing);
        is_set.then_some(RuleReading {
            lifetime: if is_of_the_request { RuleLifetime::Request } else { RuleLifetime::Lasting },
            is_plain: norm.is_some()
                || openings.iter().any(|hit| lead.opens == hit.at)
                || !self.is_english_like(),
            is_general: is_general && !is_of_the_request,
        })
    }

    /// What the sentence withdraws, if anything.
    pub fn withdrawal(&self) -> Option<Withdrawal> {
        let senses = [
            (Sense::Permits, Withdrawal::Prohibition),
            (Sense::Releases, Withdrawal::Duty),
            (Sense::TakesBack, Withdrawal::Any),
        ];
        let said = senses.into_iter().filter_map(|(sense, what)| Some((self.all(sense).next()?.at, what)));
        said.min_by_key(|(at, _)| *at).map(|(_, what)| what)
    }

    /// Whether it is a rule that says itself that it applies beyond the current request.
    pub fn is_lasting(&self) -> bool {
        let is_lasting =
            |rule: RuleReading| rule.lifetime == RuleLifetime::Lasting && (rule.is_general || rule.is_plain);
        self.rule().is_some_and(is_lasting)
    }

    /// Whether a permission or release applies only this time.
    pub fn is_for_once(&self) -> bool {
        self.has(Sense::Once) || self.has(Sense::ForNow)
    }

    /// The words before a condition: all of them if there is none.
    pub fn unconditional(&self) -> usize {
        self.all(Sense::Condition).map(|hit| hit.at).min().unwrap_or(self.words.len())
    }

    /// The words that name what the sentence replaces: the "npm" of "use pnpm instead of npm".
    pub fn replaced(&self) -> std::ops::Range<usize> {
        let hit = self.all(Sense::InsteadOf).find(|hit| hit.at > 0);
        hit.map_or(0..0, |hit| hit.to..self.clause_of(hit.at).map_or(hit.to, |clause| clause.to))
    }

    /// Whether the speaker itself decides. What a library, an author or the user chose is only a report, and a comparison
    /// of two options counts only if the speaker gives a reason.
    pub fn is_decision(&self) -> bool {
        let is_sure =
            REPORT.contains(&self.text.chars().count()) && !self.ends_open() && !self.has(Sense::Doubt);
        let says_what = |hit: &PhraseHit| !hit.spaced || hit.to + 1 < self.words.len();
        let is_own = |hit: &PhraseHit| {
            !hit.spaced
                || self.is_part_of(hit.at, &[Sense::Speaker])
                || self.clauses.iter().any(|clause| clause.opens == hit.at)
                || self.all(Sense::Speaker).any(|speaker| speaker.to == hit.at)
        };
        let chooses = self.all(Sense::Decides).any(|hit| is_own(hit) && says_what(hit));
        let speaks = || self.opens(Sense::Speaker);
        is_sure && (chooses || (self.has(Sense::Choice) && self.has(Sense::Reason) && speaks()))
    }

    /// Whether the sentence says that something is not done.
    pub fn is_not_done(&self) -> bool {
        let is_sure = !self.is_question() && !self.opens(Sense::Doubt) && !self.opens(Sense::Condition);
        let mut names = words::words(self.text, IDENTIFIERS).filter(|(_, word)| word.chars().count() > 3);
        is_sure && self.has(Sense::NotDone) && !self.says_nothing() && names.next().is_some()
    }

    /// The label of a list of what is not done.
    pub fn is_label_of_open_work(&self) -> bool {
        let label = self.clauses.first().filter(|clause| clause.mark.is_some_and(|mark| mark != ','));
        label.is_some_and(|label| self.opening(label, Sense::NotDone).is_some_and(|hit| hit.to == label.to))
    }

    /// "Nothing remains to be done", "What remains: nothing".
    fn says_nothing(&self) -> bool {
        self.clauses.iter().any(|clause| self.opening(clause, Sense::Nothing).is_some())
    }

    /// Whether the sentence says why something is so, or that it is not yet otherwise.
    pub fn is_unsettled(&self) -> bool {
        !self.is_question() && self.has(Sense::Unsettled)
    }

    /// Whether the sentence says what the speaker does next: "Let me write the parser", "Now add the tests".
    pub fn is_announcement(&self) -> bool {
        let Some(first) = self.clauses.iter().find(|clause| !clause.is_empty()) else { return false };
        let follows = || self.all(Sense::Then).any(|then| (first.from..first.opens).contains(&then.at));
        !self.is_question()
            && (self.opens(Sense::Announces) || (self.opening(first, Sense::Order).is_some() && follows()))
    }

    /// Of an announcement: it only looks at something.
    pub fn is_look(&self) -> bool {
        let announced = self.all(Sense::Announces).map(|hit| hit.to).max().unwrap_or_default();
        self.all(Sense::Looks).any(|look| !look.spaced || (look.at < announced + 2))
    }

    /// Whether the sentence gives a reason.
    pub fn is_reason(&self) -> bool {
        self.text.chars().count() <= *REPORT.end() && !self.ends_open() && self.has(Sense::Reason)
    }

    /// The first clause that says something: "no" in "no, use postgres" only objects.
    fn lead(&self) -> Option<&ReadClause> {
        let objects = |clause: &ReadClause| {
            clause.to - clause.opens == 1 && self.opening(clause, Sense::Objects).is_some()
        };
        self.clauses.iter().find(|clause| !clause.is_empty() && !objects(clause)).or(self.clauses.first())
    }

    fn clause_of(&self, word: usize) -> Option<&ReadClause> {
        self.clauses.iter().find(|clause| (clause.from..clause.to).contains(&word))
    }

    /// A clause that tells somebody to do something: it does not open with a subject.
    fn is_order(&self, clause: &ReadClause) -> bool {
        let first = self.word(clause.opens);
        let is_lasting = self.opening(clause, Sense::Lasting).is_some();
        let is_statement = self.is_part_of(clause.opens, &[Sense::Subject])
            || first.ends_with("ing")
            || first.starts_with(|c: char| c.is_ascii_digit());
        !clause.is_empty() && (is_lasting || !is_statement)
    }

    /// "Don't …", "always …", "stop adding …". After a statement only a strong opening counts: "the new form is faster
    /// and avoids …" describes.
    fn opening_demand(
        &self,
        clause: &ReadClause,
        is_lead: bool,
        is_led_by_order: bool,
    ) -> Option<&PhraseHit> {
        let hit = [Sense::Rule, Sense::Care].into_iter().find_map(|sense| {
            self.opening(clause, sense).filter(|hit| hit.is_opening && hit.to < clause.to)
        })?;
        let is_strong = || {
            let signs = [Sense::Negation, Sense::General, Sense::Lasting];
            (hit.at..hit.to).any(|word| self.is_part_of(word, &signs))
        };
        let is_of_order = || (is_led_by_order || is_strong()) && !self.is_part_of(hit.at, &[Sense::Subject]);
        (is_lead || is_of_order()).then_some(hit)
    }

    /// "Don't give it a number": about one thing, not a rule.
    fn is_about_one_thing(&self, opening: &PhraseHit) -> bool {
        self.is_part_of(opening.to + 1, &[Sense::Pronoun])
    }

    /// "No new dependencies.", "Only edit the tests", "Small commits only.": a report if the clause has a verb of its own.
    fn is_ban(&self, lead: &ReadClause) -> bool {
        let at_end =
            || self.all(Sense::Ban).find(|hit| hit.spaced && hit.to == lead.to && hit.at > lead.opens);
        let (of, next) = match self.opening(lead, Sense::Ban) {
            Some(hit) => (hit.to..lead.to, hit.to),
            None => match at_end() {
                Some(hit) => (lead.opens..hit.at, lead.opens),
                None => return false,
            },
        };
        let is_statement = of.clone().any(|word| self.is_part_of(word, &[Sense::Finite]));
        !of.is_empty()
            && of.len() <= 10
            && !is_statement
            && !self.is_part_of(next, &[Sense::Subject])
            && !self.word(next).starts_with(|c: char| c.is_ascii_digit())
    }

    /// "I want every endpoint documented": of each one, not of one thing.
    fn is_wish_for_each(&self) -> bool {
        let mut wishes = self.all(Sense::Wants);
        wishes.any(|wish| {
            self.all(Sense::Each).any(|each| {
                if wish.spaced {
                    (wish.to..=wish.to + 1).contains(&each.at)
                } else {
                    !each.spaced && each.is_opening
                }
            })
        })
    }

    /// "Tests first, then code.": two things without a verb. "Run the tests first, then fix it" is a piece of work.
    fn is_sequence(&self) -> bool {
        let [first, second] = &self.clauses[..] else { return false };
        let is_short = |clause: &ReadClause| clause.to - clause.from <= 3;
        let opens_with_order = self.all(Sense::Order).any(|hit| hit.at == first.opens && hit.spaced);
        is_short(first)
            && is_short(second)
            && !opens_with_order
            && self.all(Sense::First).any(|hit| hit.at == first.opens || hit.to == first.to)
            && self.all(Sense::Then).any(|hit| hit.at == second.from)
    }

    /// "Answer in German."
    fn sets_tongue(&self) -> bool {
        let sets = self.all(Sense::Sets).any(|hit| !hit.spaced || self.is_lead_opening(hit));
        sets && self.all(Sense::Tongue).any(|tongue| {
            !tongue.spaced || self.all(Sense::Sets).any(|sets| tongue.at.saturating_sub(sets.to) <= 1)
        })
    }

    fn is_lead_opening(&self, hit: &PhraseHit) -> bool {
        self.lead().is_some_and(|lead| lead.opens == hit.at)
    }

    /// "Run the tests after every change", "Führe immer erst die Tests aus".
    fn is_lasting_order(&self, lead: &ReadClause) -> bool {
        let spaced = self.all(Sense::Lasting).any(|hit| hit.spaced);
        let unspaced = self.all(Sense::Lasting).any(|hit| !hit.spaced);
        (spaced && self.is_order(lead)) || (unspaced && self.has(Sense::Order))
    }

    /// "When you change X, update Y". A name that opens the second clause is its subject.
    fn is_order_for_a_case(&self) -> bool {
        let [first, second, ..] = &self.clauses[..] else { return false };
        let is_name =
            self.words.get(second.opens).is_some_and(|word| word.raw.starts_with(char::is_uppercase));
        self.opening(first, Sense::Case).is_some() && self.is_order(second) && !is_name
    }

    /// A fact about the environment: "the test database runs on port 5433", "use port 5433".
    fn is_about_the_environment(&self) -> bool {
        let is_specific = |word: &&crate::text::phrases::ReadWord| {
            word.lower.contains(['/', '_', '-', '.', ':']) || word.lower.bytes().any(|b| b.is_ascii_digit())
        };
        // Longer ones are pieces of work: "use port 5433 in the example of the docs".
        let is_short = |hit: &&PhraseHit| self.is_lead_opening(hit) && self.words.len() <= SHORT;
        let sets = self.all(Sense::Sets).filter(is_short);
        !self.has(Sense::Trouble)
            && self.all(Sense::Located).chain(sets).any(|hit| {
                self.clause_of(hit.at).is_some_and(|clause| {
                    let range = clause.from..clause.to;
                    self.words[range.clone()].iter().any(|word| is_specific(&word))
                        && range.clone().any(|word| self.is_part_of(word, &[Sense::Environment]))
                })
            })
    }

    /// Whether the words of a script with spaces say it all.
    fn is_english_like(&self) -> bool {
        self.text.is_ascii()
    }
}

/// The rule that a sentence sets.
pub fn rule(sentence: &str) -> Option<RuleReading> {
    ReadSentence::new(sentence).rule()
}

/// Whether a sentence withdraws something.
pub fn withdraws(sentence: &str) -> bool {
    ReadSentence::new(sentence).withdrawal().is_some()
}

/// Whether the text begins by objecting to what was done.
pub fn objects(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let read = ReadSentence::new(first);
    read.all(Sense::Objects).any(|hit| hit.at == 0)
}

/// The sentences of a text for which `is` holds.
pub fn sentences_that<'a>(text: &'a str, is: impl Fn(&ReadSentence<'a>) -> bool) -> Vec<&'a str> {
    sentences(text).into_iter().filter(|sentence| is(&ReadSentence::new(sentence))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_rule(sentence: &str) -> bool {
        rule(sentence).is_some()
    }

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
            assert!(is_rule(rule), "{rule}");
        }
    }

    #[test]
    fn only_the_agents_own_choice_is_a_decision() {
        for text in [
            "i'll go with a mutex instead of a channel because the queue is short.",
            "i decided to use pkce flow for public clients.",
            "decided to use pkce flow for public clients",
            "auth: chose hs256 over rs256",
            "we settled on one table per tenant.",
            "i left the old reader in place rather than rewrite it because two tools use it.",
        ] {
            assert!(ReadSentence::new(text).is_decision(), "{text}");
        }
        for text in [
            "let me check the tests because they fail.",
            "should we use x rather than y because of z?",
            "the authors decided to drop the old format.",
            "you chose the second option above.",
            "if we decided to use pkce, the clients would change.",
            "the reader picked the wrong branch twice.",
            "nothing is decided on that yet.",
        ] {
            assert!(!ReadSentence::new(text).is_decision(), "{text}");
        }
    }

    #[test]
    fn complaints_and_exclamations_are_not_rules() {
        for other in [
            "Stop wasting my time.",
            "Don't tell me it works.",
            "Never seen such a mess.",
            "It should never have passed.",
            "Don't worry about it.",
            "Never thought of that!",
            "You must be kidding.",
            "Never a dull moment.",
            "Always the same error!",
            "Don't ask me why.",
            "You never listen to me!",
            "You should have run the tests first!",
            "Immer das Gleiche mit dir!",
            "Siempre lo mismo.",
        ] {
            assert!(!is_rule(other), "{other}");
        }
        for rule in [
            "Never tell the customer it works before I have seen it.",
            "Always keep the same error text.",
            "The parser should never have side effects.",
        ] {
            assert!(is_rule(rule), "{rule}");
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
            assert!(!is_rule(other), "{other}");
        }
    }
}
