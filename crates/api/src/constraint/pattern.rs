//! The patterns of the model, as predicates.

/// A pattern that a whole string must match. Each variant is one pattern of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `[a-zA-Z0-9_.-]+`: names of tables, indexes, backups.
    Name,
    /// `\p{Print}+`.
    Printable,
    /// Role ARNs: every character of XML.
    RoleArn,
    /// `([0-9a-f]{16})+`: page tokens.
    Token,
    /// `^[^\$]+$`.
    NoDollar,
    /// `[,;:|\t ]`.
    CsvDelimiter,
    /// Printable ASCII without double quote and comma.
    CsvHeader,
    /// Names of S3 buckets.
    Bucket,
    /// `[0-9]{12}`.
    Account,
}

impl Pattern {
    /// The pattern as AWS prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "[a-zA-Z0-9_.-]+",
            Self::Printable => r"\p{Print}+",
            Self::RoleArn => r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*",
            Self::Token => "([0-9a-f]{16})+",
            Self::NoDollar => r"^[^\$]+$",
            Self::CsvDelimiter => r"[,;:|\t ]",
            Self::CsvHeader => r"[\x20-\x21\x23-\x2B\x2D-\x7E]*",
            Self::Bucket => r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$",
            Self::Account => "[0-9]{12}",
        }
    }

    /// Whether the whole of `text` matches.
    pub fn matches(self, text: &str) -> bool {
        let all = |allowed: fn(u8) -> bool| text.bytes().all(allowed);
        let some = !text.is_empty();
        match self {
            Self::Name => some && all(is_name),
            Self::Printable => some && text.bytes().all(|b| (0x20..=0x7e).contains(&b)),
            Self::RoleArn => text.chars().all(|c| c >= ' ' || matches!(c, '\r' | '\n' | '\t')),
            Self::Token => some && text.len().is_multiple_of(16) && all(is_small_hex),
            Self::NoDollar => some && !text.contains('$'),
            Self::CsvDelimiter => text.len() == 1 && ",;:|\t ".contains(text),
            Self::CsvHeader => text.bytes().all(|b| (0x20..=0x7e).contains(&b) && b != b'"' && b != b','),
            Self::Bucket => is_bucket(text.as_bytes()),
            Self::Account => text.len() == 12 && all(|b| b.is_ascii_digit()),
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn is_small_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn is_bucket(name: &[u8]) -> bool {
    let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    name.len() >= 2 && ends(name.first()) && ends(name.last()) && name.iter().all(|&b| is_name(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_letters_digits_and_three_marks() {
        assert!(Pattern::Name.matches("Orders_2026.v-1"));
        for bad in ["", "x!", "bad table", "ä", "a\n"] {
            assert!(!Pattern::Name.matches(bad), "{bad:?}");
        }
    }

    #[test]
    fn the_other_patterns_match_whole_strings() {
        assert!(Pattern::Token.matches("0123456789abcdef"));
        assert!(!Pattern::Token.matches("0123456789abcde"));
        assert!(Pattern::Account.matches("000000000000") && !Pattern::Account.matches("00000000000x"));
        assert!(
            Pattern::Bucket.matches("my-bucket.v1")
                && !Pattern::Bucket.matches("-bucket")
                && !Pattern::Bucket.matches("b")
        );
        assert!(Pattern::CsvDelimiter.matches(";") && !Pattern::CsvDelimiter.matches(";;"));
        assert!(Pattern::CsvHeader.matches("") && !Pattern::CsvHeader.matches("a,b"));
        assert!(Pattern::NoDollar.matches("abc") && !Pattern::NoDollar.matches("a$c"));
        assert!(Pattern::Printable.matches("a b") && !Pattern::Printable.matches("a\u{7f}"));
        assert!(Pattern::RoleArn.matches("arn:\tx") && !Pattern::RoleArn.matches("\u{1}"));
    }
}
