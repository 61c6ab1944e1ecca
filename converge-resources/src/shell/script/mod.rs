//! The `task` resource: a script that checks and a script that changes.

mod task;

use converge_sdk::prelude::*;

pub use task::Script;

use super::run::Shell;
use crate::text::Text;

/// Runs a script that checks something, and another one that changes it if the check fails.
///
/// The check passes with exit code 0. With any other, the resource *will change*: `apply` runs, and then the
/// check again, which must pass. Without `apply` nothing can be changed, so a failing check is an error. A
/// plan runs the check, so it must not change anything.
///
/// With `on_change_of`, `apply` also runs if one of the named resources was changed, whatever the check says.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in the script that reads standard
/// input too would consume the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
///
/// A resource without changes costs one process. Therefore the syntax of `check` is checked only after it has
/// failed, and that of `apply` before it may have to run. A syntax error in a script is an error, and nothing of
/// an `apply` with one is run. In an apply, a shell checks a script of one line itself.
#[derive(Debug, Preparer)]
#[preparer(name = "task", task = Script, refresh, reads = "anything", changes = "anything", example = "example.hcl")]
#[preparer(at_least_one = "check,apply")]
pub struct ScriptPreparer {
    /// The script that checks: exit code 0 means that there is nothing to do.
    ///
    /// Without it, `apply` only runs for `on_change_of`.
    #[hcl(nonempty, pattern = "\\S", expects = "a script: it is blank")]
    check: Option<Text>,
    /// The script that makes the change. It must end with exit code 0.
    #[hcl(nonempty, pattern = "\\S", expects = "a script: it is blank")]
    apply: Option<Text>,
    #[hcl(embed)]
    shell: Shell,
}

impl Resource for ScriptPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Script> {
        self.shell.check_env()?;
        let Self { check, apply, shell } = self;
        Ok(Script::new(check.unwrap_or_default(), apply.unwrap_or_default(), shell))
    }
}
