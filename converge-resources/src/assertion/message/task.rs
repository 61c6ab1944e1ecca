use converge_sdk::prelude::*;

use crate::text::Text;

/// The task of a `message` resource.
#[derive(Debug, Export)]
pub struct Message {
    /// The text to show.
    #[export]
    pub(super) text: Text,
}

impl Task for Message {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        status.announce(self.text.shown());
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
