#[path = "../support.rs"]
mod support;
use converge_core::footprint::Footprint;
use converge_core::value::FieldError;
use support::*;

/// A task that can do more.
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

impl Refresh for Able {
    async fn refresh(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
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

#[derive(Preparer)]
#[preparer(name = "test.rules", task = Done)]
struct OfItself {
    /// A user.
    user: Option<String>,
}
resource!(OfItself);

impl Validate for OfItself {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        Ok(())
    }
}

impl HasFootprint for OfItself {
    fn footprint(&self, _: &mut Footprint) {}
}

fn main() {}
