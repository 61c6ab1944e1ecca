//! What a registry wants to know of us: read from where `docker login` keeps it.

mod config;
mod helper;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use bollard::auth::DockerCredentials;
use converge_core::prelude::*;

use config::{Config, ConfigError, Source};

use super::reference::DEFAULT_REGISTRY;

/// How the default registry is called in the configuration and by helpers.
const DEFAULT_REGISTRY_KEY: &str = "https://index.docker.io/v1/";

/// What the name of a user is where the secret is a token in the place of a password.
const TOKEN_USER: &str = "<token>";

/// Credentials for one registry.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Credentials {
    /// A user and a password.
    Password {
        /// The user.
        user: String,
        /// The password.
        password: String,
    },
    /// A token that stands for a user.
    Token(String),
}

/// Shows who, and never with what.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(f, "the credentials of {user:?}"),
            Self::Token(_) => f.write_str("a token"),
        }
    }
}

impl Credentials {
    fn new(user: String, secret: String) -> Self {
        if user == TOKEN_USER { Self::Token(secret) } else { Self::Password { user, password: secret } }
    }

    /// As the engine takes them.
    pub(super) fn for_engine(&self, registry: &str) -> DockerCredentials {
        let serveraddress = Some(key(registry).to_owned());
        match self.clone() {
            Self::Password { user, password } => DockerCredentials {
                username: Some(user),
                password: Some(password),
                serveraddress,
                ..DockerCredentials::default()
            },
            Self::Token(token) => DockerCredentials {
                identitytoken: Some(token),
                serveraddress,
                ..DockerCredentials::default()
            },
        }
    }
}

/// The credentials for a registry, and where they were looked for.
#[derive(Debug)]
pub(super) struct Known {
    /// The credentials, if there are any.
    pub(super) credentials: Option<Credentials>,
    /// The configuration; `None` when the environment does not say where it is.
    pub(super) config: Option<PathBuf>,
}

/// Looks for the credentials for `registry`, in the order in which `docker` does: the helper of this registry, the
/// helper for all, the file itself.
///
/// # Errors
///
/// A configuration that cannot be read, a helper that fails. That there are no credentials is no error.
pub(super) async fn find(cx: &Context, registry: &str) -> Result<Known> {
    let system = cx.system();
    let given = |name: &str| system.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = given("DOCKER_CONFIG").or_else(|| Some(given("HOME")?.join(".docker")));
    let Some(path) = folder.map(|folder| folder.join("config.json")) else {
        return Ok(Known { credentials: None, config: None });
    };
    let credentials = match system.files().read(&path).await? {
        Some(file) => in_config(cx, &path, &file.bytes, registry).await?,
        None => None,
    };
    Ok(Known { credentials, config: Some(path) })
}

async fn in_config(cx: &Context, path: &Path, bytes: &[u8], registry: &str) -> Result<Option<Credentials>> {
    let config = Config::parse(path, bytes).map_err(Error::other)?;
    for source in config.sources(registry) {
        let found = match source {
            Source::Helper(name) => helper::get(cx, name, key(registry)).await?,
            Source::Entry(at, entry) => {
                let of = |problem| ConfigError::Entry { path: path.to_owned(), at: at.to_owned(), problem };
                entry.credentials().map_err(|problem| Error::other(of(problem)))?
            }
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The name of a registry in the configuration and for helpers.
fn key(registry: &str) -> &str {
    if registry == DEFAULT_REGISTRY { DEFAULT_REGISTRY_KEY } else { registry }
}
