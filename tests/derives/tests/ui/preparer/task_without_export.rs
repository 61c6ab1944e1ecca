#[path = "../support.rs"]
mod support;
use support::*;

/// A task that does not declare its exports.
struct Silent;

impl Task for Silent {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

#[derive(Preparer)]
#[preparer(name = "test", task = Silent)]
struct Test {
    /// The user.
    user: Option<String>,
}

impl Resource for Test {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Silent> {
        Ok(Silent)
    }
}

fn main() {}
