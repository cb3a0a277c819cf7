//! Applies tool calls and their answers to a session.

use super::active::By;
use super::agents::STARTED;
use super::git::trial_folder;
use super::paths::is_prose;
use super::said::LateCommit;
use super::state::{Awaited, Pending};
use super::{Action, ProposedPlan, RunningJob, Session, tasks};
use crate::model::entry::{EntryId, Extra, Mode, Place, TaskStatus, Todo, Tool};
use crate::reading::command::{ShellLine, Step};
use crate::reading::git::printed_commit;
use crate::reading::outcome::Outcome;
use crate::record::{CallParts, RunResult, Source, Swap, Voice, taken_out};
use crate::text::cut::{MIDDLE, ends_of, head_of, one_line};

/// Commits in the background that are waited for.
const COMMITTING_KEPT: usize = 4;
/// Bytes of a command or a tool result that are scanned for files. What is further down is rarely used again:
/// measured, scanning everything gains nothing at the sizes a brief can have.
const MAX_NAMES_TEXT: usize = 2_000;
/// The same for command output, whose file lists are longer.
const MAX_OUTPUT_NAMES_TEXT: usize = 3_000;
/// Scheduled prompts that are remembered, to tell them from the person's, and bytes kept of each.
const SCHEDULED_KEPT: usize = 32;
pub(super) const SCHEDULED_LONG: usize = 4_000;
/// Arguments of an unknown tool that are shown, characters of each, and of all.
const MAX_ARGUMENTS: usize = 6;
const MAX_ARGUMENT: usize = 100;
const MAX_ARGUMENTS_TEXT: usize = 180;
/// Characters kept of a task's description.
const MAX_TASK_DETAIL: usize = 400;
/// A call that only updates the task list, in words.
const TASK_LIST: &str = "updated the task list";
/// Calls without an answer that are remembered; more only pile up when a client crashes mid-call.
const PENDING_KEPT: usize = 256;

