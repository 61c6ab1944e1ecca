//! The `task.query` resource: a script that reads information from the machine.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Query;

use super::run::Shell;
use crate::text::Text;

/// Runs a script for its output, which others look up as `status.stdout`.
///
/// The script runs in each check, also in a plan, so it must not change anything. The resource never has
/// changes. A nonzero exit code is no error: it is available as `status.exitstatus`. A syntax error in the
/// script is an error.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in the script that reads standard
/// input too would consume the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
#[derive(Debug, Preparer)]
#[preparer(name = "task.query", task = Query, reads = "anything", changes = "named", example = "example.hcl")]
pub struct QueryPreparer {
    /// The script.
    #[hcl(required, nonempty, pattern = "\\S", expects = "a script: it is blank")]
    query: Text,
    #[hcl(embed)]
    shell: Shell,
}

impl Resource for QueryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Query> {
        self.shell.check_env()?;
        let Self { query, shell } = self;
        Ok(Query { script: query, status: None, checkstatus: None, shell })
    }
}
