//! Comparison of the destination with the archive, and the list of necessary changes.
//!
//! All operations go through the opened destination and directories opened below it. Somebody who may change
//! the destination cannot redirect them outside of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_sdk::footprint::aspect;
use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, FileKind, Metadata, Ownership, SystemError, SystemErrorKind};

use super::error::ArchiveError;
use super::manifest::{Entry, FileEntry, Manifest};
use super::path::{EntryPath, link_out};
use crate::file::descent::Descent;
use crate::file::tree_attributes::{self, Wanted};
use crate::net::hash::HashType;

/// The maximum number of names that a message lists.
const SHOWN: usize = 5;

/// The treatment of existing files and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// A difference is an error.
    Refuse,
    /// Existing files that differ are replaced.
    Replace,
    /// Existing files are left as they are, and not even read.
    Keep,
}

/// The differences, and the work that they need.
#[derive(Default)]
pub(super) struct TreeDiff {
    pub(super) missing: PathSample,
    /// Files with another content, and objects of another kind.
    pub(super) different: PathSample,
    pub(super) modes: PathSample,
    pub(super) owners: PathSample,
    pub(super) work: Work,
}

/// The steps of an apply, in this order. Paths are below the destination, and have no links.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Files and links to remove first, because something else belongs there.
    pub(super) remove: Vec<PathBuf>,
    pub(super) directories: Vec<(PathBuf, u32)>,
    /// Files whose content comes from the archive.
    pub(super) files: BTreeMap<EntryPath, PathBuf>,
    /// Files whose content is copied from a file written before.
    pub(super) copies: Vec<Copy>,
    pub(super) links: Vec<(PathBuf, String)>,
    pub(super) modes: Vec<(PathBuf, u32)>,
    /// Owners of existing objects that stay. A change of owner may clear mode bits, so it precedes `modes`.
    pub(super) owners: Vec<(PathBuf, Ownership)>,
    /// The owner of all new objects.
    pub(super) owner: Ownership,
}

impl Work {
    /// Returns the directories of all changes except new files, in the destination `root`.
    pub(super) fn directories_of_changes(&self, root: &Path) -> BTreeSet<PathBuf> {
        let removed = self.remove.iter();
        let additions =
            self.directories.iter().map(|(path, _)| path).chain(self.links.iter().map(|(path, _)| path));
        let changed = removed.chain(additions).chain(self.modes.iter().map(|(path, _)| path));
        let changed = changed.chain(self.owners.iter().map(|(path, _)| path));
        changed.filter_map(|path| path.parent()).map(|parent| root.join(parent)).collect()
    }
}

/// A hard link of the archive.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    pub(super) file: FileEntry,
}

/// The first few of many paths, and their number.
#[derive(Debug, Default)]
pub(super) struct PathSample {
    first: Vec<String>,
    count: usize,
}

impl PathSample {
    fn add(&mut self, path: &EntryPath) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(path.to_string());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Writes `7: a, b, c, d, e and 2 more`.
impl fmt::Display for PathSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.count, self.first.join(", "))?;
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[derive(Clone, Debug)]
struct DirectoryAt {
    /// The path below the destination, without links.
    path: PathBuf,
    exists: bool,
}

pub(super) async fn compare(
    cx: &Context,
    root: &Arc<dyn Directory>,
    manifest: &Manifest,
    existing: Existing,
    (wanted, owner): (&Wanted, Ownership),
) -> Result<TreeDiff> {
    let mut comparer = TreeComparer {
        cx,
        declared: cx.declared().below(root.path()),
        wanted,
        existing,
        root: &**root,
        tree: Descent::new(Arc::clone(root)),
        directories: BTreeMap::new(),
        places: BTreeMap::new(),
        hard_links: Vec::new(),
        kept: BTreeMap::new(),
        diff: TreeDiff { work: Work { owner, ..Work::default() }, ..TreeDiff::default() },
    };
    for (path, entry) in &manifest.entries {
        cx.check_cancelled()?;
        comparer.look(path, entry).await?;
        // There may be many entries, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
    comparer.finish().await
}

struct TreeComparer<'a> {
    cx: &'a Context,
    declared: DeclaredBelow<'a>,
    wanted: &'a Wanted,
    existing: Existing,
    root: &'a dyn Directory,
    tree: Descent,
    directories: BTreeMap<EntryPath, DirectoryAt>,
    /// The path of each file.
    places: BTreeMap<EntryPath, PathBuf>,
    hard_links: Vec<(EntryPath, PathBuf, FileEntry)>,
    /// The metadata of existing files that stay.
    kept: BTreeMap<EntryPath, Metadata>,
    diff: TreeDiff,
}

