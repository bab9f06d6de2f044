//! Streams, encryption, resource policies.

use hashrange_api::message::tables as text;
use hashrange_api::{Error, SSESpecification, SSEType, StreamSpecification};
use hashrange_item::limits;

use super::refuse;

/// Checks the stream of a new table.
pub(super) fn stream_of_new_table(stream: Option<&StreamSpecification>) -> Result<(), Error> {
    match stream.map(|stream| (stream.stream_enabled, stream.stream_view_type)) {
        Some((true, None)) => refuse(text::new_stream_without_view()),
        Some((false, Some(_))) => refuse(text::new_stream_off_with_view()),
        _ => Ok(()),
    }
}

/// Checks a change of the stream.
pub(super) fn stream(stream: Option<&StreamSpecification>) -> Result<(), Error> {
    match stream.map(|stream| (stream.stream_enabled, stream.stream_view_type)) {
        Some((true, None)) => refuse(text::stream_without_view()),
        Some((false, Some(_))) => refuse(text::stream_off_with_view()),
        _ => Ok(()),
    }
}

/// What a request asks of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::catalog) enum Encryption<'a> {
    /// The default: a key that AWS owns.
    Default,
    /// A key in KMS: this one, or the one that AWS manages for the account.
    Key(Option<&'a str>),
}

/// Checks an encryption setting, and tells what it asks; `None` where it is not given.
pub(in crate::catalog) fn encryption(
    specification: Option<&SSESpecification>,
) -> Result<Option<Encryption<'_>>, Error> {
    let Some(specification) = specification else { return Ok(None) };
    let key = specification.kms_master_key_id.as_deref();
    match (specification.enabled, specification.sse_type) {
        (Some(false), Some(_)) => refuse(text::encryption_off_with("SSEType")),
        (Some(false), None) if key.is_some() => refuse(text::encryption_off_with("KMSMasterKeyId")),
        (_, Some(SSEType::Aes256)) => refuse(text::encryption_type_unsupported()),
        (_, None) if key.is_some() => refuse(text::encryption_key_without_type()),
        (Some(true), _) | (None, Some(SSEType::Kms)) => Ok(Some(Encryption::Key(key))),
        (Some(false) | None, _) => Ok(Some(Encryption::Default)),
    }
}

/// Checks a resource policy's length.
pub(super) fn policy(policy: Option<&str>) -> Result<(), Error> {
    if policy.is_some_and(|policy| policy.len() > limits::RESOURCE_POLICY_MAX) {
        return refuse(text::policy_too_long(limits::RESOURCE_POLICY_MAX));
    }
    Ok(())
}
