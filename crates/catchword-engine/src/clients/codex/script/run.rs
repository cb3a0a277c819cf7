//! Follows a script as far as its text tells what it does: which tools it calls, and what it prints of which call.
//!
//! A value is known if it is a literal or made of literals; of what a call returns only the origin is known. Branches
//! and loops whose condition is not known are followed for what they might do: a call in one of them leaves the script
//! unread, and what is printed in one leaves open which output is whose. Where the script asks whether a command has
//! ended well (`if (r.session_id) …`), it is assumed to have: where it has not, there is another number of outputs.
//! Steps and depth are limited.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::syntax::{Body, Element, Expression, Function, Member, Pattern, ScriptStatement, names_in};

/// Expressions and calls inside each other that are followed.
const MAX_DEPTH: usize = 200;
/// Lists and objects inside each other that are followed.
const MAX_LEVEL: u8 = 16;
/// Steps for each byte of a script, and for a short one: loops over lists of literals need several, and the cost stays
/// linear.
const STEPS_PER_BYTE: usize = 4;
const SHORT: usize = 500;
/// Tools that start nothing: they look at a command or a script that runs, or type into it.
const WATCHING: [&str; 2] = ["write_stdin", "wait"];

/// A call of a tool that the script certainly makes.
#[derive(Debug, PartialEq)]
pub struct ScriptCall {
    pub tool: String,
    /// Members that are not known are missing. `None` if nothing of it is known.
    pub input: Option<Value>,
    /// Some member or part of the input is not known.
    pub is_partial: bool,
}

/// One text that the script prints, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Printed {
    /// All that the call returned.
    Whole(usize),
    /// What the command printed, and nothing of another call.
    Output(usize),
    /// A line that ends with the exit code.
    Code(usize),
    Other,
}

/// What a script does.
#[derive(Debug, Default)]
pub struct ScriptRun {
    pub calls: Vec<ScriptCall>,
    /// `None` if that depends on something that is not known.
    pub printed: Option<Vec<Printed>>,
    /// It may have done something else, too.
    pub is_unread: bool,
}

pub fn run(statements: &[ScriptStatement], bytes: usize) -> ScriptRun {
    let mut runner = Runner {
        run: ScriptRun { printed: Some(Vec::new()), ..ScriptRun::default() },
        steps: STEPS_PER_BYTE * bytes.max(SHORT),
        depth: 0,
        maybe: 0,
        assumed: 0,
        apart: 0,
        muted: 0,
        has_ended: false,
        may_leave: false,
        certain: BTreeSet::new(),
        scopes: Vec::new(),
    };
    let scope = runner.scope(None);
    runner.block(statements, &scope);
    // A mention of the tools that was not certainly evaluated is a call that may have been made.
    let mut mentions = Mentions { found: BTreeSet::new() };
    mentions.statements(statements);
    runner.run.is_unread |= !mentions.found.is_subset(&runner.certain);
    // A function and the scope it is declared in hold each other.
    for scope in &runner.scopes {
        scope.names.borrow_mut().clear();
    }
    runner.run
}

#[derive(Clone, Debug)]
enum Known {
    Unclear,
    Nothing,
    Bool(bool),
    Number(f64),
    Text(Rc<str>),
    /// With its level: how many lists and objects are inside each other.
    List(Rc<Vec<Known>>, u8),
    Object(Rc<Vec<(String, Known)>>, u8),
    Function(Rc<Closure>),
    Tools,
    Tool(Rc<str>),
    /// `JSON`, `Promise`, `text`: what the script did not define.
    Global(Rc<str>),
    /// A method of a value, or a member of a global.
    Method(Rc<Known>, Rc<str>),
    Promise(Rc<Known>),
    /// One of the results of `Promise.allSettled`.
    Settled(usize),
    Of(usize, Aspect),
}

/// What a value is of what a call returned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Aspect {
    Whole,
    Output,
    Code,
    /// The id of a command that goes on.
    Session,
    /// A line that ends with the code, or with the id.
    CodeLine,
    SessionLine,
    /// Made of the output, in a way that is not known.
    Derived,
    /// Whether there is a code other than 0, or an id; or the opposite.
    HasCode,
    HasSession,
    NoCode,
    NoSession,
    Rest,
}

#[derive(Debug)]
struct Closure {
    function: Rc<Function>,
    scope: Rc<NameScope>,
}

#[derive(Debug)]
struct NameScope {
    names: RefCell<HashMap<String, Known>>,
    parent: Option<Rc<NameScope>>,
}

impl NameScope {
    fn get(&self, name: &str) -> Option<Known> {
        let mut scope = self;
        loop {
            if let Some(value) = scope.names.borrow().get(name) {
                return Some(value.clone());
            }
            scope = scope.parent.as_deref()?;
        }
    }

    fn declare(&self, name: &str, value: Known) {
        self.names.borrow_mut().insert(name.to_owned(), value);
    }

