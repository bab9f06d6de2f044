//! Splits the text of an expression into lexemes.

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bare attribute name or a function name: a letter, then letters, digits and `_`.
    Name,
    /// `#name`.
    NamePlaceholder,
    /// `:value`.
    ValuePlaceholder,
    /// A list index: `0`, or digits that do not begin with 0.
    Integer,
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Dot,
    Comma,
    /// A character that belongs to no lexeme.
    Unknown,
    /// The end of the text.
    End,
}

/// One lexeme: its token and the bytes of the text that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The lexemes of `text`, the last of which is [`Token::End`]. Every text can be split: what AWS's grammar
/// does not know becomes [`Token::Unknown`], for the parser to complain about in its turn.
pub(crate) fn split(text: &str) -> Vec<Lexeme> {
    let mut lexemes = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if matches!(first, ' ' | '\t' | '\r' | '\n') {
            at += 1;
            continue;
        }
        let (token, length) = next(&text[at..], first);
        lexemes.push(Lexeme { token, start: at, end: at + length });
        at += length;
    }
    lexemes.push(Lexeme { token: Token::End, start: text.len(), end: text.len() });
    lexemes
}

/// The token at the beginning of `text`, whose first character is `first`, and its length in bytes.
fn next(text: &str, first: char) -> (Token, usize) {
    match first {
        'a'..='z' | 'A'..='Z' => {
            let length = word_length(text);
            (keyword(&text[..length]), length)
        }
        '#' => placeholder(text, Token::NamePlaceholder),
        ':' => placeholder(text, Token::ValuePlaceholder),
        '0' => (Token::Integer, 1),
        '1'..='9' => (Token::Integer, text.bytes().take_while(u8::is_ascii_digit).count()),
        '<' if text.starts_with("<>") => (Token::NotEqual, 2),
        '<' if text.starts_with("<=") => (Token::LessOrEqual, 2),
        '>' if text.starts_with(">=") => (Token::GreaterOrEqual, 2),
        _ => (symbol(first), first.len_utf8()),
    }
}

/// Bytes of letters, digits and `_` at the beginning of `text`.
fn word_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

fn placeholder(text: &str, token: Token) -> (Token, usize) {
    match word_length(&text[1..]) {
        0 => (Token::Unknown, 1),
        length => (token, 1 + length),
    }
}

/// Keywords are known in any case; all of them are reserved words too. One grammar serves all kinds of
/// expressions, so a clause name of an update is a keyword in a condition as well.
fn keyword(word: &str) -> Token {
    const KEYWORDS: [(&str, Token); 9] = [
        ("AND", Token::And),
        ("OR", Token::Or),
        ("NOT", Token::Not),
        ("BETWEEN", Token::Between),
        ("IN", Token::In),
        ("SET", Token::Set),
        ("REMOVE", Token::Remove),
        ("ADD", Token::Add),
        ("DELETE", Token::Delete),
    ];
    let found = KEYWORDS.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
    found.map_or(Token::Name, |(_, token)| *token)
}

fn symbol(character: char) -> Token {
    match character {
        '=' => Token::Equal,
        '<' => Token::Less,
        '>' => Token::Greater,
        '+' => Token::Plus,
        '-' => Token::Minus,
        '(' => Token::Open,
        ')' => Token::Close,
        '[' => Token::OpenBracket,
        ']' => Token::CloseBracket,
        '.' => Token::Dot,
        ',' => Token::Comma,
        _ => Token::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        split(text).into_iter().map(|lexeme| lexeme.token).collect()
    }

    #[test]
    fn keywords_are_known_in_any_case() {
        assert_eq!(
            tokens("and Or NOT bEtWeEn in"),
            [Token::And, Token::Or, Token::Not, Token::Between, Token::In, Token::End]
        );
        assert_eq!(tokens("ands _in"), [Token::Name, Token::Unknown, Token::In, Token::End]);
    }

    #[test]
    fn operators_take_the_longest_match() {
        assert_eq!(
            tokens("<<><=>>="),
            [
                Token::Less,
                Token::NotEqual,
                Token::LessOrEqual,
                Token::Greater,
                Token::GreaterOrEqual,
                Token::End
            ]
        );
    }

    #[test]
    fn a_placeholder_needs_a_name() {
        assert_eq!(tokens("#:"), [Token::Unknown, Token::Unknown, Token::End]);
        assert_eq!(tokens("#1a:_b"), [Token::NamePlaceholder, Token::ValuePlaceholder, Token::End]);
    }

    #[test]
    fn a_leading_zero_ends_an_index() {
        assert_eq!(
            tokens("[007]"),
            [
                Token::OpenBracket,
                Token::Integer,
                Token::Integer,
                Token::Integer,
                Token::CloseBracket,
                Token::End
            ]
        );
    }

    #[test]
    fn other_characters_are_kept_whole() {
        let lexemes = split("é=");
        assert_eq!(lexemes[0], Lexeme { token: Token::Unknown, start: 0, end: 2 });
    }
}
