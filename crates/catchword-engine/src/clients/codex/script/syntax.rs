//! The JavaScript that models write for code mode → a tree.
//!
//! Statements and expressions of everyday scripts; classes, generators, labels, `switch` and the like are not
//! understood, and a script with one of them has no tree. Nothing is guessed: where the grammar is not followed, there is
//! no tree either. Nesting is limited, and every byte is read a bounded number of times.

use std::rc::Rc;

/// Nested expressions, statements and functions that are followed.
const MAX_DEPTH: usize = 64;
/// Members, indexes and calls behind one value that are followed: `a.b(c)[0].d`.
const MAX_LINKS: usize = 16;

#[derive(Debug)]
pub enum ScriptStatement {
    /// `const a = 1, {b} = c`.
    Declare(Vec<(Pattern, Option<Expression>)>),
    Function(String, Rc<Function>),
    Evaluate(Expression),
    If(Expression, Vec<ScriptStatement>, Vec<ScriptStatement>),
    ForOf(Pattern, Expression, Vec<ScriptStatement>),
    /// Runs any number of times: `while`, `do` and other `for` loops, with their conditions.
    Repeat(Vec<Expression>, Vec<ScriptStatement>),
    /// The block, and what runs if something in it fails.
    Try(Vec<ScriptStatement>, Option<(Option<Pattern>, Vec<ScriptStatement>)>, Vec<ScriptStatement>),
    Block(Vec<ScriptStatement>),
    Return(Option<Expression>),
    Throw(Expression),
    /// `break`, `continue`.
    Jump,
}

#[derive(Debug)]
pub enum Pattern {
    Name(String),
    Array(Vec<Option<Pattern>>),
    /// Keys and what they are bound to.
    Object(Vec<(String, Pattern)>),
    /// The rest of a list or an object, or a name with a default: its value is not followed.
    Unclear(Vec<String>),
}

#[derive(Debug)]
pub struct Function {
    pub parameters: Vec<Pattern>,
    pub body: Body,
    pub is_async: bool,
}

#[derive(Debug)]
pub enum Body {
    Value(Expression),
    Block(Vec<ScriptStatement>),
}

