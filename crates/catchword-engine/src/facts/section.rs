//! The parts of a brief: their order, their names and their headings.

/// The parts of a brief, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Where the summary says something else than the record.
    Differs,
    /// What the person asked for.
    Asked,
    /// What holds for the whole session.
    Standing,
    /// What the person answered and approved.
    Answers,
    /// Whose turn it is, last call, next step.
    State,
    /// What is not finished.
    Work,
    /// What was asked for and has left no trace.
    Untraced,
    /// What a person or the agent wrote down.
    Notes,
    /// What does not work.
    Failing,
    /// What the agent found out.
    Discoveries,
    /// What was found out by failing.
    Lessons,
    /// Files that were changed.
    Changed,
    /// Files that were read or named.
    Files,
    /// Commands that matter.
    Commands,
    /// Why it was done so.
    Decisions,
    /// Sentences and lines that carry what nothing else says.
    Quoted,
    /// Shells and subagents in the background.
    Running,
    /// Branch and commits.
    Git,
    /// Commands and skills the agent works by.
    Active,
    /// The project's name, key files and status.
    Project,
    /// What was finished long ago.
    Cold,
}

/// A section with its words.
struct SectionWords {
    section: Section,
    /// What its facts are called.
    noun: &'static str,
    /// What stands above them.
    title: &'static str,
}

const fn words(section: Section, noun: &'static str, title: &'static str) -> SectionWords {
    SectionWords { section, noun, title }
}

/// Every section once, in order.
const SECTIONS: [SectionWords; 21] = [
    words(Section::Differs, "differences from the summary", "The summary differs from the record"),
    words(Section::Asked, "requests", "Asked by the user"),
    words(Section::Standing, "standing instructions", "Standing instructions"),
    words(Section::Answers, "answers and approvals", "Decided by the user"),
    words(Section::State, "where it stood", "Where it stands"),
    words(Section::Work, "open tasks", "Open work"),
    words(
        Section::Untraced,
        "requests without a trace",
        "Asked for, and nothing in the record shows it was done",
    ),
    words(Section::Notes, "notes", "Notes"),
    words(Section::Failing, "failing commands", "Failing"),
    words(Section::Discoveries, "findings of the agent", "Found by the agent"),
    words(Section::Lessons, "lessons", "Learned the hard way"),
    words(Section::Changed, "changed files", "Also changed"),
    words(Section::Files, "other files in use", "Also looked at"),
    words(Section::Commands, "commands that matter", "Commands worth repeating"),
    words(Section::Decisions, "decisions of the agent", "Decided by the agent"),
    words(Section::Quoted, "quoted from the record", "Said and found on the way"),
    words(Section::Running, "running jobs", "Background jobs and subagents"),
    words(Section::Git, "branch and commits", "Git"),
    words(Section::Active, "active commands", "Commands and skills in force"),
    words(Section::Project, "project", "Project"),
    words(Section::Cold, "tasks finished earlier", "Finished earlier"),
];

impl Section {
    /// All of them, in the order they are shown.
    pub fn all() -> impl Iterator<Item = Section> {
        SECTIONS.iter().map(|words| words.section)
    }

    /// What its facts are called.
    pub fn noun(self) -> &'static str {
        SECTIONS[self as usize].noun
    }

    /// What stands above them.
    pub fn title(self) -> &'static str {
        SECTIONS[self as usize].title
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_its_words_at_its_own_place() {
        assert!(SECTIONS.iter().enumerate().all(|(at, words)| words.section as usize == at));
        assert_eq!(SECTIONS.len(), Section::Cold as usize + 1, "Cold is the last one");
    }
}
