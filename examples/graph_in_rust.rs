//! Lesson 16: a graph built in Rust, with no HCL.
//!
//! The builder makes the same checks as the loader: an unknown field, a missing field, a lookup without a
//! target and a cycle are all found before anything runs.
//!
//! Run it with `cargo run --example graph_in_rust`.

use std::sync::Arc;

use converge_core::prelude::embed::*;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let registry = converge_resources::registry()?;

    let mut builder = GraphBuilder::new(&registry)
        .resource("file.directory", "pages", |directory| directory.set("destination", path("pages")))
        .resource("task.query", "host", |query| query.set("query", "uname -s"));
    for page in ["a", "b", "c"] {
        builder = builder.resource("file.content", page, |file| {
            file.set("destination", path(&format!("pages/{page}.txt")))
                .template(
                    "content",
                    &format!("page {page} on {{{{lookup `task.query.host.status.stdout`}}}}\n"),
                )
                .depends_on("file.directory.pages")
        });
    }
    let graph = builder.build()?;
    print!("{}", graph.to_dot());

    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let summary = engine.apply(&graph).await?;
    println!("{} changed", summary.changed);

    let mistakes = GraphBuilder::new(&registry)
        .resource("file.content", "index", |file| {
            file.set("destnation", "x").lookup("content", "task.query.nope.task")
        })
        .build();
    let Err(error) = mistakes else { return Err("the mistakes were not found".into()) };
    for diagnostic in &error.diagnostics {
        println!("{}: {}", diagnostic.code, diagnostic.message);
    }
    if summary.changed == 4 && error.diagnostics.len() == 2 {
        Ok(())
    } else {
        Err(format!("{summary:?}").into())
    }
}
