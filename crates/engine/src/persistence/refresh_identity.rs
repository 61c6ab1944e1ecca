//! The identity of a resource with a pending refresh, independent of the file that declares it.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The length of a shortened hash in bytes.
const HASH_BYTES: usize = 16;

/// The declaration of a resource, apart from its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The hash of the text of its fields.
    pub(crate) declared: String,
    /// The hash of the values of its fields without secrets, or `None` while some are unknown.
    pub(crate) values: Option<String>,
}

/// Returns the beginning of the hash of a text in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(HASH_BYTES).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
