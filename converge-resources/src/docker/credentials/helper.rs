//! Programs that keep credentials.

use std::time::Duration;

use converge_core::prelude::*;
use converge_core::system::{Command, Exit, SystemErrorKind};
use serde::Deserialize;

use super::Credentials;

/// What the names of all helpers begin with.
const PREFIX: &str = "docker-credential-";

/// How long a helper may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a helper prints when it has nothing for a registry.
const NONE: &str = "credentials not found";

/// What a helper prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

/// Why a helper gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HelperError {
    /// There is no such program.
    #[error(
        "the configuration of docker names the helper {program:?} for credentials, and there is no such program: install it, or take it out of the configuration"
    )]
    Missing {
        /// The program.
        program: String,
    },
    /// It failed.
    #[error("{program} get for {registry:?} failed{}", shown(.said))]
    Failed {
        /// The program.
        program: String,
        /// The registry that it was asked for.
        registry: String,
        /// What it printed.
        said: String,
    },
    /// It ran too long.
    #[error("{program} get for {registry:?} was killed after {after:?}")]
    TimedOut {
        /// The program.
        program: String,
        /// The registry that it was asked for.
        registry: String,
        /// How long it ran.
        after: Duration,
    },
    /// It printed what is no answer.
    #[error("{program} get for {registry:?} printed something that is no answer of a helper")]
    Form {
        /// The program.
        program: String,
        /// The registry that it was asked for.
        registry: String,
    },
}

fn shown(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// Asks a helper for the credentials for a registry; `None` when it has none.
pub(super) async fn get(cx: &Context, name: &str, registry: &str) -> Result<Option<Credentials>> {
    let program = format!("{PREFIX}{name}");
    let mut command = Command::new(&program).arg("get");
    command.stdin = registry.as_bytes().to_vec();
    let limit = cx.remaining().map_or(PATIENCE, |remaining| remaining.min(PATIENCE));
    command.timeout = Some(limit);
    let registry = registry.to_owned();
    let output = match cx.system().processes().run(command).await {
        Ok(output) => output,
        Err(error) if error.kind == SystemErrorKind::NotFound => {
            return Err(Error::other(HelperError::Missing { program }));
        }
        Err(error) => return Err(error.into()),
    };
    match output.exit {
        Exit::TimedOut => Err(Error::other(HelperError::TimedOut { program, registry, after: limit })),
        Exit::Code(0) => match serde_json::from_slice::<Answer>(&output.stdout) {
            Ok(answer) => Ok(Some(Credentials::new(answer.username, answer.secret))),
            Err(_) => Err(Error::other(HelperError::Form { program, registry })),
        },
        Exit::Code(_) | Exit::Signal(_) => {
            // Helpers complain on their standard output. A failure has no credentials in it.
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let said = [text(&output.stdout), text(&output.stderr)].join(" ").trim().to_owned();
            if said.contains(NONE) {
                return Ok(None);
            }
            Err(Error::other(HelperError::Failed { program, registry, said }))
        }
    }
}
