//! A registered type that derives its fields but does not implement `Resource`.

use converge_core::prelude::embed::*;
use converge_core::prelude::*;

/// A release.
#[derive(Preparer)]
#[preparer(name = "app.release", task = Deploy, register = false)]
struct Release {
    /// The version of the release.
    version: String,
}

/// The task of the release.
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
