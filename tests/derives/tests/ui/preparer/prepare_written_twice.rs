use converge_core::prelude::*;

/// A file.
#[derive(Preparer, Export)]
#[preparer(name = "file.owner", task = Self)]
struct Owner {
    /// Path of the file.
    destination: String,
}

impl Resource for Owner {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Self> {
        Ok(self)
    }
}

impl Task for Owner {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() {}
