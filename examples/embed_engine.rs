//! Lesson 15: the engine inside another program.
//!
//! A program loads a module, plans it, decides, applies it, and reads the events of the run as they happen.
//! The library has no global state and prints nothing: the program decides what a person sees.
//!
//! Run it with `cargo run --example embed_engine`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use converge_core::prelude::embed::*;

const MODULE: &str = r#"
param "dir" {}

file.directory "site" {
  destination = "{{param `dir`}}/site"
}

file.content "index" {
  destination = "{{lookup `file.directory.site.destination`}}/index.html"
  content     = "<h1>It works</h1>\n"
}
"#;

/// The record that this program keeps of a run.
#[derive(Debug, Default)]
struct Journal {
    lines: Vec<String>,
}

impl Journal {
    fn note(&mut self, event: Event) {
        match event.kind {
            EventKind::RunStarted { mode, resources, .. } => {
                self.lines.push(format!("{mode:?} of {resources} resources"));
            }
            EventKind::ResourceFinished(report) if report.outcome != Outcome::Unchanged => {
                let names: Vec<_> =
                    report.differences.into_iter().map(|difference| difference.name).collect();
                let outcome = report.outcome;
                self.lines.push(format!("  {} {outcome:?}: {}", report.id.short(), names.join(", ")));
            }
            EventKind::RunFinished { summary, .. } => {
                self.lines.push(format!("  success: {}", summary.is_success()));
            }
            _ => {}
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let registry = converge_resources::registry()?;
    let graph = Loader::new(&registry)
        .with_param("dir", folder.path().display().to_string())
        .load_text("site.hcl", MODULE)
        .into_graph()?;

    let engine = Engine::new(Arc::new(LocalSystem::new())).with_parallelism(NonZeroUsize::MIN);
    let mut journal = Journal::default();

    let plan = engine.plan(&graph).sink(&mut |event| journal.note(event)).await?;
    if plan.has_changes() {
        engine.apply(&graph).sink(&mut |event| journal.note(event)).await?;
    }
    let again = engine.plan(&graph).sink(&mut |event| journal.note(event)).await?;

    println!("{}", journal.lines.join("\n"));
    if again.has_changes() { Err("the second plan still has changes".into()) } else { Ok(()) }
}
