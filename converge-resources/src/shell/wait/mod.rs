//! `wait.query`: a script that is to succeed in the end.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Wait;

use super::run::Shell;
use crate::retry::RetryPolicy;
use crate::text::Text;

/// Waits until a script ends with exit code 0.
///
/// A check runs the script once. When it fails, the resource *will change*: an apply runs it again, as often as `max_retry`
/// says, and fails when it still does not succeed then, with how often it ran, how long that took, and how the last attempt
/// ended. A plan runs the script, so it must not change anything.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in it that reads standard input
/// too would take the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
#[derive(Debug, Preparer)]
#[preparer(name = "wait.query", task = Wait, reads = "anything", changes = "named", example = "example.hcl")]
pub struct WaitPreparer {
    /// The script.
    #[hcl(required, nonempty)]
    check: Text,
    #[hcl(embed)]
    shell: Shell,
    #[hcl(embed)]
    retry: RetryPolicy,
}

impl Resource for WaitPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Wait> {
        self.shell.check_env()?;
        let Self { check, shell, retry } = self;
        Ok(Wait { check, shell, retry, status: None })
    }
}
