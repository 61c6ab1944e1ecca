//! `output "NAME" { value = .. }`: values that a module gives to whoever uses it.
//!
//! Each is a node that has no effects, like a local, and may be made of anything. Whoever calls the module looks it up as
//! `module.CALL.output.NAME`, which is the path of its node: it clashes with nothing else in the module, and waits for no more than the
//! value is made of. What the root module gives is told at the end of a run.

use crate::sdk::prelude::*;

/// The type, and the first part of the names of its nodes.
pub(crate) const OUTPUT: &str = "output";

/// A value that the module gives to whoever uses it.
///
/// The module that calls this one as `module "SOURCE" "web"` looks it up as `module.web.output.NAME`, without a further name behind it.
/// Those of the module that is given to the command are shown at the end of `plan` and `apply`, and `converge output` prints them. It
/// also takes `depends`.
///
/// What is made of a secret is one, and is never shown. What only an apply makes known is not known in a plan.
#[derive(Debug, converge_derive::Preparer)]
// It is part of the language, so it is in every registry already.
#[preparer(name = "output", task = OutputTask, register = false, reads = "named", changes = "named")]
pub(crate) struct Output {
    /// The value: anything, also made of lookups.
    #[hcl(required)]
    value: Value,
    /// What the value is, in words.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    description: Option<String>,
    /// Whether the value is never shown. It is a secret to those who look it up, too.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    sensitive: bool,
}

/// The value of an output.
#[derive(Debug, converge_derive::Export)]
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
