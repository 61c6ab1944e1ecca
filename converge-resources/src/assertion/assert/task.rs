use converge_sdk::prelude::*;

use crate::text::Text;

/// The task of an `assert` resource.
#[derive(Debug, Export)]
pub struct Assert {
    /// Whether the condition holds.
    #[export]
    pub(super) condition: bool,
    pub(super) message: Option<Text>,
}

impl Task for Assert {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        if self.condition {
            return Ok(Status::new());
        }
        Err(Error::msg(self.message.as_ref().map_or("the condition does not hold", Text::shown)))
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
