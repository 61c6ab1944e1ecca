use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_sdk::footprint::aspect;
use converge_sdk::prelude::*;
use converge_sdk::system::{
    CommitFile, Directory, FileKind, Follow, Metadata, Ownership, SystemError, SystemErrorKind,
};

use super::change::{self, Change, What, gone};
use super::compare;
use super::copied_tree;
use super::overwrite_policy::Existing;
use super::source::{self, Links};
use crate::file::destination_link::FollowLink;
use crate::file::mode::Mode;
use crate::file::select::Selection;
use crate::file::tree_attributes::Wanted;
use crate::file::{acl_mask, descent, direct_change, missing_path, real_path, removal_guard};
use crate::missing_dependency;

/// The maximum number of changes that are listed one by one.
const LISTED_CHANGES: usize = 20;

/// The task of a `file.copy` resource.
#[derive(Debug, Export)]
pub struct Copy {
    /// The path of the source.
    #[export]
    pub(super) source: String,
    /// The path of the copy.
    #[export]
    pub(super) destination: String,
    pub(super) selection: Selection,
    pub(super) purge: bool,
    pub(super) existing: Existing,
    pub(super) follow: FollowLink,
    pub(super) links: Links,
    pub(super) wanted: Wanted,
    /// The changes found by the check; an empty path is the destination itself.
    pub(super) changes: Vec<Change>,
}

impl Copy {
    fn to(&self) -> &Path {
        Path::new(&self.destination)
    }

    fn from(&self) -> &Path {
        Path::new(&self.source)
    }

    async fn open(&self, cx: &Context, path: &Path) -> Result<Box<dyn Directory>> {
        Ok(cx.system().files().open_dir(path).await?.ok_or_else(|| gone(path))?)
    }

    /// Returns an error if a directory would be copied into itself.
    async fn are_apart(&self, cx: &Context) -> Result<()> {
        let (from, to) =
            (real_path::resolved(cx, self.from()).await?, real_path::resolved(cx, self.to()).await?);
        if from.starts_with(&to) || to.starts_with(&from) {
            let message =
                format!("{} and {} overlap: one is the other, or inside it", self.source, self.destination);
            return Err(Error::msg(message));
        }
        Ok(())
    }

    /// Returns the reason why nothing may be removed from the destination, if there is one.
    async fn removal_obstacle(&self, cx: &Context) -> Result<Option<String>> {
        if let Some(resource) = cx.declared().unknown().filter(|_| cx.mode() == RunMode::Apply) {
            let folder = self.to().display();
            return Ok(Some(format!(
                "the path of `{resource}` is not known, and may be in {folder}: mend what it is looked up \
                 from, and apply again"
            )));
        }
        if let Some(message) = removal_guard::removal_obstacle(
            cx,
            self.to(),
            FileKind::Directory,
            removal_guard::Removed::Inside,
        )
        .await?
        {
            return Ok(Some(message));
        }
        Ok(match removal_guard::inside(cx, self.to()).await? {
            removal_guard::Inside::Home(message) => Some(message),
            removal_guard::Inside::Nothing | removal_guard::Inside::Entries(..) => None,
        })
    }

    async fn check_folder(
        &mut self,
        cx: &Context,
        status: &mut Status,
        from: &Metadata,
        owner: Ownership,
    ) -> Result<()> {
        let files = cx.system().files();
        let root: Arc<dyn Directory> = self.open(cx, self.from()).await?.into();
        let from_folder = self.open(cx, self.from()).await?;
        let mut items = source::items(cx, from_folder, &self.selection, self.links).await?;
        let declared = cx.declared().below(self.to());
        items.retain(|path, item| {
            let is_declared = || declared.decided(path, aspect::CONTENT).is_some();
            matches!(item, source::Item::Directory(_)) || !is_declared()
        });
        let attributes = files.extended_attributes(self.from(), Follow::Links).await?.unwrap_or_default();
        let wanted = self.wanted.in_tree(cx, self.to());
        let mode = wanted.mode(source::permissions(from.mode, &attributes), true);
        match files.metadata(self.to(), Follow::Links).await? {
            None => {
                missing_path::check_directory(cx, status, self.to()).await?;
                self.changes = all_new(mode, owner, items, &wanted);
            }
            Some(metadata) if metadata.kind == FileKind::Directory => {
                // The mode of an existing directory changes only if the module declares one.
                let mode = wanted.has_dir_mode().then_some(mode);
                self.changes.extend(compare::attributes(Path::new(""), mode, owner, &metadata));
                let to = self.open(cx, self.to()).await?.into();
                let target = (&wanted, owner);
                self.changes.extend(compare::changes(cx, (root, to), &items, self.existing, target).await?);
                if self.purge {
                    let to = self.open(cx, self.to()).await?;
                    let others = self.items_of_others(cx).await?;
                    let removals = compare::removals(cx, to, (&items, &others), &self.selection).await?;
                    if !removals.is_empty()
                        && let Some(message) = self.removal_obstacle(cx).await?
                    {
                        return Err(Error::msg(format!("nothing is removed by `purge`: {message}")));
                    }
                    self.changes.extend(removals);
                }
            }
            Some(_) => {
                return Err(SystemError::file(
                    "make the directory",
                    self.to(),
                    SystemErrorKind::NotADirectory,
                )
                .into());
            }
        }
        Ok(())
    }

