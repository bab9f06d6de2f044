//! Content codings: request bodies that arrive compressed, and answers that leave compressed.

use std::io::{Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::bufread::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

use super::body::cost;
use crate::connection::memory::{Charge, Full, Memory};

/// Answers of at most this many bytes are never compressed (as recorded from AWS).
pub(crate) const COMPRESS_ABOVE_BYTES: usize = 4096;

/// A content coding that both sides speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// RFC 1952.
    Gzip,
    /// The zlib format of RFC 1950, which HTTP calls `deflate`.
    Deflate,
}

/// Why a compressed request body was not expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpandError {
    /// Unknown coding, broken, empty or too large. AWS answers 500 to each.
    Unreadable,
    /// The budget for all bodies is used up.
    NoMemory,
}

impl From<Full> for ExpandError {
    fn from(Full: Full) -> ExpandError {
        ExpandError::NoMemory
    }
}

/// A body that expands, and what it costs: the room that it has, which is never much more than what has come out.
#[derive(Debug)]
struct Expanded<'c, 'm> {
    bytes: Vec<u8>,
    charge: &'c mut Charge<&'m Memory>,
    max: usize,
}

/// Bytes that are expanded at a time.
const PIECE_BYTES: usize = 8 * 1024;

/// Room grows by this factor.
const GROWTH: usize = 4;

impl Coding {
    /// The token of `Content-Encoding` and `Accept-Encoding`.
    pub(crate) fn token(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
        }
    }

    /// The coding of a token, in any case.
    fn from_token(token: &str) -> Option<Coding> {
        [Coding::Gzip, Coding::Deflate].into_iter().find(|coding| token.eq_ignore_ascii_case(coding.token()))
    }
}

/// The request body behind `content_encoding`, at most `max` bytes long. `charge` pays for it.
pub(crate) fn expand(
    content_encoding: &[u8],
    body: &Bytes,
    max: usize,
    charge: &mut Charge<&Memory>,
) -> Result<Bytes, ExpandError> {
    let token = str::from_utf8(content_encoding).map_err(|_| ExpandError::Unreadable)?.trim();
    if token.is_empty() || token.eq_ignore_ascii_case("identity") {
        return Ok(body.clone());
    }
    let mut out = Expanded { bytes: Vec::new(), charge, max };
    match Coding::from_token(token).ok_or(ExpandError::Unreadable)? {
        Coding::Gzip => expand_gzip(body, &mut out)?,
        Coding::Deflate => out.read(&mut ZlibDecoder::new(&body[..]))?,
    }
    Ok(Bytes::from(out.bytes))
}

/// Reads one gzip member after another. What follows the last member and is not one is ignored, as AWS does.
fn expand_gzip(body: &[u8], out: &mut Expanded<'_, '_>) -> Result<(), ExpandError> {
    const MAGIC: &[u8] = &[0x1f, 0x8b];
    let mut rest = body;
    loop {
        let mut member = GzDecoder::new(rest);
        out.read(&mut member)?;
        rest = member.into_inner();
        if !rest.starts_with(MAGIC) {
            return Ok(());
        }
    }
}

impl Expanded<'_, '_> {
    /// Appends what `decoder` gives.
    fn read(&mut self, decoder: &mut impl Read) -> Result<(), ExpandError> {
        let mut piece = [0; PIECE_BYTES];
        loop {
            match decoder.read(&mut piece).map_err(|_| ExpandError::Unreadable)? {
                0 => return Ok(()),
                read => self.push(&piece[..read])?,
            }
        }
    }

