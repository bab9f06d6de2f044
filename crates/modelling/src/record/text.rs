//! The canonical texts of a recording, taken to pieces.

/// A piece of a canonical text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Words and signs.
    Word(&'t str),
    /// The name of an attribute.
    Name(String),
    /// A value: its type, and the type prefix of a key value.
    Value { kind: &'t str, prefix: Option<&'t str> },
}

/// A comparison of a key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause<'t> {
    pub(super) attribute: String,
    /// `=`, `<`, `<=`, `>`, `>=`, `between`, `begins_with`.
    pub(super) operator: &'t str,
    /// Type and prefix of each value.
    pub(super) values: Vec<(&'t str, Option<&'t str>)>,
}

/// A name without its back-ticks.
pub(super) fn unquoted(text: &str) -> String {
    match pieces(text).into_iter().next() {
        Some(Piece::Name(name)) => name,
        _ => text.to_owned(),
    }
}

/// The pieces of a text.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, length) = piece(rest);
        pieces.push(piece);
        rest = &rest[length..];
    }
    pieces
}

/// The first piece of a text that is not empty, and its length.
fn piece(text: &str) -> (Piece<'_>, usize) {
    if text.starts_with('`') {
        return name(text);
    }
    let kind_end = text
        .strip_prefix('?')
        .map_or(0, |kind| 1 + kind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(kind.len()));
    if kind_end > 1 {
        return value(text, kind_end);
    }
    // A question mark that is no value, as below a top-level attribute, is a word.
    let end =
        text.char_indices().skip(1).find(|(_, c)| *c == '`' || *c == '?').map_or(text.len(), |(at, _)| at);
    (Piece::Word(&text[..end]), end)
}

fn name(text: &str) -> (Piece<'_>, usize) {
    let mut name = String::new();
    let mut rest = &text[1..];
    loop {
        let end = rest.find('`').unwrap_or(rest.len());
        name.push_str(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        match rest.strip_prefix('`') {
            Some(more) => {
                name.push('`');
                rest = more;
            }
            None => return (Piece::Name(name), text.len() - rest.len()),
        }
    }
}

fn value(text: &str, kind_end: usize) -> (Piece<'_>, usize) {
    let kind = &text[1..kind_end];
    let tail = &text[kind_end..];
    match tail.strip_prefix('<').and_then(|prefix| prefix.split_once('>')) {
        Some((prefix, _)) => (Piece::Value { kind, prefix: Some(prefix) }, kind_end + prefix.len() + 2),
        None => (Piece::Value { kind, prefix: None }, kind_end),
    }
}

/// The comparisons of a key.
pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Name(attribute) => clauses.push(Clause { attribute, operator: "", values: Vec::new() }),
            Piece::Word(word) => {
                if let Some(clause) = clauses.last_mut()
                    && clause.operator.is_empty()
                {
                    clause.operator = word.trim();
                }
            }
            Piece::Value { kind, prefix } => {
                if let Some(clause) = clauses.last_mut() {
                    clause.values.push((kind, prefix));
                }
            }
        }
    }
    clauses
}

/// The attributes that a text names, each once, in order.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for piece in pieces(text) {
        if let Piece::Name(name) = piece
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// The actions of an update, each with its word: `SET`, `REMOVE`, `ADD`, `DELETE`, `APPEND`.
pub(super) fn actions(text: &str) -> Vec<(&'static str, Vec<Piece<'_>>)> {
    const WORDS: [&str; 5] = ["SET ", "REMOVE ", "ADD ", "DELETE ", "APPEND "];
    let mut actions: Vec<(&'static str, Vec<Piece<'_>>)> = Vec::new();
    for piece in pieces(text) {
        if let Piece::Word(word) = piece {
            // What ends one action and begins the next is one word: `, SET `.
            let found = WORDS.into_iter().find_map(|verb| Some((verb, word.strip_suffix(verb)?)));
            let Some((verb, before)) = found else {
                if let Some((_, pieces)) = actions.last_mut() {
                    pieces.push(Piece::Word(word));
                }
                continue;
            };
            if let Some((_, pieces)) = actions.last_mut()
                && let Some(before) = before.strip_suffix(", ").filter(|before| !before.is_empty())
            {
                pieces.push(Piece::Word(before));
            }
            actions.push((verb.trim_end(), Vec::new()));
        } else if let Some((_, pieces)) = actions.last_mut() {
            pieces.push(piece);
        }
    }
    actions
}

/// The attributes that an update changes.
pub(super) fn written(text: &str) -> Vec<String> {
    let targets = actions(text).into_iter().filter_map(|(_, pieces)| match pieces.into_iter().next() {
        Some(Piece::Name(name)) => Some(name),
        _ => None,
    });
    let mut written: Vec<String> = targets.collect();
    written.dedup();
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_condition_falls_into_its_clauses() {
        let text = "`P``K` = ?S<USER#> AND `SK` between ?N ?N";
        let clauses = clauses(text);
        assert_eq!(clauses.len(), 2);
        assert_eq!(clauses[0].attribute, "P`K");
        assert_eq!((clauses[0].operator, clauses[0].values.clone()), ("=", vec![("S", Some("USER#"))]));
        assert_eq!((clauses[1].operator, clauses[1].values.len()), ("between", 2));
        assert_eq!(unquoted("`P``K`"), "P`K");
    }

    #[test]
    fn an_update_falls_into_its_actions() {
        let text = "ADD `n` ?N, REMOVE `b`.?, SET `c` = if_not_exists(`c`, ?N) + ?N, SET `d` = ?S";
        let actions = actions(text);
        let verbs: Vec<_> = actions.iter().map(|(verb, _)| *verb).collect();
        assert_eq!(verbs, ["ADD", "REMOVE", "SET", "SET"]);
        assert_eq!(written(text), ["n", "b", "c", "d"]);
        assert_eq!(actions[1].1, [Piece::Name("b".to_owned()), Piece::Word("."), Piece::Word("?")]);
    }
}
