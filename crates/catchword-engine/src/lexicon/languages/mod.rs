//! The words of prose: what makes a sentence a rule, a request, a decision. One file per language, all with
//! the same senses.
//!
//! To add a language, add its file and its line in [`LANGUAGES`]. Every entry has an example, which is its test. Phrases
//! are in lower case, separated by commas, and match whole words of one clause:
//!
//! - `^never` only where a clause opens, apart from fillers;
//! - `anymore$` only where it ends;
//! - `cause:` only as the label before a colon or a dash;
//! - `disabl*` is any word that begins so, `*ing` any longer word that ends so (`*s` is not `ss`), `*` any word;
//! - `!never mind` says what does not have the sense although a part of it does.
//!
//! Languages that do not separate words by spaces match sequences of characters; there `^` and `$` mean the sentence.

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod korean;
mod portuguese;
mod russian;
mod spanish;

/// Every language we know. Where two fit a sentence equally well, the first is taken.
pub const LANGUAGES: &[&Language] = &[
    &english::ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &portuguese::PORTUGUESE,
    &russian::RUSSIAN,
    &chinese::CHINESE,
    &japanese::JAPANESE,
    &korean::KOREAN,
];

/// The words of a language.
pub struct Language {
    pub name: &'static str,
    /// Its words are separated by spaces.
    pub spaced: bool,
    pub entries: &'static [SensePhrases],
}

/// The phrases that have a sense, and a sentence with one of them.
pub struct SensePhrases {
    pub sense: Sense,
    pub phrases: &'static str,
    pub example: &'static str,
}

const fn says(sense: Sense, phrases: &'static str, example: &'static str) -> SensePhrases {
    SensePhrases { sense, phrases, example }
}

/// What a phrase says about its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sense {
    // The frame of a sentence.
    /// Carries no topic, and tells the language.
    Function,
    /// May precede what a clause says, without changing it.
    Filler,
    /// Joins two clauses.
    Join,
    /// Opens a statement or a question, not an order.
    Subject,
    /// A verb that makes a statement.
    Finite,
    /// Opens a question.
    Question,
    /// Stands for a thing named elsewhere.
    Pronoun,
    /// Ends in a dot that ends no sentence.
    Abbreviation,
    /// Occurs in requests and reports on anything.
    Common,

    // Rules.
    /// Sets a rule.
    Rule,
    /// Demands care, for the request at hand unless something in the sentence is general.
    Care,
    /// Names what is not wanted, or the only thing that is, unless the clause has a verb.
    Ban,
    /// Makes an order a rule: it holds every time.
    Lasting,
    /// Says that something holds at any time.
    General,
    /// A verb for a way of working, which a [`Sense::Choice`] makes a rule.
    Habit,
    /// Chooses one thing over another, or limits it.
    Choice,
    /// Names what is replaced by what stands before it.
    InsteadOf,
    /// Opens a case in which an order holds.
    Case,
    /// Limits a permission.
    Condition,
    /// Forbids or limits.
    Forbids,
    /// Negates.
    Negation,
    /// Excepts what the person allows when asked.
    UnlessAsked,
    /// Permits what was forbidden.
    Permits,
    /// Releases from a duty.
    Releases,
    /// Takes back whatever it names.
    TakesBack,
    /// Reports that something was said and does not hold any more.
    Denied,
    /// Ends the use of a command or a mode that is named next.
    Ends,
    /// Only this time.
    Once,
    /// For the time being.
    ForNow,
    /// Speaks of rules.
    AboutRules,
    /// Requires something of a result.
    Required,
    /// Stresses a limit when it is in capitals.
    Stressed,
    /// A part of the environment.
    Environment,
    /// Says where such a part is, or what it is called.
    Located,
    /// Says what the speaker wants of the result.
    Wants,
    /// Every one of a kind.
    Each,
    /// What is to come first, and what comes after it.
    First,
    Then,
    /// Sets a value, of which a later one takes the place.
    Sets,
    /// The name of a language that people speak.
    Tongue,

    // Requests.
    /// Asks for something to be done.
    Order,
    /// Asks for help.
    Asks,
    /// Agrees, or says to go on; nothing else.
    Nod,
    /// Opens an answer that only says to go on.
    GoesOn,
    /// Objects to what was done.
    Objects,
    /// Complains or exclaims, whatever the form: it sets no rule.
    Vents,
    /// Adds to a request.
    Adds,
    /// Begins another topic.
    NewTopic,
    /// Gives a reason.
    Reason,

    // Reports.
    /// Who speaks.
    Speaker,
    /// Decides.
    Decides,
    /// Is not sure.
    Doubt,
    /// Supposes a case instead of reporting it.
    Supposes,
    /// Says that something is not done.
    NotDone,
    /// Says why something is so, or that it is not yet otherwise. Broad, because nothing is concluded from it: such
    /// sentences of the agent are only looked at first.
    Unsettled,
    /// Says what the speaker does next.
    Announces,
    /// Only looks at something.
    Looks,
    /// Says that nothing is left.
    Nothing,
    /// Says that something is done.
    Done,
    /// Reports a change of something.
    Changed,
    /// Says that something could not be done.
    Failed,
    /// Reports a failure.
    Trouble,
    /// Adds something new.
    Creates,

    // Documents and pasted text.
    /// Heads the criteria of a request.
    Criteria,
    /// Heads what a plan leaves out.
    LeftOut,
    /// Is to be checked by a person.
    ByHand,
    /// Heads a section that asks for nothing.
    Introduction,
    /// Heads a group of requests.
    Group,
    /// Says that somebody else said something.
    Saying,
    /// Offers what could be done next, as chatbots do.
    Offers,
    /// Opens what a person types.
    Typed,
    /// Grades a finding of a review.
    Grade,
}
