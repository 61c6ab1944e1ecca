//! A program with the engine and its own resource type, with `converge-core` as its only crate.

mod marker;

use std::sync::Arc;

use converge_core::Registry;
use converge_core::engine::{Engine, Event, EventKind};
use converge_core::load::Loader;
use converge_core::system::LocalSystem;

const MODULE: &str = r#"
marker "outside" {
  path = "{{env `OUTSIDE_DIR`}}/marker"
  for  = "outside"
}
"#;

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::automatic()?;
    for _ in 0..2 {
        let graph = Loader::new(&registry)
            .load_text("module.hcl", MODULE)
            .into_graph()?;
        let mut print = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                println!("{} {:?}", report.id.short(), report.outcome);
            }
        };
        let engine = Engine::new(Arc::new(LocalSystem::new()));
        engine.apply(&graph).sink(&mut print).await?;
    }
    Ok(())
}
