//! Lesson 24: a module built with `hcl-rs`.
//!
//! A program that knows the crate `hcl-rs` builds modules with `hcl::body!`, and converts values. What a module cannot
//! hold is an error that names it.
//!
//! Run it with `cargo run --example module_from_hcl`.

#![expect(clippy::disallowed_methods, reason = "the ban on direct effects is for resources of modules")]

use std::sync::Arc;

use converge_core::load::Source;
use converge_core::prelude::embed::*;
use hcl::Identifier;
use serde::Serialize;

/// A site, as the program stores it.
#[derive(Serialize)]
struct Site {
    name: String,
    pages: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let site = Site { name: "docs".to_owned(), pages: vec!["a".to_owned(), "b".to_owned()] };

    // The values of parameters may come from anything that serde writes.
    let pages = Value::try_from(hcl::to_value(&site)?)?;

    // Names with a dot are made with `unchecked`, as the crate would replace the dot.
    let content = Identifier::unchecked("file.content");
    let destination = folder.path().join("pages.txt").display().to_string();
    let body = hcl::body!({
        param "site" {}

        (content) "pages" {
            destination = (destination)
            content = "{{range (paramMap `site`).pages}}{{.}}\n{{end}}"
        }
    });

    let registry = converge_resources::registry()?;
    let loader = Loader::new(&registry).with_param("site", pages);
    let graph = loader.load_source(&Source::from_body(&body)?).into_graph()?;
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    engine.apply(&graph).await?;
    let written = std::fs::read_to_string(folder.path().join("pages.txt"))?;
    print!("{written}");

    // A secret is not converted, as the text of a module would show it.
    let password = Value::string("hunter2").into_secret();
    let refused = hcl::Value::try_from(&password).is_err();
    if written == "a\nb\n" && refused { Ok(()) } else { Err("the module did something else".into()) }
}
