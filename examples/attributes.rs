//! Lesson 8: attributes of fields.
//!
//! Attributes state beside a field which values it takes. `folder` takes octal text for `mode`, one of two
//! words for `access`, and exactly one of the two fields. Each attribute is checked when a module is loaded
//! and appears in the documentation, so the task needs no checks of its own. A misspelt attribute does not
//! compile.
//!
//! It runs on this machine, in a temporary folder.
//!
//! Run it with `cargo run --example attributes`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{FileKind, Follow};
use converge_core::testing::laws::{Law, Laws};

/// A folder with permissions.
#[derive(Debug, Preparer)]
#[preparer(name = "folder", task = Folder)]
pub struct FolderPreparer {
    /// The folder. Its parent must exist.
    #[hcl(required, nonempty, manages = "path", alias = "destination")]
    path: PathBuf,
    /// The permission bits of the folder, in octal.
    #[hcl(base = 8, max = 0o777, required, mutually_exclusive = "mode,access")]
    mode: Option<u32>,
    /// The access to the folder, in a word.
    #[hcl(valid_values = "private,shared", required, mutually_exclusive = "mode,access")]
    access: Option<String>,
}

impl Resource for FolderPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Folder> {
        // Other words than these two have been refused already.
        let shared = self.access.is_some_and(|access| access == "shared");
        let mode = self.mode.unwrap_or(if shared { 0o755 } else { 0o700 });
        Ok(Folder { path: self.path, mode, exists: false })
    }
}

/// The folder.
#[derive(Debug, Export)]
pub struct Folder {
    /// The path of the folder.
    #[export]
    path: PathBuf,
    /// The permission bits of the folder.
    #[export]
    mode: u32,
    exists: bool,
}

impl Task for Folder {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let now = cx.system().files().metadata(&self.path, Follow::Links).await?;
        self.exists = now.is_some();
        if now.as_ref().is_some_and(|now| now.kind != FileKind::Directory) {
            // The path belongs to something else, so this resource must not replace it.
            return Err(Error::msg(format!("{} is not a folder", self.path.display())));
        }
        let mut status = Status::new();
        let before = now.map(|now| format!("{:04o}", now.mode & 0o777)).unwrap_or_default();
        status.add_difference_with_default("mode", before, format!("{:04o}", self.mode), "(absent)");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        if self.exists {
            files.set_mode(&self.path, self.mode).await?;
        } else {
            files.create_dir(&self.path, self.mode).await?;
        }
        Ok(Status::new())
    }
}

const WRONG: &str = r#"
folder "nothing" {}
folder "empty"   { path = "" mode = "0755" }
folder "decimal" { path = "/srv" mode = "0798" }
folder "many"    { path = "/srv" mode = "1777" }
folder "word"    { path = "/srv" access = "public" }
folder "both"    { path = "/srv" access = "shared" mode = "0755" }
"#;

const RIGHT: &str = r#"
param "dir" {}

folder "private" { path = "{{param `dir`}}/private" access = "private" }
folder "octal"   { destination = "{{param `dir`}}/octal" mode = "0750" }
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<FolderPreparer>()?;
    let wrong = Loader::new(&registry).load_text("wrong.hcl", WRONG);
    for diagnostic in &wrong.diagnostics {
        println!("{}", diagnostic.one_line(&wrong.sources));
    }

    let folder = tempfile::tempdir()?;
    let loader = Loader::new(&registry).with_param("dir", folder.path().display().to_string());
    let graph = loader.load_text("right.hcl", RIGHT).into_graph()?;
    let system = LocalSystem::new();
    let engine = Engine::new(Arc::new(system.clone()));
    let (first, second) = (engine.apply(&graph).await?, engine.apply(&graph).await?);
    let mut modes = Vec::new();
    for name in ["private", "octal"] {
        let now = system.files().metadata(&folder.path().join(name), Follow::Never).await?;
        modes.push(now.map(|now| now.mode & 0o777));
    }
    let right = (first.changed, second.unchanged) == (2, 2) && modes == [Some(0o700), Some(0o750)];
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<FolderPreparer>::new().hold(law);
    }
    if right && wrong.diagnostics.len() == 7 {
        Ok(())
    } else {
        Err(format!("{modes:?}\n{first:?}\n{second:?}").into())
    }
}
