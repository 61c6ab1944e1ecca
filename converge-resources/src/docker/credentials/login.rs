use std::fmt;

use bollard::auth::DockerCredentials;
use converge_sdk::Context;

use crate::docker::reference::DEFAULT_REGISTRY;

/// The name of the default registry in the configuration and for helpers.
const DEFAULT_REGISTRY_KEY: &str = "https://index.docker.io/v1/";

/// The user name that marks the secret as a token instead of a password.
const TOKEN_USER: &str = "<token>";

#[derive(Clone, PartialEq, Eq)]
pub(in crate::docker) enum Credentials {
    Password { user: String, password: String },
    Token(String),
}

/// Shows the user, never the secret.
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

    /// Registers the secret for redaction, because output may quote the engine or a registry.
    pub(super) fn hide(&self, cx: &Context) {
        let (Self::Password { password: secret, .. } | Self::Token(secret)) = self;
        cx.redactor().hide(secret);
    }

    /// Converts the credentials to the form of the Engine API.
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

/// Returns the name of a registry in the configuration and for helpers.
pub(super) fn key(registry: &str) -> &str {
    if registry == DEFAULT_REGISTRY { DEFAULT_REGISTRY_KEY } else { registry }
}