impl Session {
    pub(super) fn called(&mut self, place: Place, id: &str, tool: &Tool) {
        // A resumed or forked session repeats the calls of the one before, in rows with new ids.
        let call = EntryId::of(id);
        if !id.is_empty() && self.seen.insert(call, place).is_some() {
            return;
        }
        self.clock += 1;
        (self.waiting, self.interrupted) = (false, false);
        let what = awaited(tool, self.cwd.as_deref());
        if !is_read_only(tool, &what) {
            self.acted = self.clock;
            tool.each_text(|text| self.record.worked_on(text));
        }
        self.mark_results_read(tool);
        let first = self.record.next_part(place);
        self.note_call(place, tool, &what);
        let seen = CallParts { place, parts: (first, self.record.next_part(place)) };
        let action = action(tool);
        self.last_action = Some(Action { place, what: action.clone(), ok: None, refused: false });
        self.pending.insert(id.to_owned(), Pending { place, seen, action, what });
        if self.pending.len() > PENDING_KEPT {
            let oldest =
                self.pending.iter().min_by_key(|(id, p)| (p.place, (*id).clone())).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.pending.remove(&id));
        }
    }

    fn note_call(&mut self, place: Place, tool: &Tool, what: &Awaited) {
        if let Awaited::Shell { line, .. } = what {
            self.record.ran(place, self.clock, Voice::Agent, line);
        }
        match tool {
            Tool::Shell { command, .. } => self.typed(command),
            Tool::Edit { path, change, added } => {
                self.tasks.edited(path, change, added, place);
                self.heard(change);
                self.record.wrote(
                    place,
                    self.clock,
                    path,
                    taken_out(change, added).unwrap_or_default(),
                    added,
                );
            }
            Tool::Write { path, content } => {
                self.record.wrote(place, self.clock, path, "", content);
                self.tasks.edited(path, content, content, place);
                self.heard(content);
            }
            Tool::Search { pattern, .. } => self.typed(pattern),
            Tool::Todos(todos) => self.todos_replaced(place, todos),
            Tool::TaskUpdate { task, status, subject } => {
                self.tasks.updated(task, *status, subject.as_deref(), place);
                if let Some(status) = status {
                    self.task_changed(place, task, *status);
                }
            }
            Tool::Plan { text, file } => {
                self.heard(text);
                self.record.planned(place, self.clock, text);
                self.plan = Some(ProposedPlan { place, file: file.clone(), approved: None });
            }
            Tool::Agent { prompt, .. } => self.heard(prompt),
            Tool::Kill { id } => _ = self.running.remove(id),
            Tool::Schedule { prompt } => {
                self.heard(prompt);
                self.scheduled.push(head_of(prompt.trim(), SCHEDULED_LONG).to_owned());
                let excess = self.scheduled.len().saturating_sub(SCHEDULED_KEPT);
                self.scheduled.drain(..excess);
            }
            Tool::Script { code } => {
                self.heard(code);
                self.may_have_done_anything(place);
            }
            Tool::Other { input, .. } => self.heard(input),
            Tool::Read { .. }
            | Tool::Skill { .. }
            | Tool::Delete { .. }
            | Tool::TaskCreate { .. }
            | Tool::Ask { .. } => {}
        }
    }

    /// A call that names a subagent counts as reading its result.
    fn mark_results_read(&mut self, tool: &Tool) {
        if !self.unread.is_empty() {
            tool.each_text(|text| self.unread.retain(|result| !text.contains(result.id.as_str())));
        }
    }

    /// Records the files that the input of a tool call names.
    fn typed(&mut self, text: &str) {
        self.heard(head_of(text, MAX_NAMES_TEXT));
    }

    pub(super) fn answered(&mut self, place: Place, call: &str, ok: bool, text: &str, extra: &Extra) {
        let Some(pending) = self.pending.remove(call) else { return };
        if extra.unended {
            self.outlived_its_call(&pending, extra.output(text));
            return;
        }
        self.saw(&pending.what, text);
        if let Some(action) = self.last_action.as_mut().filter(|a| a.place == pending.place) {
            action.ok = Some(ok);
            action.refused = extra.refused.is_some();
        }
        if extra.refused.is_some() || extra.skipped {
            self.record.had_no_effect(&pending.seen);
        }
        if let Some(reason) = &extra.refused {
            self.refused(place, pending, reason);
            return;
        }
        if extra.skipped {
            return;
        }
        if let (Awaited::Edit { .. } | Awaited::Write { .. }, false) = (&pending.what, ok) {
            self.record.had_no_effect(&pending.seen);
        }
        match pending.what {
            Awaited::Read { .. } => self.observe(place, &pending, ok, &extra.without_numbers(text)),
            // The client says that it was started; its report comes later.
            Awaited::Agent { .. } if extra.background.is_some() => self.observe(place, &pending, ok, ""),
            _ => self.observe(place, &pending, ok, extra.output(text)),
        }
        if let (Awaited::Other, true) = (&pending.what, ok) {
            self.note_late_commit(pending.place, &pending.action, text);
        }
        self.note_files(&pending, ok, text, extra);
        match pending.what {
            Awaited::Shell { line, cwd } => {
                let outcome = Outcome::of(ok, text, extra);
                let cwd = cwd.as_deref().unwrap_or_default();
                let goes_on = extra.background.is_some();
                self.observe_run(&pending.seen, place, &line, &outcome, goes_on);
                self.note_shell_files(pending.place, &line, cwd, !goes_on, &outcome);
                self.started(extra, pending.place, line.text().to_owned(), false);
                if let Some(id) = &extra.background {
                    self.will_commit(id, line.clone(), self.cwd.clone().unwrap_or_default());
                }
                self.note_commit(pending.place, &line, cwd, outcome.output);
            }
            Awaited::TaskCreate { subject, detail } if ok => {
                let id = extra.task.clone().or_else(|| tasks::id_in(text));
                let known = id.clone().unwrap_or_default();
                self.record.task(pending.place, self.clock, &known, TaskStatus::Pending, &subject);
                self.tasks.created(id, &subject, &detail, pending.place);
            }
            Awaited::Ask { questions } if ok => self.person_answered(place, &questions, text, extra),
            Awaited::Plan if !extra.undecided => self.plan_answered(place, ok),
            Awaited::Skill { name, args } if ok => {
                self.active.used(pending.place, &name, &args, By::Agent);
            }
            Awaited::Agent { description } => {
                self.agents.worked(place);
                self.started(extra, pending.place, description, true);
            }
            Awaited::Write { path, .. } | Awaited::Edit { path, .. } | Awaited::Read { path } if ok => {
                self.kept.opened(&path);
            }
            _ => {}
        }
    }

    /// Records what a call other than a command printed.
    fn observe(&mut self, place: Place, pending: &Pending, ok: bool, output: &str) {
        let (by, is_call) = match &pending.what {
            Awaited::Search { .. } => (Source::Search, true),
            Awaited::Agent { .. } => (Source::Subagent, true),
            // The task list has observations of its own.
            Awaited::Other if pending.action == TASK_LIST => return,
            Awaited::Other | Awaited::Fetch { .. } => (Source::Other, true),
            Awaited::Read { path } if is_prose(path) => (Source::Document, false),
            Awaited::Read { .. } if !ok => (Source::Other, true),
            _ => return,
        };
        if is_call {
            self.record.called(pending.place, self.clock, &pending.action, ok, by == Source::Search);
        }
        self.record.printed((pending.place, place), self.clock, by, !ok, output);
    }

    /// Records how a command line ended and what it printed.
    fn observe_run(
        &mut self,
        call: &CallParts,
        place: Place,
        line: &ShellLine,
        outcome: &Outcome,
        goes_on: bool,
    ) {
        let ended = if goes_on { RunResult::unended(outcome) } else { RunResult::of(line, outcome) };
        let failed = ended.ok == Some(false);
        self.record.ended(call, ended);
        self.record.printed((call.place, place), self.clock, Source::Shell, failed, outcome.output);
    }

    /// The end of such a run is not known, so an earlier failure of the command is not certain any more; and a commit may
    /// have been made, or is in the output so far.
    fn outlived_its_call(&mut self, pending: &Pending, output: &str) {
        if let Awaited::Shell { line, cwd } = &pending.what {
            self.record.ended(&pending.seen, RunResult::unended(&Outcome::read(true, None, output)));
            self.git.may_have_committed(self.clock, line);
            self.note_commit(pending.place, line, cwd.as_deref().unwrap_or_default(), output);
        }
    }

    /// The calls of a script that have no result get none. Those of one that failed may not have been made, or may.
    pub(super) fn script_ended(&mut self, place: Place, script: &str, failed: bool, goes_on: Option<&str>) {
        let is_of_it = |id: &str| id.strip_prefix(script).is_some_and(|rest| rest.starts_with('/'));
        let open: Vec<String> = self.pending.keys().filter(|id| is_of_it(id)).cloned().collect();
        for pending in open.iter().filter_map(|id| self.pending.remove(id)).collect::<Vec<_>>() {
            if failed {
                if let Awaited::Shell { .. } = &pending.what {
                    self.record.had_no_effect(&pending.seen);
                }
                self.last_action.take_if(|action| action.place == pending.place);
                self.may_have_done_anything(place);
            } else {
                self.outlived_its_call(&pending, "");
            }
            if let (Some(id), Awaited::Shell { line, cwd }) = (goes_on, pending.what) {
                self.will_commit(id, line, cwd.unwrap_or_default());
            }
        }
    }

    /// From what was not seen until here nothing follows.
    fn may_have_done_anything(&mut self, place: Place) {
        self.unread_script = Some(place);
        self.record.anything_ran(place);
    }

    /// Records the files that a tool result names, except for edits, whose result repeats the edit.
    fn saw(&mut self, what: &Awaited, text: &str) {
        let most = match what {
            Awaited::Edit { .. } | Awaited::Write { .. } => return,
            Awaited::Shell { .. } => MAX_OUTPUT_NAMES_TEXT,
            _ => MAX_NAMES_TEXT,
        };
        self.heard(head_of(text, most));
    }

    /// The person approved a plan, or the client rejected it.
    pub(super) fn plan_answered(&mut self, place: Place, ok: bool) {
        if let Some(plan) = &mut self.plan {
            plan.approved = Some(ok);
        }
        if ok {
            self.active.switched(place, &Mode::Plan(false));
        }
        if let Some(plan) = self.plan.as_ref().filter(|_| ok) {
            let title = self.plan_title(plan);
            self.record.approved(place, self.clock, &title);
        }
    }

    /// The person refused a call or rejected a plan.
    fn refused(&mut self, place: Place, pending: Pending, reason: &str) {
        if let (Awaited::Plan, Some(plan)) = (&pending.what, &mut self.plan) {
            plan.approved = Some(false);
        }
        // Third-party tools word their own failures, so the reason is not attributed to the person, though it may be
        // theirs.
        let is_foreign = matches!(pending.what, Awaited::Other);
        if is_foreign && !reason.is_empty() {
            self.note_beside(place, reason);
        }
        let reason = if is_foreign { "" } else { reason };
        self.heard(reason);
        let line = match pending.what {
            Awaited::Shell { line, .. } => Some(line),
            _ => None,
        };
        self.record.refused(place, self.clock, &pending.action, line, reason);
    }

    fn will_commit(&mut self, id: &str, line: ShellLine, cwd: String) {
        if line.commits() {
            self.committing.push(LateCommit { id: id.to_owned(), line, cwd });
            let excess = self.committing.len().saturating_sub(COMMITTING_KEPT);
            self.committing.drain(..excess);
        }
    }

    /// The call that asked for the output of a job in the background may show its commit.
    fn note_late_commit(&mut self, place: Place, call: &str, output: &str) {
        let is_it = |job: &LateCommit| call.contains(&job.id) && printed_commit(output).is_some();
        if let Some(at) = self.committing.iter().position(is_it) {
            let LateCommit { line, cwd, .. } = self.committing.remove(at);
            self.note_commit(place, &line, &cwd, output);
            if !self.is_trial(&line, &cwd) {
                self.git.ran(place, self.clock, &line, &cwd, output);
            }
        }
    }

    /// Whether a line commits in a repository made for a trial. A work tree of the project may lie anywhere.
    pub(super) fn is_trial(&self, line: &ShellLine, cwd: &str) -> bool {
        let makes_work_tree = |step: &Step, folder: &str| {
            step.is_git("worktree") && step.has("add") && step.text.contains(folder)
        };
        let is_work_tree = |folder: &str| {
            self.record.runs().flat_map(|run| run.line.steps()).any(|step| makes_work_tree(step, folder))
        };
        trial_folder(line, cwd, self.root()).is_some_and(|folder| !is_work_tree(&folder))
    }

    /// Git printed the commit, so it exists, whatever failed afterwards. One in a repository made for a trial is not the
    /// project's.
    fn note_commit(&mut self, place: Place, line: &ShellLine, cwd: &str, output: &str) {
        let Some(commit) = printed_commit(output).filter(|_| line.commits()) else { return };
        if self.is_trial(line, cwd) {
            return;
        }
        self.record.committed(place, self.clock, commit);
    }

    fn started(&mut self, extra: &Extra, place: Place, what: String, agent: bool) {
        // The end of a short job may be reported before the result that names it.
        if let Some(id) = extra.background.as_ref().filter(|id| !self.ended.contains(*id)) {
            self.running.insert(id.clone(), RunningJob { place, what, agent, clock: self.clock });
        }
    }

    fn person_answered(&mut self, place: Place, questions: &[String], text: &str, extra: &Extra) {
        if extra.answers.is_empty() && !extra.timed_out {
            self.record.answered(place, self.clock, &questions.join(" / "), &ends_of(text, 600));
        }
        for (question, answer) in &extra.answers {
            self.heard(answer);
            self.record.answered(place, self.clock, question, answer);
        }
    }

    fn task_changed(&mut self, place: Place, id: &str, status: TaskStatus) {
        self.record.task(place, self.clock, id, status, self.tasks.subject(id).unwrap_or_default());
    }

    fn todos_replaced(&mut self, place: Place, todos: &[Todo]) {
        self.tasks.replaced(todos, place);
        for todo in todos {
            self.record.task(place, self.clock, "", todo.status, &todo.text);
        }
    }
}

