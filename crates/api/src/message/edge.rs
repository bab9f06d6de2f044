//! Texts of our own, for what cannot happen between a client and AWS. They say what to do.

/// As many connections as the server takes: `ServiceUnavailable`, which SDKs try again.
pub fn too_many_connections() -> String {
    "The server has as many connections as --max-connections allows; try again later, or use fewer connections.".to_owned()
}

/// No room for another body or answer: `ServiceUnavailable`, which SDKs try again.
pub fn no_memory() -> String {
    "The requests under way hold as many bytes as --request-memory allows; try again later.".to_owned()
}

/// Plain HTTP on a port for TLS: `ValidationException`, which SDKs show.
pub fn not_tls() -> String {
    "This port takes TLS only: write https:// in place of http:// in the endpoint.".to_owned()
}

/// A list, set or map of a request with more elements than anything that DynamoDB takes: `SerializationException`.
pub fn too_many_elements() -> String {
    "A list, set or map of the request has too many elements".to_owned()
}
