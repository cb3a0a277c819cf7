//! Trains the choice on a labelled corpus, and measures it on projects that were left out.
//!
//! Every line of a record is labelled by the key facts it says that the summary lost. Weights are fitted on all projects
//! but one, and the product's own brief is made for that one with them; so each figure is of a project that the weights
//! have never seen.

use catchword_engine::choose::{FEATURES, candidates, features};

use crate::corpus::{Corpus, CorpusCase, CorpusError};
use crate::fit::{Tables, TrainingCase, fit};
use crate::key_facts::KeyFact;
use crate::pattern::PatternText;
use crate::score::{Figures, ScoredCase};

/// Weight of a line that says only a part of a fact which no line says as a whole.
const PART: f32 = 0.5;

/// A labelled compaction, loaded.
pub struct LoadedCase {
    pub case: CorpusCase,
    pub lines: TrainingCase,
    /// How much of the weight of what was lost some single line says.
    pub reachable: (u32, u32),
}

/// Loads and labels the compactions of these projects.
pub fn load(corpus: &Corpus, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<LoadedCase>, CorpusError> {
    let wanted = corpus.labelled().filter(|point| is_wanted(point.project()));
    wanted.map(|point| labelled(corpus, point.load()?)).collect()
}

fn labelled(corpus: &Corpus, case: CorpusCase) -> Result<LoadedCase, CorpusError> {
    let failed = |what: String| CorpusError::Content { path: case.point.path.clone(), what };
    let known = case.known();
    let mut all = candidates(&case.session.record);
    all.retain(|candidate| !known.keeps(candidate.place()));
    let request = case.session.prompts.last().map(|prompt| case.session.text_of(prompt)).unwrap_or_default();
    let features = features(&all, &known, &request).into_iter().map(|line| line.features).collect();
    let texts: Vec<PatternText> = all.iter().map(|candidate| PatternText::new(&candidate.text)).collect();
    let native = PatternText::new(&case.case.native);
    let mut hits = vec![0.0_f32; all.len()];
    let mut reachable = (0, 0);
    for fact in corpus.facts_of(&case.point).iter().filter(|fact| fact.kind.is_some()) {
        let said = said_by(fact, &texts, &native).map_err(failed)?;
        let Some(most) = said.as_ref().map(|(most, _)| *most) else { continue };
        let (_, counts) = said.unwrap_or_default();
        let best = counts.iter().copied().max().unwrap_or_default();
        reachable.1 += fact.weight;
        reachable.0 += if best == most { fact.weight } else { 0 };
        let share = if best == most { 1.0 } else { PART };
        for (hit, count) in hits.iter_mut().zip(counts) {
            if count > 0 && (count == most || best < most) {
                *hit = hit.max(fact.weight as f32 * share);
            }
        }
    }
    let project = case.point.project().to_owned();
    Ok(LoadedCase { case, lines: TrainingCase { project, features, hits }, reachable })
}

/// How many patterns of a fact the summary lacks, and how many of them each line says; `None` if it has all.
fn said_by(
    fact: &KeyFact,
    texts: &[PatternText],
    native: &PatternText,
) -> Result<Option<(usize, Vec<usize>)>, String> {
    let mut lost = Vec::new();
    for pattern in &fact.patterns {
        if !pattern.is_in(native)? {
            lost.push(pattern);
        }
    }
    if lost.is_empty() {
        return Ok(None);
    }
    let mut counts = Vec::with_capacity(texts.len());
    for text in texts {
        let mut count = 0;
        for pattern in &lost {
            count += usize::from(pattern.is_in(text)?);
        }
        counts.push(count);
    }
    Ok(Some((lost.len(), counts)))
}

/// The weights fitted on all these cases.
pub fn fit_all(cases: &[LoadedCase]) -> Tables {
    fit(&cases.iter().map(|case| &case.lines).collect::<Vec<_>>())
}

/// For each project the weights fitted on all others.
pub fn folds(cases: &[LoadedCase]) -> Vec<(String, Tables)> {
    let mut projects: Vec<&str> = cases.iter().map(|case| case.lines.project.as_str()).collect();
    projects.dedup();
    projects.sort_unstable();
    projects.dedup();
    let others = |left_out: &str| -> Vec<&TrainingCase> {
        cases.iter().map(|case| &case.lines).filter(|lines| lines.project != left_out).collect()
    };
    projects.into_iter().map(|project| (project.to_owned(), fit(&others(project)))).collect()
}

/// The scores of the cases with the weights that `tables` gives for a project.
pub fn scored<'a>(
    corpus: &Corpus,
    cases: &'a [LoadedCase],
    budget: usize,
    tables: impl Fn(&str) -> &'a Tables,
) -> Result<Vec<ScoredCase<'a>>, CorpusError> {
    let score = |loaded: &'a LoadedCase| {
        let project = loaded.lines.project.as_str();
        let brief = tables(project).model(|model| loaded.case.brief_by(model, budget)).text;
        let what = corpus.scorer(&loaded.case)?.score(&brief);
        let score =
            what.map_err(|what| CorpusError::Content { path: loaded.case.point.path.clone(), what })?;
        Ok(ScoredCase { project, characters: brief.chars().count(), score })
    };
    cases.iter().map(score).collect()
}

/// Given back, traps and length of some of the cases.
pub fn figures(scored: &[ScoredCase], is_wanted: impl Fn(&str) -> bool) -> Option<Figures> {
    let wanted: Vec<ScoredCase> = scored.iter().filter(|case| is_wanted(case.project)).cloned().collect();
    Figures::of(&wanted)
}

/// The generated file: the tables as constants, each feature with its name.
pub fn source(tables: &Tables, shares: &[usize], about: &str) -> String {
    let list = |values: &[f32]| {
        let values: Vec<String> = values.iter().map(|value| number(*value)).collect();
        format!("&[{}]", values.join(", "))
    };
    let rows = |table: &[Vec<f32>]| {
        let rows = table
            .iter()
            .zip(FEATURES)
            .map(|(row, name)| format!("        // {name}\n        {},\n", list(row)));
        rows.collect::<String>()
    };
    let shares: Vec<String> = shares.iter().map(usize::to_string).collect();
    format!(
        "//! Fitted weights. Written by the training program (`docs/measured.md` says how): do not edit.\n//!\n{about}\n\
         use super::{{Model, Shares}};\n\n\
         /// Percent of the reference that each pool may use before the others.\n\
         pub const SHARES: Shares = [{}];\n\n\
         pub const FITTED: Model<'static> = Model {{\n    edges: &[\n{}    ],\n    weights: &[\n{}    ],\n}};\n",
        shares.join(", "),
        rows(&tables.edges),
        rows(&tables.weights),
    )
}

/// Four digits are more than the data carries.
fn number(value: f32) -> String {
    let rounded = format!("{value:.3}");
    let short = rounded.trim_end_matches('0');
    match short {
        "-0." => "0.0".to_owned(),
        _ if short.ends_with('.') => format!("{short}0"),
        _ => short.to_owned(),
    }
}
