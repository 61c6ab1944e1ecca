//! The `healthcheck.task` resource: a `task` whose check reports health.

use converge_sdk::prelude::*;

use super::script::{Script, ScriptPreparer};

/// Runs a script that reports health, together with the scripts of `task`.
///
/// `converge healthcheck` derives the health from the exit code of `check`: with 0 the resource is *healthy*,
/// with 1 it is a *warning*, with any other an *error*. In a plan and in an apply it is the same as `task`:
/// with 0 there is nothing to do. With any other exit code `apply` runs; without `apply` the check has
/// failed.
#[derive(Debug, Preparer)]
#[preparer(name = "healthcheck.task", task = Script, refresh, reads = "anything", changes = "anything", example = "example.hcl")]
pub struct HealthcheckPreparer {
    #[hcl(embed)]
    script: ScriptPreparer,
}

impl Resource for HealthcheckPreparer {
    async fn prepare(self, cx: &Context, renderer: &dyn Renderer) -> Result<Script> {
        Ok(self.script.prepare(cx, renderer).await?.with_health())
    }
}