impl TreeComparer<'_> {
    async fn look(&mut self, path: &EntryPath, entry: &Entry) -> Result<()> {
        let parent = match path.parent() {
            Some(parent) => self.directories.get(&parent).cloned(),
            None => Some(DirectoryAt { path: PathBuf::new(), exists: true }),
        };
        // A manifest has the directory of each entry before the entry.
        let Some(parent) = parent else { return Err(Error::other(ArchiveError::Changed)) };
        let location = parent.path.join(path.name());
        let metadata = if parent.exists {
            let (directory, name) = self.tree.entry(&location).await?;
            directory.metadata(name).await?
        } else {
            None
        };
        if matches!(&metadata, Some(Metadata { kind: FileKind::Special(_), .. })) {
            return Err(Error::msg(format!(
                "{} is neither a file nor a directory, and the archive would write there: remove it",
                self.shown(&location)
            )));
        }
        match entry {
            Entry::Directory { mode, explicit } => {
                self.directory(path, location, metadata, *mode, *explicit).await
            }
            Entry::File(file) => self.file(path, location, metadata, file).await,
            Entry::Symlink(target) => {
                // After a link of the destination, the real depth differs from that of the entry's name.
                let depth = parent.path.iter().count();
                if target.leaves(depth) {
                    let problem = link_out(target.as_str());
                    return Err(Error::other(ArchiveError::entry(path.to_string().as_bytes(), problem)));
                }
                self.link(path, location, metadata, target.as_str()).await
            }
        }
    }

    async fn directory(
        &mut self,
        path: &EntryPath,
        at: PathBuf,
        found: Option<Metadata>,
        mode: u32,
        explicit: bool,
    ) -> Result<()> {
        let place = match &found {
            Some(metadata) if metadata.kind == FileKind::Directory => {
                // The set-id and sticky bits have a meaning for a directory, and do not come from the
                // archive.
                if explicit && self.existing != Existing::Keep {
                    let special_bits = if mode > 0o777 { 0 } else { metadata.mode & !0o777 };
                    self.attributes(path, &at, metadata, Some(special_bits | mode)).await?;
                }
                Some(DirectoryAt { path: at.clone(), exists: true })
            }
            Some(metadata) if metadata.kind == FileKind::Symlink => self.through(&at).await?,
            _ => None,
        };
        let place = if let Some(place) = place {
            place
        } else {
            self.missing_or_different(path, &at, found.is_some());
            self.diff.work.directories.push((at.clone(), mode));
            DirectoryAt { path: at, exists: false }
        };
        self.directories.insert(path.clone(), place);
        Ok(())
    }

    /// Resolves a link to a directory, or returns `None` if its target is not a directory.
    async fn through(&self, location: &Path) -> Result<Option<DirectoryAt>> {
        match self.root.open_below(location).await {
            Ok(opened) => Ok(opened.map(|opened| {
                let relative = opened.path().strip_prefix(self.root.path()).unwrap_or(location);
                DirectoryAt { path: relative.to_owned(), exists: true }
            })),
            Err(SystemError { kind: SystemErrorKind::NotADirectory, .. }) => Ok(None),
            Err(SystemError { kind: SystemErrorKind::Outside, .. }) => Err(Error::msg(format!(
                "{} is a symbolic link out of the destination: nothing is written through it",
                self.shown(location)
            ))),
            Err(error) => Err(error.into()),
        }
    }

    async fn file(
        &mut self,
        path: &EntryPath,
        at: PathBuf,
        found: Option<Metadata>,
        file: &FileEntry,
    ) -> Result<()> {
        self.places.insert(path.clone(), at.clone());
        if self.is_declared(&at, aspect::CONTENT) {
            self.kept.extend(found.map(|metadata| (path.clone(), metadata)));
            return Ok(());
        }
        match found {
            Some(metadata) if metadata.kind == FileKind::Directory => {
                return Err(self.directory_in_the_way(&at));
            }
            Some(metadata) if self.keeps(&metadata) => {
                self.kept.insert(path.clone(), metadata);
                return Ok(());
            }
            Some(metadata) if metadata.kind == FileKind::File => {
                if self.has_content(&at, &metadata, file).await? {
                    return self.attributes(path, &at, &metadata, Some(file.mode)).await;
                }
                self.diff.different.add(path);
            }
            found => self.missing_or_different(path, &at, found.is_some()),
        }
        match &file.copy_of {
            Some(original) => self.hard_links.push((original.clone(), at, file.clone())),
            None => drop(self.diff.work.files.insert(path.clone(), at)),
        }
        Ok(())
    }

    async fn has_content(&mut self, location: &Path, metadata: &Metadata, file: &FileEntry) -> Result<bool> {
        if metadata.len != file.len {
            return Ok(false);
        }
        let (directory, name) = self.tree.entry(location).await?;
        match directory.open(name).await? {
            Some(open) => {
                self.cx.check_cancelled()?;
                Ok(HashType::Sha256.hash_file(Arc::from(open)).await? == file.sha256)
            }
            None => Ok(false),
        }
    }

    async fn link(
        &mut self,
        path: &EntryPath,
        at: PathBuf,
        found: Option<Metadata>,
        target: &str,
    ) -> Result<()> {
        if found.as_ref().is_some_and(|metadata| self.keeps(metadata))
            || self.is_declared(&at, aspect::CONTENT)
        {
            return Ok(());
        }
        match &found {
            Some(metadata) if metadata.kind == FileKind::Directory => {
                return Err(self.directory_in_the_way(&at));
            }
            Some(metadata) if metadata.kind == FileKind::Symlink => {
                let (directory, name) = self.tree.entry(&at).await?;
                if directory.read_link(name).await?.as_deref() == Some(Path::new(target)) {
                    return self.attributes(path, &at, metadata, None).await;
                }
                self.missing_or_different(path, &at, true);
            }
            found => self.missing_or_different(path, &at, found.is_some()),
        }
        self.diff.work.links.push((at, target.to_owned()));
        Ok(())
    }

    /// Compares mode and owner of an existing object that stays.
    async fn attributes(
        &mut self,
        path: &EntryPath,
        at: &Path,
        found: &Metadata,
        mode: Option<u32>,
    ) -> Result<()> {
        let mut owner = tree_attributes::missing(self.diff.work.owner, found);
        owner.uid = owner.uid.filter(|_| !self.is_declared(at, aspect::OWNER));
        owner.gid = owner.gid.filter(|_| !self.is_declared(at, aspect::GROUP));
        let has_own_mode = self.wanted.has_modes() || !self.declared.is_in_tree(at, aspect::MODE);
        let mode = mode.filter(|_| has_own_mode && !self.is_declared(at, aspect::MODE));
        let changes_owner = owner != Ownership::default();
        let changes_mode = mode.filter(|mode| *mode != found.mode);
        if found.kind == FileKind::File && (changes_owner || changes_mode.is_some()) {
            let (directory, name) = self.tree.entry(at).await?;
            directory.may_change(name).await?;
        }
        if changes_owner {
            self.diff.owners.add(path);
            self.diff.work.owners.push((at.to_owned(), owner));
        }
        if let Some(mode) = changes_mode {
            self.diff.modes.add(path);
            self.diff.work.modes.push((at.to_owned(), mode));
        } else if let (true, Some(mode @ 0o1000..)) = (changes_owner, mode) {
            // The change of owner clears these bits, so they are set again.
            self.diff.work.modes.push((at.to_owned(), mode));
        }
        Ok(())
    }

    /// Whether another resource of the run decides an aspect of a path below the destination.
    fn is_declared(&self, location: &Path, aspect: &'static str) -> bool {
        self.declared.decided(location, aspect).is_some()
    }

    /// Formats a path below the destination for a message.
    fn shown(&self, location: &Path) -> String {
        self.root.path().join(location).display().to_string()
    }

    /// Returns the error about a directory in the place of something else.
    fn directory_in_the_way(&self, location: &Path) -> Error {
        Error::msg(format!(
            "{} is a directory here and something else in the archive: remove it, as directories are never replaced",
            self.shown(location)
        ))
    }

    /// Records an entry as missing or different. An existing object has to be removed first.
    fn missing_or_different(&mut self, path: &EntryPath, location: &Path, is_there: bool) {
        if is_there {
            self.diff.different.add(path);
            self.diff.work.remove.push(location.to_owned());
        } else {
            self.diff.missing.add(path);
        }
    }

    /// Whether an existing object stays, whatever it contains.
    fn keeps(&self, metadata: &Metadata) -> bool {
        self.existing == Existing::Keep && matches!(metadata.kind, FileKind::File | FileKind::Symlink)
    }

    async fn finish(mut self) -> Result<TreeDiff> {
        for (original, to, file) in std::mem::take(&mut self.hard_links) {
            let Some(from) = self.places.get(&original).cloned() else { continue };
            if let Some(metadata) = self.kept.get(&original).cloned()
                && !(metadata.kind == FileKind::File && self.has_content(&from, &metadata, &file).await?)
            {
                return Err(Error::msg(format!(
                    "{} is a hard link of {original} in the archive, and {} is kept and differs: remove it, or do not keep it",
                    self.shown(&to),
                    self.shown(&from)
                )));
            }
            self.diff.work.copies.push(Copy { from, to, file });
        }
        Ok(self.diff)
    }
}
