use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, SystemErrorKind};
use serde::Deserialize;

use super::login::Credentials;

const PREFIX: &str = "docker-credential-";

const TIMEOUT: Duration = Duration::from_secs(30);

/// The text that a helper prints if it has no credentials for a registry.
const NONE: &str = "credentials not found";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    username: String,
    secret: String,
}

/// Asks a helper for the credentials for a registry.
///
/// Returns `None` if the helper has none.
pub(super) async fn get(cx: &Context, name: &str, registry: &str) -> Result<Option<Credentials>> {
    let program = format!("{PREFIX}{name}");
    let mut command = Command::new(&program).arg("get");
    command.stdin = registry.as_bytes().to_vec();
    let limit = cx.remaining().map_or(TIMEOUT, |remaining| remaining.min(TIMEOUT));
    command.timeout = Some(limit);
    let output = match cx.system().processes().run(command).await {
        Ok(output) => output,
        Err(error) if error.kind == SystemErrorKind::NotFound => {
            return Err(Error::msg(format!(
                "the configuration of docker names the helper {program:?} for credentials, and there is no such \
                 program: install it, or take it out of the configuration"
            )));
        }
        Err(error) => return Err(error.into()),
    };
    match output.exit {
        Exit::TimedOut => {
            Err(Error::msg(format!("{program} get for {registry:?} was killed after {limit:?}")))
        }
        Exit::Code(0) => match serde_json::from_slice::<HelperAnswer>(&output.stdout) {
            Ok(answer) => Ok(Some(Credentials::new(answer.username, answer.secret))),
            Err(_) => Err(Error::msg(format!("{program} get for {registry:?} printed an invalid answer"))),
        },
        Exit::Code(_) | Exit::Signal(_) => {
            // Helpers print errors on their standard output. The output of a failure has no credentials in
            // it.
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let message = [text(&output.stdout), text(&output.stderr)].join(" ").trim().to_owned();
            if message.contains(NONE) {
                return Ok(None);
            }
            let colon = if message.is_empty() { "" } else { ": " };
            Err(Error::msg(format!("{program} get for {registry:?} failed{colon}{message}")))
        }
    }
}
