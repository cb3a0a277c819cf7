//! Object literals in the JavaScript of a code-mode call.
//!
//! In code mode the model's one tool takes a script, and a plan is an argument in it:
//! `await tools.update_plan({plan: [{step: "…", status: "pending"}]})`. The rollout has no other record of it. Literals
//! are read; what a script computes is not known, and such a call is skipped.

use serde_json::{Map, Value};

/// Nested literals that are followed.
const MAX_DEPTH: usize = 8;

/// The literal arguments of all calls of `function` in a script.
pub fn arguments(script: &str, function: &str) -> Vec<Value> {
    let call = format!("{function}(");
    let starts = script.match_indices(&call).map(|(at, _)| at + call.len());
    starts.filter_map(|at| Literal { text: script, at }.value(0)).collect()
}

struct Literal<'a> {
    text: &'a str,
    at: usize,
}

impl Literal<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.take();
        }
    }

    /// Steps over `wanted`, if it is next.
    fn is(&mut self, wanted: char) -> bool {
        self.space();
        let found = self.peek() == Some(wanted);
        if found {
            self.take();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.space();
        match self.peek()? {
            _ if depth > MAX_DEPTH => None,
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' | '\'' | '`' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take();
        let mut members = Map::new();
        while !self.is('}') {
            self.space();
            let key = match self.peek()? {
                '"' | '\'' => self.string()?,
                _ => self.name(),
            };
            if key.is_empty() || !self.is(':') {
                return None;
            }
            members.insert(key, self.value(depth + 1)?);
            if !self.is(',') && self.peek() != Some('}') {
                return None;
            }
        }
        Some(Value::Object(members))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take();
        let mut items = Vec::new();
        while !self.is(']') {
            items.push(self.value(depth + 1)?);
            if !self.is(',') && self.peek() != Some(']') {
                return None;
            }
        }
        Some(Value::Array(items))
    }

    /// A string with its escapes; `None` for a template that computes something.
    fn string(&mut self) -> Option<String> {
        let mark = self.take()?;
        let mut text = String::new();
        loop {
            match self.take()? {
                c if c == mark => return Some(text),
                '$' if mark == '`' && self.peek() == Some('{') => return None,
                '\\' => match self.take()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'u' => {
                        let digits = self.text.get(self.at..self.at + 4)?;
                        text.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                        self.at += 4;
                    }
                    other => text.push(other),
                },
                c => text.push(c),
            }
        }
    }

    fn name(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '+'))?;
        self.at += end;
        serde_json::from_str(&rest[..end]).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn literals_are_read_however_they_are_written() {
        for script in [
            r#"const r = await tools.update_plan({"plan": [{"step": "a \"b\"", "status": "pending"}], "n": 2});"#,
            "await tools.update_plan({\n  plan: [{step: 'a \"b\"', status: `pending`,},],\n  n: 2,\n})",
        ] {
            let expected = json!({"plan": [{"step": "a \"b\"", "status": "pending"}], "n": 2});
            assert_eq!(arguments(script, "tools.update_plan"), [expected], "{script}");
        }
    }

    #[test]
    fn what_a_script_computes_is_unknown() {
        for script in [
            "tools.update_plan(plan)",
            "tools.update_plan({plan: steps.map(s => ({step: s}))})",
            "tools.update_plan({plan: [{step: `a ${n}`}]})",
            "tools.update_plan({plan: [",
            "tools.update_plan(",
            "tools.update_plan({plan: \"\\u12",
        ] {
            assert_eq!(arguments(script, "tools.update_plan"), [] as [Value; 0], "{script}");
        }
        assert_eq!(arguments(&format!("f({})", "[".repeat(1000)), "f"), [] as [Value; 0]);
    }
}
