#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test<T: FromValue + Send + 'static> {
    /// The value.
    value: T,
}

impl<T: FromValue + Send + 'static> Resource for Test<T> {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Done> {
        Ok(Done)
    }
}

fn main() {}
