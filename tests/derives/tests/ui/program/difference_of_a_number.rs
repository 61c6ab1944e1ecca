//! A difference made from a number instead of texts.

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Counted {
    seen: std::sync::Mutex<usize>,
}

impl Task for Counted {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        status.add_difference("seen", 0, "1");
        Ok(status)
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
