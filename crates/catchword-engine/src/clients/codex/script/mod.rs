//! Calls of tools in the JavaScript of a code-mode call.
//!
//! In code mode the model's one tool takes a script: `const r = await tools.exec_command({cmd: "ls"}); text(r.output)`.
//! Rollouts without `item_completed` have no other record of what was called. `syntax` parses the script, `run` evaluates
//! it. A call is reported if the script certainly makes it and its input consists of literals. If it may have made other
//! calls, the script counts as not understood, and nothing may be concluded from the calls that we saw.
//!
//! The output has one item for each text that the script prints. Its row does not contain the script. So a call is named
//! after the item that reports it ([`Calls::id`]), and a row of output answers all names that its items can have
//! ([`answers`]).

mod run;
mod syntax;

use serde_json::Value;

use self::run::{Printed, ScriptCall, ScriptRun};

/// Longer scripts hold a file or a patch as text; they are read as well, up to here.
const MAX_SCRIPT_BYTES: usize = 2_000_000;

/// Tools that run a command: what they return has an exit code, or the id of a command that goes on.
pub const COMMANDS: [&str; 4] = ["exec_command", "shell_command", "shell", "local_shell"];

/// The calls of a script.
#[derive(Debug)]
pub struct Calls(ScriptRun);

/// Reads a script.
pub fn calls(script: &str) -> Calls {
    let tree = if script.len() <= MAX_SCRIPT_BYTES { syntax::parsed(script) } else { None };
    match tree {
        Some(statements) => Calls(run::run(&statements, script.len())),
        None => Calls(ScriptRun { is_unread: true, ..ScriptRun::default() }),
    }
}

/// The inputs of all calls of a tool that are literals as a whole.
pub fn arguments(script: &str, tool: &str) -> Vec<Value> {
    let calls = calls(script).0.calls;
    calls
        .into_iter()
        .filter(|call| call.tool == tool && !call.is_partial)
        .filter_map(|call| call.input)
        .collect()
}

/// The folder in which all commands of a script run, if they name one.
pub fn folder(script: &str) -> Option<String> {
    let calls = calls(script).0.calls;
    let mut folders = calls
        .iter()
        .filter(|call| COMMANDS.contains(&call.tool.as_str()))
        .map(|call| call.input.as_ref().and_then(|input| input["workdir"].as_str()));
    let first = folders.next()??;
    folders.all(|folder| folder == Some(first)).then(|| first.to_owned())
}

impl Calls {
    pub fn made(&self) -> &[ScriptCall] {
        &self.0.calls
    }

    /// It may have called something else, too.
    pub fn is_unread(&self) -> bool {
        self.0.is_unread
    }

    /// The name under which the script's output reports a call; an unused one if it does not.
    pub fn id(&self, script: &str, call: usize) -> String {
        let printed = self.0.printed.as_deref().unwrap_or_default();
        let is_of =
            |printed: &Printed| matches!(printed, Printed::Whole(of) | Printed::Output(of) if *of == call);
        let Some(at) = printed.iter().position(is_of) else { return format!("{script}/{call}-") };
        let how = match (printed[at], printed.get(at + 1)) {
            (Printed::Whole(_), _) if COMMANDS.contains(&self.0.calls[call].tool.as_str()) => How::Whole,
            (_, Some(Printed::Code(of))) if *of == call => How::Coded,
            _ => How::Plain,
        };
        name(script, at, printed.len(), how)
    }

    /// The name of the only item of an output, if no call has it.
    pub fn left_over(&self, script: &str) -> String {
        let printed = self.0.printed.as_deref().unwrap_or_default();
        let is_taken = matches!(printed, [Printed::Whole(_) | Printed::Output(_)]);
        if is_taken { format!("{script}/-") } else { name(script, 0, 1, How::Plain) }
    }
}

/// How an item reports a call.
#[derive(Clone, Copy)]
enum How {
    /// It is what the command printed.
    Plain,
    /// The same, and the next item ends with its exit code.
    Coded,
    /// It is all that the call returned.
    Whole,
}

fn name(script: &str, at: usize, of: usize, how: How) -> String {
    let how = match how {
        How::Plain => "",
        How::Coded => "+",
        How::Whole => "*",
    };
    format!("{script}/{}of{of}{how}", at + 1)
}

/// The meaning of an item of output.
#[derive(Debug, PartialEq)]
pub struct ScriptAnswer {
    /// The name of the call it would be of.
    pub call: String,
    pub text: String,
    /// Lines of the client's before what the command printed.
    pub heading_lines: usize,
    pub exit_code: Option<i32>,
    /// The command goes on.
    pub goes_on: bool,
}

/// The answers in the items of a script's output.
pub fn answers(script: &str, items: &[&str]) -> Vec<ScriptAnswer> {
    let mut all = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let plain = |how, of, number: Option<i64>| ScriptAnswer {
            call: name(script, at, of, how),
            text: (*item).to_owned(),
            heading_lines: 0,
            exit_code: number.and_then(exit_code),
            goes_on: number.is_some_and(|number| exit_code(number).is_none()),
        };
        if let Some(whole) = returned(item) {
            all.push(ScriptAnswer { call: name(script, at, items.len(), How::Whole), ..whole });
            continue;
        }
        all.push(plain(How::Plain, items.len(), None));
        let Some(number) = items.get(at + 1).and_then(|line| last_number(line)) else { continue };
        all.push(plain(How::Coded, items.len(), Some(number)));
        // `if (r.exit_code) text(…)`, `if (r.session_id) …`: the line is there only if the command failed or goes on.
        if at + 2 == items.len() && number != 0 {
            all.push(plain(How::Plain, at + 1, Some(number)));
        }
    }
    all
}

/// The number at the end of a short line.
fn last_number(line: &str) -> Option<i64> {
    const LONGEST: usize = 80;
    let line = line.trim_end();
    let digits = line.len() - line.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let is_short = line.len() <= LONGEST && !line.contains('\n');
    line[line.len() - digits..].parse().ok().filter(|_| is_short)
}

/// A larger number is the id of a command that goes on.
fn exit_code(number: i64) -> Option<i32> {
    u8::try_from(number).ok().map(i32::from)
}

/// What a call of a command returned, printed as a whole: an object, or a text with lines of the client's at its head.
fn returned(item: &str) -> Option<ScriptAnswer> {
    let bare = ScriptAnswer {
        call: String::new(),
        text: item.to_owned(),
        heading_lines: 0,
        exit_code: None,
        goes_on: false,
    };
    if item.starts_with('{') {
        let object: Value = serde_json::from_str(item).ok()?;
        let exit_code = object["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
        let goes_on = exit_code.is_none() && object["session_id"].is_number();
        let text = object["output"].as_str().filter(|_| exit_code.is_some() || goes_on)?.to_owned();
        return Some(ScriptAnswer { text, exit_code, goes_on, ..bare });
    }
    let (head, _) = item.split_once("Output:\n").filter(|(head, _)| head.starts_with("Exit code: "))?;
    let exit_code = head.lines().next()?.strip_prefix("Exit code: ")?.trim().parse().ok();
    Some(ScriptAnswer { heading_lines: head.lines().count() + 1, exit_code, ..bare })
}

#[cfg(test)]
mod tests;
