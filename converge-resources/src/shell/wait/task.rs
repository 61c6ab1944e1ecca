use converge_sdk::prelude::*;

use crate::missing_dependency;
use crate::retry::RetryPolicy;
use crate::shell::run::{ScriptError, ScriptOutcome, ScriptResult, Shell};
use crate::text::Text;

/// The task of a `wait.query` resource.
#[derive(Debug, Export)]
pub struct Wait {
    pub(super) check: Text,
    pub(super) shell: Shell,
    pub(super) retry: RetryPolicy,
    /// The exit code and the output of the last attempt.
    #[re_export_as = "status"]
    #[export(computed)]
    pub(super) status: Option<ScriptResult>,
}

enum Attempt {
    Passed,
    Failed(ScriptError),
    /// The script could not be started; a pending change may bring what is missing.
    NotYet(String),
}

impl Wait {
    async fn attempt(&mut self, cx: &Context) -> Result<Attempt> {
        let result = match self.shell.run(cx, "check", &self.check).await {
            Ok(ScriptOutcome::Done(result)) => result,
            Ok(ScriptOutcome::NotYet { missing }) => return Ok(Attempt::NotYet(missing)),
            // An attempt that exceeds the time limit counts as failed.
            Err(Error::Other(error)) => {
                return error.downcast().map(|failed| Attempt::Failed(*failed)).map_err(Error::Other);
            }
            Err(error) => return Err(error),
        };
        let (code, output) = (result.exit_code(), result.printed());
        let passed = result.success();
        self.status = Some(result);
        if passed {
            return Ok(Attempt::Passed);
        }
        Ok(Attempt::Failed(ScriptError::Failed { name: "check", code, output }))
    }
}

impl Task for Wait {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match self.attempt(cx).await? {
            Attempt::Passed => {}
            Attempt::NotYet(missing) => return Ok(missing_dependency::not_yet(missing)),
            Attempt::Failed(failed) => {
                if let Some(result) = &self.status {
                    self.shell.check_failed(cx, "check", &self.check, result).await?;
                }
                status.add_difference("check", "not ready", "ready");
                status.add_message(failed.to_string());
                // A pending change that this resource depends on may fulfil the condition.
                let is_pending = !cx.pending().is_empty();
                status.raise_level(if is_pending { StatusLevel::MayChange } else { StatusLevel::WillChange });
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut waiting = self.retry.begin(cx);
        let mut last = None;
        while waiting.next().await? {
            match self.attempt(cx).await? {
                Attempt::Passed => {
                    let mut status = Status::new();
                    status.add_message(format!("ready after {}", waiting.stats()));
                    waiting.settle().await?;
                    return Ok(status);
                }
                Attempt::NotYet(missing) => return Err(Error::msg(missing)),
                Attempt::Failed(failed) => last = Some(failed),
            }
        }
        match last {
            Some(last) => Err(Error::msg(format!("not ready after {}: {last}", waiting.stats()))),
            None => Err(Error::msg("`check` was never run")),
        }
    }
}
