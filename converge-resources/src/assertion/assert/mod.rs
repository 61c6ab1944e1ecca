//! The `assert` resource, which fails if a condition does not hold.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Assert;

use crate::text::Text;

/// Fails with a message if a condition does not hold, so that dependent resources do not start.
///
/// The condition is made of parameters, facts of the platform, and results of other resources: `platform.OS
/// == "linux"`, `file.query.licence.exists`. A plan also fails if it knows that the condition does not hold.
/// If the plan does not know that yet, the resource *may change*, and the apply decides.
#[derive(Debug, Preparer)]
#[preparer(name = "assert", task = Assert, reads = "named", changes = "named", example = "example.hcl")]
pub struct AssertPreparer {
    /// The condition that has to hold.
    #[hcl(required)]
    condition: bool,
    /// The error message if the condition does not hold. It says what is wrong and what to do about it.
    #[hcl(nonempty)]
    message: Option<Text>,
}

impl Resource for AssertPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Assert> {
        Ok(Assert { condition: self.condition, message: self.message })
    }
}
