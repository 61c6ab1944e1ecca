//! The `config.json` of the `docker` command.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use converge_sdk::prelude::*;
use serde::Deserialize;

use super::login::{Credentials, key};

/// The parts of the file that concern registries.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    auths: BTreeMap<String, AuthEntry>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct AuthEntry {
    /// User, colon and password, in base64.
    auth: String,
    username: String,
    password: String,
    identitytoken: String,
}

/// Shows nothing of the entry, which holds passwords.
impl std::fmt::Debug for AuthEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuthEntry")
    }
}

/// A place where `docker login` may keep credentials.
#[derive(Debug)]
pub(super) enum CredentialSource<'a> {
    Helper(&'a str),
    /// The file itself, with the name of the entry.
    Entry(&'a str, &'a AuthEntry),
}

const NOT_BASE64: &str = "`auth` is not text in base64; `docker login` writes it again";
const NOT_A_PAIR: &str =
    "`auth` is not a user and a password with a colon between them; `docker login` writes it again";

impl Config {
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        // The decoder's reason may quote a part of the file.
        serde_json::from_slice(bytes).map_err(|error| {
            Error::msg(format!(
                "{} is not a configuration of docker: it is not a JSON object of the known form, at line {}, column {}",
                path.display(),
                error.line(),
                error.column()
            ))
        })
    }

    /// Returns the places that may have the credentials for `registry`, best first.
    pub(super) fn sources(&self, registry: &str) -> Vec<CredentialSource<'_>> {
        let is_match = |name: &String| host(name) == host(key(registry));
        let registry_helper =
            self.cred_helpers.iter().find(|(name, _)| is_match(name)).map(|(_, helper)| helper.as_str());
        let helper = registry_helper.or(Some(&*self.creds_store)).filter(|helper| !helper.is_empty());
        let exact = self.auths.get_key_value(key(registry));
        let entry = exact.or_else(|| self.auths.iter().find(|(name, _)| is_match(name)));
        helper
            .map(CredentialSource::Helper)
            .into_iter()
            .chain(entry.map(|(name, entry)| CredentialSource::Entry(name, entry)))
            .collect()
    }
}

impl AuthEntry {
    /// Returns the credentials of the entry, or `None` if a helper keeps them.
    pub(super) fn credentials(&self) -> Result<Option<Credentials>, &'static str> {
        if !self.identitytoken.is_empty() {
            return Ok(Some(Credentials::Token(self.identitytoken.clone())));
        }
        if self.auth.is_empty() {
            let (user, password) = (self.username.clone(), self.password.clone());
            return Ok((!user.is_empty()).then_some(Credentials::Password { user, password }));
        }
        // Padding is optional: other programs write the file too.
        let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let decoded = GeneralPurpose::new(&STANDARD, lenient).decode(&self.auth).map_err(|_| NOT_BASE64)?;
        let decoded = String::from_utf8(decoded).map_err(|_| NOT_BASE64)?;
        let (user, password) = decoded.split_once(':').ok_or(NOT_A_PAIR)?;
        // Some writers end the text with a NUL byte.
        let password = password.trim_end_matches('\0').to_owned();
        Ok(Some(Credentials::Password { user: user.to_owned(), password }))
    }
}

/// Returns the host of a name in the file, which may be a URL.
fn host(name: &str) -> &str {
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name);
    name.split('/').next().unwrap_or(name)
}
