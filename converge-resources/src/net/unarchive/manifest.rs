//! The manifest of an archive, with rules that refuse harmful entries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use super::choice::Choice;
use super::error::ArchiveError;
use super::path::{EntryPath, LinkTarget};
use crate::file::mode::Mode;
use crate::file::tree_attributes::Wanted;
use crate::net::hash::{Hash, HashType, Hasher};

/// The mode bits that are kept: set-user-id, set-group-id and sticky are not.
const MODE_BITS: u32 = 0o777;

/// The mode of a directory without an entry of its own.
const IMPLIED_MODE: u32 = 0o755;

/// The bits that a directory always gets, because files have to be created in it.
const OWNER_BITS: u32 = 0o700;

/// Limits of the size of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// The maximum number of entries, including the directories above them.
    pub(super) entries: u64,
    /// The maximum total number of bytes.
    pub(super) size: u64,
    /// The maximum ratio of the content to the size of the archive.
    pub(super) ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 100_000, size: 8 << 30, ratio: 500 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct RawEntry {
    pub(super) name: Vec<u8>,
    pub(super) kind: RawKind,
    pub(super) mode: u32,
    pub(super) modified: Option<SystemTime>,
}

/// The kind of an entry as read from the archive.
#[derive(Clone, Debug)]
pub(super) enum RawKind {
    /// A file, whose content follows.
    File,
    Directory,
    Symlink(Vec<u8>),
    HardLink(Vec<u8>),
    /// Anything else, described by a word.
    Special(&'static str),
}

/// A receiver of the entries of an archive.
pub(super) trait Visitor {
    fn entry(&mut self, entry: RawEntry) -> Result<(), ArchiveError>;

    /// Receives content of the last entry, which is a file.
    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError>;

    fn end(&mut self) -> Result<(), ArchiveError>;
}

pub(super) trait Sink {
    fn begin(&mut self, _path: &EntryPath) -> Result<(), ArchiveError> {
        Ok(())
    }

    fn content(&mut self, _bytes: &[u8]) -> Result<(), ArchiveError> {
        Ok(())
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// Drops the content.
impl Sink for () {}

/// The entries of an archive by path. The directory of each entry is listed too, before the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) entries: BTreeMap<EntryPath, Entry>,
}

/// The entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Directory {
        mode: u32,
        /// Whether the directory has an entry of its own, or is only a parent of others.
        explicit: bool,
    },
    File(FileEntry),
    Symlink(LinkTarget),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileEntry {
    pub(super) mode: u32,
    pub(super) modified: Option<SystemTime>,
    pub(super) len: u64,
    pub(super) sha256: Hash,
    /// The file in the archive that has the content, if this entry is a hard link.
    pub(super) copy_of: Option<EntryPath>,
}

impl Manifest {
    /// Overrides the permissions of the archive by those that the module declares.
    pub(super) fn declare(&mut self, target: &Wanted) {
        for entry in self.entries.values_mut() {
            match entry {
                Entry::Directory { mode, .. } => *mode = target.mode(Mode::new(*mode), true).bits(),
                Entry::File(file) => file.mode = target.mode(Mode::new(file.mode), false).bits(),
                Entry::Symlink(_) => {}
            }
        }
    }
}

/// Builds a [`Manifest`], and passes on the content of files.
pub(super) struct Builder<S> {
    manifest: Manifest,
    limits: Limits,
    choice: Arc<Choice>,
    file: Option<Open>,
    sink: S,
}

/// The file whose content is being read.
struct Open {
    path: EntryPath,
    mode: u32,
    modified: Option<SystemTime>,
    len: u64,
    hasher: Hasher,
}

impl<S: Sink> Builder<S> {
    pub(super) fn new(limits: Limits, choice: Arc<Choice>, sink: S) -> Self {
        Self { manifest: Manifest::default(), limits, choice, file: None, sink }
    }

    pub(super) fn finish(self) -> Manifest {
        self.manifest
    }

    fn add(&mut self, path: EntryPath, entry: Entry) -> Result<(), ArchiveError> {
        self.manifest.entries.insert(path, entry);
        if self.manifest.entries.len() as u64 > self.limits.entries {
            return Err(ArchiveError::TooMany(self.limits.entries));
        }
        Ok(())
    }

