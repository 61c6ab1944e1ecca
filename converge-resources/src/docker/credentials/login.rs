use std::fmt;

use bollard::auth::DockerCredentials;
use converge_core::Context;

use crate::docker::reference::DEFAULT_REGISTRY;

/// How the default registry is called in the configuration and by helpers.
const DEFAULT_REGISTRY_KEY: &str = "https://index.docker.io/v1/";

/// What the name of a user is where the secret is a token in the place of a password.
const TOKEN_USER: &str = "<token>";

/// Credentials for one registry.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::docker) enum Credentials {
    Password { user: String, password: String },
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
    pub(super) fn new(user: String, secret: String) -> Self {
        if user == TOKEN_USER { Self::Token(secret) } else { Self::Password { user, password: secret } }
    }

    /// Keeps the secret out of the output, which may quote what the engine or a registry says.
    pub(super) fn hide(&self, cx: &Context) {
        let (Self::Password { password: secret, .. } | Self::Token(secret)) = self;
        cx.redactor().hide(secret);
    }

    /// The form that the Engine API takes.
    pub(in crate::docker) fn for_engine(&self, registry: &str) -> DockerCredentials {
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

/// The name of a registry in the configuration and for helpers.
pub(super) fn key(registry: &str) -> &str {
    if registry == DEFAULT_REGISTRY { DEFAULT_REGISTRY_KEY } else { registry }
}
