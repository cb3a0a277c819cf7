//! The parts of a brief: their order, their names and their headings.

/// The parts of a brief, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Where the summary contradicts the record.
    Differs,
    /// What the person asked for.
    Asked,
    /// What the person answered and approved.
    Answers,
    /// Whose turn it is, last call, next step.
    State,
    Work,
    /// What a person or the agent wrote down.
    Notes,
    /// Commands whose latest run failed.
    Failing,
    Changed,
    /// The agent's decisions, with reasons.
    Decisions,
    /// Background shells and subagents.
    Running,
    /// Branch and commits.
    Git,
    /// Commands and skills in force.
    Active,
    /// The project's name, key files and status.
    Project,
    /// Tasks that the task list had as completed long ago.
    Cold,
    /// Verbatim lines of the person; those that sound like rules first get a place.
    Person,
    /// Lines of prompts that are not the person's words, or may not be: delivered by others, or pasted.
    Delivered,
    /// The latest calls, where nothing else tells them.
    Steps,
    /// Commands with their outcome.
    Runs,
    /// Lines that commands and tools printed.
    Printed,
    /// Lines that subagents reported.
    Reported,
    /// Lines of the agent.
    Said,
    /// Lines of an earlier summary.
    Earlier,
    /// Lines of documents that were read.
    Documents,
    /// Files changed, and lines written into them.
    Written,
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
const SECTIONS: [SectionWords; 24] = [
    words(Section::Differs, "differences from the summary", "The summary differs from the record"),
    words(Section::Asked, "requests", "Asked by the user"),
    words(Section::Answers, "answers and approvals", "Answered by the user"),
    words(Section::State, "where it stood", "Where it stood"),
    words(Section::Work, "open tasks", "Open work"),
    words(Section::Notes, "notes", "Notes"),
    words(Section::Failing, "commands that failed", "Failed when last run"),
    words(Section::Changed, "changed files", "Changed files"),
    words(Section::Decisions, "decisions of the agent", "Decided by the agent"),
    words(Section::Running, "running jobs", "Background jobs and subagents"),
    words(Section::Git, "branch and commits", "Git"),
    words(Section::Active, "commands and skills", "Commands and skills called"),
    words(Section::Project, "project", "Project"),
    words(Section::Cold, "tasks completed earlier", "Completed in the task list"),
    words(Section::Person, "lines of the user", "Words of the user"),
    words(Section::Delivered, "other lines of prompts", "In prompts, perhaps not the user's own words"),
    words(Section::Steps, "last steps", "Last steps before the cut"),
    words(Section::Runs, "commands with their outcome", "Commands and their outcome"),
    words(Section::Printed, "printed lines", "Printed by commands and tools"),
    words(Section::Reported, "lines that subagents reported", "Reported by subagents"),
    words(Section::Said, "lines of the agent", "Said by the agent"),
    words(Section::Earlier, "lines of an earlier summary", "In an earlier summary"),
    words(Section::Documents, "lines of documents", "In documents that were read"),
    words(Section::Written, "written lines", "Written into files"),
];

impl Section {
    /// All of them, in the order shown.
    pub fn all() -> impl Iterator<Item = Section> {
        SECTIONS.iter().map(|words| words.section)
    }

    /// Its lines are verbatim lines of the record: the reference, below everything else.
    pub fn is_reference(self) -> bool {
        self >= Section::Person
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
        assert_eq!(SECTIONS.len(), Section::Written as usize + 1, "Written is the last one");
    }
}
