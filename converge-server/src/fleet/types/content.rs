//! The content of a module.

use std::collections::BTreeMap;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Name, StoredMessage};

/// The text or source of a module, and its parameters.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Content {
    /// The text of the module; empty if there is a source.
    #[stored(tag = 1)]
    pub text: String,
    /// The source from which agents fetch the module, if there is no text.
    #[stored(tag = 2)]
    pub source: Option<Source>,
    /// The parameters, each in the syntax of `--param NAME=`.
    #[stored(tag = 3)]
    pub params: BTreeMap<String, String>,
    /// The secret parameters, each with the name of a secret in the namespace of the module.
    ///
    /// Agents receive the values.
    #[stored(tag = 4)]
    pub secrets: BTreeMap<String, String>,
}

/// The location and hash of a module.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Source {
    /// The URL of a text or an archive.
    #[stored(tag = 1)]
    pub url: String,
    /// The SHA-256 of the file as 64 hexadecimal digits.
    ///
    /// A file with another hash is refused.
    #[stored(tag = 2)]
    pub sha256: String,
}

impl Content {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        match &self.source {
            Some(_) => {
                invalid
                    .field("text")
                    .require(self.text.is_empty(), "is given, and so is a source: remove one of them");
            }
            None => {
                invalid
                    .field("text")
                    .require(!self.text.trim().is_empty(), "is empty, and there is no source");
            }
        }
        if let Some(Source { url, sha256 }) = &self.source {
            let mut source_field = invalid.field("source");
            let scheme = ["https://", "http://"].into_iter().find_map(|scheme| url.strip_prefix(scheme));
            source_field.field("url").require(
                scheme.is_some_and(|host| !host.is_empty() && !host.starts_with('/')),
                "is not a URL that begins with https:// or http://",
            );
            let digits = sha256.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
            source_field.field("sha256").require(
                sha256.len() == 64 && digits,
                "is not a SHA-256: 64 hexadecimal digits in small letters",
            );
        }
        for name in self.params.keys() {
            invalid.field("params").key(name).require(!name.is_empty(), Cause::Empty);
        }
        for (name, secret) in &self.secrets {
            invalid.field("secrets").key(name).require(!name.is_empty(), Cause::Empty);
            let is_twice = self.params.contains_key(name);
            invalid
                .field("secrets")
                .key(name)
                .require(!is_twice, "is also in the params: remove one of them");
            if let Err(error) = secret.parse::<Name>() {
                invalid.field("secrets").value(name).add(format!("is not the name of a secret: {error}"));
            }
        }
        invalid.finish()
    }
}
