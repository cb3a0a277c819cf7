//! Scores a brief by key facts: which of them the model knows without it, which the brief gives back, which traps spring.
//!
//! The facts of all compactions of a project are pooled, and all projects weigh the same. The benchmark that readers of
//! transcripts use, `keyfacts.py`, computes the same figures; [`Figures`] prints them as it does.

use std::collections::BTreeMap;
use std::fmt;

use crate::key_facts::KeyFact;
use crate::pattern::PatternText;
use crate::total::gap_closed;

/// The facts of one compaction beside what the model has without a brief. Scores any number of briefs.
#[derive(Clone, Debug)]
pub struct FactScorer<'a> {
    facts: &'a [KeyFact],
    native: String,
    is_native: Vec<bool>,
}

/// What became of one fact or trap.
#[derive(Clone, Copy, Debug)]
pub struct FactOutcome<'a> {
    pub fact: &'a KeyFact,
    /// Known without a brief; never for a trap.
    pub native: bool,
    /// Known with the brief; never for a trap. A pattern may look for what is absent, so this does not follow from
    /// `native`.
    pub with: bool,
    /// The brief alone says it: for a trap, that it sprang.
    pub alone: bool,
}

impl FactOutcome<'_> {
    pub fn is_trap(&self) -> bool {
        self.fact.kind.is_none()
    }

    /// The summary lost it and the brief brings it.
    pub fn is_given_back(&self) -> bool {
        self.with && !self.native
    }
}

impl<'a> FactScorer<'a> {
    /// # Errors
    /// If a pattern takes too long.
    pub fn new(facts: &'a [KeyFact], native: &str) -> Result<FactScorer<'a>, String> {
        let text = PatternText::new(native);
        let is_native = |fact: &KeyFact| Ok(fact.kind.is_some() && fact.is_in(&text)?);
        let is_native = facts.iter().map(is_native).collect::<Result<Vec<bool>, String>>()?;
        Ok(FactScorer { facts, native: native.to_owned(), is_native })
    }

    /// Each fact and trap with this brief, in the order of the file.
    ///
    /// # Errors
    /// If a pattern takes too long.
    pub fn outcomes(&self, brief: &str) -> Result<Vec<FactOutcome<'a>>, String> {
        let with = PatternText::new(&format!("{}\n{brief}", self.native));
        let alone = PatternText::new(brief);
        let outcome = |(fact, native): (&'a KeyFact, &bool)| {
            Ok(FactOutcome {
                fact,
                native: *native,
                with: fact.kind.is_some() && fact.is_in(&with)?,
                alone: fact.is_in(&alone)?,
            })
        };
        self.facts.iter().zip(&self.is_native).map(outcome).collect()
    }

    /// The sum of the outcomes.
    ///
    /// # Errors
    /// If a pattern takes too long.
    pub fn score(&self, brief: &str) -> Result<KeyFactScore, String> {
        Ok(KeyFactScore::of(&self.outcomes(brief)?))
    }
}

/// Weight of the facts, and how much of it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownWeight {
    pub all: u32,
    /// Known without a brief.
    pub kept: u32,
    /// Known with a brief.
    pub with: u32,
}

/// The score of one compaction, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFactScore {
    pub kinds: BTreeMap<&'static str, KnownWeight>,
    /// Number of traps.
    pub traps: usize,
    /// Number of traps that sprang: wrong statements in the brief.
    pub sprung: usize,
}

impl KeyFactScore {
    pub fn of(outcomes: &[FactOutcome]) -> KeyFactScore {
        let mut score = KeyFactScore::default();
        for outcome in outcomes {
            let Some(kind) = outcome.fact.kind else {
                score.traps += 1;
                score.sprung += usize::from(outcome.alone);
                continue;
            };
            let (known, weight) = (score.kinds.entry(kind).or_default(), outcome.fact.weight);
            known.all += weight;
            known.kept += if outcome.native { weight } else { 0 };
            known.with += if outcome.with { weight } else { 0 };
        }
        score
    }

    /// Adds the score of another compaction.
    pub fn add(&mut self, other: &KeyFactScore) {
        for (kind, more) in &other.kinds {
            let known = self.kinds.entry(kind).or_default();
            known.all += more.all;
            known.kept += more.kept;
            known.with += more.with;
        }
        self.traps += other.traps;
        self.sprung += other.sprung;
    }

    /// The sum over all kinds.
    pub fn total(&self) -> KnownWeight {
        self.kinds.values().fold(KnownWeight::default(), |sum, known| KnownWeight {
            all: sum.all + known.all,
            kept: sum.kept + known.kept,
            with: sum.with + known.with,
        })
    }
}

/// Share of the weight that is known without and with a brief.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownShare {
    pub kept: f64,
    pub with: f64,
}

impl KnownShare {
    /// How much of what the summary lost the brief gives back; 1 if nothing was lost.
    pub fn given_back(&self) -> f64 {
        gap_closed(self.kept, self.with, 1.0)
    }

    /// The mean over projects, each with all its compactions pooled; `None` if there are no facts.
    pub fn mean<'a>(projects: impl Iterator<Item = &'a KeyFactScore>) -> Option<KnownShare> {
        let totals: Vec<KnownWeight> =
            projects.map(KeyFactScore::total).filter(|known| known.all > 0).collect();
        let mean = |of: fn(&KnownWeight) -> u32| {
            totals.iter().map(|known| f64::from(of(known)) / f64::from(known.all)).sum::<f64>()
                / totals.len() as f64
        };
        (!totals.is_empty())
            .then(|| KnownShare { kept: mean(|known| known.kept), with: mean(|known| known.with) })
    }
}

