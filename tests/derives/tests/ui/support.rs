//! What the files of this folder share: a task, and the trait of the resource itself. With the trait
//! implemented, a derive that leaves something out would show as more errors than the mistake's own.
#![allow(dead_code, unused_imports, unused_macros, reason = "no file uses everything")]

pub use converge_core::prelude::*;

/// A task that does nothing.
#[derive(Export)]
pub struct Done;

impl Task for Done {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

macro_rules! resource {
    ($resource:ident) => {
        impl Resource for $resource {
            async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Done> {
                Ok(Done)
            }
        }
    };
}
pub(crate) use resource;
