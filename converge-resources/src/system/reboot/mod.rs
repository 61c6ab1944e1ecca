//! `system.reboot`: boots the machine when something asks for it.

mod delay;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::Reboot;

use delay::Delay;

/// Boots the machine when something that it listens to was changed, once for each change, and lets the next apply go on with what comes behind it.
///
/// With `on_change_of` it boots after a change of what is named there, in this run or in an earlier one that did not come so far; with
/// `when_file_exists` it boots while that file is there. Without both it never does anything.
///
/// # Guarantees
///
/// That a boot is owed is written down before the change that asks for it, with the boot in which that was. Any later boot is the one that was
/// owed, also one by hand: the machine is not booted twice for one change. A run that boots the machine begins nothing more, and ends with exit code 6;
/// what comes behind the reboot is told as waiting for it, and is done by the next apply: by hand, by a unit, or by the agent.
///
/// # Caveats
///
/// No apply is started after the boot by itself. What must be so after it, such as a service that answers, is for what comes behind: see
/// `wait.query` and `wait.port`. What runs beside it when it is its turn is finished first; name what must be done before the boot
/// in `depends`. Where systemd runs the machine, the run sees to it that the machine really goes down, or has the boot scheduled; elsewhere what
/// `shutdown` says is all that is known. In a container, and where Linux does not say which boot it is, it is an error. A machine of which a boot is scheduled already is left to that.
#[derive(Debug, Preparer)]
#[preparer(name = "system.reboot", task = Reboot, validate, refresh, changes = "anything", example = "example.hcl")]
pub struct RebootPreparer {
    /// What users who are logged in are told.
    #[hcl(default = "Converge boots the machine", nonempty)]
    message: String,
    /// How long the machine waits before it boots, in whole minutes. The run does not wait for that.
    delay: Option<Delay>,
    /// How long it may take until the machine goes down, or has the boot scheduled, once it was asked: after that it is an error, and the boot is still
    /// owed. Until it is down the run does not wait.
    #[hcl(nonempty, default = "1m")]
    shutdown_timeout: Duration,
    /// Path of a file in `/run` that asks for a boot, such as `/run/reboot-required`. What is there goes with each boot, so that none asks twice.
    #[hcl(nonempty, pattern = "^/run/", expects = "a path in /run")]
    when_file_exists: Option<String>,
}

impl Validate for RebootPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |field: &'static str, message: &str| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })])
        };
        if self.message.starts_with('-') || self.message.contains(char::is_control) {
            return wrong("message", "it is one line, and does not begin with `-`");
        }
        match &self.when_file_exists {
            Some(file) if file.split('/').any(|part| part == "..") => {
                wrong("when_file_exists", "`..` may lead out of /run")
            }
            _ => Ok(()),
        }
    }
}

impl Resource for RebootPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Reboot> {
        let Self { message, delay, shutdown_timeout, when_file_exists } = self;
        Ok(Reboot { message, when_file_exists, delay: delay.unwrap_or_default(), shutdown_timeout })
    }
}