    /// Returns the entries that other copies bring into the destination.
    async fn items_of_others(&self, cx: &Context) -> Result<BTreeSet<PathBuf>> {
        let mut items = BTreeSet::new();
        let prefix = copied_tree::prefix(&self.destination);
        let sources =
            cx.declared().names(copied_tree::KIND, &prefix).filter_map(|name| name.strip_prefix(&prefix));
        for source in sources.filter(|source| *source != self.source) {
            if let Some(folder) = cx.system().files().open_dir(Path::new(source)).await? {
                descent::below(cx, folder, |path, _| {
                    items.insert(path);
                })
                .await?;
            }
        }
        Ok(items)
    }

    async fn check_file(
        &mut self,
        cx: &Context,
        status: &mut Status,
        from: &Metadata,
        owner: Ownership,
    ) -> Result<()> {
        let files = cx.system().files();
        let metadata = files.metadata(self.to(), Follow::Never).await?;
        if self.existing.keeps(metadata.as_ref()) {
            return Ok(());
        }
        let attributes = files.extended_attributes(self.from(), Follow::Links).await?.unwrap_or_default();
        let wanted = self.wanted.in_tree(cx, self.to().parent().unwrap_or(Path::new("")));
        let mode = wanted.mode(source::permissions(from.mode, &attributes), false);
        let write = Change { path: PathBuf::new(), what: What::Write(mode, owner) };
        let ours = files.open(self.from()).await?.ok_or_else(|| gone(self.from()))?;
        let theirs = match self.follow.replaced_link(cx, self.to()).await? {
            Some(_) => None,
            None => files.open(self.to()).await?,
        };
        match theirs {
            None => {
                missing_path::check_directory(cx, status, self.to()).await?;
                self.changes.push(write);
            }
            Some(theirs) if compare::are_same(cx, &*ours, &*theirs).await? => {
                let change = compare::attributes(Path::new(""), Some(mode), owner, theirs.metadata());
                if let Some(Change { what: What::Attributes(Some(mode), _), .. }) = change {
                    acl_mask::report(cx, status, self.to(), mode.bits()).await?;
                }
                if change.is_some() {
                    direct_change::is_allowed(cx, self.to(), theirs.metadata()).await?;
                }
                self.changes.extend(change);
            }
            Some(theirs) => {
                if Mode::new(theirs.metadata().mode) != mode {
                    acl_mask::report(cx, status, self.to(), mode.bits()).await?;
                }
                self.changes.push(write);
            }
        }
        Ok(())
    }

    fn report(&self, status: &mut Status) {
        for Change { path, what } in self.changes.iter().take(LISTED_CHANGES) {
            let name = if path.as_os_str().is_empty() { &self.destination } else { &*path.to_string_lossy() };
            let (before, after) = match what {
                What::MakeDirectory(mode, _) => ("absent".to_owned(), format!("a folder, {mode}")),
                What::Write(mode, _) => {
                    ("other content, or none".to_owned(), format!("as in the source, {mode}"))
                }
                What::Link(target, _) => {
                    ("another, or none".to_owned(), format!("a link to {}", target.display()))
                }
                What::Attributes(mode, owner) => {
                    ("other permissions or owner".to_owned(), described(*mode, *owner))
                }
                What::Remove(_) => ("present".to_owned(), "absent".to_owned()),
            };
            status.add_difference(name, before, after);
        }
        if self.changes.len() > LISTED_CHANGES {
            status.add_message(format!("and {} more", self.changes.len() - LISTED_CHANGES));
        }
        if !self.changes.is_empty() {
            status.raise_level(StatusLevel::WillChange);
        }
    }

