//! Shared items for the tests: a task, and a macro that implements `Resource` for the type.
//! Without that implementation, each test would show an error more.
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
