use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use converge_sdk::footprint::aspect;
use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, Metadata, Ownership, SystemError, SystemErrorKind};

use crate::file::declared_paths::DeclaredPaths;
use crate::file::descent::{self, Descent};
use crate::file::direct_change::{self, InPlace};
use crate::file::ids::{self, Database};
use crate::file::missing_path;
use crate::missing_dependency;

/// The task of a `file.owner` resource.
#[derive(Debug, Export)]
pub struct Owner {
    /// The managed path.
    #[export]
    pub(super) destination: String,
    /// The user name of the owner; looked up if only `uid` is given, and empty if no user has that id.
    #[export]
    pub(super) username: Option<String>,
    /// The user id of the owner; looked up if only `user` is given.
    #[export]
    pub(super) uid: Option<u32>,
    /// The name of the group; looked up if only `gid` is given, and empty if no group has that id.
    #[export]
    pub(super) group: Option<String>,
    /// The id of the group; looked up if only `group` is given.
    #[export]
    pub(super) gid: Option<u32>,
    /// Whether everything below the path is managed too.
    #[export]
    pub(super) recursive: bool,
    pub(super) verbose: bool,
    /// The differences that the check found, in the order in which they are changed.
    pub(super) differing: Vec<Differing>,
}

/// A path that does not have the declared owner.
#[derive(Debug)]
pub(super) struct Differing {
    /// The path below the destination; empty for the destination itself.
    path: PathBuf,
    /// The present owner, only where it differs from the declared one.
    has: Ownership,
}

impl Owner {
    fn wanted(&self) -> Ownership {
        Ownership { uid: self.uid, gid: self.gid }
    }

    /// Completes names and ids.
    ///
    /// Returns the users and groups that do not exist yet, if a pending change that the resource depends on
    /// may create them.
    async fn look_up(&mut self, cx: &Context) -> Result<Option<String>> {
        let mut not_yet = Vec::new();
        for (database, name, id) in [
            (Database::Users, &mut self.username, &mut self.uid),
            (Database::Groups, &mut self.group, &mut self.gid),
        ] {
            let users = cx.system().users();
            match (&name, *id) {
                // An earlier check of the same run has looked them up.
                (Some(_), Some(_)) | (None, None) => {}
                (Some(given), None) => match database.id_of(users, given).await? {
                    Some(number) => *id = Some(number),
                    None if cx.pending().is_empty() => {
                        return Err(Error::NotFound { kind: database.kind(), name: given.clone() });
                    }
                    None => not_yet.push(format!("{} {given:?}", database.kind())),
                },
                (None, Some(given)) => *name = database.name_of(users, given).await?,
            }
        }
        let verb = if not_yet.len() == 1 { "does" } else { "do" };
        Ok((!not_yet.is_empty()).then(|| format!("the {} {verb} not exist yet", not_yet.join(" and the "))))
    }

    /// Collects the differences, and returns the number of paths compared.
    ///
    /// Below the destination, paths whose owner or group another resource declares are left out.
    async fn find(&mut self, cx: &Context, metadata: Metadata) -> Result<usize> {
        let target = self.wanted();
        let mut differing = Vec::new();
        let mut with_names = Vec::new();
        let mut total = 0;
        let root = Path::new(&self.destination);
        let mut owners = DeclaredPaths::new(cx, root, aspect::OWNER);
        let mut groups = DeclaredPaths::new(cx, root, aspect::GROUP);
        let mut visit = |path: PathBuf, metadata: &Metadata| {
            total += 1;
            let is_root = path.as_os_str().is_empty();
            let uid = target.uid.filter(|uid| *uid != metadata.uid && (is_root || !owners.has(&path)));
            let gid = target.gid.filter(|gid| *gid != metadata.gid && (is_root || !groups.has(&path)));
            let current = Ownership { uid: uid.and(Some(metadata.uid)), gid: gid.and(Some(metadata.gid)) };
            if current != Ownership::default() {
                if direct_change::has_several_names(metadata) {
                    with_names.push(path.clone());
                }
                differing.push(Differing { path, has: current });
            }
        };
        visit(PathBuf::new(), &metadata);
        if self.recursive
            && metadata.kind == FileKind::Directory
            && let Some(root) = cx.system().files().open_dir(Path::new(&self.destination)).await?
        {
            descent::below(cx, root, visit).await?;
        }
        self.differing = differing;
        direct_change::are_allowed(cx, self.path(), &with_names).await?;
        Ok(total)
    }

    /// Returns the certainty of the differences: an account with a pending change may get another id.
    fn certainty(&self, cx: &Context) -> StatusLevel {
        let certain = |database: Database, id_of: fn(&Ownership) -> Option<u32>| {
            !database.is_pending(cx) && self.differing.iter().any(|differing| id_of(&differing.has).is_some())
        };
        if certain(Database::Users, |owner| owner.uid) || certain(Database::Groups, |owner| owner.gid) {
            StatusLevel::WillChange
        } else {
            StatusLevel::MayChange
        }
    }

