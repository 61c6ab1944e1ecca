//! Lesson 11: `file.owner` from beginning to end.
//!
//! The built-in `file.owner` can do more; this is the version at the end of the walk-through. It names users
//! and groups by name or by id but never by both, and looks up the one from the other. It shows each
//! difference under its own name. If an earlier resource has yet to create the file, the user or the group, a
//! plan shows *may change*.
//!
//! It runs on a model host, so it needs neither root nor a file.
//!
//! Run it with `cargo run --example file_owner`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Follow, Metadata, ModelSystem, Ownership};
use converge_core::testing::laws::{Law, Laws};

/// Sets the user and the group that own a file or directory.
#[derive(Debug, Preparer)]
#[preparer(name = "file.owner", task = Owner, register = false)]
pub struct OwnerPreparer {
    /// Path of the file or directory.
    #[hcl(required, nonempty)]
    destination: PathBuf,
    /// Owner, by user name.
    #[hcl(
        name = "user",
        mutually_exclusive = "user,uid",
        manages = "path:owner of destination",
        needs = "user"
    )]
    username: Option<String>,
    /// Owner, by user id.
    #[hcl(mutually_exclusive = "user,uid", manages = "path:owner of destination")]
    uid: Option<u32>,
    /// Group, by name.
    // `group` is also an argument of every resource, for another purpose; `name` states that this field
    // replaces it on purpose.
    #[hcl(
        name = "group",
        mutually_exclusive = "group,gid",
        manages = "path:group of destination",
        needs = "group"
    )]
    group: Option<String>,
    /// Group, by id.
    #[hcl(mutually_exclusive = "group,gid", manages = "path:group of destination")]
    gid: Option<u32>,
}

impl Resource for OwnerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Owner> {
        let Self { destination, username, uid, group, gid } = self;
        Ok(Owner { destination, username, uid, group, gid })
    }
}

/// The ownership of one path.
#[derive(Debug, Export)]
pub struct Owner {
    /// The managed path.
    #[export]
    destination: PathBuf,
    /// The user name of the owner. The check adds it if only `uid` is written and the machine knows a name.
    #[export]
    username: Option<String>,
    /// The user id of the owner. The check adds it if only `user` is written.
    #[export]
    uid: Option<u32>,
    /// The name of the group, completed like the user name.
    #[export]
    group: Option<String>,
    /// The id of the group, completed like the user id.
    #[export]
    gid: Option<u32>,
}

impl Owner {
    /// Looks up the ids of names and the names of ids, and returns errors for those that do not exist.
    async fn look_up(&mut self, cx: &Context) -> Result<Vec<Error>> {
        let users = cx.system().users();
        let mut missing = Vec::new();
        match (&self.username, self.uid) {
            (Some(name), None) => match users.user_by_name(name).await? {
                Some(user) => self.uid = Some(user.uid),
                None => missing.push(Error::NotFound { kind: "user", name: name.clone() }),
            },
            (None, Some(uid)) => self.username = users.user_by_uid(uid).await?.map(|user| user.name),
            // Nothing is declared, or an earlier check of this run has found both.
            _ => {}
        }
        match (&self.group, self.gid) {
            (Some(name), None) => match users.group_by_name(name).await? {
                Some(group) => self.gid = Some(group.gid),
                None => missing.push(Error::NotFound { kind: "group", name: name.clone() }),
            },
            (None, Some(gid)) => self.group = users.group_by_gid(gid).await?.map(|group| group.name),
            _ => {}
        }
        Ok(missing)
    }

    /// Adds the differences of ids and names. Values that are not declared are not managed and not shown.
    async fn add_differences(&self, cx: &Context, now: &Metadata, status: &mut Status) -> Result<()> {
        let users = cx.system().users();
        if let Some(uid) = self.uid {
            let before = users.user_by_uid(now.uid).await?.map(|user| user.name).unwrap_or_default();
            let after = self.username.clone().unwrap_or_default();
            status.add_difference("UID", now.uid.to_string(), uid.to_string());
            status.add_difference_with_default("user", before, after, "(no name)");
        }
        if let Some(gid) = self.gid {
            let before = users.group_by_gid(now.gid).await?.map(|group| group.name).unwrap_or_default();
            let after = self.group.clone().unwrap_or_default();
            status.add_difference("GID", now.gid.to_string(), gid.to_string());
            status.add_difference_with_default("group", before, after, "(no name)");
        }
        status.raise_level_for_diffs();
        Ok(())
    }
}