/// The score of one compaction, with its project and the length of its brief in characters.
#[derive(Clone, Debug)]
pub struct ScoredCase<'a> {
    pub project: &'a str,
    pub characters: usize,
    pub score: KeyFactScore,
}

/// The figures of many compactions.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    pub cases: usize,
    pub projects: usize,
    /// Mean length of a brief.
    pub characters: f64,
    /// All compactions pooled.
    pub pooled: KeyFactScore,
    /// The mean over projects.
    pub share: KnownShare,
}

impl Figures {
    /// `None` if there are no facts.
    pub fn of(cases: &[ScoredCase]) -> Option<Figures> {
        let mut projects: BTreeMap<&str, KeyFactScore> = BTreeMap::new();
        let mut pooled = KeyFactScore::default();
        for case in cases {
            projects.entry(case.project).or_default().add(&case.score);
            pooled.add(&case.score);
        }
        let share = KnownShare::mean(projects.values())?;
        let characters: usize = cases.iter().map(|case| case.characters).sum();
        let characters = characters as f64 / cases.len() as f64;
        let projects = projects.values().filter(|score| score.total().all > 0).count();
        Some(Figures { cases: cases.len(), projects, characters, pooled, share })
    }
}

/// The last line of `keyfacts.py`.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let percent = |share: f64| format!("{:.1}%", share * 100.0);
        write!(
            f,
            "known, mean over sources: native {}, with {}; of what the summary lost, given back {}; traps sprung {} of {}",
            percent(self.share.kept),
            percent(self.share.with),
            percent(self.share.given_back()),
            self.pooled.sprung,
            self.pooled.traps,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_facts::KeyFacts;

    const FILE: &str = r#"
{"case": "s@9", "kind": "value", "weight": 3, "fact": "the port", "place": "L4", "all": ["port", "\\b4010\\b"]}
{"case": "s@9", "kind": "value", "weight": 1, "fact": "the region", "all": ["eu-west"]}
{"case": "s@9", "kind": "lesson", "weight": 2, "fact": "no cache", "all": ["cache (is|was) off"]}
{"case": "s@9", "kind": "trap", "weight": 2, "fact": "it was fixed", "wrong": "build (fails|failed)"}
{"case": "s@9", "kind": "trap", "weight": 2, "fact": "it was read", "wrong": "unread"}
{"case": "t@4", "kind": "state", "weight": 1, "fact": "half done", "all": ["half"]}
"#;

    #[test]
    fn fact_needs_all_patterns_and_traps_count_in_the_brief_only() {
        let facts = KeyFacts::read(FILE).unwrap();
        let native = "The Port is open in eu-west. Still unread.";
        let brief = "It is 4010.\nThe build\nfailed.";
        let score = FactScorer::new(facts.of("s@9"), native).unwrap().score(brief).unwrap();
        let expected = BTreeMap::from([
            ("value", KnownWeight { all: 4, kept: 1, with: 4 }),
            ("lesson", KnownWeight { all: 2, kept: 0, with: 0 }),
        ]);
        assert_eq!(score, KeyFactScore { kinds: expected, traps: 2, sprung: 1 });
        assert_eq!(score.total(), KnownWeight { all: 6, kept: 1, with: 4 });
    }

    #[test]
    fn outcomes_tell_what_the_brief_alone_says() {
        let facts = KeyFacts::read(FILE).unwrap();
        let scorer = FactScorer::new(facts.of("s@9"), "Port 4010.").unwrap();
        let outcomes = scorer.outcomes("eu-west, port 4010, unread").unwrap();
        let marks = |o: &FactOutcome| (o.native, o.with, o.alone, o.is_given_back());
        assert_eq!(marks(&outcomes[0]), (true, true, true, false));
        assert_eq!(marks(&outcomes[1]), (false, true, true, true));
        assert_eq!(marks(&outcomes[2]), (false, false, false, false));
        assert!(outcomes[4].is_trap() && outcomes[4].alone && !outcomes[3].alone);
        let nothing = KeyFacts::default();
        assert_eq!(
            FactScorer::new(nothing.of("u@1"), "").unwrap().score("").unwrap(),
            KeyFactScore::default()
        );
    }

    #[test]
    fn projects_weigh_the_same() {
        let score = |all, kept, with| KeyFactScore {
            kinds: BTreeMap::from([("value", KnownWeight { all, kept, with })]),
            ..KeyFactScore::default()
        };
        let projects = [score(10, 5, 10), score(2, 0, 1), KeyFactScore::default()];
        let share = KnownShare::mean(projects.iter()).unwrap();
        assert_eq!(share, KnownShare { kept: 0.25, with: 0.75 });
        assert!((share.given_back() - 0.5 / 0.75).abs() < 1e-9);
        assert_eq!(KnownShare::mean([].into_iter()), None);
    }

    #[test]
    fn figures_pool_a_project_and_print_one_line() {
        let facts = KeyFacts::read(FILE).unwrap();
        let scored = |project, case: &str, native: &str, brief: &str| ScoredCase {
            project,
            characters: brief.chars().count(),
            score: FactScorer::new(facts.of(case), native).unwrap().score(brief).unwrap(),
        };
        let cases = [
            scored("a", "s@9", "port 4010", "eu-west"),
            scored("b", "t@4", "", "half"),
            scored("b", "t@4", "half", "unread"),
        ];
        let figures = Figures::of(&cases).unwrap();
        assert_eq!((figures.cases, figures.projects), (3, 2));
        assert_eq!(
            figures.to_string(),
            "known, mean over sources: native 50.0%, with 83.3%; of what the summary lost, given back 66.7%; traps \
             sprung 0 of 2"
        );
        assert_eq!(Figures::of(&[]), None);
    }
}
