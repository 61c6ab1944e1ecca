//! Lesson 2: fields that do nothing yet.
//!
//! A resource begins with what modules write. This one has all the fields of `file.owner` and does none of its work: modules can
//! be written for it, their mistakes are found, and other resources can read its values. What has no effect says so, so that
//! nobody takes a run for more than it was. Lesson 11, `file_owner`, adds the work.
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
    // `group` is an argument of every resource, too, with which a module keeps resources apart. That modules for this type have the
    // group of the file in its place has to be meant: without `name` here, it does not compile.
    #[hcl(name = "group", mutually_exclusive = "group,gid")]
    group: Option<String>,
    /// Group, by id.
    #[hcl(mutually_exclusive = "group,gid")]
    gid: Option<u32>,
    /// Whether everything below the directory is meant, too.
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
    /// Path that is managed.
    #[export]
    destination: PathBuf,
    /// User name of the owner.
    #[export]
    username: Option<String>,
    /// User id of the owner.
    #[export]
    uid: Option<u32>,
    /// Name of the group.
    #[export]
    group: Option<String>,
    /// Id of the group.
    #[export]
    gid: Option<u32>,
    /// Whether everything below the path is meant, too.
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
        // The check finds no difference, so the engine does not come here.
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