fn awaited(tool: &Tool, cwd: Option<&str>) -> Awaited {
    match tool {
        Tool::Shell { command, .. } => {
            Awaited::Shell { line: ShellLine::parse(command), cwd: cwd.map(str::to_owned) }
        }
        Tool::Read { path } => Awaited::Read { path: path.clone() },
        Tool::TaskCreate { subject, detail } => {
            Awaited::TaskCreate { subject: subject.clone(), detail: one_line(detail, MAX_TASK_DETAIL) }
        }
        Tool::Ask { questions } => Awaited::Ask { questions: questions.clone() },
        Tool::Plan { .. } => Awaited::Plan,
        Tool::Agent { description, .. } => Awaited::Agent { description: description.clone() },
        Tool::Skill { name, args } => Awaited::Skill { name: name.clone(), args: args.clone() },
        Tool::Write { path, content } => {
            let lines = content.lines().count().try_into().ok();
            Awaited::Write { path: path.clone(), lines: lines.filter(|_| !content.contains(MIDDLE)) }
        }
        Tool::Delete { path } => Awaited::Delete { path: path.clone() },
        Tool::Edit { path, change, added } => {
            Awaited::Edit { path: path.clone(), change: change.clone(), swap: Swap::of(change, added) }
        }
        Tool::Other { input, .. } if input.contains("://") => Awaited::Fetch { address: address_in(input) },
        Tool::Search { pattern, path, in_text } => {
            Awaited::Search { pattern: pattern.clone(), path: path.clone(), in_text: *in_text }
        }
        _ => Awaited::Other,
    }
}

