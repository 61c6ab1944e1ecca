#[path = "../support.rs"]
mod support;
use support::*;

/// A task that can be applied with others.
#[derive(Export)]
struct Able;

impl Task for Able {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

impl Batch for Able {
    async fn apply_batch(batch: &mut [&mut Self], _cx: &Context) -> Vec<Result<Status>> {
        batch.iter().map(|_| Ok(Status::new())).collect()
    }
}

#[derive(Preparer)]
#[preparer(name = "test.task", task = Able)]
struct OfTask {
    /// A user.
    user: Option<String>,
}

impl Resource for OfTask {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Able> {
        Ok(Able)
    }
}

fn main() {}
