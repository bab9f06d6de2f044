//! Framing, good and bad.

use hyper::http::request::Parts;

use super::*;
use hyper::Request;

fn head(headers: &[(&str, &str)]) -> Parts {
    let request =
        headers.iter().fold(Request::builder(), |request, (name, value)| request.header(*name, *value));
    request.body(()).unwrap().into_parts().0
}

fn unframed(body: &str, headers: &[(&str, &str)]) -> Result<Option<Bytes>, BadChunks> {
    let mut all = vec![("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")];
    all.extend_from_slice(headers);
    unchunk(&Seen::of(&head(&all)), &Bytes::from(body.to_owned()))
}

#[test]
fn chunks_are_joined_and_what_follows_them_is_left_out() {
    for body in [
        "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        "3;chunk-signature=00\r\nabc\r\n0;chunk-signature=11\r\n\r\n",
        "03\r\nabc\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n",
        "3\r\nabc\r\n0\r\n",
    ] {
        assert_eq!(unframed(body, &[]).unwrap().unwrap(), "abc", "{body:?}");
    }
    assert_eq!(unframed("0\r\n\r\n", &[]).unwrap().unwrap(), "");
}

#[test]
fn broken_framing_is_refused() {
    for body in [
        "",
        "{}",
        "2\r\nab\r\n",
        "2\r\nab\r\n0",
        "2\r\nabc\r\n0\r\n\r\n",
        "2\nab\n0\n\n",
        "\r\n",
        "+2\r\nab\r\n0\r\n\r\n",
        "2 \r\nab\r\n0\r\n\r\n",
        "2;ext=1\r\nab\r\n0\r\n\r\n",
        "ffffffffffffffff\r\nab\r\n0\r\n\r\n",
        "fffffffffffffffff\r\nab\r\n0\r\n\r\n",
    ] {
        assert_eq!(unframed(body, &[]), Err(BadChunks), "{body:?}");
    }
    assert_eq!(unframed(&format!("{}1\r\na\r\n0\r\n\r\n", "0".repeat(5000)), &[]), Err(BadChunks));
}

#[test]
fn the_announced_length_must_be_that_of_the_data() {
    let length = |text| unframed("1\r\na\r\n0\r\n\r\n", &[("x-amz-decoded-content-length", text)]);
    assert_eq!(length("1").unwrap().unwrap(), "a");
    assert_eq!(length("2"), Err(BadChunks));
    assert_eq!(length("x"), Err(BadChunks));
}

#[test]
fn other_bodies_are_left_alone() {
    let body = Bytes::from_static(b"1\r\na\r\n0\r\n\r\n");
    assert_eq!(unchunk(&Seen::of(&head(&[])), &body), Ok(None));
    assert_eq!(unchunk(&Seen::of(&head(&[("x-amz-content-sha256", "UNSIGNED-PAYLOAD")])), &body), Ok(None));
}

#[test]
fn the_coding_inside_the_framing_is_found() {
    let cases = [
        ("aws-chunked", ""),
        (" AWS-Chunked ", ""),
        ("aws-chunked,gzip", "gzip"),
        ("aws-chunked , gzip", "gzip"),
        ("gzip, aws-chunked", "gzip"),
        ("gzip", "gzip"),
        ("", ""),
        ("aws-chunkedgzip", "aws-chunkedgzip"),
        ("xaws-chunked", "xaws-chunked"),
    ];
    for (sent, inner) in cases {
        assert_eq!(inner_coding(sent.as_bytes()), inner.as_bytes(), "{sent}");
    }
}

#[test]
fn a_named_hash_must_be_that_of_the_body() {
    let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let of = |named: &str, body: &[u8]| {
        Payload::of(&Seen::of(&head(&[("x-amz-content-sha256", named)])), body, Form::Header)
    };
    assert_eq!(of(hash, b"{}"), Some(Payload::Whole(hash.as_bytes().try_into().unwrap())));
    assert_eq!(of(&hash.to_uppercase(), b"{}"), None);
    assert_eq!(of(hash, b"{ }"), None);
    assert_eq!(of("required", b"{}"), None);
    assert_eq!(of("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", b"{}"), None);
    assert_eq!(of("UNSIGNED-PAYLOAD", b"{}"), Some(Payload::Unsigned(UNSIGNED)));
}
