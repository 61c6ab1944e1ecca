//! `message`: what people are to read.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Message;

use crate::text::Text;

/// Shows a text in plans and applies, when its turn comes. It never has changes.
///
/// The text is made of anything: parameters, facts of the platform, and what others have found. Where a plan does not know all of it yet,
/// the resource *may change*, and the apply shows it. With `when` it is shown only where something is so.
#[derive(Debug, Preparer)]
#[preparer(name = "message", task = Message, reads = "named", changes = "named", example = "example.hcl")]
pub struct MessagePreparer {
    /// What is shown.
    #[hcl(required, nonempty)]
    text: Text,
}

impl Resource for MessagePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Message> {
        Ok(Message { text: self.text })
    }
}
