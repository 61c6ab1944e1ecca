//! The `wait.query` resource: a script that has to succeed eventually.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Wait;

use super::run::Shell;
use crate::retry::RetryPolicy;
use crate::text::Text;

/// Waits until a script ends with exit code 0.
///
/// A check runs the script once. If it fails, the resource *will change*. An apply runs it again, up to
/// `max_retry` times, and fails if it still does not succeed then. The error says how often it ran, how long
/// that took, and how the last attempt ended. A plan runs the script, so it must not change anything.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in the script that reads standard
/// input too would consume the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
#[derive(Debug, Preparer)]
#[preparer(name = "wait.query", task = Wait, reads = "anything", changes = "named", example = "example.hcl")]
pub struct WaitPreparer {
    /// The script.
    #[hcl(required, nonempty, pattern = "\\S", expects = "a script: it is blank")]
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
