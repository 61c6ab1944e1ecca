//! Lesson 2: fields that do nothing yet.
//!
//! A resource starts with the fields that modules write. This one has all the fields of `file.owner` but does
//! none of its work. Modules can be written for it, their mistakes are found, and other resources can read
//! its values. The resource says that it has no effect, so that nobody overestimates a run. Lesson 11,
//! `file_owner`, adds the work.
//!
//! Run it with `cargo run --example fields`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::ModelSystem;

/// Sets the user and the group that own a file or directory. It does not do so yet.
#[derive(Debug, Preparer)]
#[preparer(name = "file.owner", task = Owner, register = false)]
pub struct OwnerPreparer {
    /// Path of the file or directory.
    #[hcl(required, nonempty)]
    destination: PathBuf,
    /// Owner, by user name.
    #[hcl(name = "user", mutually_exclusive = "user,uid")]
    username: Option<String>,
    /// Owner, by user id.
    #[hcl(mutually_exclusive = "user,uid")]
    uid: Option<u32>,
    /// Group, by name.
    // `group` is also an argument of every resource, which keeps resources apart. Replacing it by a field
    // must be explicit: without `name` here, the struct does not compile.
    #[hcl(name = "group", mutually_exclusive = "group,gid")]
    group: Option<String>,
    /// Group, by id.
    #[hcl(mutually_exclusive = "group,gid")]
    gid: Option<u32>,
    /// Whether everything below the directory is included.
    #[hcl(default)]
    recursive: bool,
}

impl Resource for OwnerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Owner> {
        let Self { destination, username, uid, group, gid, recursive } = self;
        Ok(Owner { destination, username, uid, group, gid, recursive })
    }
}

/// The owner of a file, as the module declares it.
#[derive(Debug, Export)]
pub struct Owner {
    /// The managed path.
    #[export]
    destination: PathBuf,
    /// The user name of the owner.
    #[export]
    username: Option<String>,
    /// The user id of the owner.
    #[export]
    uid: Option<u32>,
    /// The name of the group.
    #[export]
    group: Option<String>,
    /// The id of the group.
    #[export]
    gid: Option<u32>,
    /// Whether everything below the path is included.
    #[export]
    recursive: bool,
}

impl Task for Owner {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        status.add_warning("file.owner does nothing yet: nobody has looked at the file");
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        // The check finds no difference, so the engine does not call this function.
        Err(Error::msg("file.owner cannot change anything yet"))
    }
}

const MODULE: &str = r#"
file.owner "page" {
  destination = "/srv/index.html"
  user        = "daemon"
  group       = "daemon"
}

# Another resource reads what the first one was given.
file.owner "copy" {
  destination = "{{lookup `file.owner.page.destination`}}.orig"
  group       = "{{lookup `file.owner.page.group`}}"
}
"#;

const WRONG: &str = r#"
file.owner "page" {
  destination = ""
  user        = "daemon"
  uid         = 1
  gruop       = "daemon"
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<OwnerPreparer>()?;
    let loader = Loader::new(&registry);

    let wrong = loader.load_text("wrong.hcl", WRONG);
    for diagnostic in &wrong.diagnostics {
        println!("{}", diagnostic.one_line(&wrong.sources));
    }

    let graph = loader.load_text("right.hcl", MODULE).into_graph()?;
    let model = Arc::new(ModelSystem::new().with_file("/srv/index.html", "It works"));
    let system: Arc<dyn System> = Arc::<ModelSystem>::clone(&model);
    let mut warnings = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind {
            println!("{} {:?}: {}", report.id.short(), report.outcome, report.warnings.join(", "));
            warnings.extend(report.warnings);
        }
    };
    let summary = Engine::new(system).apply(&graph).sink(&mut sink).await?;

    let right = wrong.diagnostics.len() == 3 && summary.unchanged == 2 && warnings.len() == 2;
    if right && model.effects().is_empty() { Ok(()) } else { Err(format!("{summary:?}").into()) }
}
