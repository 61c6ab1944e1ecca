//! A task that holds a value across an await that cannot move to another thread.

use std::rc::Rc;

use converge_core::prelude::*;

/// A task.
#[derive(Export)]
struct Counted {}

impl Task for Counted {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let path = Rc::new("/etc/hosts".to_owned());
        cx.system().files().read(path.as_ref().as_ref()).await?;
        drop(path);
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
