//! ARNs and tags.

use super::invalid;

/// A tag operation on a resource that does not exist, or is another account's: an `AccessDeniedException`.
pub fn not_authorized(user: &str, operation: &str, resource: &str) -> String {
    format!("User: {user} is not authorized to perform: dynamodb:{operation} on resource: {resource}")
}

/// A resource ARN that is none.
pub fn bad_arn(sent: &str) -> String {
    format!("Invalid TableArn: Invalid ResourceArn provided as input {sent}")
}

/// TagResource without tags.
pub fn tags_missing() -> String {
    "Atleast one Tag needs to be provided as Input.".to_owned()
}

/// UntagResource without keys.
pub fn tag_keys_missing() -> String {
    "Atleast one Tag Key needs to be provided as Input.".to_owned()
}

/// More than 50 tags on one resource.
pub fn too_many_tags(resource: &str) -> String {
    format!(
        "One or more parameter values were invalid: Too many tags: The limit for tags per resource is 50: {resource}"
    )
}

/// One tag key twice in a request.
pub fn duplicate_tag_key(key: &str) -> String {
    invalid(&format!("Duplicate tag key found: {key}"))
}

/// A tag key that begins with `aws:`.
pub fn reserved_tag_key() -> String {
    invalid("Tag keys starting with 'aws:' are reserved for system use")
}

/// ListTagsOfResource with a token that this server did not give.
pub fn bad_next_token() -> String {
    "Invalid NextToken".to_owned()
}
