//! Lesson 10: registering.
//!
//! A program has the types that its registry has. A type with `#[derive(Preparer)]` is in the automatic registry of every program
//! that links it; a program that wants to choose names its types, and a type with `register = false` is only had that way. What is
//! registered is what modules can use, and what `docs` describes.
//!
//! Run it with `cargo run --example registration`.

use std::path::PathBuf;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::WriteFile;
use converge_core::testing::laws::{Law, Laws};

/// A file that is empty.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "empty", task = Self)]
pub struct Empty {
    /// The file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: PathBuf,
}

impl Task for Empty {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let file = cx.system().files().read(&self.path).await?;
        let before = file.map(|file| format!("{} bytes", file.bytes.len())).unwrap_or_default();
        let mut status = Status::new();
        status.add_difference_with_default("size", before, "0 bytes", "(absent)");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(&self.path, WriteFile::new(b"")).await?;
        Ok(Status::new())
    }
}

/// Another type of the same name, which would conflict with the first one if it registered itself.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "empty", task = Self, register = false)]
pub struct EmptyToo {
    /// The file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: PathBuf,
}

impl Task for EmptyToo {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // The automatic registry contains all linked types. A crate without another use must be named: `use
    // my_resources as _;`.
    let automatic = Registry::automatic()?;
    // This registry contains only the listed types.
    let chosen = Registry::new().with::<Empty>()?;
    for (name, registry) in [("automatic", &automatic), ("chosen", &chosen)] {
        let schema = registry.get("empty").ok_or("it is registered")?.schema();
        println!("{name}: `{}`: {}", schema.name, schema.doc.trim());
    }

    // Two types with one name are refused, whoever made them.
    let twice = chosen.with::<EmptyToo>().err().ok_or("the second one was taken")?;
    println!("{twice}");

    // A module can use the registered types.
    let loaded = Loader::new(&automatic).load_text("a.hcl", r#"empty "a" { path = "/a" }"#);
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<Empty>::new().hold(law);
    }
    if loaded.diagnostics.is_empty() { Ok(()) } else { Err("the module is not right".into()) }
}
