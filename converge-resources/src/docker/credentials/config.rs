//! `config.json` of the `docker` command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;

use super::{Credentials, key};

/// What of the file says something about registries.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    auths: BTreeMap<String, Entry>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

/// What is written for one registry.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Entry {
    /// User, colon and password, in base64.
    auth: String,
    username: String,
    password: String,
    identitytoken: String,
}

/// Holds passwords.
impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entry")
    }
}

/// Where credentials may be.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// A program that keeps them.
    Helper(&'a str),
    /// The file itself, with the name of the entry.
    Entry(&'a str, &'a Entry),
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigError {
    /// It cannot be read as what it is.
    // The reason of the decoder may show a part of the file.
    #[error("{} is not a configuration of docker: it is no JSON object of the known form, at line {line}, column {column}", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// An entry is wrong.
    #[error("{}: `auths`, {at:?}: {problem}", .path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The name of the entry.
        at: String,
        /// What is wrong with it.
        problem: EntryError,
    },
}

/// What is wrong with an entry.
#[derive(Debug, thiserror::Error)]
pub(super) enum EntryError {
    /// Not base64, or not text in base64.
    #[error("`auth` is not text in base64; `docker login` writes it anew")]
    Encoding,
    /// The text is not a user and a password.
    #[error("`auth` is not a user and a password with a colon between them; `docker login` writes it anew")]
    Parts,
}

impl Config {
    /// Reads the file.
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ConfigError> {
        serde_json::from_slice(bytes).map_err(|error| ConfigError::Form {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
        })
    }

    /// Where the credentials for `registry` may be, best first.
    pub(super) fn sources(&self, registry: &str) -> Vec<Source<'_>> {
        let named = |name: &String| host(name) == host(key(registry));
        let own = self.cred_helpers.iter().find(|(name, _)| named(name)).map(|(_, helper)| helper.as_str());
        let helper = own.or(Some(&*self.creds_store)).filter(|helper| !helper.is_empty());
        let exact = self.auths.get_key_value(key(registry));
        let entry = exact.or_else(|| self.auths.iter().find(|(name, _)| named(name)));
        helper
            .map(Source::Helper)
            .into_iter()
            .chain(entry.map(|(name, entry)| Source::Entry(name, entry)))
            .collect()
    }
}

impl Entry {
    /// What the entry says; nothing when a helper keeps it.
    pub(super) fn credentials(&self) -> Result<Option<Credentials>, EntryError> {
        if !self.identitytoken.is_empty() {
            return Ok(Some(Credentials::Token(self.identitytoken.clone())));
        }
        if self.auth.is_empty() {
            let (user, password) = (self.username.clone(), self.password.clone());
            return Ok((!user.is_empty()).then_some(Credentials::Password { user, password }));
        }
        // With or without its padding: other programs write the file too.
        let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let decoded =
            GeneralPurpose::new(&STANDARD, lenient).decode(&self.auth).map_err(|_| EntryError::Encoding)?;
        let decoded = String::from_utf8(decoded).map_err(|_| EntryError::Encoding)?;
        let (user, password) = decoded.split_once(':').ok_or(EntryError::Parts)?;
        // Some writers end the text as C does.
        let password = password.trim_end_matches('\0').to_owned();
        Ok(Some(Credentials::Password { user: user.to_owned(), password }))
    }
}

/// The host of a name in the file, which may be a URL.
fn host(name: &str) -> &str {
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name);
    name.split('/').next().unwrap_or(name)
}
