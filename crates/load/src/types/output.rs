//! The language block `output "NAME" { value = .. }`: values that a module provides to its caller.
//!
//! Each output is a node without effects, like a local, and has a value of any kind. A caller looks it up as
//! `module.CALL.output.NAME`, which is the path of its node. The path clashes with no other name in the
//! module, and waits only for the dependencies of the value. The outputs of the root module are shown at the
//! end of a run.

use crate::sdk::prelude::*;

/// A value that the module provides to its caller.
///
/// A module that calls this one as `module "SOURCE" "web"` looks the value up as `module.web.output.NAME`,
/// without a further name after it. The outputs of the module given to the command are shown at the end of
/// `plan` and `apply`, and `converge output` prints them. It also takes `depends`.
///
/// A value made from a secret is secret and is never shown. A value that only an apply makes known is unknown
/// in a plan.
#[derive(Debug, converge_sdk::Preparer)]
// The type is part of the language, so every registry contains it already.
#[preparer(name = "output", task = OutputTask, register = false, reads = "named", changes = "named")]
pub(crate) struct Output {
    /// The value: of any kind, possibly made of lookups.
    #[hcl(required)]
    value: Value,
    /// A description of the value.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    description: Option<String>,
    /// Whether the value is never shown. It is also a secret in modules that look it up.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    sensitive: bool,
}

/// The value of an output.
#[derive(Debug, converge_sdk::Export)]
pub(crate) struct OutputTask {
    /// The value.
    #[export]
    val: Value,
}

impl Resource for Output {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<OutputTask> {
        Ok(OutputTask { val: self.value })
    }
}

impl Task for OutputTask {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
