//! A type is registered whose fields are derived, and whose `prepare` nobody wrote.

use converge_core::prelude::embed::*;
use converge_core::prelude::*;

/// A release.
#[derive(Preparer)]
#[preparer(name = "app.release", task = Deploy, register = false)]
struct Release {
    /// Which.
    version: String,
}

/// Its task.
#[derive(Export)]
struct Deploy {}

impl Task for Deploy {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> converge_core::Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> converge_core::Result<Status> {
        Ok(Status::new())
    }
}

fn registry() -> Registry {
    Registry::builder().with::<Release>().build().unwrap()
}

fn main() {}
