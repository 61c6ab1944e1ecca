//! Pulls of images, which stop if there is no progress.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bollard::query_parameters::CreateImageOptionsBuilder;
use converge_sdk::prelude::*;
use futures_core::Stream as _;
use tokio::time::{Instant, timeout_at};

use super::progress::{Progress, ProgressChange};
use crate::docker::credentials::{self, CredentialLookup};
use crate::docker::engine::{Engine, EngineError};
use crate::docker::reference::Reference;

/// Returns advice after a refused pull, or an empty text if the engine's error is enough.
fn hint(error: &EngineError, registry: &str, lookup: &CredentialLookup) -> String {
    let EngineError::Refused { message, .. } = error else { return String::new() };
    let message = message.to_lowercase();
    let contains_any = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if contains_any(&["unauthorized", "denied", "no basic auth credentials", "authentication required"]) {
        let detail = match &lookup.credentials {
            Some(credentials) => format!("; {registry} was asked with {credentials:?}"),
            None => format!("; {registry} was asked without credentials"),
        };
        match &lookup.config {
            None => format!("{detail}: neither DOCKER_CONFIG nor HOME says where they are"),
            Some(config) if lookup.credentials.is_some() => format!("{detail} from {}", config.display()),
            Some(config) => format!(
                "{detail}, as {} has none for it: `docker login {registry}` writes them",
                config.display()
            ),
        }
    } else if contains_any(&["manifest unknown", "name unknown", "not found"]) {
        format!("; {registry} has no such name or tag")
    } else if contains_any(&["http response to https client"]) {
        format!("; {registry} has no TLS: name it in `insecure-registries` of the engine's configuration")
    } else {
        String::new()
    }
}

/// Pulls an image, and returns the engine's final messages.
pub(super) async fn pull(
    cx: &Context,
    engine: &Engine,
    image: &Reference,
    inactivity: Duration,
) -> Result<Vec<String>> {
    let registry = image.registry();
    let lookup = credentials::find(cx, registry).await?;
    let options = CreateImageOptionsBuilder::new().from_image(image.name()).tag(image.version()).build();
    let credentials = lookup.credentials.as_ref().map(|credentials| credentials.for_engine(registry));
    let mut lines = pin!(engine.docker().create_image(Some(options), None, credentials));

    let mut progress = Progress::default();
    let mut idle_until = Instant::now() + inactivity;
    loop {
        let deadline =
            cx.remaining().map_or(idle_until, |remaining| idle_until.min(Instant::now() + remaining));
        let line = cx
            .cancellation()
            .run_until_cancelled(timeout_at(deadline, poll_fn(|wakeup| lines.as_mut().poll_next(wakeup))))
            .await;
        match line.ok_or(Error::Cancelled)? {
            Ok(None) => return Ok(progress.into_messages()),
            Ok(Some(Ok(line))) => {
                let (status, layer) = (line.status.clone(), line.id.clone());
                let change = progress.note(line);
                let (bytes, total) = progress.downloaded();
                if bytes > 0 {
                    cx.progress().bytes(bytes, total);
                }
                match change {
                    ProgressChange::Step => {
                        tracing::info!(%image, layer, status, "pulling");
                        cx.progress().step(progress.position());
                        idle_until = Instant::now() + inactivity;
                    }
                    ProgressChange::Further => {
                        tracing::debug!(%image, place = progress.position(), "pulling");
                        idle_until = Instant::now() + inactivity;
                    }
                    ProgressChange::Nothing => {}
                }
            }
            Ok(Some(Err(error))) => {
                let error = EngineError::from_client(format!("pull the image \"{image}\""), error);
                let hint = hint(&error, registry, &lookup);
                return Err(Error::msg(format!("{error}{hint}")));
            }
            Err(_) => {
                cx.check_cancelled()?;
                let (image, place) = (image.to_string(), progress.position());
                return Err(Error::msg(format!(
                    "gave up the pull of {image:?} after {inactivity:?} without progress; it stood at {place}"
                )));
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
            let lookup = CredentialLookup { credentials, config: Some("/root/.docker/config.json".into()) };
            let error = format!("{source}{}", hint(&source, "r:5000", &lookup));
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
