//! Words as a POSIX shell splits them, without expansion.

/// The words of a line, and the first operator outside quotes, before which they end.
///
/// # Errors
/// A quote without its partner.
pub(super) fn split(line: &str) -> Result<(Vec<String>, Option<String>), String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' | '"' => quoted(c, at, &mut chars, word.get_or_insert_default())?,
            '\\' => match chars.next() {
                // A line that goes on in the next one.
                Some((_, '\n')) | None => {}
                Some((_, c)) => word.get_or_insert_default().push(c),
            },
            '|' | ';' | '&' | '<' | '>' | '`' => {
                words.extend(word);
                return Ok((words, Some(c.to_string())));
            }
            '$' if matches!(chars.peek(), Some((_, '('))) => {
                words.extend(word);
                return Ok((words, Some("$(".to_owned())));
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok((words, None))
}

type Chars<'t> = std::iter::Peekable<std::str::CharIndices<'t>>;

fn quoted(quote: char, at: usize, chars: &mut Chars<'_>, word: &mut String) -> Result<(), String> {
    while let Some((_, c)) = chars.next() {
        match c {
            c if c == quote => return Ok(()),
            '\\' if quote == '"' => match chars.next() {
                Some((_, c @ ('"' | '\\' | '$' | '`'))) => word.push(c),
                Some((_, '\n')) => {}
                Some((_, c)) => word.extend(['\\', c]),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err(format!("the quote {quote} at character {} has no end", at + 1))
}
