//! What an archive has, once all of it was read and found to be harmless.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::error::{ArchiveError, EntryProblem};
use super::path::{EntryPath, LinkTarget};
use crate::net::hash::{Hash, HashType, Hasher};

/// Set-user-id, set-group-id and sticky are not taken over.
const MODE_BITS: u32 = 0o777;

/// Of a directory that has no entry of its own.
const IMPLIED_MODE: u32 = 0o755;

/// A directory that its owner cannot use could not be filled.
const OWNER_BITS: u32 = 0o700;

/// How much an archive may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Entries, with the directories above them.
    pub(super) entries: u64,
    /// Bytes in all.
    pub(super) size: u64,
    /// How many times as much as the archive.
    pub(super) ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 100_000, size: 8 << 30, ratio: 500 }
    }
}

/// An entry as the archive has it.
#[derive(Clone, Debug)]
pub(super) struct RawEntry {
    pub(super) name: Vec<u8>,
    pub(super) kind: RawKind,
    pub(super) mode: u32,
    pub(super) modified: Option<SystemTime>,
}

/// What an entry is, as the archive has it.
#[derive(Clone, Debug)]
pub(super) enum RawKind {
    /// Its content follows.
    File,
    Directory,
    Symlink(Vec<u8>),
    HardLink(Vec<u8>),
    /// Anything else, in a word.
    Special(&'static str),
}

/// Takes what is read from an archive.
pub(super) trait Visitor {
    /// The next entry.
    fn entry(&mut self, entry: RawEntry) -> Result<(), ArchiveError>;

    /// Content of the last entry, which is a file.
    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError>;

    /// The last entry is complete.
    fn end(&mut self) -> Result<(), ArchiveError>;
}

/// What the content of files is handed to.
pub(super) trait Sink {
    /// A file begins.
    fn begin(&mut self, path: &EntryPath) -> Result<(), ArchiveError>;

    /// More of it.
    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError>;

    /// It is complete.
    fn end(&mut self) -> Result<(), ArchiveError>;
}

/// Nobody wants it.
impl Sink for () {
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

/// What an archive has, by path: the directory of each entry is there too, and before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) entries: BTreeMap<EntryPath, Entry>,
}

/// What is to be at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Directory {
        mode: u32,
        /// Whether it has an entry of its own, or only others below it.
        explicit: bool,
    },
    File(FileEntry),
    Symlink(LinkTarget),
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileEntry {
    pub(super) mode: u32,
    pub(super) modified: Option<SystemTime>,
    pub(super) len: u64,
    pub(super) sha256: Hash,
    /// The file in the archive that has the content, when that is another one.
    pub(super) copy_of: Option<EntryPath>,
}

/// Makes a [`Manifest`], and hands the content of files on.
pub(super) struct Builder<S> {
    manifest: Manifest,
    limits: Limits,
    file: Option<Open>,
    sink: S,
}

/// A file whose content comes.
struct Open {
    path: EntryPath,
    mode: u32,
    modified: Option<SystemTime>,
    len: u64,
    hasher: Hasher,
}

impl<S: Sink> Builder<S> {
    pub(super) fn new(limits: Limits, sink: S) -> Self {
        Self { manifest: Manifest::default(), limits, file: None, sink }
    }

    /// When all was read.
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

    /// Makes sure that there are directories above `path`.
    fn add_parents(&mut self, path: &EntryPath) -> Result<(), ArchiveError> {
        for above in path.ancestors() {
            let problem = match self.manifest.entries.get(&above) {
                // What is above a directory are directories.
                Some(Entry::Directory { .. }) => return Ok(()),
                Some(Entry::File(_)) => EntryProblem::BelowFile(above.to_string()),
                Some(Entry::Symlink(_)) => EntryProblem::ThroughLink(above.to_string()),
                None => {
                    self.add(above, Entry::Directory { mode: IMPLIED_MODE, explicit: false })?;
                    continue;
                }
            };
            return Err(ArchiveError::entry(path.to_string().as_bytes(), problem));
        }
        Ok(())
    }

    fn add_entry(&mut self, path: EntryPath, raw: &RawEntry) -> Result<(), EntryOr> {
        self.add_parents(&path)?;
        let mode = raw.mode & MODE_BITS;
        let taken = self.manifest.entries.get(&path);
        if let RawKind::Directory = raw.kind {
            return match taken {
                // A directory may come after what is in it, and twice.
                None | Some(Entry::Directory { .. }) => {
                    Ok(self.add(path, Entry::Directory { mode: mode | OWNER_BITS, explicit: true })?)
                }
                Some(_) => Err(EntryProblem::Twice.into()),
            };
        }
        if taken.is_some() {
            return Err(EntryProblem::Twice.into());
        }
        match &raw.kind {
            RawKind::Special(what) => Err(EntryProblem::Special(what).into()),
            RawKind::Symlink(target) => {
                let target = LinkTarget::parse(target, path.depth())?;
                Ok(self.add(path, Entry::Symlink(target))?)
            }
            RawKind::HardLink(target) => {
                let shown = || EntryProblem::HardLink(String::from_utf8_lossy(target).into_owned());
                let of = EntryPath::parse(target)?.ok_or_else(shown)?;
                let Some(Entry::File(file)) = self.manifest.entries.get(&of) else {
                    return Err(shown().into());
                };
                // The one that has the content itself.
                let copy_of = file.copy_of.clone().unwrap_or(of);
                let file = FileEntry { copy_of: Some(copy_of), ..file.clone() };
                Ok(self.add(path, Entry::File(file))?)
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

/// A problem that still lacks the name of the entry, or one that does not.
enum EntryOr {
    Problem(EntryProblem),
    Error(ArchiveError),
}

impl From<EntryProblem> for EntryOr {
    fn from(problem: EntryProblem) -> Self {
        Self::Problem(problem)
    }
}

impl From<ArchiveError> for EntryOr {
    fn from(error: ArchiveError) -> Self {
        Self::Error(error)
    }
}

impl<S: Sink> Visitor for Builder<S> {
    fn entry(&mut self, raw: RawEntry) -> Result<(), ArchiveError> {
        let added = match EntryPath::parse(&raw.name) {
            Ok(Some(path)) => self.add_entry(path, &raw),
            // The destination itself, which is as the module has it.
            Ok(None) if matches!(raw.kind, RawKind::Directory) => Ok(()),
            Ok(None) => Err(EntryProblem::NoName.into()),
            Err(problem) => Err(problem.into()),
        };
        added.map_err(|error| match error {
            EntryOr::Problem(problem) => ArchiveError::entry(&raw.name, problem),
            EntryOr::Error(error) => error,
        })
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