    /// Applies a change to the destination itself.
    async fn make_itself(&self, cx: &Context, action: &What) -> Result<()> {
        let files = cx.system().files();
        match action {
            What::MakeDirectory(mode, owner) => {
                match files.create_dir(self.to(), mode.bits()).await {
                    Err(error) if error.kind == SystemErrorKind::AlreadyExists => {}
                    done => done?,
                }
                if *owner != Ownership::default() {
                    files.set_ownership(self.to(), *owner, Follow::Links).await?;
                }
            }
            What::Write(..)
                if self.existing.keeps(files.metadata(self.to(), Follow::Never).await?.as_ref()) => {}
            What::Write(mode, ownership) => {
                let from = files.open(self.from()).await?.ok_or_else(|| gone(self.from()))?;
                let mut file = self.follow.stage(cx, self.to()).await?;
                change::copy(cx, &*from, &mut *file).await?;
                let commit =
                    CommitFile { mode: Some(mode.bits()), ownership: *ownership, ..CommitFile::default() };
                file.commit(commit).await?;
            }
            What::Attributes(mode, owner) => {
                if *owner != Ownership::default() {
                    files.set_ownership(self.to(), *owner, Follow::Links).await?;
                }
                if let Some(mode) = mode {
                    files.set_mode(self.to(), mode.bits()).await?;
                }
            }
            What::Link(..) | What::Remove(_) => {}
        }
        Ok(())
    }
}

fn all_new(
    mode: Mode,
    owner: Ownership,
    items: BTreeMap<PathBuf, source::Item>,
    wanted: &Wanted,
) -> Vec<Change> {
    let first = Change { path: PathBuf::new(), what: What::MakeDirectory(mode, owner) };
    let rest = items.into_iter().map(|(path, item)| {
        let action = match item {
            source::Item::Directory(mode) => What::MakeDirectory(wanted.mode(mode, true), owner),
            source::Item::File(mode) => What::Write(wanted.mode(mode, false), owner),
            source::Item::Link(target) => What::Link(target, owner),
        };
        Change { path, what: action }
    });
    std::iter::once(first).chain(rest).collect()
}

fn described(mode: Option<Mode>, owner: Ownership) -> String {
    let parts = [
        mode.map(|mode| mode.to_string()),
        owner.uid.map(|uid| format!("UID {uid}")),
        owner.gid.map(|gid| format!("GID {gid}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

impl Task for Copy {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.changes.clear();
        let Some(from) = cx.system().files().metadata(self.from(), Follow::Links).await? else {
            return missing_path::check(cx, &self.source);
        };
        self.are_apart(cx).await?;
        let owner = match self.wanted.ownership(cx).await? {
            Ok(owner) => owner,
            Err(message) => return Ok(missing_dependency::not_yet(message)),
        };
        match from.kind {
            FileKind::Directory => self.check_folder(cx, &mut status, &from, owner).await?,
            FileKind::File => self.check_file(cx, &mut status, &from, owner).await?,
            FileKind::Special(special) => {
                return Err(SystemError::file("copy", self.from(), SystemErrorKind::NotAFile(special)).into());
            }
            FileKind::Symlink => return Err(gone(self.from()).into()),
        }
        self.report(&mut status);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let (itself, children): (Vec<&Change>, Vec<&Change>) =
            self.changes.iter().partition(|change| change.path.as_os_str().is_empty());
        for change in itself {
            self.make_itself(cx, &change.what).await?;
        }
        if !children.is_empty() {
            let children: Vec<Change> = children.into_iter().cloned().collect();
            let (from, to) = (self.open(cx, self.from()).await?, self.open(cx, self.to()).await?);
            change::make(cx, &children, self.existing, (from, to)).await?;
        }
        if !self.changes.is_empty() {
            cx.system().files().flush(&[self.to()]).await?;
        }
        Ok(Status::new())
    }
}
