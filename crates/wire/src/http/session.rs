//! What is known of a connection from one request to the next.

use std::sync::Arc;

use hashrange_api::Error;
use hashrange_service::Scope;
use parking_lot::Mutex;

use crate::connection::Busy;
use crate::credentials::account_of;
use crate::seen::Seen;
use crate::sigv4::{self, Form, Parsed};

/// Longest opening of a header that is kept, in bytes.
const OPENING_BYTES_MAX: usize = 512;

/// One connection.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) busy: Busy,
    /// It comes from this machine.
    pub(crate) is_local: bool,
    known: Mutex<Option<Known>>,
}

/// Whose requests they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signer {
    pub(super) scope: Arc<Scope>,
    pub(super) access_key: Arc<str>,
}

/// The signer of the request before: nearly always that of the next one too.
#[derive(Debug)]
struct Known {
    signer: Signer,
    /// The `Authorization` header up to the signature itself, where that came last and is not verified.
    opening: Option<Box<[u8]>>,
}

impl Session {
    pub(crate) fn new(busy: Busy, is_local: bool) -> Session {
        Session { busy, is_local, known: Mutex::new(None) }
    }

    /// The signer that an unverified signature names.
    ///
    /// # Errors
    /// Those of [`sigv4::parse`].
    pub(super) fn signer(&self, seen: &Seen<'_>) -> Result<Signer, Error> {
        if let Some(signer) = self.repeated(seen) {
            return Ok(signer);
        }
        let signature = sigv4::parse(seen)?;
        let account = account_of(&signature.access_key).to_owned();
        let opening = opening_of(seen, &signature);
        let signer = signer(&signature, account);
        *self.known.lock() = Some(Known { signer: signer.clone(), opening });
        Ok(signer)
    }

    /// The signer of a verified signature, whose account is known.
    pub(super) fn signer_of(&self, (signature, account): (Parsed<'_>, Arc<str>)) -> Signer {
        let mut known = self.known.lock();
        if let Some(Known { signer, .. }) = &*known
            && *signer.access_key == *signature.access_key
            && signer.scope.region == signature.region
            && signer.scope.account == *account
        {
            return signer.clone();
        }
        let signer = signer(&signature, account.to_string());
        *known = Some(Known { signer: signer.clone(), opening: None });
        signer
    }

    /// The known signer, where the header differs from the one before in the signature alone. Whatever [`sigv4::parse`]
    /// looks at besides is looked at here too.
    fn repeated(&self, seen: &Seen<'_>) -> Option<Signer> {
        let header = seen.authorization?.as_bytes();
        let is_dated = seen.x_amz_date.or(seen.date).is_some_and(|date| !date.is_empty());
        if !is_dated || seen.parts.uri.query().is_some() {
            return None;
        }
        let known = self.known.lock();
        let Known { signer, opening } = known.as_ref()?;
        let signature = header.strip_prefix(opening.as_deref()?)?;
        let is_one = !signature.is_empty() && signature.iter().all(u8::is_ascii_alphanumeric);
        is_one.then(|| signer.clone())
    }
}

fn signer(signature: &Parsed<'_>, account: String) -> Signer {
    let scope = Scope { account, region: signature.region.to_string() };
    Signer { scope: Arc::new(scope), access_key: signature.access_key.as_ref().into() }
}

/// The header up to the signature, if that stands at its end.
fn opening_of(seen: &Seen<'_>, signature: &Parsed<'_>) -> Option<Box<[u8]>> {
    if signature.form != Form::Header {
        return None;
    }
    let opening = seen.authorization?.as_bytes().strip_suffix(signature.signature.as_bytes())?;
    let is_usual = opening.len() <= OPENING_BYTES_MAX && opening.ends_with(b"Signature=");
    is_usual.then(|| opening.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;
    use hyper::http::request::Parts;

    fn head(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn signed(key: &str, region: &str, signature: &str) -> String {
        format!(
            "AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/dynamodb/aws4_request, SignedHeaders=host, \
             Signature={signature}"
        )
    }

    #[test]
    fn what_is_known_never_changes_the_answer() {
        let session = Session::new(Busy::default(), true);
        let date = ("x-amz-date", "20260101T000000Z");
        let headers = [
            signed("a", "eu-west-1", "00"),
            signed("a", "eu-west-1", "ff"),
            signed("a", "eu-west-1", ""),
            signed("a", "eu-west-1", "f f"),
            signed("a", "eu-west-1", "f, Credential=b"),
            signed("123456789012", "eu-west-1", "f"),
            signed("a", "eu-west-2", "f"),
            signed("a", "eu-west-2", "f") + " ",
            signed("a", "eu-west-2", "f") + ",SignedHeaders=x",
            signed("a", "", "f"),
        ];
        for header in headers.iter().chain(&headers) {
            for dated in
                [vec![("authorization", header.as_str()), date], vec![("authorization", header.as_str())]]
            {
                let head = head(&dated);
                let fresh = Session::new(Busy::default(), true).signer(&Seen::of(&head));
                let known = session.signer(&Seen::of(&head));
                assert_eq!(known.map_err(|e| e.to_string()), fresh.map_err(|e| e.to_string()), "{header}");
            }
        }
    }

    #[test]
    fn a_repeated_header_is_not_read_again() {
        let session = Session::new(Busy::default(), true);
        let signer = |signature: &str| {
            let header = signed("a", "eu-west-1", signature);
            let head = head(&[("authorization", &header), ("date", "x")]);
            session.signer(&Seen::of(&head)).unwrap()
        };
        assert!(Arc::ptr_eq(&signer("00").scope, &signer("01").scope));
    }
}
