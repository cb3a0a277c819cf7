//! Findings in one line, for the person: what the summary lost or got wrong, and that it was given back.

use super::{About, Finding, Kind};

/// The line; nothing when all is well.
pub fn line(findings: &[Finding]) -> Option<String> {
    let told: Vec<&Finding> = findings.iter().filter(|finding| finding.is_told()).collect();
    let count = |kind, about| told.iter().filter(|f| f.kind == kind && f.fact == about).count();
    let left_out = [
        number(count(Kind::Dropped, About::Task), "open task"),
        number(count(Kind::Dropped, About::Instruction), "standing instruction"),
        number(count(Kind::Dropped, About::Criterion), "criterion"),
        number(count(Kind::Dropped, About::Command), "failing command"),
        number(count(Kind::Dropped, About::Job), "running job"),
    ];
    let left_out: Vec<String> = left_out.into_iter().flatten().collect();
    let wrong = told.iter().filter(|f| f.kind != Kind::Dropped).count();
    let said = match (left_out.is_empty(), wrong) {
        (true, 0) => return None,
        (false, 0) => format!("left out {}", left_out.join(", ")),
        (true, _) => format!("differs from the record in {}", number(wrong, "place")?),
        (false, _) => format!(
            "left out {} and differs from the record in {}",
            left_out.join(", "),
            number(wrong, "place")?
        ),
    };
    Some(format!("catchword: the summary {said}; the agent was told. `catchword audit` shows both sides."))
}

fn number(count: usize, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        n if what == "criterion" => Some(format!("{n} criteria")),
        n => Some(format!("{n} {what}s")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: Kind, fact: About, confidence: f32) -> Finding {
        Finding { kind, fact, text: String::new(), place: None, summary_quote: None, confidence }
    }

    #[test]
    fn only_what_is_sure_is_said_and_nothing_when_all_is_well() {
        assert_eq!(line(&[]), None);
        assert_eq!(line(&[finding(Kind::Dropped, About::Task, 0.3)]), None);
        let findings = [
            finding(Kind::Dropped, About::Task, 0.9),
            finding(Kind::Dropped, About::Task, 0.9),
            finding(Kind::Dropped, About::Instruction, 0.9),
            finding(Kind::Contradicted, About::Task, 0.9),
        ];
        let expected = "catchword: the summary left out 2 open tasks, 1 standing instruction and differs from the record \
                        in 1 place; the agent was told. `catchword audit` shows both sides.";
        assert_eq!(line(&findings).as_deref(), Some(expected));
        let wrong = [finding(Kind::Mutated, About::Number, 0.8)];
        assert!(line(&wrong).is_some_and(|l| l.contains("differs from the record in 1 place")));
    }
}
