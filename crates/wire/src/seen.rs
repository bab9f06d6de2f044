//! The head of a request, looked through once.

use hyper::header::HeaderValue;
use hyper::http::request::Parts;

/// The headers that the server itself reads, found in one pass: a look-up in the map costs several times more than
/// comparing a name, and every request needs about a dozen. Of a header that is repeated, the first line is here.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The whole head.
    pub(crate) parts: &'a Parts,
    /// Bytes of the header block as sent: a colon, a space and two line-end bytes for each line besides name and value.
    pub(crate) block_bytes: usize,
    /// Some header of those below stands there more than once.
    pub(crate) repeats: bool,
    pub(crate) authorization: Option<&'a HeaderValue>,
    pub(crate) content_encoding: Option<&'a HeaderValue>,
    pub(crate) content_length: Option<&'a HeaderValue>,
    pub(crate) content_type: Option<&'a HeaderValue>,
    pub(crate) date: Option<&'a HeaderValue>,
    pub(crate) expect: Option<&'a HeaderValue>,
    pub(crate) host: Option<&'a HeaderValue>,
    pub(crate) origin: Option<&'a HeaderValue>,
    pub(crate) x_amz_content_sha256: Option<&'a HeaderValue>,
    pub(crate) x_amz_date: Option<&'a HeaderValue>,
    pub(crate) x_amz_security_token: Option<&'a HeaderValue>,
    pub(crate) x_amz_target: Option<&'a HeaderValue>,
    pub(crate) x_hashrange_budget: Option<&'a HeaderValue>,
    pub(crate) x_hashrange_explain: Option<&'a HeaderValue>,
}

impl<'a> Seen<'a> {
    /// Looks through a head.
    pub fn of(parts: &'a Parts) -> Seen<'a> {
        let mut seen = Seen::nothing(parts);
        for (name, value) in &parts.headers {
            let name = name.as_str();
            seen.block_bytes += name.len() + value.len() + 4;
            let Some(place) = seen.place(name) else { continue };
            if place.is_some() {
                seen.repeats = true;
            } else {
                *place = Some(value);
            }
        }
        seen
    }

    fn nothing(parts: &'a Parts) -> Seen<'a> {
        Seen {
            parts,
            block_bytes: 0,
            repeats: false,
            authorization: None,
            content_encoding: None,
            content_length: None,
            content_type: None,
            date: None,
            expect: None,
            host: None,
            origin: None,
            x_amz_content_sha256: None,
            x_amz_date: None,
            x_amz_security_token: None,
            x_amz_target: None,
            x_hashrange_budget: None,
            x_hashrange_explain: None,
        }
    }

    fn place(&mut self, name: &str) -> Option<&mut Option<&'a HeaderValue>> {
        Some(match name {
            "authorization" => &mut self.authorization,
            "content-encoding" => &mut self.content_encoding,
            "content-length" => &mut self.content_length,
            "content-type" => &mut self.content_type,
            "date" => &mut self.date,
            "expect" => &mut self.expect,
            "host" => &mut self.host,
            "origin" => &mut self.origin,
            "x-amz-content-sha256" => &mut self.x_amz_content_sha256,
            "x-amz-date" => &mut self.x_amz_date,
            "x-amz-security-token" => &mut self.x_amz_security_token,
            "x-amz-target" => &mut self.x_amz_target,
            "x-hashrange-budget" => &mut self.x_hashrange_budget,
            "x-hashrange-explain" => &mut self.x_hashrange_explain,
            _ => return None,
        })
    }

    /// The only line of a header, where it is one of those that are looked for and stands there once.
    pub(crate) fn only(&self, name: &str) -> Option<&'a HeaderValue> {
        if self.repeats {
            return None;
        }
        // A copy, for the place is found in what can be written.
        *{ *self }.place(name)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn head(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn the_first_line_of_a_header_counts() {
        let head = head(&[("Host", "a"), ("x-amz-date", "1"), ("other", "x"), ("X-Amz-Date", "2")]);
        let seen = Seen::of(&head);
        assert_eq!(seen.x_amz_date.unwrap(), "1");
        assert_eq!(seen.host.unwrap(), "a");
        assert!(seen.repeats && seen.origin.is_none());
        assert_eq!(seen.block_bytes, 4 + 1 + 10 + 1 + 5 + 1 + 10 + 1 + 4 * 4);
        assert_eq!(seen.only("host"), None, "it may be repeated as well");
    }

    #[test]
    fn a_header_that_stands_there_once_is_found_by_its_name() {
        let head = head(&[("Host", "a"), ("other", "x"), ("other", "y")]);
        let seen = Seen::of(&head);
        assert_eq!(seen.only("host").unwrap(), "a");
        assert_eq!(seen.only("other"), None, "it is not one of those");
        assert_eq!(seen.only("date"), None);
    }
}
