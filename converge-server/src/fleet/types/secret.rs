//! What not everybody may know.

use std::fmt;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

/// The shortest and the longest value. What is shorter cannot be found in what a run says, and so not be hidden there.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=65_536;
/// What is found everywhere.
const WORDS: [&str; 3] = ["true", "false", "null"];

/// A value that not everybody may know: a password, or a key. Modules name it, and their nodes get it.
///
/// It is written as `value`, and sealed by the server before anything is stored. Nobody who reads, lists or watches gets the value.
#[derive(Clone, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = namespace, validate = Secret::check)]
pub(crate) struct Secret {
    /// The value, when it is written: from 4 to 65,536 bytes. It is never read here.
    #[stored(tag = 1)]
    pub value: String,
    /// The value as it is stored, sealed under the name of this resource. What was read may be written again; nobody but a server makes it.
    #[stored(tag = 2)]
    pub sealed: Vec<u8>,
    /// By which key of the server it is sealed.
    #[stored(tag = 3)]
    pub key: String,
    /// What it is for.
    #[stored(tag = 4)]
    pub description: String,
}

impl Secret {
    /// What is wrong with a value.
    pub(crate) fn check_value(value: &str) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        let mut at = invalid.field("value");
        if !LENGTH.contains(&value.len()) {
            at.add(format!("has {} bytes: a secret has from 4 to 65,536", value.len()));
        }
        at.require(!WORDS.contains(&value), "is true, false or null, which cannot be hidden in what is said");
        invalid.finish()
    }

    /// However it comes here, a value is not stored.
    fn check(secret: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(secret.owner().is_none(), "nothing owns a secret");
        invalid.field("value").require(secret.value.is_empty(), "is not sealed: only doors take it");
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