#[derive(Debug)]
pub enum Expression {
    String(Rc<str>),
    Number(f64),
    Bool(bool),
    Nothing,
    /// A name, and its place in the script.
    Name(String, usize),
    /// Texts and values in turn; begins and ends with a text.
    Template(Vec<Rc<str>>, Vec<Expression>),
    Array(Vec<Element>),
    Object(Vec<Member>),
    Property(Box<Expression>, String),
    Index(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Vec<Element>),
    Function(Rc<Function>),
    Await(Box<Expression>),
    Not(Box<Expression>),
    /// Operators of one strength, from left to right.
    Chain(Box<Expression>, Vec<(&'static str, Expression)>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Assign(Pattern, Option<&'static str>, Box<Expression>),
    /// Something is computed from these, and what is not followed.
    Computed(Vec<Expression>),
}

#[derive(Debug)]
pub enum Element {
    One(Expression),
    Spread(Expression),
}

#[derive(Debug)]
pub enum Member {
    Named(String, Expression),
    Computed(Expression, Expression),
    Spread(Expression),
}

/// The tree of a script.
pub fn parsed(script: &str) -> Option<Vec<ScriptStatement>> {
    let mut parser = Parser { text: script, at: 0, line_start: 0, depth: 0 };
    let mut statements = Vec::new();
    while parser.next_char().is_some() {
        statements.push(parser.statement()?);
    }
    Some(statements)
}

/// Binary operators, weakest first. Longer ones come before those they begin with.
const OPERATORS: [&[&str]; 7] = [
    &["??", "||"],
    &["&&"],
    &["|", "^", "&"],
    &["===", "!==", "==", "!="],
    &["<=", ">=", "<<", ">>", "<", ">", "instanceof", "in"],
    &["+", "-"],
    &["**", "*", "/", "%"],
];

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The latest place before which a line ended.
    line_start: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Steps over space and comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let long = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or(rest.len(), |end| end + 4)
            } else {
                rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
            };
            if long == 0 {
                return;
            }
            self.at += long;
            if rest[..long].contains('\n') || self.line_start + long == self.at {
                self.line_start = self.at;
            }
        }
    }

    /// Whether a line ended before what is next.
    fn is_line_start(&mut self) -> bool {
        self.space();
        self.line_start == self.at
    }

    fn next_char(&mut self) -> Option<char> {
        self.space();
        self.peek()
    }

    /// Steps over a sign, if it is next.
    fn is(&mut self, sign: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn must(&mut self, sign: &str) -> Option<()> {
        self.is(sign).then_some(())
    }

    /// The word that is next.
    fn peek_word(&mut self) -> &'a str {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        if rest.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &rest[..end] }
    }

    fn is_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn name(&mut self) -> Option<String> {
        let word = self.peek_word();
        self.at += word.len();
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// Reads something nested.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    // ---- statements

    fn statement(&mut self) -> Option<ScriptStatement> {
        self.within(Self::bare_statement)
    }

    fn bare_statement(&mut self) -> Option<ScriptStatement> {
        if self.is(";") {
            return Some(ScriptStatement::Block(Vec::new()));
        }
        if self.next_char() == Some('{') {
            return self.block().map(ScriptStatement::Block);
        }
        let start = self.at;
        match self.peek_word() {
            "const" | "let" | "var" => {
                let declared = self.declaration()?;
                self.end()?;
                return Some(ScriptStatement::Declare(declared));
            }
            "function" => return self.function_statement(false),
            "async" => {
                self.name();
                if self.peek_word() == "function" {
                    return self.function_statement(true);
                }
                self.at = start;
            }
            "if" => return self.if_statement(),
            "for" => return self.for_statement(),
            "while" => {
                self.name();
                let condition = self.in_parentheses()?;
                return Some(ScriptStatement::Repeat(vec![condition], self.branch()?));
            }
            "do" => {
                self.name();
                let body = self.branch()?;
                self.is_word("while").then_some(())?;
                let condition = self.in_parentheses()?;
                self.end()?;
                return Some(ScriptStatement::Repeat(vec![condition], body));
            }
            "try" => return self.try_statement(),
            "return" => {
                self.name();
                let ends = self.is_line_start() || matches!(self.peek(), None | Some(';' | '}'));
                let value = if ends { None } else { Some(self.sequence()?) };
                self.end()?;
                return Some(ScriptStatement::Return(value));
            }
            "throw" => {
                self.name();
                let value = self.sequence()?;
                self.end()?;
                return Some(ScriptStatement::Throw(value));
            }
            "break" | "continue" => {
                self.name();
                self.end()?;
                return Some(ScriptStatement::Jump);
            }
            "class" | "switch" | "import" | "export" | "with" | "debugger" | "yield" => return None,
            _ => {}
        }
        let value = self.sequence()?;
        self.end()?;
        Some(ScriptStatement::Evaluate(value))
    }

    /// The end of a statement: a semicolon, a line end, or the end of what it is in.
    fn end(&mut self) -> Option<()> {
        match self.next_char() {
            Some(';') => self.take().map(|_| ()),
            None | Some('}') => Some(()),
            _ => self.is_line_start().then_some(()),
        }
    }

    fn block(&mut self) -> Option<Vec<ScriptStatement>> {
        self.must("{")?;
        let mut statements = Vec::new();
        while !self.is("}") {
            self.peek()?;
            statements.push(self.statement()?);
        }
        Some(statements)
    }

    /// A block, or one statement.
    fn branch(&mut self) -> Option<Vec<ScriptStatement>> {
        if self.next_char()? == '{' {
            return self.within(Self::block);
        }
        Some(vec![self.statement()?])
    }

    fn in_parentheses(&mut self) -> Option<Expression> {
        self.must("(")?;
        let value = self.sequence()?;
        self.must(")")?;
        Some(value)
    }

    fn declaration(&mut self) -> Option<Vec<(Pattern, Option<Expression>)>> {
        self.name();
        let first = self.within(Self::bare_pattern)?;
        self.declarators(first)
    }

    fn declarators(&mut self, first: Pattern) -> Option<Vec<(Pattern, Option<Expression>)>> {
        let (mut all, mut pattern) = (Vec::new(), first);
        loop {
            let value = if self.is("=") { Some(self.assignment()?) } else { None };
            all.push((pattern, value));
            if !self.is(",") {
                return Some(all);
            }
            pattern = self.within(Self::bare_pattern)?;
        }
    }

    fn function_statement(&mut self, is_async: bool) -> Option<ScriptStatement> {
        self.name();
        let name = self.name()?;
        let parameters = self.parameters()?;
        let body = Body::Block(self.within(Self::block)?);
        Some(ScriptStatement::Function(name, Rc::new(Function { parameters, body, is_async })))
    }

    fn if_statement(&mut self) -> Option<ScriptStatement> {
        self.name();
        let condition = self.in_parentheses()?;
        let then = self.branch()?;
        let otherwise = if self.is_word("else") { self.branch()? } else { Vec::new() };
        Some(ScriptStatement::If(condition, then, otherwise))
    }

    fn for_statement(&mut self) -> Option<ScriptStatement> {
        self.name();
        self.is_word("await");
        self.must("(")?;
        let mut before = Vec::new();
        if matches!(self.peek_word(), "const" | "let" | "var") {
            self.name();
            let pattern = self.within(Self::bare_pattern)?;
            if self.is_word("of") {
                let list = self.sequence()?;
                self.must(")")?;
                return Some(ScriptStatement::ForOf(pattern, list, self.branch()?));
            }
            if self.is_word("in") {
                let list = self.sequence()?;
                self.must(")")?;
                let names = ScriptStatement::Declare(vec![(Pattern::Unclear(names_in(&pattern)), None)]);
                return Some(ScriptStatement::Repeat(
                    vec![list],
                    vec![names, ScriptStatement::Block(self.branch()?)],
                ));
            }
            before = self.declarators(pattern)?;
        } else if self.next_char()? != ';' {
            before.push((Pattern::Unclear(Vec::new()), Some(self.sequence()?)));
        }
        self.must(";")?;
        let mut evaluated = Vec::new();
        if self.next_char()? != ';' {
            evaluated.push(self.sequence()?);
        }
        self.must(";")?;
        if self.next_char()? != ')' {
            evaluated.push(self.sequence()?);
        }
        self.must(")")?;
        let body = self.branch()?;
        Some(ScriptStatement::Block(vec![
            ScriptStatement::Declare(before),
            ScriptStatement::Repeat(evaluated, body),
        ]))
    }

    fn try_statement(&mut self) -> Option<ScriptStatement> {
        self.name();
        let block = self.within(Self::block)?;
        let mut caught = None;
        if self.is_word("catch") {
            let mut error = None;
            if self.is("(") {
                error = Some(self.within(Self::bare_pattern)?);
                self.must(")")?;
            }
            caught = Some((error, self.within(Self::block)?));
        }
        let last = if self.is_word("finally") { self.within(Self::block)? } else { Vec::new() };
        Some(ScriptStatement::Try(block, caught, last))
    }

    /// Whether a value is assigned next.
    fn is_assigned(&self) -> bool {
        let rest = self.rest();
        rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
    }

    fn bare_pattern(&mut self) -> Option<Pattern> {
        match self.next_char()? {
            '[' => {
                self.take();
                let mut items = Vec::new();
                while !self.is("]") {
                    if self.is(",") {
                        items.push(None);
                        continue;
                    }
                    items.push(Some(self.inner_pattern()?));
                    if !self.is(",") && self.peek()? != ']' {
                        return None;
                    }
                }
                Some(Pattern::Array(items))
            }
            '{' => {
                self.take();
                let mut members = Vec::new();
                while !self.is("}") {
                    if self.is("...") {
                        members.push((String::new(), Pattern::Unclear(vec![self.name()?])));
                    } else {
                        let key = self.key()?;
                        let pattern = if self.is(":") {
                            self.inner_pattern()?
                        } else {
                            self.with_default(Pattern::Name(key.clone()))?
                        };
                        members.push((key, pattern));
                    }
                    if !self.is(",") && self.peek()? != '}' {
                        return None;
                    }
                }
                Some(Pattern::Object(members))
            }
            _ => self.name().map(Pattern::Name),
        }
    }

    /// A pattern inside another or among parameters, which may have a default.
    fn inner_pattern(&mut self) -> Option<Pattern> {
        if self.is("...") {
            return Some(Pattern::Unclear(vec![self.name()?]));
        }
        let pattern = self.within(Self::bare_pattern)?;
        self.with_default(pattern)
    }

    fn with_default(&mut self, pattern: Pattern) -> Option<Pattern> {
        self.space();
        if !self.is_assigned() {
            return Some(pattern);
        }
        self.take();
        self.assignment()?;
        Some(Pattern::Unclear(names_in(&pattern)))
    }

    fn parameters(&mut self) -> Option<Vec<Pattern>> {
        self.must("(")?;
        let mut all = Vec::new();
        while !self.is(")") {
            all.push(self.inner_pattern()?);
            if !self.is(",") && self.peek()? != ')' {
                return None;
            }
        }
        Some(all)
    }

    // ---- expressions

    fn sequence(&mut self) -> Option<Expression> {
        let first = self.assignment()?;
        if self.next_char() != Some(',') {
            return Some(first);
        }
        let mut all = vec![first];
        while self.is(",") {
            all.push(self.assignment()?);
        }
        Some(Expression::Computed(all))
    }

    fn assignment(&mut self) -> Option<Expression> {
        self.within(|parser| {
            if parser.is_arrow_function() {
                return parser.arrow_function().map(|function| Expression::Function(Rc::new(function)));
            }
            let value = parser.choice()?;
            parser.space();
            for sign in ["+=", "-=", "*=", "/=", "%=", "??=", "||=", "&&="] {
                if parser.rest().starts_with(sign) {
                    parser.at += sign.len();
                    let added = parser.assignment()?;
                    return Some(assigned(value, Some(sign), added));
                }
            }
            if !parser.is_assigned() {
                return Some(value);
            }
            parser.take();
            let new = parser.assignment()?;
            Some(assigned(value, None, new))
        })
    }

    /// Whether an arrow function is next.
    fn is_arrow_function(&mut self) -> bool {
        self.space();
        let start = self.at;
        if self.peek_word() == "async" {
            self.name();
        }
        let is_one = match self.next_char() {
            // Most parentheses are no parameters: the sign behind them tells.
            Some('(') => self.arrow_behind_parentheses(),
            _ => self.name().is_some() && self.is("=>"),
        };
        self.at = start;
        is_one
    }

    fn arrow_function(&mut self) -> Option<Function> {
        let is_async = self.is_word("async");
        let parameters =
            if self.next_char()? == '(' { self.parameters()? } else { vec![Pattern::Name(self.name()?)] };
        self.must("=>")?;
        let body = if self.next_char()? == '{' {
            Body::Block(self.within(Self::block)?)
        } else {
            Body::Value(self.assignment()?)
        };
        Some(Function { parameters, body, is_async })
    }

    /// Whether `=>` follows the parentheses that are next. Parameters are short: looking no further keeps the cost linear.
    fn arrow_behind_parentheses(&self) -> bool {
        const LONGEST: usize = 200;
        let (mut depth, mut chars) = (0_u32, self.rest().char_indices().take(LONGEST));
        let close = chars.find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at + 1)
        });
        close.is_some_and(|close| self.rest()[close..].trim_start().starts_with("=>"))
    }

    fn choice(&mut self) -> Option<Expression> {
        let condition = self.binary(0)?;
        self.space();
        if !self.rest().starts_with('?') || self.rest().starts_with("??") {
            return Some(condition);
        }
        self.take();
        let then = self.assignment()?;
        self.must(":")?;
        let otherwise = self.assignment()?;
        Some(Expression::Choice(Box::new(condition), Box::new(then), Box::new(otherwise)))
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        if level == OPERATORS.len() {
            return self.unary();
        }
        let first = self.binary(level + 1)?;
        let mut more = Vec::new();
        while let Some(sign) = self.operator(level) {
            more.push((sign, self.binary(level + 1)?));
        }
        Some(if more.is_empty() { first } else { Expression::Chain(Box::new(first), more) })
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.space();
        let rest = self.rest();
        let sign = OPERATORS[level].iter().find(|sign| rest.starts_with(**sign))?;
        let behind = &rest[sign.len()..];
        let is_word = sign.starts_with(char::is_alphabetic);
        let is_other = if is_word {
            behind.starts_with(is_of_name)
        } else {
            // `+=`, `||=`, `=>`, and operators of another level that begin alike.
            let compares = matches!(*sign, "===" | "!==" | "==" | "!=" | "<=" | ">=");
            (behind.starts_with('=') && !compares)
                || (sign.len() == 1 && "|&*?".contains(*sign) && behind.starts_with(*sign))
                || (matches!(*sign, "+" | "-") && behind.starts_with(*sign))
        };
        if is_other {
            return None;
        }
        self.at += sign.len();
        Some(sign)
    }

    fn unary(&mut self) -> Option<Expression> {
        self.within(|parser| {
            parser.space();
            match parser.peek_word() {
                "await" => {
                    parser.name();
                    return Some(Expression::Await(Box::new(parser.unary()?)));
                }
                "typeof" | "void" | "delete" => {
                    parser.name();
                    return Some(Expression::Computed(vec![parser.unary()?]));
                }
                _ => {}
            }
            if parser.rest().starts_with("++") || parser.rest().starts_with("--") {
                parser.at += 2;
                let changed = parser.unary()?;
                return Some(assigned(changed, Some("+="), Expression::Computed(Vec::new())));
            }
            match parser.peek()? {
                '!' => {
                    parser.take();
                    Some(Expression::Not(Box::new(parser.unary()?)))
                }
                '-' | '+' | '~' => {
                    parser.take();
                    Some(Expression::Computed(vec![parser.unary()?]))
                }
                _ => parser.postfix(),
            }
        })
    }

    fn postfix(&mut self) -> Option<Expression> {
        let mut value = self.primary()?;
        for _ in 0..MAX_LINKS {
            let is_line_start = self.is_line_start();
            let rest = self.rest();
            if rest.starts_with("?.") && !rest[2..].starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 2;
                value = match self.next_char()? {
                    '(' => Expression::Call(Box::new(value), self.arguments()?),
                    '[' => self.index(value)?,
                    _ => Expression::Property(Box::new(value), self.name()?),
                };
            } else if rest.starts_with('.') {
                self.at += 1;
                value = Expression::Property(Box::new(value), self.name()?);
            } else if rest.starts_with('[') {
                value = self.index(value)?;
            } else if rest.starts_with('(') {
                value = Expression::Call(Box::new(value), self.arguments()?);
            } else if rest.starts_with('`') {
                value = self.tagged(&value)?;
            } else if (rest.starts_with("++") || rest.starts_with("--")) && !is_line_start {
                self.at += 2;
                value = assigned(value, Some("+="), Expression::Computed(Vec::new()));
            } else {
                return Some(value);
            }
        }
        None
    }

    fn index(&mut self, value: Expression) -> Option<Expression> {
        self.must("[")?;
        let key = self.within(Self::sequence)?;
        self.must("]")?;
        Some(match key {
            Expression::String(key) => Expression::Property(Box::new(value), key.to_string()),
            key => Expression::Index(Box::new(value), Box::new(key)),
        })
    }

    fn arguments(&mut self) -> Option<Vec<Element>> {
        self.must("(")?;
        self.elements(")")
    }

    fn elements(&mut self, close: &str) -> Option<Vec<Element>> {
        let mut all = Vec::new();
        while !self.is(close) {
            let is_spread = self.is("...");
            let value = self.assignment()?;
            all.push(if is_spread { Element::Spread(value) } else { Element::One(value) });
            if !self.is(",") && !self.rest().starts_with(close) {
                return None;
            }
        }
        Some(all)
    }

    fn primary(&mut self) -> Option<Expression> {
        let at = self.at;
        match self.next_char()? {
            '"' | '\'' => self.string().map(|text| Expression::String(text.into())),
            '`' => self.template(false),
            '(' => self.within(Self::in_parentheses),
            '[' => {
                self.take();
                self.elements("]").map(Expression::Array)
            }
            '{' => self.object().map(Expression::Object),
            '/' => self.pattern_literal(),
            c if c.is_ascii_digit() || c == '.' => Some(self.number()),
            _ => {
                let name = self.name()?;
                Some(match name.as_str() {
                    "true" => Expression::Bool(true),
                    "false" => Expression::Bool(false),
                    "null" | "undefined" => Expression::Nothing,
                    "new" => self.new_object()?,
                    "function" => {
                        self.peek_word();
                        if self.peek()? != '(' {
                            self.name()?;
                        }
                        self.function(false)?
                    }
                    "async" if self.is_word("function") => {
                        if self.next_char()? != '(' {
                            self.name()?;
                        }
                        self.function(true)?
                    }
                    "class" | "yield" | "super" | "import" | "if" | "else" | "for" | "while" | "return"
                    | "const" | "let" | "var" | "switch" | "case" | "try" | "catch" => return None,
                    _ => Expression::Name(name, at),
                })
            }
        }
    }

    fn function(&mut self, is_async: bool) -> Option<Expression> {
        let parameters = self.parameters()?;
        let body = Body::Block(self.within(Self::block)?);
        Some(Expression::Function(Rc::new(Function { parameters, body, is_async })))
    }

    /// `new Error("x")`: what the arguments do happens.
    fn new_object(&mut self) -> Option<Expression> {
        self.name()?;
        while self.is(".") {
            self.name()?;
        }
        let arguments = if self.next_char() == Some('(') { self.arguments()? } else { Vec::new() };
        let values = arguments.into_iter().map(|argument| match argument {
            Element::One(value) | Element::Spread(value) => value,
        });
        Some(Expression::Computed(values.collect()))
    }

    fn object(&mut self) -> Option<Vec<Member>> {
        self.take();
        let mut members = Vec::new();
        while !self.is("}") {
            members.push(self.within(Self::member)?);
            if !self.is(",") && self.peek()? != '}' {
                return None;
            }
        }
        Some(members)
    }

    fn member(&mut self) -> Option<Member> {
        if self.is("...") {
            return Some(Member::Spread(self.assignment()?));
        }
        if self.is("[") {
            let key = self.assignment()?;
            self.must("]")?;
            self.must(":")?;
            return Some(Member::Computed(key, self.assignment()?));
        }
        self.space();
        let at = self.at;
        let is_async = self.peek_word() == "async";
        let key = self.key()?;
        match self.next_char()? {
            ':' => {
                self.take();
                Some(Member::Named(key, self.assignment()?))
            }
            '(' => self.function(false).map(|function| Member::Named(key, function)),
            ',' | '}' => Some(Member::Named(key.clone(), Expression::Name(key, at))),
            _ if is_async => {
                let key = self.key()?;
                self.function(true).map(|function| Member::Named(key, function))
            }
            _ => None,
        }
    }

    /// The name of a member.
    fn key(&mut self) -> Option<String> {
        match self.next_char()? {
            '"' | '\'' => self.string(),
            c if c.is_ascii_digit() => match self.number() {
                Expression::Number(number) => Some(number.to_string()),
                _ => None,
            },
            _ => self.name(),
        }
    }

    fn number(&mut self) -> Expression {
        let rest = self.rest();
        let is_more = |at: usize, c: char| {
            let before = rest[..at].chars().next_back();
            c.is_ascii_alphanumeric()
                || matches!(c, '.' | '_')
                || (matches!(c, '+' | '-') && matches!(before, Some('e' | 'E')) && !rest.starts_with("0x"))
        };
        let end = rest.char_indices().find(|(at, c)| !is_more(*at, *c)).map_or(rest.len(), |(at, _)| at);
        self.at += end;
        let digits = rest[..end].replace('_', "");
        // Other notations are numbers, too, but not ones that commands are made of.
        digits.parse().map_or(Expression::Computed(Vec::new()), Expression::Number)
    }

    /// A regular expression, which matters only by its end.
    fn pattern_literal(&mut self) -> Option<Expression> {
        self.take();
        let mut in_class = false;
        loop {
            match self.take()? {
                '\\' => _ = self.take()?,
                '[' => in_class = true,
                ']' => in_class = false,
                '\n' => return None,
                '/' if !in_class => break,
                _ => {}
            }
        }
        self.peek_flags();
        Some(Expression::Computed(Vec::new()))
    }

    fn peek_flags(&mut self) {
        let rest = self.rest();
        self.at += rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
    }

    fn string(&mut self) -> Option<String> {
        let mark = self.take()?;
        let mut text = String::new();
        loop {
            match self.take()? {
                c if c == mark => return Some(text),
                '\n' => return None,
                '\\' => self.escaped(&mut text)?,
                c => text.push(c),
            }
        }
    }

    /// A template; `raw` without its escapes, as `String.raw` has it.
    fn template(&mut self, raw: bool) -> Option<Expression> {
        self.take();
        let (mut texts, mut values) = (Vec::new(), Vec::new());
        let mut text = String::new();
        loop {
            match self.take()? {
                '`' => {
                    texts.push(text.into());
                    return Some(Expression::Template(texts, values));
                }
                '$' if self.peek() == Some('{') => {
                    self.take();
                    values.push(self.within(Self::sequence)?);
                    self.must("}")?;
                    texts.push(std::mem::take(&mut text).into());
                }
                '\\' if raw => {
                    text.push('\\');
                    text.push(self.take()?);
                }
                '\\' => self.escaped(&mut text)?,
                '\r' if self.peek() == Some('\n') => {}
                c => text.push(c),
            }
        }
    }

    fn tagged(&mut self, tag: &Expression) -> Option<Expression> {
        let is_raw = matches!(tag, Expression::Property(of, name)
            if name == "raw" && matches!(&**of, Expression::Name(name, _) if name == "String"));
        let template = self.template(true)?;
        Some(if is_raw { template } else { Expression::Computed(vec![template]) })
    }

    fn escaped(&mut self, text: &mut String) -> Option<()> {
        match self.take()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => text.push('\0'),
            c if c.is_ascii_digit() => return None,
            '\n' => {}
            '\r' => _ = self.rest().starts_with('\n').then(|| self.take()),
            'x' => text.push(char::from_u32(self.hexadecimal(2)?)?),
            'u' => text.push(self.unicode()?),
            other => text.push(other),
        }
        Some(())
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let found = self.rest().get(..digits).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += digits;
        u32::from_str_radix(found, 16).ok()
    }

    /// `\u00e9`, `\u{1f600}`, or two halves of one character.
    fn unicode(&mut self) -> Option<char> {
        if self.peek() == Some('{') {
            let end = self.rest().get(..9)?.find('}')?;
            let code = u32::from_str_radix(&self.rest()[1..end], 16).ok()?;
            self.at += end + 1;
            return char::from_u32(code);
        }
        let first = self.hexadecimal(4)?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        self.rest().starts_with("\\u").then(|| self.at += 2)?;
        let second = self.hexadecimal(4)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + second)
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// A new value for a name; for anything else, what is evaluated.
fn assigned(target: Expression, sign: Option<&'static str>, value: Expression) -> Expression {
    match target {
        Expression::Name(name, _) => Expression::Assign(Pattern::Name(name), sign, Box::new(value)),
        // A member is set: what it belongs to is not what it was.
        Expression::Property(of, _) | Expression::Index(of, _) => {
            let names = root_of(&of).into_iter().collect();
            Expression::Assign(
                Pattern::Unclear(names),
                None,
                Box::new(Expression::Computed(vec![*of, value])),
            )
        }
        // `[a, b] = c` was read as a list.
        target @ (Expression::Array(_) | Expression::Object(_)) => {
            let names = names_of(&target);
            Expression::Assign(
                Pattern::Unclear(names),
                None,
                Box::new(Expression::Computed(vec![target, value])),
            )
        }
        target => Expression::Computed(vec![target, value]),
    }
}