/// The first URL in an input.
fn address_in(input: &str) -> String {
    let word = input.split_whitespace().find(|word| word.contains("://")).unwrap_or_default();
    head_of(word, MAX_NAMES_TEXT).to_owned()
}

/// A call that only reads, or only updates the task list.
fn is_read_only(tool: &Tool, what: &Awaited) -> bool {
    match what {
        Awaited::Read { .. } | Awaited::Search { .. } => true,
        Awaited::Shell { line, .. } => line.only_looks(),
        _ => is_task_list(tool),
    }
}

fn is_task_list(tool: &Tool) -> bool {
    matches!(tool, Tool::Todos(_) | Tool::TaskCreate { .. } | Tool::TaskUpdate { .. })
}

/// A call in a few words: "edited src/a.rs". What the words quote is marked by [`super::shown::shown_action`].
pub(crate) fn action(tool: &Tool) -> String {
    match tool {
        Tool::Shell { command, .. } => format!("ran {}", one_line(command, 200)),
        Tool::Read { path } => format!("read {path}"),
        Tool::Edit { path, .. } => format!("edited {path}"),
        Tool::Write { path, .. } => format!("wrote {path}"),
        Tool::Delete { path } => format!("deleted {path}"),
        Tool::Search { pattern, path, .. } if pattern.is_empty() => {
            format!("listed {}", path.as_deref().unwrap_or("the folder"))
        }
        Tool::Search { pattern, .. } => format!("searched for {}", one_line(pattern, 120)),
        Tool::Todos(_) | Tool::TaskCreate { .. } | Tool::TaskUpdate { .. } => TASK_LIST.to_owned(),
        Tool::Ask { questions } => format!("asked the user: {}", one_line(&questions.join(" / "), 200)),
        Tool::Plan { .. } => "proposed a plan".to_owned(),
        Tool::Agent { description, .. } => format!("{STARTED}{}", one_line(description, 120)),
        Tool::Skill { name, .. } => format!("invoked skill {name}"),
        Tool::Kill { id } => format!("stopped background task {id}"),
        Tool::Schedule { .. } => "scheduled a prompt".to_owned(),
        Tool::Script { .. } => "ran a script".to_owned(),
        Tool::Other { name, input } => format!("used {name}{}", arguments(input)),
    }
}

/// The arguments of an unknown tool, shortened; URLs first, long ones last: " (url: https://…; depth: 2)".
fn arguments(input: &str) -> String {
    // Skips the continuation lines of multi-line values.
    let is_argument = |line: &&str| {
        let name = line.split_once(": ").map_or("", |(name, _)| name);
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    let mut lines: Vec<&str> = input.lines().filter(is_argument).collect();
    lines.sort_by_key(|line| (!line.contains("://"), line.len() > MAX_ARGUMENT));
    let shown: Vec<String> =
        lines.iter().take(MAX_ARGUMENTS).map(|line| one_line(line, MAX_ARGUMENT)).collect();
    if shown.is_empty() {
        String::new()
    } else {
        format!(" ({})", one_line(&shown.join("; "), MAX_ARGUMENTS_TEXT))
    }
}
