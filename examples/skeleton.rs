//! Lesson 1: the smallest resource.
//!
//! There are two types: the preparer holds what a module wrote, and the task does the work. The first module
//! below is correct. The second one has mistakes, which are all found before anything runs.
//!
//! Run it with `cargo run --example skeleton`.

use converge_core::prelude::embed::*;
use converge_core::prelude::*;

/// Says hello.
#[derive(Debug, Preparer)]
#[preparer(name = "hello", task = Hello)]
pub struct HelloPreparer {
    /// The person to greet.
    #[hcl(required, nonempty)]
    name: String,
    /// The number of greetings.
    #[hcl(default = 1, min = 1, max = 3)]
    times: u8,
}

impl Resource for HelloPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Hello> {
        Ok(Hello { greeting: vec![format!("hello, {}", self.name); usize::from(self.times)].join(" and ") })
    }
}

/// A greeting.
#[derive(Debug, Export)]
pub struct Hello {
    /// The text.
    #[export]
    greeting: String,
}

impl Task for Hello {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        status.add_message(&*self.greeting);
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<HelloPreparer>()?;
    let loader = Loader::new(&registry);

    let right = loader.load_text("right.hcl", "hello \"world\" {\n  name = \"world\"\n}\n");
    println!("right.hcl: {} resource, {} mistakes", right.partial_graph().len(), right.diagnostics.len());

    let invalid = loader.load_text(
        "wrong.hcl",
        "hello \"a\" {\n  nmae = \"world\"\n}\nhello \"b\" {\n  name  = \"\"\n  times = 9\n}\n",
    );
    for diagnostic in &invalid.diagnostics {
        println!("{}", diagnostic.one_line(&invalid.sources));
        if let Some(help) = &diagnostic.help {
            println!("  help: {help}");
        }
    }
    if right.diagnostics.is_empty() && invalid.diagnostics.len() == 3 {
        Ok(())
    } else {
        Err("the modules did not load as this lesson says".into())
    }
}
