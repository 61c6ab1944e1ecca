//! `assert`: that something holds.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Assert;

use crate::text::Text;

/// Fails where a condition does not hold, with a message, so that what depends on it is not begun.
///
/// The condition is made of parameters, facts of the platform, and what others have found: `platform.OS == "linux"`,
/// `file.query.licence.exists`. A plan fails as well where it knows that the condition does not hold. Where it does not know that yet, the
/// resource *may change*, and the apply decides.
#[derive(Debug, Preparer)]
#[preparer(name = "assert", task = Assert, reads = "named", changes = "named", example = "example.hcl")]
pub struct AssertPreparer {
    /// What has to hold.
    #[hcl(required)]
    condition: bool,
    /// What is wrong where it does not hold, and what to do about it.
    #[hcl(nonempty)]
    message: Option<Text>,
}

impl Resource for AssertPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Assert> {
        Ok(Assert { condition: self.condition, message: self.message })
    }
}
