//! The stored type for secrets.

use std::fmt;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

/// The allowed length of a value in bytes.
///
/// Shorter values cannot be found reliably in output, and so not be redacted.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=65_536;
/// Values that are too common to be redacted.
const WORDS: [&str; 3] = ["true", "false", "null"];

/// A secret value, such as a password or a key.
///
/// Modules name it, and their nodes receive it.
///
/// A client writes it as `value`, and the server encrypts it before anything is stored. Reads, lists and
/// watches never return the value.
#[derive(Clone, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = namespace, validate = Secret::check)]
pub(crate) struct Secret {
    /// The value, only in a write: from 4 to 65,536 bytes.
    ///
    /// Reads never return it.
    #[stored(tag = 1)]
    pub value: String,
    /// The stored ciphertext, bound to the name of this resource.
    ///
    /// A client may write back what it has read; only a server can create it.
    #[stored(tag = 2)]
    pub sealed: Vec<u8>,
    /// The id of the server's key that encrypted the value.
    #[stored(tag = 3)]
    pub key: String,
    /// The purpose of the secret.
    #[stored(tag = 4)]
    pub description: String,
}

impl Secret {
    /// Checks a value.
    pub(crate) fn check_value(value: &str) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        let mut field = invalid.field("value");
        if !LENGTH.contains(&value.len()) {
            field.add(format!("has {} bytes: a secret has from 4 to 65,536", value.len()));
        }
        field.require(!WORDS.contains(&value), "is true, false or null, which cannot be hidden in output");
        invalid.finish()
    }

    /// Refuses to store a value that was not encrypted, whatever path the write took.
    fn check(secret: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(secret.owner().is_none(), "a secret has no owner");
        invalid.field("value").require(secret.value.is_empty(), "is not sealed: only the API takes it");
        if secret.value.is_empty() && secret.sealed.is_empty() {
            invalid.field("value").add(Cause::Missing);
        }
        invalid.finish()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("key", &self.key).finish_non_exhaustive()
    }
}
