//! Texts of our own.

use crate::message::edge;

#[test]
fn every_text_of_our_own_says_what_to_do() {
    assert_eq!(
        edge::too_many_connections(),
        "The server has as many connections as --max-connections allows; try again later, or use fewer connections."
    );
    assert_eq!(
        edge::no_memory(),
        "The requests under way hold as many bytes as --request-memory allows; try again later."
    );
    assert_eq!(
        edge::not_tls(),
        "This port takes TLS only: write https:// in place of http:// in the endpoint."
    );
    assert_eq!(edge::too_many_elements(), "A list, set or map of the request has too many elements");
}
