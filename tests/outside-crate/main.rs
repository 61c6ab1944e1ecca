//! A resource in a crate of its own, and a program that uses it from a module.

use std::sync::Arc;

use converge_core::Registry;
use converge_core::engine::{Engine, Event, Interrupt};
use converge_core::load::Loader;
use converge_core::prelude::*;
use converge_core::system::{LocalSystem, WriteFile};

/// A file that says for whom it was made.
#[derive(Debug, Preparer)]
#[preparer(name = "marker", task = Marker)]
pub struct MarkerPreparer {
    /// Where the file is.
    #[hcl(required, nonempty)]
    path: String,
    /// For whom it is made.
    #[hcl(name = "for", default = "nobody")]
    whom: String,
}

#[async_trait]
impl Resource for MarkerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Marker> {
        Ok(Marker { path: self.path, text: format!("made for {}\n", self.whom) })
    }
}

/// The file.
#[derive(Debug, Export)]
pub struct Marker {
    /// Where it is.
    #[export]
    path: String,
    /// What it says.
    #[export]
    text: String,
}

#[async_trait]
impl Task for Marker {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let now = cx.system().files().read(self.path.as_ref()).await?;
        let now = now.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default();
        let mut status = Status::new();
        status.add_difference("text", now, &*self.text, "");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(self.path.as_ref(), WriteFile::new(self.text.as_bytes())).await?;
        Ok(Status::new())
    }
}

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
            .into_graph()
            .map_err(|diagnostics| format!("{diagnostics:#?}"))?;
        let mut print = |event: Event| {
            if let Event::ResourceFinished(report) = event {
                println!("{} {:?}", report.id.short(), report.outcome);
            }
        };
        let engine = Engine::new(Arc::new(LocalSystem::new()));
        engine.apply(&graph, &Interrupt::new(), &mut print).await?;
    }
    Ok(())
}
