//! Where requests begin and end in the bytes of a connection, and shapes that another reader could see differently.
//!
//! An attacker who makes a proxy and a server disagree about where a request ends can put a request of his own into
//! someone else's connection ("request smuggling", RFC 9112, 11.2). Hyper parses requests; this reader goes along with it
//! and refuses what hyper would mend: both kinds of length, two lengths, line ends without a carriage return, folded
//! lines. A chunked request is the last one of its connection, so that nothing follows a body whose end is told inside it.

use memchr::memchr;

/// Longest line that is kept while it arrives in pieces, in bytes: a name, spaces and a number of twenty digits.
const KEPT_BYTES_MAX: usize = 64;

const CONTENT_LENGTH: &[u8] = b"content-length:";
const TRANSFER_ENCODING: &[u8] = b"transfer-encoding:";

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A request line, or the empty lines that may stand before one.
    Start,
    /// A header line.
    Header,
    /// A body with that many bytes to come.
    Body(u64),
    /// The rest of the connection: a chunked body, which nothing follows.
    Rest,
}

/// Follows the requests of one connection.
#[derive(Debug)]
pub(super) struct Framing {
    part: Part,
    /// The line so far, where it did not come in one piece.
    kept: Vec<u8>,
    length: Option<u64>,
    is_chunked: bool,
}

/// A byte that does not belong in a request, by its place in what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bad(pub(super) usize);

impl Framing {
    /// At the beginning of a connection.
    pub(super) fn new() -> Framing {
        Framing { part: Part::Start, kept: Vec::new(), length: None, is_chunked: false }
    }

    /// Whether the next byte begins a request.
    pub(super) fn is_between_requests(&self) -> bool {
        self.part == Part::Start && self.kept.is_empty()
    }

    /// Goes on with `bytes`.
    ///
    /// # Errors
    /// The first byte of the line, or of the piece of it, that is refused.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Result<(), Bad> {
        let mut at = 0;
        while at < bytes.len() {
            match self.part {
                Part::Rest => return Ok(()),
                Part::Body(left) => {
                    let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    at += here;
                    let left = left - here as u64;
                    self.part = if left == 0 { Part::Start } else { Part::Body(left) };
                }
                Part::Start | Part::Header => {
                    let rest = &bytes[at..];
                    let Some(end) = memchr(b'\n', rest) else {
                        self.keep(rest);
                        return Ok(());
                    };
                    self.piece(&rest[..end]).ok_or(Bad(at))?;
                    at += end + 1;
                }
            }
        }
        Ok(())
    }

    /// Keeps the beginning and the last byte of a line that goes on.
    fn keep(&mut self, piece: &[u8]) {
        let Some(last) = piece.last() else { return };
        let room = KEPT_BYTES_MAX.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&piece[..room.min(piece.len())]);
        if piece.len() > room {
            self.kept.pop();
            self.kept.push(*last);
        }
    }

    /// The end of a line, up to its line feed.
    fn piece(&mut self, piece: &[u8]) -> Option<()> {
        if self.kept.is_empty() {
            return self.line(piece);
        }
        self.keep(piece);
        let mut kept = std::mem::take(&mut self.kept);
        let outcome = self.line(&kept);
        kept.clear();
        self.kept = kept;
        outcome
    }

    /// A whole line; of a long one that came in pieces, its beginning and its last byte.
    fn line(&mut self, line: &[u8]) -> Option<()> {
        let line = line.strip_suffix(b"\r")?;
        match (self.part, line.first()) {
            (Part::Start, None) => Some(()),
            (Part::Start, Some(_)) => {
                self.part = Part::Header;
                Some(())
            }
            (_, None) => self.end_of_head(),
            (_, Some(b' ' | b'\t')) => None,
            (_, Some(b'c' | b'C')) => self.perhaps_length(line),
            (_, Some(b't' | b'T')) => {
                self.is_chunked |= begins_with(line, TRANSFER_ENCODING);
                Some(())
            }
            _ => Some(()),
        }
    }

    fn perhaps_length(&mut self, line: &[u8]) -> Option<()> {
        if !begins_with(line, CONTENT_LENGTH) {
            return Some(());
        }
        let digits = line[CONTENT_LENGTH.len()..].trim_ascii();
        let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let length = str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()?;
        self.length.replace(length).is_none().then_some(())
    }

    fn end_of_head(&mut self) -> Option<()> {
        let length = self.length.take();
        self.part = match (std::mem::take(&mut self.is_chunked), length) {
            (true, Some(_)) => return None,
            (true, None) => Part::Rest,
            (false, None | Some(0)) => Part::Start,
            (false, Some(length)) => Part::Body(length),
        };
        Some(())
    }
}

fn begins_with(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 3\r\nTrailer: x\r\n\r\n";

    fn bad(text: &str) -> Option<usize> {
        Framing::new().follow(text.as_bytes()).err().map(|Bad(at)| at)
    }

    #[test]
    fn requests_are_followed_to_their_ends() {
        let mut framing = Framing::new();
        for text in ["", "\r\n", GOOD, "abc", GOOD, "a", "bc", "GET / HTTP/1.1\r\nA: b\r\n\r\n"] {
            framing.follow(text.as_bytes()).unwrap();
        }
        assert!(framing.is_between_requests());
        framing.follow(b"G").unwrap();
        assert!(!framing.is_between_requests());
    }

    #[test]
    fn pieces_of_any_size_make_the_same_requests() {
        let long = format!("POST / HTTP/1.1\r\nX: {}\r\nContent-Length:   3 \r\n\r\nabc", "y".repeat(200));
        for size in 1..long.len() {
            let mut framing = Framing::new();
            for piece in long.as_bytes().chunks(size) {
                framing.follow(piece).unwrap();
            }
            assert!(framing.is_between_requests(), "{size}");
        }
    }

    #[test]
    fn what_two_readers_could_see_differently_is_refused() {
        let line = "POST / HTTP/1.1\r\n";
        for (rest, at) in [
            ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 64),
            ("transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n", 64),
            ("Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 36),
            ("Content-Length: 3, 3\r\n\r\n", 17),
            ("Content-Length: +3\r\n\r\n", 17),
            ("Content-Length: 0x3\r\n\r\n", 17),
            ("Content-Length:\r\n\r\n", 17),
            ("Content-Length: 99999999999999999999\r\n\r\n", 17),
            ("A: b\nC: d\r\n\r\n", 17),
            ("A: b\r\n c\r\n\r\n", 23),
            ("A: b\r\n\tc\r\n\r\n", 23),
            ("A: b\r\n\n", 23),
        ] {
            assert_eq!(bad(&format!("{line}{rest}")), Some(at), "{rest:?}");
        }
        assert_eq!(bad("POST / HTTP/1.1\n"), Some(0));
        assert_eq!(bad("\n"), Some(0));
    }

    #[test]
    fn a_long_length_that_came_in_pieces_is_not_cut_to_a_shorter_one() {
        let head = format!("POST / HTTP/1.1\r\nContent-Length: {}1", " ".repeat(100));
        let mut framing = Framing::new();
        framing.follow(head.as_bytes()).unwrap();
        assert_eq!(framing.follow(b"2\r\n\r\n"), Err(Bad(0)));
    }

    #[test]
    fn nothing_is_looked_for_behind_a_chunked_head() {
        let text = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n";
        assert_eq!(bad(text), None);
    }
}
