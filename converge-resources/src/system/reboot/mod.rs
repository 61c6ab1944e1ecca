//! The `system.reboot` resource: a reboot of the machine that another change requires.

mod delay;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Reboot;

use delay::Delay;

/// Reboots the machine after a change of a resource that it watches, once for each change.
///
/// The next apply continues with the dependent resources.
///
/// With `on_change_of`, the machine is rebooted after a change of the named resources, in this run or in an
/// earlier one that did not reach the reboot. With `when_file_exists`, it is rebooted while that file exists.
/// Without both, the resource never does anything.
///
/// # Guarantees
///
/// A required reboot is recorded before the change that requires it, together with the id of the current
/// boot. Any later boot counts as the required one, also one by hand: the machine is not rebooted twice for
/// one change. A run that reboots the machine starts nothing more, and ends with exit code 6. Resources that
/// depend on the reboot are reported as waiting for it. The next apply does their work, whether it is started
/// by hand, by a unit, or by the agent.
///
/// # Caveats
///
/// No apply starts by itself after the boot. For conditions that must hold after the boot, such as a service
/// that answers, use dependent resources: see `wait.query` and `wait.port`. Resources that run at the same
/// time are finished first; name those that must be done before the reboot in `depends`. With systemd, the
/// run verifies that the machine goes down, or has a reboot scheduled; without it, the result of `shutdown`
/// is all that is known. In a container, and if Linux does not provide a boot id, the resource is an error.
/// If a reboot is scheduled already, no other one is requested.
#[derive(Debug, Preparer)]
#[preparer(name = "system.reboot", task = Reboot, validate, refresh, changes = "anything", example = "example.hcl")]
pub struct RebootPreparer {
    /// The message for users who are logged in.
    #[hcl(default = "Converge boots the machine", nonempty)]
    message: String,
    /// The delay before the reboot, in whole minutes. The run does not wait for it.
    delay: Option<Delay>,
    /// The longest time until the machine goes down, or has a reboot scheduled, after the request.
    ///
    /// After that, the resource fails, and the reboot is still required. The run does not wait until the
    /// machine is down.
    #[hcl(nonempty, default = "1m")]
    shutdown_timeout: Duration,
    /// Path of a file in `/run` that requires a reboot, such as `/run/reboot-required`.
    ///
    /// A boot clears `/run`, so one file never causes two reboots.
    #[hcl(nonempty, pattern = "^/run/", expects = "a path in /run")]
    when_file_exists: Option<String>,
}

impl Validate for RebootPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let refuse = |field: &'static str, message: &str| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })])
        };
        if self.message.starts_with('-') || self.message.contains(char::is_control) {
            return refuse("message", "it is one line, and does not begin with `-`");
        }
        match &self.when_file_exists {
            Some(file) if file.split('/').any(|part| part == "..") => {
                refuse("when_file_exists", "`..` may lead out of /run")
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
