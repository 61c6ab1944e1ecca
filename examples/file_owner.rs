//! Lesson 2: `file.owner` from beginning to end.
//!
//! The built-in `file.owner` can do more; this is the one that a walk-through arrives at. It names
//! users or ids but never both, looks up the one from the other, shows each difference under its own
//! name, and says *may change* in a plan when an earlier resource has yet to make the file.
//!
//! It runs on a model host, so it needs neither root nor a file.
//!
//! Run it with `cargo run --example file_owner`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Follow, Metadata, ModelSystem, Ownership};

/// Sets the user and group that own a file or directory.
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
    #[hcl(name = "group", mutually_exclusive = "group,gid")]
    groupname: Option<String>,
    /// Group, by id.
    #[hcl(mutually_exclusive = "group,gid")]
    gid: Option<u32>,
}

impl Resource for OwnerPreparer {
    async fn prepare(self, cx: &Context, _renderer: &dyn Renderer) -> Result<Owner> {
        let users = cx.system().users();
        let uid = match self.username {
            None => self.uid,
            Some(name) => match users.user_by_name(&name).await? {
                Some(user) => Some(user.uid),
                None => return Err(Error::NotFound { kind: "user", name }),
            },
        };
        let gid = match self.groupname {
            None => self.gid,
            Some(name) => match users.group_by_name(&name).await? {
                Some(group) => Some(group.gid),
                None => return Err(Error::NotFound { kind: "group", name }),
            },
        };
        Ok(Owner { destination: self.destination, uid, gid, username: None })
    }
}

/// Ownership of one path.
#[derive(Debug, Export)]
pub struct Owner {
    /// Path that is managed.
    #[export]
    destination: PathBuf,
    /// User id of the owner, when it is managed.
    #[export]
    uid: Option<u32>,
    /// Group id, when it is managed.
    #[export]
    gid: Option<u32>,
    /// User name of the owner, when the machine knows it; filled in by the check.
    #[export]
    username: Option<String>,
}

impl Owner {
    async fn add_differences(&mut self, cx: &Context, now: &Metadata, status: &mut Status) -> Result<()> {
        let users = cx.system().users();
        let user_name = async |uid| Ok::<_, Error>(users.user_by_uid(uid).await?.map(|user| user.name));
        if let Some(uid) = self.uid {
            self.username = user_name(uid).await?;
            status.add_difference("UID", now.uid.to_string(), uid.to_string());
            let before = user_name(now.uid).await?.unwrap_or_default();
            status.add_difference_with_default(
                "user",
                before,
                self.username.clone().unwrap_or_default(),
                "(no name)",
            );
        }
        if let Some(gid) = self.gid {
            let group_name =
                async |gid| Ok::<_, Error>(users.group_by_gid(gid).await?.map(|group| group.name));
            status.add_difference("GID", now.gid.to_string(), gid.to_string());
            let before = group_name(now.gid).await?.unwrap_or_default();
            status.add_difference_with_default(
                "group",
                before,
                group_name(gid).await?.unwrap_or_default(),
                "(no name)",
            );
        }
        status.raise_level_for_diffs();
        Ok(())
    }
}

impl Task for Owner {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match cx.system().files().metadata(&self.destination, Follow::Links).await? {
            Some(now) => self.add_differences(cx, &now, &mut status).await?,
            None if !cx.pending().is_empty() => {
                status.add_message(format!("{} does not exist yet", self.destination.display()));
                status.raise_level(StatusLevel::MayChange);
            }
            None => {
                let name = self.destination.display().to_string();
                return Err(Error::NotFound { kind: "file", name });
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let ownership = Ownership { uid: self.uid, gid: self.gid };
        cx.system().files().set_ownership(&self.destination, ownership, Follow::Links).await?;
        Ok(Status::new())
    }
}

const MODULE: &str = r#"
param "file" {}
param "user" { default = "daemon" }

file.owner "page" {
  destination = "{{param `file`}}"
  user        = "{{param `user`}}"
  gid         = 1
}
"#;

async fn run(
    system: &Arc<ModelSystem>,
    user: &str,
) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<OwnerPreparer>()?;
    let graph = Loader::new(&registry)
        .with_param("file", "/srv/index.html")
        .with_param("user", user)
        .load_text("page.hcl", MODULE)
        .into_graph()?;
    let mut lines = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind
            && report.id.short().starts_with("file.owner")
        {
            let differences = report.differences.iter().filter(|difference| difference.changes);
            lines.extend(
                differences
                    .map(|d| format!("{}: {:?} => {:?}", d.name, d.before.to_string(), d.after.to_string())),
            );
            lines.extend(report.failure.map(|failure| failure.message));
            lines.push(format!("{:?}", report.outcome));
        }
    };
    let system: Arc<dyn System> = Arc::<ModelSystem>::clone(system);
    Engine::new(system).apply(&graph).sink(&mut sink).await?;
    Ok(lines)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let system = Arc::new(ModelSystem::new().with_dir("/srv").with_file("/srv/index.html", "It works"));

    let first = run(&system, "daemon").await?;
    println!("{}", first.join("\n"));
    let second = run(&system, "daemon").await?;
    println!("again: {}", second.join("\n"));
    let unknown = run(&system, "nosuchuser").await?;
    println!("unknown user: {}", unknown.join("\n"));

    let now = system.files().metadata(Path::new("/srv/index.html"), Follow::Links).await?;
    let expected = [
        "UID: \"0\" => \"1\"",
        "user: \"root\" => \"daemon\"",
        "GID: \"0\" => \"1\"",
        "group: \"root\" => \"daemon\"",
        "Changed",
    ];
    let right =
        first == expected && second == ["Unchanged"] && now.is_some_and(|now| now.uid == 1 && now.gid == 1);
    if right { Ok(()) } else { Err("the walk-through did not go as it says".into()) }
}
