//! The `healthcheck.task` resource: a `task` whose check reports health.

use converge_sdk::prelude::*;

use super::run::Shell;
use super::script::Script;
use crate::text::Text;

/// Runs a script that reports health, together with the scripts of `task`.
///
/// `converge healthcheck` derives the health from the exit code of `check`: with 0 the resource is *healthy*,
/// with 1 it is a *warning*, with any other an *error*. In a plan and in an apply it is the same as `task`:
/// with 0 there is nothing to do. With any other exit code `apply` runs; without `apply` the check has
/// failed.
#[derive(Debug, Preparer)]
#[preparer(name = "healthcheck.task", task = Script, refresh, reads = "anything", changes = "anything", example = "example.hcl")]
pub struct HealthcheckPreparer {
    /// The script that checks: its exit code is the health.
    #[hcl(required, nonempty, pattern = "\\S", expects = "a script: it is blank")]
    check: Text,
    /// The script that makes the change. It must end with exit code 0.
    #[hcl(nonempty, pattern = "\\S", expects = "a script: it is blank")]
    apply: Option<Text>,
    #[hcl(embed)]
    shell: Shell,
}

impl Resource for HealthcheckPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Script> {
        self.shell.check_env()?;
        let Self { check, apply, shell } = self;
        Ok(Script::new(check, apply.unwrap_or_default(), shell).with_health())
    }
}
