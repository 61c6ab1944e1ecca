//! Laws applied to a task instead of its resource.

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Counted {
    seen: std::sync::Mutex<usize>,
}

impl Task for Counted {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

mod tests {
    converge_core::laws!(super::Counted);
}

fn main() {}
