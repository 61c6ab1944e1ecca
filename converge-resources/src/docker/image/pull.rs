//! A pull, watched.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use bollard::query_parameters::CreateImageOptionsBuilder;
use converge_core::prelude::*;
use futures_core::Stream as _;
use tokio::time::{Instant, timeout_at};

use super::progress::{News, Progress};
use crate::docker::credentials::{self, Known};
use crate::docker::engine::{Engine, EngineError};
use crate::docker::reference::Reference;

/// Why a pull failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum PullError {
    /// Nothing happened for too long.
    #[error("gave up the pull of {image:?} after {after:?} without progress; it stood at {place}")]
    Stalled {
        /// The image.
        image: String,
        /// How long nothing happened.
        after: Duration,
        /// The layer, and how far it came.
        place: String,
    },
    /// The engine or the registry says no.
    #[error("{source}{hint}")]
    Refused {
        /// What they say.
        source: EngineError,
        /// What may help.
        hint: Hint,
    },
}

/// What may help after a pull that was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// The registry does not let us have it.
    Credentials {
        /// The registry.
        registry: String,
        /// With what it was asked; `None` without anything.
        with: Option<String>,
        /// Where the credentials are from, or would be.
        config: Option<PathBuf>,
    },
    /// The registry does not have it.
    Missing {
        /// The registry.
        registry: String,
    },
    /// The registry speaks plain HTTP.
    Insecure {
        /// The registry.
        registry: String,
    },
    /// The words of the engine say it all.
    Nothing,
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Credentials { registry, with, config } => {
                match with {
                    Some(with) => write!(f, "; {registry} was asked with {with}")?,
                    None => write!(f, "; {registry} was asked without credentials")?,
                }
                match (with, config) {
                    (Some(_), Some(config)) => write!(f, " from {}", config.display()),
                    (None, Some(config)) => write!(
                        f,
                        ", as {} has none for it: `docker login {registry}` writes them",
                        config.display()
                    ),
                    (_, None) => write!(f, ": neither DOCKER_CONFIG nor HOME says where they are"),
                }
            }
            Self::Missing { registry } => write!(f, "; {registry} has no such name or tag"),
            Self::Insecure { registry } => write!(
                f,
                "; {registry} has no TLS: name it in `insecure-registries` of the engine's configuration"
            ),
            Self::Nothing => Ok(()),
        }
    }
}

impl Hint {
    fn of(error: &EngineError, registry: &str, known: &Known) -> Self {
        let EngineError::Refused { message, .. } = error else { return Self::Nothing };
        let message = message.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        let registry = registry.to_owned();
        if says(&["unauthorized", "denied", "no basic auth credentials", "authentication required"]) {
            let with = known.credentials.as_ref().map(|credentials| format!("{credentials:?}"));
            Self::Credentials { registry, with, config: known.config.clone() }
        } else if says(&["manifest unknown", "name unknown", "not found"]) {
            Self::Missing { registry }
        } else if says(&["http response to https client"]) {
            Self::Insecure { registry }
        } else {
            Self::Nothing
        }
    }
}

/// Pulls an image, and gives what the engine says at the end.
///
/// # Errors
///
/// [`PullError`]; credentials that cannot be read; a cancelled run, which ends the pull.
pub(super) async fn pull(
    cx: &Context,
    engine: &Engine,
    image: &Reference,
    patience: Duration,
) -> Result<Vec<String>> {
    let registry = image.registry();
    let known = credentials::find(cx, registry).await?;
    let options = CreateImageOptionsBuilder::new().from_image(image.name()).tag(image.version()).build();
    let credentials = known.credentials.as_ref().map(|credentials| credentials.for_engine(registry));
    let mut lines = pin!(engine.docker().create_image(Some(options), None, credentials));

    let mut progress = Progress::default();
    let mut until = Instant::now() + patience;
    loop {
        let deadline = cx.remaining().map_or(until, |remaining| until.min(Instant::now() + remaining));
        let line = cx
            .cancellation()
            .run_until_cancelled(timeout_at(deadline, poll_fn(|wakeup| lines.as_mut().poll_next(wakeup))))
            .await;
        match line.ok_or(Error::Cancelled)? {
            Ok(None) => return Ok(progress.into_said()),
            Ok(Some(Ok(line))) => {
                let (status, layer) = (line.status.clone(), line.id.clone());
                match progress.note(line) {
                    News::Step => {
                        tracing::info!(%image, layer, status, "pulling");
                        until = Instant::now() + patience;
                    }
                    News::Further => {
                        tracing::debug!(%image, place = progress.place(), "pulling");
                        until = Instant::now() + patience;
                    }
                    News::Nothing => {}
                }
            }
            Ok(Some(Err(error))) => {
                let source = EngineError::of(format!("pull the image \"{image}\""), error);
                let hint = Hint::of(&source, registry, &known);
                return Err(Error::other(PullError::Refused { source, hint }));
            }
            Err(_) => {
                cx.check_cancelled()?;
                let place = progress.place();
                let image = image.to_string();
                return Err(Error::other(PullError::Stalled { image, after: patience, place }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docker::credentials::Credentials;

    #[test]
    fn hints() {
        let check = |message: &str, user: Option<&str>, expect: &str| {
            let source = EngineError::Refused {
                doing: "pull the image \"r:5000/app:1\"".to_owned(),
                status: 500,
                message: message.to_owned(),
            };
            let credentials = user
                .map(|user| Credentials::Password { user: user.to_owned(), password: "hunter2".to_owned() });
            let known = Known { credentials, config: Some("/root/.docker/config.json".into()) };
            let hint = Hint::of(&source, "r:5000", &known);
            let error = PullError::Refused { source, hint }.to_string();
            let start = "cannot pull the image \"r:5000/app:1\": the Docker engine says: ";
            assert_eq!(error, format!("{start}{message}{expect}"));
        };
        check(
            "Get \"http://r:5000/v2/app\": no basic auth credentials",
            None,
            "; r:5000 was asked without credentials, as /root/.docker/config.json has none for it: \
             `docker login r:5000` writes them",
        );
        check(
            "unauthorized: authentication required",
            Some("ada"),
            "; r:5000 was asked with the credentials of \"ada\" from /root/.docker/config.json",
        );
        check(
            "manifest for r:5000/app:1 not found: manifest unknown",
            None,
            "; r:5000 has no such name or tag",
        );
        check(
            "Get \"https://r:5000/v2/\": http: server gave HTTP response to HTTPS client",
            None,
            "; r:5000 has no TLS: name it in `insecure-registries` of the engine's configuration",
        );
        check("connect: connection refused", None, "");
    }
}