impl Task for Owner {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut missing = self.look_up(cx).await?;
        let now = cx.system().files().metadata(&self.destination, Follow::Links).await?;
        if now.is_none() {
            missing.push(Error::NotFound { kind: "file", name: self.destination.display().to_string() });
        }
        let mut status = Status::new();
        if let Some(now) = now {
            self.add_differences(cx, &now, &mut status).await?;
        }
        let Some(first) = missing.pop() else { return Ok(status) };
        if cx.pending().is_empty() {
            return Err(first);
        }
        // An earlier resource may create the user or group. A plan does not create it, so this is no error.
        missing.push(first);
        for missing in missing {
            status.add_message(format!("{missing} yet"));
        }
        status.raise_level(StatusLevel::MayChange);
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
param "user" {}
param "group" {}

file.owner "page" {
  destination = "{{param `file`}}"
  user        = "{{param `user`}}"
  group       = "{{param `group`}}"
}

# By id, with the id that the first one has found.
file.owner "copy" {
  destination = "{{param `file`}}.orig"
  gid         = "{{lookup `file.owner.page.gid`}}"
}
"#;

async fn run(
    system: &Arc<ModelSystem>,
    (user, group): (&str, &str),
) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<OwnerPreparer>()?;
    let graph = Loader::new(&registry)
        .with_param("file", "/srv/index.html")
        .with_param("user", user)
        .with_param("group", group)
        .load_text("page.hcl", MODULE)
        .into_graph()?;
    let mut lines = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind {
            lines.push(format!("{} {:?}", report.id.short(), report.outcome));
            let differences = report.differences.iter().filter(|difference| difference.changes);
            lines.extend(differences.map(|d| format!("  {}: {} => {}", d.name, d.before, d.after)));
            lines.extend(report.failure.map(|failure| format!("  {}", failure.message)));
        }
    };
    let system: Arc<dyn System> = Arc::<ModelSystem>::clone(system);
    Engine::new(system).apply(&graph).sink(&mut sink).await?;
    Ok(lines)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let page = Path::new("/srv/index.html");
    let model = ModelSystem::new().with_file(page, "It works").with_file("/srv/index.html.orig", "It worked");
    let model = Arc::new(model.with_user("web", 33, 33).with_group("web", 33));

    let first = run(&model, ("web", "web")).await?;
    println!("{}", first.join("\n"));
    let second = run(&model, ("web", "web")).await?;
    println!("again:\n{}", second.join("\n"));
    let unknown = run(&model, ("web", "nosuchgroup")).await?;
    println!("a group that there is not:\n{}", unknown.join("\n"));

    let expected = [
        "file.owner.page Changed",
        "  UID: 0 => 33",
        "  user: root => web",
        "  GID: 0 => 33",
        "  group: root => web",
        "file.owner.copy Changed",
        "  GID: 0 => 33",
        "  group: root => web",
    ];
    let now = model.files().metadata(page, Follow::Links).await?;
    let right = first == expected
        && second == ["file.owner.page Unchanged", "file.owner.copy Unchanged"]
        && unknown.iter().any(|line| line == "  group \"nosuchgroup\" does not exist")
        && now.is_some_and(|now| now.uid == 33 && now.gid == 33);
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<OwnerPreparer>::new()
            .start(|| ModelSystem::new().with_file("/srv/index.html", "It works").with_user("web", 33, 33))
            .values(("destination", ["/srv/index.html"]))
            .values(("user", ["root", "web"]))
            .values(("group", ["root", "daemon"]))
            .hold(law);
    }
    if right { Ok(()) } else { Err("the walk-through did not go as it says".into()) }
}
