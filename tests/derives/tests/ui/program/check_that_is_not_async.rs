//! A check that is not an async function.

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Counted {
    seen: std::sync::Mutex<usize>,
}

impl Task for Counted {
    fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
