//! Whether bytes are JSON at all, for answers that depend on nothing else in the body.
//!
//! A request is checked here only when it fails before its operation's decoder sees it: bad JSON is reported before a
//! bad target or a bad signature. The loop keeps no call stack, so depth costs one bit of memory a level.

/// Deeper nesting than this is not read. It is far beyond what any request can mean.
const DEPTH_MAX: usize = 10_000;

/// Whether `text` is one JSON value (RFC 8259) in UTF-8 with nothing but white space around it.
pub(crate) fn is_json(text: &[u8]) -> bool {
    str::from_utf8(text).is_ok() && Scanner { rest: text }.document().is_some()
}

struct Scanner<'a> {
    rest: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Object,
    Array,
}

impl Scanner<'_> {
    fn document(&mut self) -> Option<()> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.value_or_opening(&mut open)?;
            // After a complete value: close what ends here, then go on with the next member.
            loop {
                self.skip_space();
                let Some(&innermost) = open.last() else {
                    return self.rest.is_empty().then_some(());
                };
                match (self.next()?, innermost) {
                    (b',', Open::Array) => break,
                    (b',', Open::Object) => {
                        self.member_name()?;
                        break;
                    }
                    (b']', Open::Array) | (b'}', Open::Object) => {
                        open.pop();
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Reads a scalar or an empty container, or enters containers until one of these.
    fn value_or_opening(&mut self, open: &mut Vec<Open>) -> Option<()> {
        loop {
            self.skip_space();
            match self.peek()? {
                b'{' => {
                    self.next();
                    self.skip_space();
                    if self.take(b'}') {
                        return Some(());
                    }
                    self.member_name()?;
                    open.push(Open::Object);
                }
                b'[' => {
                    self.next();
                    self.skip_space();
                    if self.take(b']') {
                        return Some(());
                    }
                    open.push(Open::Array);
                }
                b'"' => return self.string(),
                b't' => return self.literal(b"true"),
                b'f' => return self.literal(b"false"),
                b'n' => return self.literal(b"null"),
                _ => return self.number(),
            }
            if open.len() > DEPTH_MAX {
                return None;
            }
        }
    }

    fn member_name(&mut self) -> Option<()> {
        self.skip_space();
        self.string()?;
        self.skip_space();
        self.take(b':').then_some(())
    }

    fn string(&mut self) -> Option<()> {
        if !self.take(b'"') {
            return None;
        }
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        match self.next()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let (digits, rest) = self.rest.split_at_checked(4)?;
                self.rest = rest;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    fn number(&mut self) -> Option<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Some(())
    }

    /// At least one digit.
    fn digits(&mut self) -> Option<()> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = &self.rest[count..];
        (count > 0).then_some(())
    }

    fn literal(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.next();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prefixes_and_slips_are_not_json() {
        let whole = br#"{"TableName": "t", "Item": {"p": {"S": "x"}, "l": [1, -0.5e+7, true, false, null, "\u00e9\n"]}}"#;
        assert!(is_json(whole));
        for end in 0..whole.len() {
            assert!(!is_json(&whole[..end]), "{end}");
        }
        let slips = [
            "}}}", "}{", "hi", "124463gwe", "><#", "????", r#"""""#, r#"{"""}"#, r#"{""}"#, "{7}", "{3: }}",
            r#"{"2":{}"#, ",", "{,}", "{{}}", r#""a": "b""#, "[1,]", r#"{"a":1,}"#, "01", "1.", "-", "1e", "\"\t\"",
            r#""\x""#, r#""\u12g4""#, "[}", "{]", "nul", "",
        ];
        for slip in slips {
            assert!(!is_json(slip.as_bytes()), "{slip}");
        }
        assert!(!is_json(b"\"\xff\""));
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
        assert!(is_json(&deep(5_000)));
        assert!(!is_json(&deep(1_000_000)));
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in r#"[\[\]{}",:\\u0-9eE.+\-tfn a]{0,12}|\{"a":[\[\]{}",:0-9]{0,6}\}"#) {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // Theirs also refuses numbers that a float cannot hold and halves of surrogate pairs.
            let beyond_grammar = theirs.as_ref().is_err_and(|error| {
                let error = error.to_string();
                error.contains("out of range") || error.contains("surrogate") || error.contains("hex escape")
            });
            if !beyond_grammar {
                prop_assert_eq!(is_json(text.as_bytes()), theirs.is_ok(), "{}", text);
            }
        }
    }
}
