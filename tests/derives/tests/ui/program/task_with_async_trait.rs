//! A task with `#[async_trait]`, which only parts of a system need.

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Empty {}

#[async_trait]
impl Task for Empty {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
