//! What is spoken.

/// What is spoken at a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/1.1: one request after the other.
    Http1,
    /// HTTP/2, without asking for it first: many requests at a time.
    Http2,
}
