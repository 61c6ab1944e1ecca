//! `task.query`: asks the machine something.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Query;

use super::run::Shell;
use crate::text::Text;

/// Runs a script for what it prints, which others look up as `status.stdout`.
///
/// It runs whenever it is checked, in a plan too, so it must not change anything. It never has changes of
/// its own. Another exit code than 0 is no error: it is there as `status.exitstatus`. A mistake in the syntax of the script is
/// one.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in it that reads standard input
/// too would take the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
#[derive(Debug, Preparer)]
#[preparer(name = "task.query", task = Query, reads = "anything", changes = "named", example = "example.hcl")]
pub struct QueryPreparer {
    /// The script.
    #[hcl(required, nonempty)]
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
