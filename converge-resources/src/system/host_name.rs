//! Host names.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// A host name.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct HostName(String);

impl HostName {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
        let is_label = |label: &str| {
            !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && label.chars().all(allowed)
        };
        if text.len() > 253 || !text.split('.').all(is_label) {
            return Err(format!(
                "{text:?} is not the name of a host: it has letters, digits and `-`, in parts of at most 63 with dots between them"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