    fn push(&mut self, piece: &[u8]) -> Result<(), ExpandError> {
        let needed = self.bytes.len() + piece.len();
        if needed > self.max {
            return Err(ExpandError::Unreadable);
        }
        let old = self.bytes.capacity();
        if needed > old {
            let room = old.saturating_mul(GROWTH).max(needed).min(self.max);
            self.charge.add(cost(room - old))?;
            self.bytes.reserve_exact(room - self.bytes.len());
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }
}

/// `body` in `coding`. Speed comes before size: the receiver is mostly on the same network.
pub(crate) fn compress(coding: Coding, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let out = Vec::with_capacity(body.len() / 4);
    match coding {
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(out, Compression::fast());
            encoder.write_all(body)?;
            encoder.finish()
        }
        Coding::Deflate => {
            let mut encoder = ZlibEncoder::new(out, Compression::fast());
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

/// The coding that an `Accept-Encoding` value asks for most, if any.
///
/// The best quality wins, a named coding before `*` and an earlier one before a later one; `identity` is never
/// preferred. `*` stands for every coding that the value does not name, gzip first.
pub(crate) fn choose(accept_encoding: &[u8]) -> Option<Coding> {
    let text = str::from_utf8(accept_encoding).ok()?;
    let mut named: Vec<Coding> = Vec::new();
    let mut best: Option<(f32, Coding)> = None;
    let mut star: f32 = 0.0;
    for entry in text.split(',') {
        let (token, quality) = split_quality(entry);
        if token == "*" {
            star = star.max(quality);
        } else if let Some(coding) = Coding::from_token(token) {
            named.push(coding);
            if quality > best.map_or(0.0, |(so_far, _)| so_far) {
                best = Some((quality, coding));
            }
        }
    }
    let by_star = [Coding::Gzip, Coding::Deflate].into_iter().find(|coding| !named.contains(coding));
    match (best, by_star) {
        (best, Some(coding)) if star > best.map_or(0.0, |(quality, _)| quality) => Some(coding),
        (best, _) => best.map(|(_, coding)| coding),
    }
}

/// The token of one list entry and its quality in 0..=1: the first parameter `q`, or 1 if there is none or it is not
/// a number.
fn split_quality(entry: &str) -> (&str, f32) {
    let mut parts = entry.split(';');
    let token = parts.next().unwrap_or_default().trim();
    let quality = parts
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .and_then(|(_, value)| value.trim().parse::<f32>().ok())
        .filter(|quality| !quality.is_nan());
    (token, quality.unwrap_or(1.0).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        compress(Coding::Gzip, text).unwrap()
    }

    fn expand_text(coding: &str, body: Vec<u8>) -> Result<Bytes, ExpandError> {
        let memory = Memory::new(usize::MAX);
        expand(coding.as_bytes(), &Bytes::from(body), 1000, &mut Charge::take(&memory, 0).unwrap())
    }

    #[test]
    fn what_comes_out_is_paid_for_before_there_is_room_for_it() {
        let body = Bytes::from(gzip(&vec![b'x'; 1_000_000]));
        let outcome = |budget: usize| {
            let memory = Memory::new(budget);
            let mut charge = Charge::take(&memory, 0).unwrap();
            expand(b"gzip", &body, 16_000_000, &mut charge).map(|body| body.len())
        };
        assert_eq!(outcome(cost(1_000_000 * GROWTH)), Ok(1_000_000));
        assert_eq!(outcome(cost(999_999)), Err(ExpandError::NoMemory));
    }

    #[test]
    fn both_codings_come_back_as_they_were() {
        assert_eq!(expand_text("gzip", gzip(b"abc")).unwrap(), "abc");
        assert_eq!(expand_text("GZIP ", gzip(b"abc")).unwrap(), "abc");
        assert_eq!(expand_text("deflate", compress(Coding::Deflate, b"abc").unwrap()).unwrap(), "abc");
        assert_eq!(expand_text("identity", b"abc".to_vec()).unwrap(), "abc");
        assert_eq!(expand_text("", b"abc".to_vec()).unwrap(), "abc");
    }

    #[test]
    fn gzip_members_are_joined_and_what_follows_them_is_ignored() {
        let two = [gzip(b"ab"), gzip(b"cd")].concat();
        assert_eq!(expand_text("gzip", two.clone()).unwrap(), "abcd");
        assert_eq!(expand_text("gzip", [two, b"junk".to_vec()].concat()).unwrap(), "abcd");
    }

    #[test]
    fn bodies_that_cannot_be_read_are_refused() {
        let cut = gzip(b"abc");
        assert_eq!(expand_text("gzip", cut[..cut.len() - 1].to_vec()), Err(ExpandError::Unreadable));
        assert_eq!(expand_text("gzip", b"{}".to_vec()), Err(ExpandError::Unreadable));
        assert_eq!(expand_text("gzip", Vec::new()), Err(ExpandError::Unreadable));
        assert_eq!(expand_text("deflate", Vec::new()), Err(ExpandError::Unreadable));
        assert_eq!(expand_text("garbage", b"{}".to_vec()), Err(ExpandError::Unreadable));
        assert_eq!(expand_text("gzip, gzip", gzip(b"{}")), Err(ExpandError::Unreadable));
    }

    #[test]
    fn the_limit_counts_expanded_bytes_of_all_members() {
        assert_eq!(expand_text("gzip", gzip(&[b'x'; 1000])).unwrap().len(), 1000);
        assert_eq!(expand_text("gzip", gzip(&[b'x'; 1001])), Err(ExpandError::Unreadable));
        let two = [gzip(&[b'x'; 600]), gzip(&[b'x'; 600])].concat();
        assert_eq!(expand_text("gzip", two), Err(ExpandError::Unreadable));
        assert_eq!(
            expand_text("deflate", compress(Coding::Deflate, &[0; 2000]).unwrap()),
            Err(ExpandError::Unreadable)
        );
    }

    #[test]
    fn the_accepted_coding_is_chosen_as_aws_chooses() {
        let cases: &[(&str, Option<Coding>)] = &[
            ("identity", None),
            ("", None),
            ("br", None),
            ("x-gzip", None),
            ("gzip, deflate", Some(Coding::Gzip)),
            ("br, identity, deflate, gzip", Some(Coding::Deflate)),
            ("GZIP, identity", Some(Coding::Gzip)),
            ("dog, gzip ,, cat", Some(Coding::Gzip)),
            ("gzip;q=0.8, deflate;q=0.5", Some(Coding::Gzip)),
            ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", Some(Coding::Deflate)),
            ("*", Some(Coding::Gzip)),
            ("*, deflate;q=0.5", Some(Coding::Gzip)),
            ("*, deflate", Some(Coding::Deflate)),
            ("*, identity", Some(Coding::Gzip)),
            ("*, gzip;q=0.5", Some(Coding::Deflate)),
            ("*, gzip;q=0", Some(Coding::Deflate)),
            ("gzip ;q=0", None),
            ("identity;q=0", None),
            ("*;q=0", None),
            ("*;q=0.5,identity", Some(Coding::Gzip)),
            ("gzip;q=0.5,identity;q=0.8", Some(Coding::Gzip)),
            ("br;q=0.8,identity;q=0.5,*;q=0", None),
            ("\"gzip\"", None),
            ("gzip br", None),
            ("gzip:q=1", None),
            ("deflate;q=0.5, gzip;q=31", Some(Coding::Gzip)),
            ("gzip;q=31,deflate;q=51", Some(Coding::Gzip)),
            ("deflate;q=0.5, gzip;q=0.2", Some(Coding::Deflate)),
            ("deflate;q=0.5, gzip;q=1;q=0.2", Some(Coding::Gzip)),
            ("deflate;q=0.5,gzip;q=0.", Some(Coding::Deflate)),
            ("deflate;q=0.5,gzip;q=0.x", Some(Coding::Gzip)),
            ("deflate;q=-0.5,gzip;q=0.2", Some(Coding::Gzip)),
            ("gzip;nq=1;q=0 ", None),
            ("gzip;q=0, gzip;q=1, gzip;q=0", Some(Coding::Gzip)),
            ("br,identity;q=0.5,gzip;q=0.0001", Some(Coding::Gzip)),
        ];
        for (header, expected) in cases {
            assert_eq!(choose(header.as_bytes()), *expected, "{header}");
        }
        assert_eq!(choose(&[0xff]), None);
    }
}
