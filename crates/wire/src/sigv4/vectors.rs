//! Signatures that others have made: `vectors/requests.txt`, written by `vectors/make.py`.

use std::collections::BTreeMap;

use hashrange_env::WallMs;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Uri};
use proptest::prelude::*;

use super::*;

/// 2026-01-01T00:00:00Z, when all of them were made.
const NOW: WallMs = WallMs(1_767_225_600_000);

#[derive(Clone, Debug, Default)]
struct Vector {
    name: String,
    secret: String,
    method: Vec<u8>,
    target: Vec<u8>,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

fn vectors() -> Vec<Vector> {
    let mut vectors: Vec<Vector> = Vec::new();
    for line in include_str!("vectors/requests.txt").lines().filter(|line| !line.is_empty()) {
        let (word, text) = line.split_once(' ').unwrap();
        if word == "case" {
            vectors.push(Vector { name: text.to_owned(), ..Vector::default() });
            continue;
        }
        let vector = vectors.last_mut().unwrap();
        match word {
            "secret" => text.clone_into(&mut vector.secret),
            "line" => {
                let mut words = text.split(' ').map(|word| word.as_bytes().to_vec());
                (vector.method, vector.target) = (words.next().unwrap(), words.next().unwrap());
            }
            "header" => {
                let (name, value) = text.split_once(':').unwrap();
                vector.headers.push((name.to_ascii_lowercase(), value.as_bytes().to_vec()));
            }
            "body" => {
                let digits = text.as_bytes().chunks_exact(2);
                let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
                vector.body = digits.map(byte).collect();
            }
            other => panic!("{other}"),
        }
    }
    vectors
}

impl Vector {
    /// Nothing if HTTP would refuse the head.
    fn head(&self) -> Option<Parts> {
        let uri = Uri::try_from(self.target.as_slice()).ok()?;
        let mut request = Request::builder().method(self.method.as_slice()).uri(uri);
        for (name, value) in &self.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            request = request.header(name, HeaderValue::from_bytes(value).ok()?);
        }
        Some(request.body(()).ok()?.into_parts().0)
    }

    fn outcome(&self) -> Result<(), String> {
        let head = self.head().ok_or("no head")?;
        let parsed = parse_at(&Seen::of(&head), NOW).map_err(|error| error.to_string())?;
        if parsed.access_key != "AKIDEXAMPLE" {
            return Err("an access key that nobody has".to_owned());
        }
        let key = SigningKey::derive(&self.secret, &parsed.date, &parsed.region, &parsed.service);
        verify(&Seen::of(&head), &self.body, &parsed, &key).map_err(|error| error.to_string())
    }

    fn is_payload_signed(&self) -> bool {
        !self.headers.iter().any(|(_, value)| value.windows(8).any(|word| word == b"UNSIGNED"))
    }
}

#[test]
fn signatures_that_others_have_made_are_right() {
    let outcomes: BTreeMap<_, _> =
        vectors().into_iter().map(|vector| (vector.name.clone(), vector.outcome())).collect();
    assert!(outcomes.values().all(Result::is_ok), "{outcomes:#?}");
    assert_eq!(outcomes.len(), 22);
}

#[test]
fn signatures_with_another_secret_are_wrong() {
    for mut vector in vectors() {
        vector.secret.push('x');
        let error = vector.outcome().unwrap_err();
        assert!(error.ends_with(&message::auth::wrong_signature()), "{}: {error}", vector.name);
    }
}

#[test]
fn the_body_of_an_unsigned_payload_is_not_looked_at() {
    for mut vector in vectors().into_iter().filter(|vector| !vector.is_payload_signed()) {
        vector.body = b"something else".to_vec();
        vector.outcome().unwrap();
    }
}

#[test]
fn a_signed_header_that_is_not_there_makes_the_signature_wrong() {
    for vector in vectors() {
        for at in 0..vector.headers.len() {
            let mut less = vector.clone();
            let (name, _) = less.headers.remove(at);
            assert!(less.outcome().is_err(), "{} without {name}", vector.name);
        }
    }
}

#[test]
fn headers_that_are_not_signed_may_be_added() {
    for mut vector in vectors() {
        vector.headers.push(("x-forwarded-for".to_owned(), b"192.0.2.1".to_vec()));
        vector.outcome().unwrap();
    }
}

#[test]
fn chunks_cannot_be_left_out_swapped_or_cut() {
    for vector in vectors().into_iter().filter(|vector| vector.name.ends_with("that are signed")) {
        for length in 0..vector.body.len() {
            let mut cut = vector.clone();
            cut.body.truncate(length);
            // The empty line at the very end may be missing.
            assert_eq!(cut.outcome().is_ok(), vector.body.len() - length == 2, "{} to {length}", vector.name);
        }
        let mut twice = vector.clone();
        twice.body.extend_from_slice(&vector.body);
        assert!(twice.outcome().is_err());
    }
}

/// A byte that is signed: part, header if it is in one, and place.
fn signed_bytes(vector: &Vector) -> Vec<(usize, usize, usize)> {
    let places = |part: usize, index: usize, length: usize| (0..length).map(move |at| (part, index, at));
    let mut all: Vec<_> = places(0, 0, vector.method.len()).collect();
    // A segment before `..` changes nothing, and a path without its first slash is none.
    if !vector.name.ends_with("normalised") {
        all.extend(places(1, 0, vector.target.len()).skip(1));
    }
    for (index, (_, value)) in vector.headers.iter().enumerate() {
        all.extend(places(2, index, value.len()));
    }
    if vector.is_payload_signed() {
        all.extend(places(3, 0, vector.body.len()));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Two letters that differ only in case can mean the same, as digits of `%2f` do; so each byte becomes another letter
    /// or digit.
    #[test]
    fn a_change_of_any_signed_byte_is_refused(
        which in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        new in "[A-Za-z0-9]",
    ) {
        let vectors = vectors();
        let mut changed = which.get(&vectors).clone();
        let (part, index, at) = *place.get(&signed_bytes(&changed));
        let byte = match part {
            0 => &mut changed.method[at],
            1 => &mut changed.target[at],
            2 => &mut changed.headers[index].1[at],
            _ => &mut changed.body[at],
        };
        prop_assume!(!byte.eq_ignore_ascii_case(&new.as_bytes()[0]));
        *byte = new.as_bytes()[0];
        prop_assert!(changed.outcome().is_err(), "{:?}", changed);
    }

    /// Neither heads nor bodies that make no sense bring verification down.
    #[test]
    fn any_body_in_chunks_is_refused_and_none_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let vectors = vectors();
        let mut vector = vectors.last().unwrap().clone();
        vector.body = body;
        prop_assert!(vector.outcome().is_err());
    }
}
