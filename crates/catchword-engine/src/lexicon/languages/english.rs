//! English.

use super::Sense::{
    Abbreviation, AboutRules, Adds, Announces, Asks, Ban, ByHand, Care, Case, Changed, Choice, Common,
    Condition, Creates, Criteria, Decides, Denied, Done, Doubt, Each, Ends, Environment, Failed, Filler,
    Finite, First, ForNow, Forbids, Function, General, GoesOn, Grade, Group, Habit, InsteadOf, Introduction,
    Join, Lasting, LeftOut, Located, Looks, Negation, NewTopic, Nod, NotDone, Nothing, Objects, Offers, Once,
    Order, Permits, Pronoun, Question, Reason, Releases, Required, Rule, Saying, Sets, Speaker, Stressed,
    Subject, Supposes, TakesBack, Then, Tongue, Trouble, Typed, UnlessAsked, Unsettled, Vents, Wants,
};
use super::{Language, says};

pub const ENGLISH: Language = Language {
    name: "English",
    spaced: true,
    entries: &[
        says(
            Announces,
            "^i'll, ^i will, ^let me, ^let's, ^i need to, ^i am going to, ^i'm going to, ^next, !let me know",
            "Let me write the parser.",
        ),
        says(
            Looks,
            "check, look, read, see, verify, examine, find, search, understand, explore, dig, review, investigate, view, trace, inspect",
            "Let me check the logs.",
        ),
        says(
            Unsettled,
            "still, not yet, haven't, hasn't, however, so far, does not exist, doesn't exist, only partly, half way, for now, the cause, root cause, turns out, turned out, caused by, the culprit, that is why, that's why, nothing to do with",
            "The export still goes out as latin-1.",
        ),
        says(
            Function,
            "a, about, all, also, an, and, any, are, as, at, be, been, being, but, by, can, could, did, does, doesn, \
             don, don't, each, for, from, get, got, had, has, have, her, here, his, how, i'd, i'm, in, into, is, isn, \
             it, it's, its, just, let, let's, more, not, now, of, on, one, only, or, our, out, own, please, she, \
             should, some, such, than, that, that's, the, their, them, then, there, these, they, this, those, to, too, \
             very, was, we're, were, what, when, which, who, why, will, with, would, you, your, i, we, no, if, do, my, me, \
             he, so, need, use, used, using",
            "the parser of it",
        ),
        says(
            Filler,
            "please, also, and, but, so, ok, okay, oh, btw, hey, then, just, again, yes, yeah, well, actually, really, \
             now, alright, additionally, finally, important, note, kindly, anyway, thanks, great",
            "ok, run it",
        ),
        says(Join, "and, but, please", "run it and stop"),
        says(
            Subject,
            "the, a, an, it, it's, this, that, that's, these, those, i, i'm, i've, we, we're, they, he, she, there, \
             there's, my, our, your, its, their, some, all, every, each, no, nothing, why, how, what, where, who, which, \
             when, if, because, since, you, users, people, in, on, at, for, with, from, to, of, as, by, not, maybe, \
             perhaps, currently, alternatively, however, otherwise, yes, hmm, sorry, great, looks, while, although, \
             though, once, given, unlike, here, one, two, three, four, five, few, half, part",
            "the tests fail",
        ),
        says(
            Finite,
            "is, are, was, were, has, have, had, found, does, did, exists, works, shows, runs, appears",
            "no test was run",
        ),
        says(
            Question,
            "^why, ^how, ^what, ^where, ^who, ^which, ^can, ^could, ^should, ^is, ^are, ^does, ^did, ^would",
            "why does it fail",
        ),
        says(Pronoun, "it, this, that, them, these, those", "don't give it a number"),
        says(Abbreviation, "vs, e.g, i.e, cf, approx, incl, resp", "ours vs. theirs"),
        says(
            Common,
            "add, fix, make, use, run, check, look, test, tests, commit, push, change, create, write, update, remove, \
             file, files, code, work, need, needs, want, think, know, going, first, last, next, new, old, also, already, \
             still, good, right, time, complete, implement, following, plan, continue, project, please, sure, \
             everything, remains, remaining, remain, started, start, done, left, open, finished, implemented, missing, \
             step, steps, todo, what, that, this, with, only, decided, decision, chose, chosen, opted, settled, went, go, \
             picked, over, instead, rather",
            "continue with the next step",
        ),
        says(
            Rule,
            "^don't, ^dont, ^do not, !don't know, !don't think, !don't see, !don't understand, !don't believe, \
             !don't recall, !don't remember, !don't have, !don't get, !don't got, !don't seem, !don't even, \
             !don't we, !don't you, !don't i, !don't work$, !don't pass$, !don't show$, !don't exist$, !don't appear$, \
             !don't match$, !don't load$, !don't render$, !don't compile$, !don't happen$, !don't fail$, !don't start$, \
             ^never, !never mind, !never *s, ^always, !always *s, ^avoid, ^prefer, ^refrain from, ^keep in mind, \
             ^remember that, ^try to avoid, ^try not to, ^let's not, ^be careful, ^hands off, ^stick to, ^stick with, \
             ^stop *ing, ^no need to, ^keep, !keep *ing, ^we never, ^we always, ^we only, ^we don't, ^we do not, \
             !we don't have, !we don't know, !we don't need, !we don't see, !we don't think, !we don't get, \
             should never, should always, should not, shouldn't, !should not happen, !should not fail, !shouldn't happen, \
             !shouldn't fail, !shouldn't crash, !shouldn't occur, !shouldn't matter, !shouldn't take, \
             must, mustn't, !it must, !this must, !that must, !there must, !something must, !which must, !must$, \
             !must have been, !must have had, !must have gone, !must have done, !must have *ed, not allowed, off limits, \
             off-limits, under no circumstances, at all times, without asking, unless i, until i, from now on, \
             going forward, i don't want, i do not want, i'd rather, i would rather, i prefer, i'd prefer, we prefer, \
             you don't need to, you don't have to, please use, ^ask before, ^ask me before, ^ask me first, ^ask first, ^check with me, ^check in with me, ^talk to me before, ^talk to me first, ^wait for my, ^treat, whatever you do, stays as it is, stay as they are, stays untouched, stay untouched, stays unchanged, stay unchanged, leave it alone, leave them alone, leave that alone, ^leave * alone, ^leave * * alone, ^leave * * * alone, need my ok, need my okay, need my approval, need my permission, without my, belong in, belongs in",
            "Never push to main.",
        ),
        says(Care, "^make sure, ^be sure to, ^ensure, ^remember to", "Make sure it has a table."),
        says(
            Ban,
            "^no, ^only, !no idea, !no problem*, !no worries, !no way, !no one, !no longer, !no luck, !no matter, \
             !no need, !no wait, !no thanks, !no bug*, !no error*, !no issue*, !no failures, !no bottlenecks, \
             !no regressions, !no change*$, ^one * per, only$",
            "No new dependencies.",
        ),
        says(
            Lasting,
            "after every, after each, before every, before each, before any, every time you, each time you, \
             whenever you, before you, before committing, before pushing, before merging, before deploying, \
             before releasing, when you're done, when you are done, in the future, in future, from now on, going forward",
            "Run the tests after every change.",
        ),
        says(
            General,
            "never, always, ever, every, each, whenever, anymore, any more, again, throughout, at all times, \
             under no circumstances",
            "Keep it short, always.",
        ),
        says(Habit, "^use, ^keep, ^leave, ^stick, ^write, ^put, ^name, ^work, ^prefer", "Use pnpm, not npm."),
        says(
            Choice,
            "not, instead, rather than, only, alone, for all, for every, for everything, everywhere, throughout, \
             untouched, unchanged, as is, better to, the right approach, the right fix",
            "Leave the config alone.",
        ),
        says(InsteadOf, "instead of, rather than, ^not", "Use pnpm instead of npm."),
        says(
            Case,
            "^when you, ^whenever you, ^if you, ^every time you, ^each time you, ^before you, !if you need, !if you want, \
             !if you like, !when you need, !when you want, !when you like",
            "When you touch the API, bump the version.",
        ),
        says(
            Condition,
            "once, after, !after all, if, when, only, unless, until, but, except",
            "You can push once the tests pass.",
        ),
        says(
            Forbids,
            "don't, dont, not, never, avoid, no, stop, only, without, unless, until, shouldn't, mustn't, refrain, off, \
             off limits, off-limits",
            "Avoid mocks.",
        ),
        says(Negation, "don't, dont, not, never, no, without, let's not", "don't stop"),
        says(
            UnlessAsked,
            "without asking, without my, without permission, without approval, unless i, ask me first, ask first, \
             before asking",
            "Never commit without asking me.",
        ),
        says(
            Permits,
            "^you can, ^you may, ^you can now, ^you're allowed to, ^you are allowed to, ^it's ok to, ^it is ok to, \
             ^it's okay to, ^it is okay to, ^it's fine to, ^it is fine to, ^ok to, ^feel free to, ^you're free to, \
             ^you are free to, ^go ahead, !you can see, !you can find, !you can tell, !you can imagine, !you can look, \
             !you can ask, !you may see, !you may find, is fine now, are fine now, is ok now, is okay now, \
             is allowed now, after all, is fine after all, is allowed after all",
            "You can push now.",
        ),
        says(
            Releases,
            "^you don't need to, ^you don't have to, ^you do not need to, ^you needn't, ^no need to, longer needed, \
             longer necessary, longer required, needed anymore",
            "You don't need to run the linter.",
        ),
        says(
            TakesBack,
            "^forget, ^forget what i said, !forget to, ^never mind, ^nevermind, ^scratch, ^ignore what, ^ignore what i said, ^ignore the, \
             ^ignore my, ^disregard, ^drop the, ^drop that, ^i changed my mind, ^i take that back, ^i take it back, \
             no longer applies, no longer holds, no longer off limits, no longer off-limits, no longer forbidden, \
             not off limits anymore, we no longer, doesn't matter anymore",
            "Forget the naming rule.",
        ),
        says(
            Denied,
            "no longer applies, no longer apply, no longer holds, no longer valid, no longer in force, no longer wanted, later withdrew, withdrew, withdrawn, took back, taken back, retracted, revoked, rescinded, superseded, overruled, obsolete, outdated, deprecated by, replaced by, instead of the earlier",
            "The user later withdrew the rule.",
        ),
        says(
            Ends,
            "stop using, stop following, stop applying, stop with, stop, end, quit, exit, leave, drop, off, disable, \
             deactivate, turn off, switch off, turn, switch, no longer use, no longer need, no more, don't use, \
             do not use, done with",
            "stop using /tdd",
        ),
        says(
            Once,
            "this time, this once, just this, for this, for today, just once, only once, this one, in this case, \
             right now",
            "You can use mocks this time.",
        ),
        says(
            ForNow,
            "temporarily, for now, for the moment, for the time being",
            "Let me disable it for now.",
        ),
        says(
            AboutRules,
            "rule, rules, constraint, constraints, convention, conventions, guideline, guidelines, important, gotchas, \
             don'ts, must, never, always, preferences, key, instruction, instructions, want, remember, note, requirements",
            "Please follow these rules:",
        ),
        says(Required, "must, should, shall, never, at least, at most", "answers must stay under 50 ms"),
        says(Stressed, "not, only, both, never, must", "the plan, NOT the issue"),
        says(
            Environment,
            "database, db, branch, port, staging, production, server, cluster, environment, registry, worktree, instance",
            "the test database",
        ),
        says(
            Located,
            "we use, we're on, we are on, we work on, we deploy to, is on, are on, runs on, runs at, is at, lives in, \
             lives on, is called, is named, listens on, points to, is reserved, are reserved",
            "The database runs on port 5433.",
        ),
        says(
            Order,
            "^add, ^change, ^convert, ^create, ^define, ^delete, ^document, ^drop, ^ensure, ^expose, ^extend, ^extract, \
             ^fix, ^generate, ^handle, ^implement, ^include, ^install, ^introduce, ^make, ^merge, ^migrate, ^move, \
             ^refactor, ^remove, ^rename, ^replace, ^return, ^rewrite, ^run, ^set, ^show, ^split, ^support, ^switch, \
             ^update, ^use, ^validate, ^wire, ^write, ^refresh, ^restart, ^reload, ^try, ^test, ^open, ^click, ^visit, \
             ^go to, !* of, !* mode, !* is, !* was, !* failed",
            "Add a cache to it",
        ),
        says(Asks, "can, could, would, will, please, help, let's, lets, need", "can you look at it?"),
        says(
            Nod,
            "yes, y, yep, yeah, yup, ok, okay, sure, no, nope, go, on, ahead, continue, please, proceed, next, done, \
             thanks, thank, you, great, good, perfect, nice, cool, lgtm, do, it, sounds, looks, keep, going, carry, \
             resume, right, correct, exactly, agreed, approved, try, again, retry, let's, lets, hi, hello, that, works, \
             awesome, fine, move, skip, decide, option, choice",
            "ok, go ahead",
        ),
        says(GoesOn, "^next, ^done, ^continue, ^proceed, ^move, ^skip", "Next area"),
        says(
            Objects,
            "^no, ^nope, ^nah, ^not, ^wrong, ^wait, ^still, ^undo, ^revert, ^again, ^but, ^that's not, ^that is not, \
             ^this is not, ^it doesn't, ^it does not, ^it still, ^doesn't work, ^didn't",
            "No, use postgres.",
        ),
        says(Adds, "also, and, but, plus, then, instead", "also the docs"),
        says(
            NewTopic,
            "^new task, ^next task, ^new topic, ^different topic, ^different task, ^let's move on to, ^let's switch to, \
             ^moving on to, ^now for something, ^something else, ^something different, ^change of plan",
            "New task: the docs",
        ),
        says(
            Reason,
            "because, so that, the reason, reason:, why:, in order to, ^since, otherwise, to avoid, which would, \
             due to, as it",
            "Split it because billing needs logs.",
        ),
        says(
            Speaker,
            "i, we, i've, we've, i'll, we'll, i'm, we're, i will, i have, we have, i'm going",
            "i chose it",
        ),
        says(
            Decides,
            "decided to, decided on, decided against, decided not to, chose, chosen, opted for, opted to, settled on, \
             going with, decision:, i went with, we went with, i'll go with, we'll go with, i go with, \
             i picked, we picked",
            "I chose HS256 over RS256.",
        ),
        says(
            Doubt,
            "^if, might, may, maybe, perhaps, possibl*, probabl*, likely, could, whether, unless, should we, should be, \
             let me know",
            "maybe the cache",
        ),
        says(
            NotDone,
            "not started, not yet started, haven't started, not begun, not yet begun, not done yet, not yet done, \
             not finished, not yet finished, not yet implemented, not implemented yet, not written yet, not yet written, \
             remains to be, remain to be, still to do, still to be, left to do, i still need to, still needs to be, \
             what remains:, what's left:, what is left:, remaining:, remaining *:, still open:, still to do:, \
             left to do:, not done:, to do:",
            "The exporter is not started.",
        ),
        says(Nothing, "^nothing, ^none, ^no work, ^n/a", "Nothing remains."),
        says(
            Done,
            "done, added, wrote, written, implemented, fixed, updated, created, removed, deleted, renamed, moved, \
             replaced, works, pass, passes, complete, completed, finished, ready, merged, committed, \
             extracted, converted, passed",
            "The parser is written.",
        ),
        says(
            Changed,
            "^created, ^modified, ^edited, ^updated, ^added, ^changed, ^wrote, ^renamed, ^deleted, ^removed, ^rewrote, \
             ^files created, ^files modified, ^files edited, ^files updated, ^files added, ^files changed, \
             ^files renamed, ^files deleted, ^files removed, ^i created, ^i modified, ^i edited, ^i updated, ^i added, \
             ^i changed, ^i wrote, ^i renamed, ^i deleted, ^i removed, ^i rewrote",
            "Updated docs/tokens.md.",
        ),
        says(
            Failed,
            "i could not, i couldn't, i was unable, i was not able, i am unable, unable to commit, unable to run, \
             unable to verify, could not be *ed, couldn't be *ed, could not be run, couldn't be run, could not be built, \
             couldn't be built",
            "The tests could not be run.",
        ),
        says(Supposes, "if, when, unless, whether, would, where", "if it fails"),
        says(
            Trouble,
            "error*, fail*, panic*, exception*, fatal, denied, not found, cannot, warning*, crash*, broken, bug, wrong, \
             timeout, isn't, doesn't, don't, can't, won't",
            "it fails",
        ),
        says(Creates, "add, create, implement, introduce, write, define", "Add a map"),
        says(
            Criteria,
            "acceptance, criteria, requirement*, must show, definition of done, verification, constraints",
            "Acceptance criteria",
        ),
        says(LeftOut, "out of scope, not in scope, non-goal*, exclusions, not included", "Out of scope"),
        says(
            ByHand,
            "you, your, you'll, you'd, yourself, manually, manual, by hand, smoke test, test plan, reviewer, reviewers",
            "Before you merge:",
        ),
        says(
            Introduction,
            "^context, ^background, ^overview, ^summary, ^introduction, ^motivation, ^problem, ^root cause, \
             ^files to modify, ^key files, ^notes, ^references, ^verification, ^target output",
            "Background",
        ),
        says(
            Group,
            "changes, approach, implementation, implementation steps, implementation plan, plan, steps, tasks, goals, \
             files",
            "Steps",
        ),
        says(
            Saying,
            "said, says, wrote, writes, told, asked, replied, answered, chat, slack, teams, discord, irc, message, \
             messages, thread, conversation, channel",
            "bob wrote in the chat",
        ),
        says(
            Offers,
            "^if you want, ^if you'd like, ^if you like, ^would you like me to, ^i can turn this",
            "Would you like me to draw it?",
        ),
        says(Typed, "^please, ^can, ^could, ^let's, ^lets, ^also, ^thanks", "Please fix it."),
        says(
            Grade,
            "low severity, medium severity, high severity, critical severity, info severity",
            "Medium Severity",
        ),
        says(Wants, "^i want, ^i expect, ^i'd like, ^i would like", "I want every endpoint documented."),
        says(Each, "every, each, all", "every function"),
        says(First, "first$", "Tests first, then code."),
        says(Then, "^then, ^now", "Tests first, then code."),
        says(Sets, "^use, ^answer in, ^reply in, ^respond in, ^speak, ^talk", "Answer in German."),
        says(
            Tongue,
            "english, german, french, spanish, portuguese, italian, dutch, polish, russian, chinese, japanese, korean",
            "Answer in German.",
        ),
        says(
            Vents,
            "wasting my time, waste my time, ^don't tell me, ^don't ask me, ^don't worry, ^no worries, ^don't panic, \
             ^don't you dare, be kidding, a joke, ^never seen, ^never thought, ^never heard, ^never had, ^never been, \
             ^never a, should never have *ed, should never have been, you should have, should not have *ed, \
             shouldn't have, ^always the same, listen to me, ^not again",
            "You must be kidding.",
        ),
    ],
};
