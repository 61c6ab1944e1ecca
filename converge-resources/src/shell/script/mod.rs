//! `task`: a script that checks and a script that changes.

mod task;

use converge_core::prelude::*;

pub use task::Script;

use super::run::Shell;
use crate::text::Text;

/// Runs a script that checks something, and another one that changes it when the check fails.
///
/// The check passes with exit code 0. With any other, the resource *will change*: `apply` runs, and then
/// the check again, which must pass. Without `apply` nothing can be changed, so a check that fails is an
/// error. A plan runs the check, so it must not change anything.
///
/// With `on_change_of`, `apply` also runs when one of the named resources was changed, whatever the check says.
///
/// # Caveats
///
/// The interpreter reads the script from its standard input. A command in it that reads standard input
/// too would take the rest of the script: give it another input, as in `ssh host uptime </dev/null`.
///
/// What is in order costs one process. So the syntax of `check` is looked at when it has failed, and that of `apply` before it
/// may have to run: a script with a mistake in its syntax is an error, and `apply` never begins with one.
#[derive(Debug, Preparer, HclBlock)]
#[preparer(name = "task", task = Script, refresh, reads = "anything", changes = "anything", example = "example.hcl")]
pub struct ScriptPreparer {
    /// The script that checks: exit code 0 says that there is nothing to do. Without it, `apply` only
    /// runs for `on_change_of`.
    #[hcl(default)]
    check: Text,
    /// The script that changes what the check looks for. It must end with exit code 0.
    #[hcl(default)]
    apply: Text,
    #[hcl(embed)]
    shell: Shell,
}

impl Resource for ScriptPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Script> {
        self.shell.check_env()?;
        let Self { check, apply, shell } = self;
        Ok(Script::new(check, apply, shell))
    }
}
