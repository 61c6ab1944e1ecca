//! A lock of the standard library that is held across an await.

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Counted {
    seen: std::sync::Mutex<usize>,
}

impl Task for Counted {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut seen = self.seen.lock().map_err(|_| Error::msg("a task has panicked"))?;
        cx.system().files().read("/etc/hosts".as_ref()).await?;
        *seen += 1;
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
