//! Runs the script until it succeeds.

use converge_core::prelude::*;

use crate::shell::run::{Ran, ScriptError, ScriptResult, Shell};
use crate::text::Text;
use crate::wait::{Patience, Spent};

/// A script and how its last attempt ended.
#[derive(Debug, Export)]
pub struct Wait {
    check: Text,
    shell: Shell,
    patience: Patience,
    /// How the last attempt ended and what it printed.
    #[re_export_as = "status"]
    #[export(computed)]
    status: Option<ScriptResult>,
}

/// What came of one attempt.
enum Attempt {
    Passed,
    Failed(ScriptError),
    /// It could not be made; a pending change may bring what is missing.
    NotYet(String),
}

/// It was waited for in vain.
#[derive(Debug, thiserror::Error)]
#[error("not ready after {spent}: {last}")]
struct StillFails {
    spent: Spent,
    last: ScriptError,
}

impl Wait {
    pub(super) fn new(check: Text, shell: Shell, patience: Patience) -> Self {
        Self { check, shell, patience, status: None }
    }

    async fn attempt(&mut self, cx: &Context) -> Result<Attempt> {
        let result = match self.shell.run(cx, "check", &self.check).await {
            Ok(Ran::Done(result)) => result,
            Ok(Ran::NotYet { missing }) => return Ok(Attempt::NotYet(missing)),
            // An attempt that takes too long is one that failed.
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

#[async_trait]
impl Task for Wait {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match self.attempt(cx).await? {
            Attempt::Passed => {}
            Attempt::NotYet(missing) => {
                status.add_message(missing);
                status.raise_level(StatusLevel::MayChange);
            }
            Attempt::Failed(failed) => {
                status.add_difference("check", "not ready", "ready", "");
                status.add_message(failed.to_string());
                // Something that this resource depends on may be what it waits for.
                let may = !cx.pending().is_empty();
                status.raise_level(if may { StatusLevel::MayChange } else { StatusLevel::WillChange });
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut waiting = self.patience.begin(cx);
        let mut last = None;
        while waiting.next().await? {
            match self.attempt(cx).await? {
                Attempt::Passed => {
                    let mut status = Status::new();
                    status.add_message(format!("ready after {}", waiting.spent()));
                    waiting.settle().await?;
                    return Ok(status);
                }
                Attempt::NotYet(missing) => return Err(Error::msg(missing)),
                Attempt::Failed(failed) => last = Some(failed),
            }
        }
        match last {
            Some(last) => Err(Error::other(StillFails { spent: waiting.spent(), last })),
            None => Err(Error::msg("`check` was never run")),
        }
    }
}
