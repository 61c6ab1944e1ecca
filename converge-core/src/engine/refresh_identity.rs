//! What tells one resource that owes a refresh from others, in whatever file it is written by now.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// So many bytes of a hash.
const HASH_BYTES: usize = 16;

/// What a resource is declared to be, apart from where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// Of what is written for its fields.
    pub(super) declared: String,
    /// Of the values of its fields, without secrets; `None` while some are not known.
    pub(super) values: Option<String>,
}

/// A part of the hash of a text, in hexadecimal.
pub(super) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(HASH_BYTES).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
