//! An operation of the system that is not awaited.

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Counted {
    seen: std::sync::Mutex<usize>,
}

impl Task for Counted {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let file = cx.system().files().read("/etc/hosts".as_ref())?;
        let _ = file;
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
