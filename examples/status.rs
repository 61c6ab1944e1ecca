//! Lesson 4: what a status says.
//!
//! `permissions` manages the permission bits of a file. Its check shows the difference, explains it, and sets
//! a level that tells whether an apply is needed. The level and the differences determine whether the engine
//! calls `apply`, and whether dependents of the resource continue.
//!
//! It runs on this machine, in a temporary folder.
//!
//! Run it with `cargo run --example status`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// Manages the permission bits of a file.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "permissions", task = Self)]
pub struct Permissions {
    /// The file.
    #[hcl(required, nonempty, manages = "path:mode")]
    #[export]
    path: PathBuf,
    /// The permission bits, in octal.
    #[hcl(required, base = 8, max = 0o777)]
    #[export]
    mode: u32,
    /// Whether other bits are only reported and not corrected.
    #[hcl(default)]
    tolerate: bool,
}

impl Task for Permissions {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let Some(now) = cx.system().files().metadata(&self.path, Follow::Links).await? else {
            if cx.pending().is_empty() {
                return Err(Error::NotFound { kind: "file", name: self.path.display().to_string() });
            }
            // An earlier resource may create the file, which a plan does not do.
            status.add_message("the file does not exist yet");
            status.raise_level(StatusLevel::MayChange);
            return Ok(status);
        };
        let bits = now.mode & 0o777;
        if self.tolerate && bits != self.mode {
            // At this level, a difference is only shown.
            status.add_difference("mode", format!("{bits:04o}"), format!("{:04o}", self.mode));
            status.raise_level(StatusLevel::WontChange);
            return Ok(status);
        }
        if bits & 0o002 != 0 {
            status.add_warning("everybody may write to the file");
        }
        // The name equals that of the field, so that reports point to its place in the module.
        status.add_difference("mode", format!("{bits:04o}"), format!("{:04o}", self.mode));
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().set_mode(&self.path, self.mode).await?;
        Ok(Status::new())
    }
}

const MODULE: &str = r#"
param "file" {}

permissions "tolerant" {
  path     = "{{param `file`}}"
  mode     = "0600"
  tolerate = true
}
"#;

const STRICT: &str = r#"
param "file" {}

permissions "strict" {
  path = "{{param `file`}}"
  mode = "0600"
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("notes.txt");
    let system = LocalSystem::new();
    system.files().write(&file, WriteFile { mode: Some(0o666), ..WriteFile::new(b"notes\n") }).await?;

    let registry = Registry::new().with::<Permissions>()?;
    let loader = Loader::new(&registry).with_param("file", file.display().to_string());
    let engine = Engine::new(Arc::new(system));
    let mut seen = Vec::new();
    for (name, module) in [("tolerant.hcl", MODULE), ("strict.hcl", STRICT), ("strict.hcl", STRICT)] {
        let graph = loader.load_text(name, module).into_graph()?;
        let mut sink = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                println!("{} {:?}", report.id.short(), report.outcome);
                for difference in &report.differences {
                    println!("  {}: {} => {}", difference.name, difference.before, difference.after);
                }
                for text in report.messages.iter().chain(&report.warnings) {
                    println!("  {text}");
                }
                seen.push(report.outcome);
            }
        };
        engine.apply(&graph).sink(&mut sink).await?;
    }
    let mode = LocalSystem::new().files().metadata(&file, Follow::Links).await?.map(|now| now.mode & 0o777);
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<Permissions>::new().hold(law);
    }
    if seen == [Outcome::Unchanged, Outcome::Changed, Outcome::Unchanged] && mode == Some(0o600) {
        Ok(())
    } else {
        Err(format!("{seen:?}, {mode:?}").into())
    }
}
