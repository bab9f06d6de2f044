//! The CLI's shorthand: `id={S=b1},tags={L=[{S=x}]}`.

use serde_json::{Map, Value};

/// Deepest nesting.
const DEPTH_MAX: usize = 40;

/// Reads a value in shorthand.
///
/// # Errors
/// What is missing, and where.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser { text, at: 0 };
    let value = if text.contains('=') { parser.pairs(0)? } else { parser.list(0, None)? };
    if parser.at < text.len() {
        return Err(parser.expected("the end"));
    }
    Ok(value)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn expected(&self, what: &str) -> String {
        format!("expected {what} at character {} of the shorthand", self.at + 1)
    }

    /// `a=1,b=2`, up to what none of it can be.
    fn pairs(&mut self, depth: usize) -> Result<Value, String> {
        let mut map = Map::new();
        loop {
            let end = self.rest().find(['=', ',', '}', ']']).unwrap_or(self.rest().len());
            let name = self.rest()[..end].trim().trim_matches('"').to_owned();
            self.at += end;
            if name.is_empty() || !self.eat('=') {
                return Err(self.expected("a name and ="));
            }
            let value = self.value(depth)?;
            map.insert(name, value);
            if !self.eat(',') {
                return Ok(Value::Object(map));
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH_MAX {
            return Err(format!("more than {DEPTH_MAX} levels"));
        }
        if self.eat('{') {
            let value =
                if self.rest().starts_with('}') { Value::Object(Map::new()) } else { self.pairs(depth + 1)? };
            return if self.eat('}') { Ok(value) } else { Err(self.expected("}")) };
        }
        if self.eat('[') {
            let value = self.list(depth + 1, Some(']'))?;
            return if self.eat(']') { Ok(value) } else { Err(self.expected("]")) };
        }
        self.scalar()
    }

    fn list(&mut self, depth: usize, end: Option<char>) -> Result<Value, String> {
        let mut items = Vec::new();
        if end.is_some_and(|end| self.rest().starts_with(end)) {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            if !self.eat(',') {
                return Ok(Value::Array(items));
            }
        }
    }

    fn scalar(&mut self) -> Result<Value, String> {
        for quote in ['"', '\''] {
            if self.eat(quote) {
                let Some(end) = self.rest().find(quote) else {
                    return Err(self.expected("the end of the quote"));
                };
                let text = self.rest()[..end].to_owned();
                self.at += end + 1;
                return Ok(Value::String(text));
            }
        }
        let end = self.rest().find([',', '}', ']']).unwrap_or(self.rest().len());
        let text = self.rest()[..end].to_owned();
        self.at += end;
        Ok(match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(text),
        })
    }
}
