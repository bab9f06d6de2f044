//! The texts of variables: where they start and end, and what they are made of.

use crate::read::iac::tree::Value;

/// Start and end of the first variable of a text: from `${` to after its `}`.
pub(super) fn next_variable(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("${") {
        let start = from + found;
        let end = closing(&text[start..]).map(|length| start + length)?;
        if is_variable(&text[start + 2..end - 1]) {
            return Some((start, end));
        }
        from = start + 2;
    }
    None
}

/// How far a text goes that starts with `${`, to after the brace that closes it.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 1 => return Some(at + 1),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Whether the content of `${..}` is a variable of the framework: a source, then `:` or `(`.
fn is_variable(content: &str) -> bool {
    let name = content.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(content.len());
    let rest = &content[name..];
    name > 0 && (rest.starts_with('(') || rest.starts_with(':') && !rest.starts_with("::"))
}

/// The alternatives between commas that stand outside quotes, braces and brackets.
pub(super) fn alternatives(content: &str) -> Vec<&str> {
    let (mut parts, mut start, mut level, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (at, c) in content.char_indices() {
        if let Some(open) = quote {
            quote = (c != open).then_some(open);
            continue;
        }
        match c {
            '\'' | '"' => quote = Some(c),
            '(' | '{' => level += 1,
            ')' | '}' => level = level.saturating_sub(1),
            ',' if level == 0 => {
                parts.push(content[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(content[start..].trim());
    parts
}

/// The value of an alternative that is no source: a text in quotes, a number, a truth value, nothing.
pub(super) fn literal(text: &str) -> Option<Value> {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return Some(Value::Text(inner.to_owned()));
        }
    }
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Some(Value::Number(text.to_owned())),
        _ if !is_variable(text) => Some(Value::Text(text.to_owned())),
        _ => None,
    }
}

/// Source, argument in brackets, and address: `file(path):a.b` is `file`, `path`, `a.b`.
pub(super) fn source(text: &str) -> (&str, Option<&str>, &str) {
    if let Some((name, rest)) = text.split_once('(')
        && !name.contains(':')
        && let Some((argument, rest)) = rest.rsplit_once(')')
    {
        return (name, Some(argument), rest.strip_prefix(':').unwrap_or_default());
    }
    let (name, address) = text.split_once(':').unwrap_or((text, ""));
    (name, None, address)
}
