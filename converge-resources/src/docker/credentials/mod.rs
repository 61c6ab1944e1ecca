//! Lookup of registry credentials, in the places where `docker login` keeps them.

mod config;
mod helper;
mod login;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

use config::{Config, CredentialSource};
pub(super) use login::Credentials;
use login::key;

/// The credentials for a registry, and the configuration file that was searched.
#[derive(Debug)]
pub(super) struct CredentialLookup {
    pub(super) credentials: Option<Credentials>,
    /// The configuration file, or `None` if the environment does not say where it is.
    pub(super) config: Option<PathBuf>,
}

/// Looks up the credentials for `registry`, in the same order as `docker`.
///
/// The order is: the helper of this registry, the helper for all registries, the file itself. Missing
/// credentials are not an error.
pub(super) async fn find(cx: &Context, registry: &str) -> Result<CredentialLookup> {
    let system = cx.system();
    let variable = |name: &str| system.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("DOCKER_CONFIG").or_else(|| Some(variable("HOME")?.join(".docker")));
    let Some(path) = folder.map(|folder| folder.join("config.json")) else {
        return Ok(CredentialLookup { credentials: None, config: None });
    };
    let credentials = match system.files().read(&path).await? {
        Some(file) => in_config(cx, &path, &file.bytes, registry).await?,
        None => None,
    };
    Ok(CredentialLookup { credentials, config: Some(path) })
}

async fn in_config(cx: &Context, path: &Path, bytes: &[u8], registry: &str) -> Result<Option<Credentials>> {
    let config = Config::parse(path, bytes)?;
    for source in config.sources(registry) {
        let credentials = match source {
            CredentialSource::Helper(name) => helper::get(cx, name, key(registry)).await?,
            CredentialSource::Entry(at, entry) => {
                let describe = |problem| format!("{}: `auths`, {at:?}: {problem}", path.display());
                entry.credentials().map_err(|problem| Error::msg(describe(problem)))?
            }
        };
        if let Some(credentials) = credentials {
            credentials.hide(cx);
            return Ok(Some(credentials));
        }
    }
    Ok(None)
}
