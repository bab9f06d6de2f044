//! Texts that YAML cuts in two: inside `{ }` and `[ ]`, one without quotes ends at the next comma or bracket, so that `int(0,7)` is
//! `int(0` and `7)`.

/// Characters that are looked at behind the place of a text.
const MOST: usize = 400;

/// Where a text was cut, and what it was meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut<'s> {
    /// What ended it: a comma, or an opening bracket.
    pub(super) by: char,
    /// As far as the closing parenthesis, and what follows it.
    pub(super) whole: &'s str,
    /// Whether a name stands right before the parenthesis: `int(`.
    is_call: bool,
    /// Whether what was cut off looks like an entry of its own: `b: c)`.
    is_entry: bool,
}

impl Cut<'_> {
    /// Whether it was meant as one text: of a list, whose elements may be anything, only a call is told.
    pub(super) fn is_plain(&self, in_list: bool) -> bool {
        self.is_call || !(in_list || self.is_entry)
    }
}

/// Where the parenthesis is that a text opens and does not close.
fn open(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            '(' => open.push(at),
            ')' => _ = open.pop(),
            _ => {}
        }
    }
    open.first().copied()
}

/// Whether a text opens a parenthesis that it does not close.
pub(super) fn is_open(text: &str) -> bool {
    open(text).is_some()
}

/// What a text without quotes would be, had nothing in its parentheses ended it. `source` is the file from where the text begins.
pub(super) fn cut<'s>(source: &'s str, text: &str) -> Option<Cut<'s>> {
    let before = text[..open(text)?].chars().next_back();
    let (mut depth, mut brackets) = (0_usize, 0_usize);
    let mut ended: Option<(usize, char)> = None;
    for (at, character) in source.char_indices().take(MOST) {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1)?;
                if let Some((from, by)) = ended.filter(|_| depth == 0) {
                    let rest = source[at + 1..].find([',', '}', ']', '\n']).unwrap_or(source.len() - at - 1);
                    return Some(Cut {
                        by,
                        whole: source[..=at + rest].trim_end(),
                        is_call: before.is_some_and(|last| last.is_alphanumeric() || last == '_'),
                        is_entry: source[from..at].contains(": "),
                    });
                }
            }
            ',' | '[' | '{' if depth > 0 => {
                if ended.is_none() {
                    // In a block a comma ends nothing: the text has it.
                    source[..at].split_whitespace().eq(text.split_whitespace()).then_some(())?;
                    ended = Some((at, character));
                }
                brackets += usize::from(character != ',');
            }
            ']' | '}' => brackets = brackets.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The text in quotes, on one line.
pub(super) fn quoted(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") }
}