    /// Changes the name where it was declared.
    fn set(&self, name: &str, value: Known) {
        let mut scope = self;
        while !scope.names.borrow().contains_key(name) {
            match scope.parent.as_deref() {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        scope.declare(name, value);
    }
}

/// How a statement ended.
#[derive(Debug)]
enum Flow {
    On,
    Returned(Known),
    /// The rest is not run any more.
    Stopped,
}

struct Runner {
    run: ScriptRun,
    steps: usize,
    depth: usize,
    /// Branches around the present statement that may not be taken.
    maybe: usize,
    /// Branches around it that are taken if all went well.
    assumed: usize,
    /// Branches around it that are not.
    muted: usize,
    /// Functions around it that run beside others: the order of what they print is not known.
    apart: usize,
    /// The script has ended itself.
    has_ended: bool,
    /// A branch may have ended the function or the script.
    may_leave: bool,
    /// Mentions of the tools that were certainly evaluated, by their place.
    certain: BTreeSet<usize>,
    scopes: Vec<Rc<NameScope>>,
}

impl Runner {
    /// Whether there are steps left for `long` bytes.
    fn step(&mut self, long: usize) -> bool {
        let left = self.steps.checked_sub(long + 1);
        self.steps = left.unwrap_or(0);
        if left.is_none() {
            self.give_up();
        }
        left.is_some()
    }

    fn give_up(&mut self) {
        self.run.is_unread = true;
        self.run.printed = None;
        self.has_ended = true;
    }

    fn scope(&mut self, parent: Option<&Rc<NameScope>>) -> Rc<NameScope> {
        let scope = Rc::new(NameScope { names: RefCell::default(), parent: parent.map(Rc::clone) });
        self.scopes.push(Rc::clone(&scope));
        scope
    }

    // ---- statements

    fn block(&mut self, statements: &[ScriptStatement], scope: &Rc<NameScope>) -> Flow {
        for statement in statements {
            if let ScriptStatement::Function(name, function) = statement {
                let closure = Closure { function: Rc::clone(function), scope: Rc::clone(scope) };
                scope.declare(name, Known::Function(Rc::new(closure)));
            }
        }
        for statement in statements {
            self.step(0);
            if self.has_ended {
                return Flow::Stopped;
            }
            match self.statement(statement, scope) {
                Flow::On => {}
                flow => return flow,
            }
        }
        Flow::On
    }

    fn inner_block(&mut self, statements: &[ScriptStatement], scope: &Rc<NameScope>) -> Flow {
        let inner = self.scope(Some(scope));
        self.block(statements, &inner)
    }

    fn statement(&mut self, statement: &ScriptStatement, scope: &Rc<NameScope>) -> Flow {
        match statement {
            ScriptStatement::Declare(all) => {
                for (pattern, value) in all {
                    let value = value.as_ref().map_or(Known::Nothing, |value| self.value(value, scope));
                    self.bind(pattern, &value, scope);
                }
                Flow::On
            }
            ScriptStatement::Function(..) => Flow::On,
            ScriptStatement::Evaluate(value) => {
                self.value(value, scope);
                if self.has_ended { Flow::Stopped } else { Flow::On }
            }
            ScriptStatement::If(condition, then, otherwise) => self.branch(condition, then, otherwise, scope),
            ScriptStatement::ForOf(pattern, list, body) => self.for_of(pattern, list, body, scope),
            ScriptStatement::Repeat(conditions, body) => {
                let before = self.maybe;
                self.maybe += 1;
                for condition in conditions {
                    self.value(condition, scope);
                }
                self.maybe_block(body, scope);
                self.looped(before);
                Flow::On
            }
            ScriptStatement::Try(block, caught, last) => {
                match caught {
                    // Where a failure is caught, a call that was refused looks like one that was made.
                    Some((error, statements)) => {
                        self.maybe_block(block, scope);
                        let inner = self.scope(Some(scope));
                        if let Some(error) = error {
                            self.bind(error, &Known::Unclear, &inner);
                        }
                        self.maybe_block(statements, &inner);
                    }
                    None => match self.inner_block(block, scope) {
                        Flow::On => {}
                        flow => return flow,
                    },
                }
                self.inner_block(last, scope)
            }
            ScriptStatement::Block(statements) => self.inner_block(statements, scope),
            ScriptStatement::Return(value) => {
                let value = value.as_ref().map_or(Known::Nothing, |value| self.value(value, scope));
                if self.maybe + self.assumed == 0 {
                    return Flow::Returned(value);
                }
                self.escaped(&value);
                self.leaves();
                Flow::On
            }
            // The whole script fails then, and says so.
            ScriptStatement::Throw(value) => {
                self.value(value, scope);
                Flow::Stopped
            }
            ScriptStatement::Jump if self.maybe + self.assumed == 0 => Flow::Stopped,
            ScriptStatement::Jump => {
                self.maybe += 1;
                Flow::On
            }
        }
    }

    /// The function or the script may end here: what follows is as uncertain as what is in a branch.
    fn leaves(&mut self) {
        self.maybe += 1;
        self.may_leave = true;
    }

    /// Behind a loop `break` and `continue` do not matter any more.
    fn looped(&mut self, before: usize) {
        self.maybe = before + usize::from(self.may_leave);
    }

    /// A block that may run or not.
    fn maybe_block(&mut self, statements: &[ScriptStatement], scope: &Rc<NameScope>) {
        self.maybe += 1;
        let before = self.maybe;
        self.inner_block(statements, scope);
        // What it may have ended stays so.
        self.maybe = before - 1 + usize::from(self.maybe > before);
    }

    fn branch(
        &mut self,
        condition: &Expression,
        then: &[ScriptStatement],
        otherwise: &[ScriptStatement],
        scope: &Rc<NameScope>,
    ) -> Flow {
        let (taken, other) = match self.value(condition, scope) {
            Known::Bool(true) => return self.inner_block(then, scope),
            Known::Bool(false) => return self.inner_block(otherwise, scope),
            Known::Of(_, Aspect::Session | Aspect::HasSession | Aspect::Code | Aspect::HasCode) => {
                (otherwise, then)
            }
            Known::Of(_, Aspect::NoSession | Aspect::NoCode) => (then, otherwise),
            value => {
                self.escaped(&value);
                self.maybe_block(then, scope);
                self.maybe_block(otherwise, scope);
                return Flow::On;
            }
        };
        self.muted += 1;
        self.maybe_block(other, scope);
        self.muted -= 1;
        self.assumed += 1;
        let flow = self.inner_block(taken, scope);
        self.assumed -= 1;
        // A failure that is thrown if all went well would be odd, but it is no longer certain what follows.
        if matches!(flow, Flow::On) {
            Flow::On
        } else {
            self.leaves();
            Flow::On
        }
    }

    fn for_of(
        &mut self,
        pattern: &Pattern,
        list: &Expression,
        body: &[ScriptStatement],
        scope: &Rc<NameScope>,
    ) -> Flow {
        let before = self.maybe;
        match self.value(list, scope) {
            Known::List(items, _) => {
                for item in items.iter() {
                    let inner = self.scope(Some(scope));
                    self.bind(pattern, item, &inner);
                    match self.block(body, &inner) {
                        Flow::On => {}
                        Flow::Stopped if !self.has_ended => self.maybe += 1,
                        flow => return flow,
                    }
                }
            }
            value => {
                self.escaped(&value);
                let inner = self.scope(Some(scope));
                for name in &names_in(pattern) {
                    inner.declare(name, Known::Unclear);
                }
                self.maybe_block(body, &inner);
            }
        }
        self.looped(before);
        Flow::On
    }

    fn bind(&mut self, pattern: &Pattern, value: &Known, scope: &Rc<NameScope>) {
        match pattern {
            Pattern::Name(name) => scope.declare(name, value.clone()),
            Pattern::Array(items) => {
                let list = if let Known::List(list, _) = value { Some(list) } else { None };
                for (n, item) in items.iter().enumerate() {
                    let Some(item) = item else { continue };
                    let value =
                        list.map_or(Known::Unclear, |list| list.get(n).cloned().unwrap_or(Known::Nothing));
                    self.bind(item, &value, scope);
                }
            }
            Pattern::Object(members) => {
                for (key, pattern) in members {
                    let value = if key.is_empty() { Known::Unclear } else { self.property(value, key) };
                    self.bind(pattern, &value, scope);
                }
            }
            Pattern::Unclear(names) => {
                self.escaped(value);
                for name in names {
                    scope.declare(name, Known::Unclear);
                }
            }
        }
    }

    // ---- values

    fn value(&mut self, value: &Expression, scope: &Rc<NameScope>) -> Known {
        if !self.step(0) || self.depth >= MAX_DEPTH {
            self.give_up();
            return Known::Unclear;
        }
        self.depth += 1;
        let value = self.shallow_value(value, scope);
        self.depth -= 1;
        value
    }

    fn shallow_value(&mut self, value: &Expression, scope: &Rc<NameScope>) -> Known {
        match value {
            Expression::String(text) => Known::Text(Rc::clone(text)),
            Expression::Number(number) => Known::Number(*number),
            Expression::Bool(is) => Known::Bool(*is),
            Expression::Nothing => Known::Nothing,
            Expression::Name(name, at) => self.named(name, *at, scope),
            Expression::Template(texts, values) => {
                let mut pieces = vec![Known::Text(Rc::clone(&texts[0]))];
                for (value, text) in values.iter().zip(&texts[1..]) {
                    pieces.push(self.value(value, scope));
                    pieces.push(Known::Text(Rc::clone(text)));
                }
                self.joined(&pieces)
            }
            Expression::Array(items) => match self.list(items, scope) {
                Some(list) => self.listed(list),
                None => Known::Unclear,
            },
            Expression::Object(members) => self.object(members, scope),
            Expression::Property(of, name) => {
                let of = self.value(of, scope);
                self.property(&of, name)
            }
            Expression::Index(of, key) => {
                let of = self.value(of, scope);
                match (&of, self.value(key, scope)) {
                    (Known::List(list, _), Known::Number(n)) if n >= 0.0 && n.fract() == 0.0 => {
                        list.get(n as usize).cloned().unwrap_or(Known::Nothing)
                    }
                    (_, Known::Text(key)) => self.property(&of, &key),
                    _ => self.escaped(&of),
                }
            }
            Expression::Call(callee, arguments) => {
                let callee = self.value(callee, scope);
                self.called(&callee, arguments, scope, false)
            }
            Expression::Function(function) => {
                Known::Function(Rc::new(Closure { function: Rc::clone(function), scope: Rc::clone(scope) }))
            }
            Expression::Await(value) => {
                let value = match &**value {
                    Expression::Call(callee, arguments) => {
                        let callee = self.value(callee, scope);
                        self.called(&callee, arguments, scope, true)
                    }
                    value => self.value(value, scope),
                };
                if let Known::Promise(value) = value { (*value).clone() } else { value }
            }
            Expression::Not(value) => match self.value(value, scope) {
                Known::Bool(is) => Known::Bool(!is),
                Known::Of(call, aspect) => {
                    opposite(aspect).map_or(Known::Unclear, |aspect| Known::Of(call, aspect))
                }
                value => self.escaped(&value),
            },
            Expression::Chain(first, more) => self.chain(first, more, scope),
            Expression::Choice(condition, then, otherwise) => match self.value(condition, scope) {
                Known::Bool(is) => self.value(if is { then } else { otherwise }, scope),
                // `r.session_id ? "goes on" : r.output`: what is printed does not tell which it was.
                Known::Of(_, Aspect::Session | Aspect::HasSession | Aspect::NoSession) => {
                    self.either(&[then, otherwise], scope);
                    Known::Unclear
                }
                _ => self.either(&[then, otherwise], scope),
            },
            Expression::Assign(pattern, sign, value) => self.assign(pattern, *sign, value, scope),
            Expression::Computed(values) => {
                for value in values {
                    let value = self.value(value, scope);
                    self.escaped(&value);
                }
                Known::Unclear
            }
        }
    }

    fn named(&mut self, name: &str, at: usize, scope: &Rc<NameScope>) -> Known {
        match scope.get(name) {
            Some(value) => value,
            None if name == "tools" => {
                if self.maybe + self.assumed == 0 {
                    self.certain.insert(at);
                }
                Known::Tools
            }
            None => Known::Global(name.into()),
        }
    }

    fn assign(
        &mut self,
        pattern: &Pattern,
        sign: Option<&str>,
        value: &Expression,
        scope: &Rc<NameScope>,
    ) -> Known {
        let new = self.value(value, scope);
        let Pattern::Name(name) = pattern else {
            self.escaped(&new);
            for name in &names_in(pattern) {
                scope.set(name, Known::Unclear);
            }
            return Known::Unclear;
        };
        let old = scope.get(name);
        let new = match (sign, old) {
            (None, _) => new,
            (Some("+="), Some(old)) => self.added(vec![old, new]),
            _ => self.escaped(&new),
        };
        // In a branch it may have either value afterwards.
        let new = if self.maybe + self.assumed > 0 { self.escaped(&new) } else { new };
        scope.set(name, new.clone());
        new
    }

    /// One of two values, and it is not known which.
    fn either(&mut self, values: &[&Expression], scope: &Rc<NameScope>) -> Known {
        self.maybe += 1;
        let found: Vec<Known> = values.iter().map(|value| self.value(value, scope)).collect();
        self.maybe -= 1;
        for value in &found {
            self.escaped(value);
        }
        let mut calls = found.iter().filter_map(|value| match value {
            Known::Of(call, Aspect::Output | Aspect::Derived) => Some(Some(*call)),
            Known::Text(_) | Known::Nothing => None,
            _ => Some(None),
        });
        match (calls.next(), calls.next()) {
            (Some(Some(call)), None) => Known::Of(call, Aspect::Derived),
            (Some(Some(a)), Some(Some(b))) if a == b => Known::Of(a, Aspect::Derived),
            _ => Known::Unclear,
        }
    }

    fn chain(&mut self, first: &Expression, more: &[(&str, Expression)], scope: &Rc<NameScope>) -> Known {
        let left = self.value(first, scope);
        if more.iter().all(|(sign, _)| *sign == "+") {
            let mut pieces = vec![left];
            pieces.extend(more.iter().map(|(_, value)| self.value(value, scope)));
            return self.added(pieces);
        }
        let is_logical = matches!(more[0].0, "&&" | "||" | "??");
        let before = self.maybe;
        self.maybe += usize::from(is_logical);
        let right: Vec<Known> = more.iter().map(|(_, value)| self.value(value, scope)).collect();
        self.maybe = before;
        match (more[0].0, &left, &right[..]) {
            // `r.output || "nothing"`.
            ("||" | "??", Known::Of(call, Aspect::Output | Aspect::Derived), [Known::Text(_)]) => {
                Known::Of(*call, Aspect::Derived)
            }
            ("===" | "==", Known::Of(call, Aspect::Code), [Known::Number(0.0)]) => {
                Known::Of(*call, Aspect::NoCode)
            }
            ("!==" | "!=", Known::Of(call, Aspect::Code), [Known::Number(0.0)]) => {
                Known::Of(*call, Aspect::HasCode)
            }
            ("===" | "==", Known::Of(call, Aspect::Session), [Known::Nothing]) => {
                Known::Of(*call, Aspect::NoSession)
            }
            ("!==" | "!=", Known::Of(call, Aspect::Session), [Known::Nothing]) => {
                Known::Of(*call, Aspect::HasSession)
            }
            _ => {
                for value in &right {
                    self.escaped(value);
                }
                self.escaped(&left)
            }
        }
    }

    fn added(&mut self, pieces: Vec<Known>) -> Known {
        // Numbers are added up until the first text.
        let numbers = pieces.iter().take_while(|piece| matches!(piece, Known::Number(_))).count();
        let sum = pieces[..numbers]
            .iter()
            .map(|piece| if let Known::Number(number) = piece { *number } else { 0.0 })
            .sum();
        if numbers == pieces.len() {
            return Known::Number(sum);
        }
        if !matches!(pieces[numbers], Known::Text(_))
            && (numbers > 0 || !matches!(pieces.get(1), Some(Known::Text(_))))
        {
            // What is not known may be a number, too.
            for piece in &pieces {
                self.escaped(piece);
            }
            return Known::Unclear;
        }
        let first = (numbers > 0).then_some(Known::Number(sum));
        let pieces: Vec<Known> = first.into_iter().chain(pieces.into_iter().skip(numbers)).collect();
        self.joined(&pieces)
    }

    fn listed(&mut self, list: Vec<Known>) -> Known {
        let level = 1 + list.iter().map(level).max().unwrap_or(0);
        if level > MAX_LEVEL {
            self.give_up();
            return Known::Unclear;
        }
        Known::List(Rc::new(list), level)
    }

    /// The pieces as one text.
    fn joined(&mut self, pieces: &[Known]) -> Known {
        let mut text = String::new();
        let mut of: Option<(usize, Aspect)> = None;
        let mut is_line = true;
        for piece in pieces {
            match piece {
                Known::Of(call, aspect) => {
                    if of.is_some_and(|(other, _)| other != *call) {
                        return Known::Unclear;
                    }
                    is_line &= of.is_none() && !text.ends_with(|c: char| c.is_ascii_digit() || c == '-');
                    let has_output =
                        |aspect: Aspect| matches!(aspect, Aspect::Output | Aspect::Derived | Aspect::Whole);
                    let is_output = has_output(*aspect) || of.is_some_and(|(_, aspect)| has_output(aspect));
                    of = Some((*call, if is_output { Aspect::Derived } else { *aspect }));
                }
                piece => {
                    let Some(more) = as_text(piece) else {
                        self.escaped(piece);
                        return Known::Unclear;
                    };
                    is_line &= of.is_none() || more.is_empty();
                    text.push_str(&more);
                }
            }
            if !self.step(text.len() / 8) {
                return Known::Unclear;
            }
        }
        match of {
            None => Known::Text(text.into()),
            Some((call, Aspect::Derived)) => Known::Of(call, Aspect::Derived),
            Some((call, Aspect::Code)) if is_line && !text.contains('\n') => {
                Known::Of(call, Aspect::CodeLine)
            }
            Some((call, Aspect::Session)) if is_line && !text.contains('\n') => {
                Known::Of(call, Aspect::SessionLine)
            }
            Some(_) => Known::Unclear,
        }
    }

    /// The items, if it is known how many there are.
    fn list(&mut self, items: &[Element], scope: &Rc<NameScope>) -> Option<Vec<Known>> {
        let mut all = Some(Vec::new());
        for item in items {
            match item {
                Element::One(value) => {
                    let value = self.value(value, scope);
                    match &mut all {
                        Some(all) => all.push(value),
                        None => _ = self.escaped(&value),
                    }
                }
                Element::Spread(value) => match (self.value(value, scope), &mut all) {
                    (Known::List(more, _), Some(all)) if self.step(more.len()) => {
                        all.extend(more.iter().cloned());
                    }
                    (value, _) => {
                        self.escaped(&value);
                        all.take().into_iter().flatten().for_each(|value| _ = self.escaped(&value));
                    }
                },
            }
        }
        all
    }

    fn object(&mut self, members: &[Member], scope: &Rc<NameScope>) -> Known {
        let mut all: Vec<(String, Known)> = Vec::new();
        for member in members {
            match member {
                Member::Named(key, value) => {
                    let value = self.value(value, scope);
                    all.push((key.clone(), value));
                }
                Member::Computed(key, value) => {
                    let (key, value) = (self.value(key, scope), self.value(value, scope));
                    match as_text(&key) {
                        Some(key) => all.push((key, value)),
                        None => return self.escaped(&value),
                    }
                }
                Member::Spread(value) => match self.value(value, scope) {
                    Known::Object(more, _) if self.step(more.len()) => all.extend(more.iter().cloned()),
                    Known::Nothing => {}
                    value => {
                        // Any member before it may have another value now.
                        for (_, known) in &mut all {
                            *known = Known::Unclear;
                        }
                        all.push((String::new(), self.escaped(&value)));
                    }
                },
            }
        }
        let level = 1 + all.iter().map(|(_, value)| level(value)).max().unwrap_or(0);
        if level > MAX_LEVEL {
            self.give_up();
            return Known::Unclear;
        }
        Known::Object(Rc::new(all), level)
    }

    fn property(&mut self, of: &Known, name: &str) -> Known {
        match of {
            Known::Tools => Known::Tool(name.into()),
            Known::Object(members, _) => {
                self.step(members.len() / 8);
                let found = members.iter().rev().find(|(key, _)| key == name || key.is_empty());
                match found {
                    Some((key, _)) if key.is_empty() => Known::Unclear,
                    Some((_, value)) => value.clone(),
                    None => Known::Nothing,
                }
            }
            Known::Of(call, Aspect::Whole) => match name {
                "output" | "stdout" => Known::Of(*call, Aspect::Output),
                "exit_code" => Known::Of(*call, Aspect::Code),
                "session_id" => Known::Of(*call, Aspect::Session),
                _ => Known::Of(*call, Aspect::Rest),
            },
            Known::Settled(call) if name == "value" => Known::Of(*call, Aspect::Whole),
            Known::List(list, _) if name == "length" => Known::Number(list.len() as f64),
            Known::List(..) | Known::Text(_) | Known::Global(_) | Known::Promise(_) | Known::Of(..) => {
                Known::Method(Rc::new(of.clone()), name.into())
            }
            Known::Unclear | Known::Nothing => Known::Unclear,
            of => self.escaped(of),
        }
    }

    // ---- calls

    fn called(
        &mut self,
        callee: &Known,
        arguments: &[Element],
        scope: &Rc<NameScope>,
        is_awaited: bool,
    ) -> Known {
        let arguments = self.list(arguments, scope);
        let given = arguments.as_deref().unwrap_or_default();
        match callee {
            Known::Tool(tool) => self.tool_called(tool, arguments.as_deref()),
            Known::Function(closure) => {
                let is_apart = closure.function.is_async && !is_awaited;
                let value = self.enter(closure, given, is_apart);
                if closure.function.is_async { promised(value) } else { value }
            }
            Known::Global(name) => self.global_called(name, given),
            Known::Method(of, name) => match self.method_called(of, name, given) {
                Some(value) => value,
                None => self.foreign(&[&[(**of).clone()], given].concat()),
            },
            callee => {
                self.escaped(callee);
                self.foreign(given)
            }
        }
    }

    /// A function of ours runs.
    fn enter(&mut self, closure: &Closure, given: &[Known], is_apart: bool) -> Known {
        self.step(0);
        let scope = self.scope(Some(&closure.scope));
        for (n, parameter) in closure.function.parameters.iter().enumerate() {
            self.bind(parameter, given.get(n).unwrap_or(&Known::Nothing), &scope);
        }
        let before = (self.maybe, self.assumed, self.may_leave);
        (self.assumed, self.may_leave) = (0, false);
        self.maybe += before.1;
        self.apart += usize::from(is_apart);
        let value = match &closure.function.body {
            Body::Value(value) => self.value(value, &scope),
            Body::Block(statements) => match self.block(statements, &scope) {
                Flow::Returned(value) => value,
                Flow::On | Flow::Stopped => Known::Nothing,
            },
        };
        // What follows the call runs even if the function returned early.
        let is_clear = !self.may_leave;
        (self.maybe, self.assumed, self.may_leave) = before;
        self.apart -= usize::from(is_apart);
        if is_clear { value } else { self.escaped(&value) }
    }

    /// Something that is not ours is called: a function that it gets may run any number of times.
    fn foreign(&mut self, given: &[Known]) -> Known {
        for value in given {
            self.escaped(value);
        }
        Known::Unclear
    }

    /// A value goes where it is not followed. A function may run there, and tools may be called.
    fn escaped(&mut self, value: &Known) -> Known {
        if !self.step(0) || self.depth >= MAX_DEPTH {
            self.give_up();
            return Known::Unclear;
        }
        self.depth += 1;
        match value {
            Known::Tools | Known::Tool(_) => self.run.is_unread = true,
            Known::Function(closure) => {
                self.maybe += 1;
                let unclear = vec![Known::Unclear; closure.function.parameters.len()];
                self.enter(closure, &unclear, true);
                self.maybe -= 1;
            }
            Known::List(list, _) => list.iter().for_each(|value| _ = self.escaped(value)),
            Known::Object(members, _) => members.iter().for_each(|(_, value)| _ = self.escaped(value)),
            Known::Promise(value) => _ = self.escaped(value),
            _ => {}
        }
        self.depth -= 1;
        Known::Unclear
    }

    fn tool_called(&mut self, tool: &str, arguments: Option<&[Known]>) -> Known {
        let input =
            arguments.map_or(Known::Unclear, |given| given.first().cloned().unwrap_or(Known::Nothing));
        if WATCHING.contains(&tool) {
            return Known::Promise(Rc::new(Known::Unclear));
        }
        if self.maybe + self.assumed > 0 {
            self.run.is_unread = true;
            return Known::Promise(Rc::new(Known::Unclear));
        }
        let mut is_partial = false;
        let input = self.json(&input, &mut is_partial);
        self.run.calls.push(ScriptCall { tool: tool.to_owned(), input, is_partial });
        Known::Promise(Rc::new(Known::Of(self.run.calls.len() - 1, Aspect::Whole)))
    }

    fn global_called(&mut self, name: &str, given: &[Known]) -> Known {
        match name {
            "text" => self.prints(given.first().filter(|_| given.len() == 1)),
            "image" => self.prints(None),
            "exit" if self.maybe + self.assumed > 0 => self.leaves(),
            "exit" => self.has_ended = true,
            "String" if given.len() == 1 => return self.joined(given),
            // `setTimeout`, `load`, `notify`, `Boolean` …
            _ => return self.foreign(given),
        }
        Known::Nothing
    }

    fn prints(&mut self, value: Option<&Known>) {
        let printed = match value {
            Some(Known::Of(call, Aspect::Whole)) => Printed::Whole(*call),
            Some(Known::Of(call, Aspect::Output | Aspect::Derived)) => Printed::Output(*call),
            Some(Known::Of(call, Aspect::Code | Aspect::CodeLine)) => Printed::Code(*call),
            Some(Known::Object(members, _)) => described(members),
            _ => Printed::Other,
        };
        if self.muted > 0 {
            return;
        }
        if self.maybe > 0 || self.apart > 0 {
            self.run.printed = None;
        } else if let Some(all) = &mut self.run.printed {
            all.push(printed);
        }
    }

    /// `None` for a method that is not known.
    fn method_called(&mut self, of: &Known, name: &str, given: &[Known]) -> Option<Known> {
        Some(match (of, name) {
            (Known::Global(global), _) => return self.static_called(global, name, given),
            (Known::List(list, _), "map" | "forEach" | "flatMap") => {
                let Some(Known::Function(closure)) = given.first() else { return None };
                let mut values = Vec::new();
                for (n, item) in list.iter().enumerate() {
                    let given = [item.clone(), Known::Number(n as f64)];
                    let value = self.enter(closure, &given, closure.function.is_async && list.len() > 1);
                    values.push(if closure.function.is_async { promised(value) } else { value });
                }
                match name {
                    "map" => self.listed(values),
                    "forEach" => Known::Nothing,
                    _ => return None,
                }
            }
            (Known::List(list, _), "join") => {
                let between = given.first().map_or(Some(",".to_owned()), as_text)?;
                let mut pieces = Vec::new();
                for (n, item) in list.iter().enumerate() {
                    if n > 0 {
                        pieces.push(Known::Text(between.as_str().into()));
                    }
                    pieces.push(item.clone());
                }
                self.joined(&pieces)
            }
            (Known::List(list, _), "entries") => {
                let pairs = list.iter().enumerate();
                let pairs: Vec<Known> =
                    pairs.map(|(n, item)| self.listed(vec![Known::Number(n as f64), item.clone()])).collect();
                self.listed(pairs)
            }
            (Known::Text(text), "trim") if given.is_empty() => Known::Text(text.trim().into()),
            (Known::Text(_), "toString") => of.clone(),
            (
                Known::Of(call, Aspect::Output | Aspect::Derived),
                "trim" | "trimEnd" | "trimStart" | "slice" | "substring" | "toString",
            ) => Known::Of(*call, Aspect::Derived),
            (Known::Promise(value), "then") => {
                let Some(Known::Function(closure)) = given.first() else { return None };
                if given.len() > 1 {
                    return None;
                }
                let value = self.enter(closure, &[(**value).clone()], true);
                promised(value)
            }
            // A call that was refused looks like one that was made.
            (Known::Promise(_), "catch") => {
                self.run.is_unread = true;
                return None;
            }
            _ => return None,
        })
    }

    fn static_called(&mut self, global: &str, name: &str, given: &[Known]) -> Option<Known> {
        Some(match (global, name, given) {
            ("Promise", "all", [Known::List(list, _)]) => {
                let unwrap = |value: &Known| {
                    if let Known::Promise(value) = value { (**value).clone() } else { value.clone() }
                };
                Known::Promise(Rc::new(self.listed(list.iter().map(unwrap).collect())))
            }
            ("Promise", "allSettled", [Known::List(list, _)]) => {
                let settled = |value: &Known| match value {
                    Known::Promise(value) => match **value {
                        Known::Of(call, Aspect::Whole) => Known::Settled(call),
                        _ => Known::Unclear,
                    },
                    _ => Known::Unclear,
                };
                Known::Promise(Rc::new(self.listed(list.iter().map(settled).collect())))
            }
            ("JSON", "stringify", [value, ..]) => match value {
                Known::Of(_, Aspect::Whole) => value.clone(),
                Known::Object(members, _) => match described(members) {
                    Printed::Whole(call) => Known::Of(call, Aspect::Whole),
                    _ => return None,
                },
                _ => return None,
            },
            ("Object", "entries", [Known::Object(members, _)])
                if members.iter().all(|(key, _)| !key.is_empty()) =>
            {
                let pair =
                    |(key, value): &(String, Known)| vec![Known::Text(key.as_str().into()), value.clone()];
                let pairs = members.iter().map(|member| self.listed(pair(member))).collect();
                self.listed(pairs)
            }
            _ => return None,
        })
    }

    /// What is known of an input, as JSON.
    fn json(&mut self, value: &Known, is_partial: &mut bool) -> Option<Value> {
        if !self.step(0) {
            return None;
        }
        match value {
            Known::Nothing => Some(Value::Null),
            Known::Bool(is) => Some(Value::Bool(*is)),
            Known::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Some((*number as i64).into())
            }
            Known::Number(number) => serde_json::Number::from_f64(*number).map(Value::Number),
            Known::Text(text) => self.step(text.len() / 8).then(|| Value::String(text.to_string())),
            Known::List(list, _) => {
                let items: Option<Vec<Value>> = list.iter().map(|item| self.json(item, is_partial)).collect();
                *is_partial |= items.is_none();
                items.map(Value::Array)
            }
            Known::Object(members, _) => {
                let mut all = Map::new();
                for (key, value) in members.iter() {
                    match self.json(value, is_partial) {
                        Some(value) if !key.is_empty() => _ = all.insert(key.clone(), value),
                        _ => {
                            *is_partial = true;
                            all.remove(key);
                        }
                    }
                }
                Some(Value::Object(all))
            }
            value => {
                self.escaped(value);
                *is_partial = true;
                None
            }
        }
    }
}

fn level(value: &Known) -> u8 {
    match value {
        Known::List(_, level) | Known::Object(_, level) => *level,
        Known::Promise(value) | Known::Method(value, _) => level(value),
        _ => 0,
    }
}

/// A promise of a promise is the inner one.
fn promised(value: Known) -> Known {
    if matches!(value, Known::Promise(_)) { value } else { Known::Promise(Rc::new(value)) }
}

fn opposite(aspect: Aspect) -> Option<Aspect> {
    match aspect {
        Aspect::Code | Aspect::HasCode => Some(Aspect::NoCode),
        Aspect::NoCode => Some(Aspect::HasCode),
        Aspect::Session | Aspect::HasSession => Some(Aspect::NoSession),
        Aspect::NoSession => Some(Aspect::HasSession),
        _ => None,
    }
}

fn as_text(value: &Known) -> Option<String> {
    match value {
        Known::Text(text) => Some(text.to_string()),
        Known::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Some(format!("{}", *number as i64))
        }
        Known::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

/// `{exit_code: r.exit_code, output: r.output}` tells the same as `r`.
fn described(members: &[(String, Known)]) -> Printed {
    let of = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    match (of("output"), of("exit_code")) {
        (Some(Known::Of(call, Aspect::Output | Aspect::Derived)), Some(Known::Of(code, Aspect::Code)))
            if call == code =>
        {
            Printed::Whole(*call)
        }
        _ => Printed::Other,
    }
}

/// The places of all mentions of the tools, but for those that start nothing.
struct Mentions {
    found: BTreeSet<usize>,
}

impl Mentions {
    fn statements(&mut self, statements: &[ScriptStatement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &ScriptStatement) {
        match statement {
            ScriptStatement::Declare(all) => {
                for value in all.iter().filter_map(|(_, value)| value.as_ref()) {
                    self.value(value);
                }
            }
            ScriptStatement::Function(_, function) => self.function(function),
            ScriptStatement::Evaluate(value)
            | ScriptStatement::Throw(value)
            | ScriptStatement::Return(Some(value)) => self.value(value),
            ScriptStatement::If(condition, then, otherwise) => {
                self.value(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            ScriptStatement::ForOf(_, list, body) => {
                self.value(list);
                self.statements(body);
            }
            ScriptStatement::Repeat(conditions, body) => {
                for condition in conditions {
                    self.value(condition);
                }
                self.statements(body);
            }
            ScriptStatement::Try(block, caught, last) => {
                self.statements(block);
                if let Some((_, statements)) = caught {
                    self.statements(statements);
                }
                self.statements(last);
            }
            ScriptStatement::Block(statements) => self.statements(statements),
            ScriptStatement::Return(None) | ScriptStatement::Jump => {}
        }
    }

    fn function(&mut self, function: &Function) {
        match &function.body {
            Body::Value(value) => self.value(value),
            Body::Block(statements) => self.statements(statements),
        }
    }

    fn elements(&mut self, elements: &[Element]) {
        for Element::One(value) | Element::Spread(value) in elements {
            self.value(value);
        }
    }

    fn value(&mut self, value: &Expression) {
        match value {
            Expression::Name(name, at) if name == "tools" => _ = self.found.insert(*at),
            Expression::Property(of, name)
                if WATCHING.contains(&name.as_str()) && matches!(**of, Expression::Name(..)) => {}
            Expression::Property(of, _) | Expression::Await(of) | Expression::Not(of) => self.value(of),
            Expression::Template(_, values) | Expression::Computed(values) => {
                for value in values {
                    self.value(value);
                }
            }
            Expression::Array(items) => self.elements(items),
            Expression::Object(members) => {
                for Member::Named(_, value) | Member::Computed(_, value) | Member::Spread(value) in members {
                    self.value(value);
                }
            }
            Expression::Index(a, b) => [a, b].into_iter().for_each(|value| self.value(value)),
            Expression::Chain(first, more) => {
                self.value(first);
                for (_, value) in more {
                    self.value(value);
                }
            }
            Expression::Call(callee, arguments) => {
                self.value(callee);
                self.elements(arguments);
            }
            Expression::Function(function) => self.function(function),
            Expression::Choice(a, b, c) => [a, b, c].into_iter().for_each(|value| self.value(value)),
            Expression::Assign(_, _, value) => self.value(value),
            Expression::String(_)
            | Expression::Number(_)
            | Expression::Bool(_)
            | Expression::Nothing
            | Expression::Name(..) => {}
        }
    }
}
