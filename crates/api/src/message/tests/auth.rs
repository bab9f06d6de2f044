//! The texts of `message::auth`, word for word.

use super::check;
use crate::message::auth;

#[test]
fn texts_are_those_of_aws() {
    check(auth::missing(), "Request is missing Authentication Token");
    check(
        auth::both_forms(),
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    );
    check(
        auth::incomplete(&["a", "b"], true, "header"),
        "Authorization header requires 'a' parameter. Authorization header requires 'b' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=header",
    );
    check(
        auth::incomplete_query(&["a", "b"]),
        "AWS query-string parameters must include 'a'. AWS query-string parameters must include 'b'. Re-examine the query-string parameters.",
    );
    check(
        auth::unreadable_date("sent"),
        "Date must be in ISO-8601 'basic format'. Got 'sent'. See http://en.wikipedia.org/wiki/ISO_8601",
    );
    check(auth::unsigned_host(), "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    check(
        auth::unsupported_algorithm("sent"),
        "Unsupported AWS 'algorithm': 'sent' (only AWS4-HMAC-SHA256 for now). ",
    );
    check(
        auth::credential_parts("sent"),
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'sent'",
    );
    check(
        auth::wrong_signature(),
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
    );
    check(
        auth::expired("sent", "edge", "now"),
        "Signature expired: sent is now earlier than edge (now - 15 min.)",
    );
    check(
        auth::not_yet("sent", "edge", "now"),
        "Signature not yet current: sent is still later than edge (now + 15 min.)",
    );
    check(auth::wrong_service(), "Credential should be scoped to correct service: 'dynamodb'. ");
    check(auth::wrong_region("sent"), "Credential should be scoped to a valid region, not 'sent'. ");
    check(
        auth::wrong_terminator("sent"),
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'sent'. ",
    );
    check(
        auth::wrong_date("scope", "day", "time"),
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'scope' != 'day', from 'time'.",
    );
    check(auth::unknown_key(), "The security token included in the request is invalid.");
    check(auth::expired_token(), "The security token included in the request is expired");
}