/// The names in a list or an object that is assigned to.
fn names_of(target: &Expression) -> Vec<String> {
    match target {
        Expression::Name(name, _) => vec![name.clone()],
        Expression::Assign(pattern, ..) => names_in(pattern),
        Expression::Array(items) => {
            let values = items.iter().map(|item| match item {
                Element::One(value) | Element::Spread(value) => value,
            });
            values.flat_map(names_of).collect()
        }
        Expression::Object(members) => {
            let values = members.iter().map(|member| match member {
                Member::Named(_, value) | Member::Computed(_, value) | Member::Spread(value) => value,
            });
            values.flat_map(names_of).collect()
        }
        _ => Vec::new(),
    }
}

/// The name at the beginning of `a.b[0].c`.
pub fn root_of(value: &Expression) -> Option<String> {
    let mut value = value;
    loop {
        match value {
            Expression::Name(name, _) => return Some(name.clone()),
            Expression::Property(of, _) | Expression::Index(of, _) => value = of,
            _ => return None,
        }
    }
}

pub fn names_in(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Name(name) => vec![name.clone()],
        Pattern::Array(items) => items.iter().flatten().flat_map(names_in).collect(),
        Pattern::Object(members) => members.iter().flat_map(|(_, pattern)| names_in(pattern)).collect(),
        Pattern::Unclear(names) => names.clone(),
    }
}
