//! `task.query`: asks the machine something.

mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_core::prelude::*;
use indexmap::IndexMap;

pub use task::Query;

use super::run::Shell;
use crate::text::Text;

/// Runs a script for what it prints, which others look up as `status.stdout`.
///
/// It runs whenever it is checked, in a plan too, so it must not change anything. It never has changes of
/// its own. Another exit code than 0 is no error: it is there as `status.exitstatus`.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in it that reads standard input
/// too would take the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
#[derive(Debug, Preparer)]
#[preparer(name = "task.query", task = Query, example = "example.hcl")]
pub struct QueryPreparer {
    /// The script.
    #[hcl(required, nonempty)]
    query: Text,
    /// The program that runs the script: a path, or a name that is searched in `PATH`. It is `/bin/sh`
    /// when nothing else is given.
    #[hcl(default)]
    interpreter: Text,
    /// Flags with which the interpreter checks the syntax of the script without running it. For `sh`, `bash`,
    /// `dash`, `ash`, `ksh`, `mksh` and `zsh` they are `-n` when none are given; for other interpreters, and
    /// with an empty list, the syntax is not checked.
    check_flags: Option<Vec<Text>>,
    /// Flags with which the interpreter runs the script.
    #[hcl(default)]
    exec_flags: Vec<Text>,
    /// How long the script may run. Then it is killed, with every program that it started, and the
    /// resource fails.
    timeout: Option<Duration>,
    /// The directory in which the script runs. It is the working directory of this program when nothing
    /// else is given.
    #[hcl(default)]
    dir: Text,
    /// Variables that are added to the environment of the script.
    #[hcl(default)]
    env: IndexMap<String, Text>,
}

#[async_trait]
impl Resource for QueryPreparer {
    async fn prepare(self, cx: &Context, _renderer: &dyn Renderer) -> Result<Query> {
        let Self { query, interpreter, check_flags, exec_flags, timeout, dir, env } = self;
        let shell = Shell { interpreter, check_flags, exec_flags, timeout, dir, env };
        shell.check_syntax(cx, "query", &query).await?;
        Ok(Query::new(query, shell))
    }
}