    /// Adds the missing directories above `path`.
    fn add_parents(&mut self, path: &EntryPath) -> Result<(), ArchiveError> {
        for ancestor in path.ancestors() {
            let problem = match self.manifest.entries.get(&ancestor) {
                // The parents of an existing directory are directories as well.
                Some(Entry::Directory { .. }) => return Ok(()),
                Some(Entry::File(_)) => {
                    format!("is below {:?}, which is not a directory", ancestor.to_string())
                }
                Some(Entry::Symlink(_)) => {
                    format!("would be written through the symbolic link {:?}", ancestor.to_string())
                }
                None => {
                    self.add(ancestor, Entry::Directory { mode: IMPLIED_MODE, explicit: false })?;
                    continue;
                }
            };
            return Err(ArchiveError::entry(path.to_string().as_bytes(), problem));
        }
        Ok(())
    }

    fn add_entry(&mut self, path: EntryPath, raw: &RawEntry) -> Result<(), ArchiveError> {
        let refused = |problem| ArchiveError::entry(&raw.name, problem);
        let twice = || refused("is there twice".to_owned());
        self.add_parents(&path)?;
        let mode = raw.mode & MODE_BITS;
        let existing = self.manifest.entries.get(&path);
        if let RawKind::Directory = raw.kind {
            return match existing {
                // A directory may come after its contents, and more than once.
                None | Some(Entry::Directory { .. }) => {
                    self.add(path, Entry::Directory { mode: mode | OWNER_BITS, explicit: true })
                }
                Some(_) => Err(twice()),
            };
        }
        if existing.is_some() {
            return Err(twice());
        }
        match &raw.kind {
            RawKind::Special(what) => Err(refused(format!("is a {what}"))),
            RawKind::Symlink(target) => {
                let target = LinkTarget::parse(target, path.depth()).map_err(refused)?;
                self.add(path, Entry::Symlink(target))
            }
            RawKind::HardLink(target) => {
                let unknown = || {
                    let target = String::from_utf8_lossy(target);
                    let suffix = if self.choice.is_everything() { "" } else { ", or is left out" };
                    refused(format!(
                        "is a hard link to {target:?}, which is not a file before it in the archive{suffix}"
                    ))
                };
                let target_path = EntryPath::parse(target).map_err(refused)?;
                let target_path =
                    target_path.and_then(|of| self.choice.destination(of, false)).ok_or_else(unknown)?;
                let Some(Entry::File(file)) = self.manifest.entries.get(&target_path) else {
                    return Err(unknown());
                };
                // A chain of hard links leads to the file with the content.
                let copy_of = file.copy_of.clone().unwrap_or(target_path);
                let file = FileEntry { copy_of: Some(copy_of), ..file.clone() };
                self.add(path, Entry::File(file))
            }
            RawKind::File | RawKind::Directory => {
                self.sink.begin(&path)?;
                let hasher = HashType::Sha256.hasher();
                self.file = Some(Open { path, mode, modified: raw.modified, len: 0, hasher });
                Ok(())
            }
        }
    }
}

impl<S: Sink> Visitor for Builder<S> {
    fn entry(&mut self, raw: RawEntry) -> Result<(), ArchiveError> {
        let refused = |problem| ArchiveError::entry(&raw.name, problem);
        match EntryPath::parse(&raw.name).map_err(refused)? {
            Some(path) => match self.choice.destination(path, matches!(raw.kind, RawKind::Directory)) {
                Some(place) => self.add_entry(place, &raw),
                None => Ok(()),
            },
            // The entry is the destination itself, whose attributes are those of the module.
            None if matches!(raw.kind, RawKind::Directory) => Ok(()),
            None => Err(refused("has no name".to_owned())),
        }
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if let Some(file) = &mut self.file {
            file.hasher.update(bytes);
            file.len += bytes.len() as u64;
            self.sink.content(bytes)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        let Some(Open { path, mode, modified, len, hasher }) = self.file.take() else { return Ok(()) };
        self.sink.end()?;
        let file = FileEntry { mode, modified, len, sha256: hasher.finish(), copy_of: None };
        self.add(path, Entry::File(file))
    }
}
