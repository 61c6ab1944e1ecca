//! The `message` resource, which shows a text to the user.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Message;

use crate::text::Text;

/// Shows a text in plans and applies. It never has changes.
///
/// The text is made of parameters, facts of the platform, and results of other resources. If a plan does not
/// know all of it yet, the resource *may change*, and the apply shows the text. With `when`, the text is
/// shown only if that condition holds.
#[derive(Debug, Preparer)]
#[preparer(name = "message", task = Message, reads = "named", changes = "named", example = "example.hcl")]
pub struct MessagePreparer {
    /// The text to show.
    #[hcl(required, nonempty)]
    text: Text,
}

impl Resource for MessagePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Message> {
        Ok(Message { text: self.text })
    }
}
