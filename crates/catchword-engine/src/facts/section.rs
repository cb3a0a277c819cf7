//! The parts of a brief: their order, their names and their headings.

/// The parts of a brief, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Where the summary contradicts the record.
    Differs,
    /// What the person asked for.
    Asked,
    /// Rules for the whole session.
    Standing,
    /// What the person answered and approved.
    Answers,
    /// Whose turn it is, last call, next step.
    State,
    Work,
    /// What was asked for without a trace of it since.
    Untraced,
    /// What a person or the agent wrote down.
    Notes,
    /// What does not work.
    Failing,
    Discoveries,
    /// What was learned from failures.
    Lessons,
    Changed,
    /// Files read or mentioned.
    Files,
    /// Commands likely to be run again.
    Commands,
    /// The agent's decisions, with reasons.
    Decisions,
    /// Sentences and lines that contain what nothing else says.
    Quoted,
    /// Background shells and subagents.
    Running,
    /// Branch and commits.
    Git,
    /// Web addresses.
    Links,
    /// Commands and skills in force.
    Active,
    /// The project's name, key files and status.
    Project,
    /// Tasks finished long ago.
    Cold,
}

/// The texts of a section.
struct SectionWords {
    section: Section,
    /// What its facts are called.
    noun: &'static str,
    /// Its heading.
    title: &'static str,
}

const fn words(section: Section, noun: &'static str, title: &'static str) -> SectionWords {
    SectionWords { section, noun, title }
}

/// Every section once, in order.
const SECTIONS: [SectionWords; 22] = [
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
    words(Section::Links, "links", "Links"),
    words(Section::Active, "active commands", "Commands and skills in force"),
    words(Section::Project, "project", "Project"),
    words(Section::Cold, "tasks finished earlier", "Finished earlier"),
];

impl Section {
    /// All of them, in the order shown.
    pub fn all() -> impl Iterator<Item = Section> {
        SECTIONS.iter().map(|words| words.section)
    }

    /// What its facts are called.
    pub fn noun(self) -> &'static str {
        SECTIONS[self as usize].noun
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        SECTIONS[self as usize].title
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_table_is_in_the_order_of_the_enum() {
        assert!(SECTIONS.iter().enumerate().all(|(at, words)| words.section as usize == at));
        assert_eq!(SECTIONS.len(), Section::Cold as usize + 1, "Cold is the last one");
    }
}