    fn at(&self, path: &Path) -> PathBuf {
        let root = Path::new(&self.destination);
        // Joining an empty path would add a slash.
        if path.as_os_str().is_empty() { root.to_owned() } else { root.join(path) }
    }

    /// Opens the tree for changes.
    async fn open_tree(&self, cx: &Context) -> Result<Descent> {
        let root = Path::new(&self.destination);
        let tree = cx.system().files().open_dir(root).await?.ok_or_else(|| gone(root.to_owned()))?;
        Ok(Descent::new(tree))
    }

    /// Returns the change that gives a path the declared owner.
    fn change(&self, current: &Ownership) -> Ownership {
        Ownership { uid: current.uid.and(self.uid), gid: current.gid.and(self.gid) }
    }

    /// Reports one difference for each of UID, GID, user and group that changes anywhere.
    async fn report(&self, cx: &Context, status: &mut Status, total: usize) -> Result<()> {
        let current_ids = |id_of: fn(&Ownership) -> Option<u32>| -> BTreeSet<u32> {
            self.differing.iter().filter_map(|differing| id_of(&differing.has)).collect()
        };
        let sides = [
            (Database::Users, current_ids(|owner| owner.uid), self.uid, &self.username),
            (Database::Groups, current_ids(|owner| owner.gid), self.gid, &self.group),
        ];
        let mut names = Vec::new();
        for (database, old_ids, id, name) in sides {
            if !old_ids.is_empty() {
                let description = ids::describe(database, cx.system().users(), &old_ids).await?;
                let id = id.map(|id| id.to_string()).unwrap_or_default();
                status.add_difference(database.id_label(), description.numbers, id);
                names.push((database.kind(), description.names, name.clone().unwrap_or_default()));
            }
        }
        for (label, old_name, name) in names {
            status.add_difference_with_default(label, old_name, name, "(no name)");
        }
        if self.recursive {
            self.report_paths(status, total);
        }
        Ok(())
    }

    fn report_paths(&self, status: &mut Status, total: usize) {
        let differ = if self.differing.len() == 1 { "differs" } else { "differ" };
        let count = format!("{} of {total} paths {differ}", self.differing.len());
        if !self.verbose {
            status.add_message(format!("{count}; `verbose = true` lists them"));
            return;
        }
        status.add_message(format!("{count}:"));
        for differing in &self.differing {
            let change = |name: &str, has: Option<u32>, wanted: Option<u32>| match (has, wanted) {
                (Some(has), Some(wanted)) => format!(" {name} {has} => {wanted}"),
                _ => String::new(),
            };
            status.add_message(format!(
                "{}:{}{}",
                self.at(&differing.path).display(),
                change("UID", differing.has.uid, self.uid),
                change("GID", differing.has.gid, self.gid),
            ));
        }
    }
}

fn gone(path: PathBuf) -> SystemError {
    SystemError::file("change the owner of", path, SystemErrorKind::NotFound)
}

impl Task for Owner {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.differing.clear();
        if let Some(missing) = self.look_up(cx).await? {
            return Ok(missing_dependency::not_yet(missing));
        }
        // This is no error, because modules for the original Converge have it.
        if self.wanted() == Ownership::default() {
            status.add_warning("none of `user`, `uid`, `group` and `gid` is given, so nothing is managed");
            return Ok(status);
        }
        let path = Path::new(&self.destination);
        let Some(metadata) = cx.system().files().metadata(path, Follow::Links).await? else {
            return missing_path::check(cx, &self.destination);
        };
        let total = self.find(cx, metadata).await?;
        if !self.differing.is_empty() {
            self.report(cx, &mut status, total).await?;
            status.raise_level(self.certainty(cx));
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        direct_change::alone(self, cx).await
    }
}

impl Batch for Owner {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        direct_change::together(batch, cx).await
    }
}

#[async_trait]
impl InPlace for Owner {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    async fn make(&mut self, cx: &Context) -> Result<Status> {
        let mut tree = None;
        for Differing { path, has } in &self.differing {
            cx.check_cancelled()?;
            let Some(name) = path.file_name() else {
                let root = Path::new(&self.destination);
                cx.system().files().set_ownership(root, self.change(has), Follow::Links).await?;
                continue;
            };
            let tree = match &mut tree {
                Some(tree) => tree,
                none => none.insert(self.open_tree(cx).await?),
            };
            let parent = path.parent().unwrap_or(Path::new(""));
            let directory = tree.to(parent).await?.ok_or_else(|| gone(self.at(parent)))?;
            directory.set_ownership(name, self.change(has)).await?;
        }
        Ok(Status::new())
    }
}
