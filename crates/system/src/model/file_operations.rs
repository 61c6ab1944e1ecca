//! The file operations of the model host, shared by paths and open directories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::errno::{Errno, errno};
use super::tree::{Content, TRUST, Tree, refuse_temporary};
use super::{Effect, Machine, Shared};
use crate::trust::Trust;
use crate::{
    CommitFile, FileContent, FileKind, Follow, Inherit, Metadata, NamedEntry, ReadAt, ScratchFile,
    StagedFile, SystemError, SystemErrorKind,
};

pub(super) const MODE_BITS: u32 = 0o7777;

pub(super) type ModelResult<T> = Result<T, SystemErrorKind>;

pub(super) fn set_mode(state: &Shared, path: &Path, mode: u32, last: Follow) -> Result<(), SystemError> {
    state.change("change the mode of", path, |machine| {
        let (path, node) = machine.tree.find_for_change(path, last)?;
        if matches!(node.content, Content::Symlink(_)) {
            return Err(SystemErrorKind::InvalidPath);
        }
        let mode = mode & MODE_BITS;
        machine.tree.alter(&path, |node| node.set_mode(mode));
        Ok(Effect::SetMode { path, mode })
    })
}

/// A file as it was when it was opened.
pub(super) struct OpenModelFile {
    metadata: Metadata,
    bytes: Arc<[u8]>,
}

#[async_trait]
impl ReadAt for OpenModelFile {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
        let rest =
            usize::try_from(offset).ok().and_then(|offset| self.bytes.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

pub(super) struct ModelStaged {
    state: Shared,
    path: PathBuf,
    last: Follow,
    content: Vec<u8>,
}

impl ModelStaged {
    /// Begins to write a file.
    ///
    /// `last` decides whether a link at its path is followed or replaced.
    pub(super) fn new(state: &Shared, path: &Path, last: Follow) -> Result<Self, SystemError> {
        state.look("write", path, |machine| {
            let (path, _) = file_target(&machine.tree, path, last)?;
            // A real system would create the unnamed file now, so the disk is checked.
            machine.check_disk(machine, &Effect::WriteFile { path })
        })?;
        Ok(Self { state: state.clone(), path: path.to_owned(), last, content: Vec::new() })
    }
}

#[async_trait]
impl StagedFile for ModelStaged {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.state.turn().await;
        // The excess is kept, so that the commit of an oversized file fails too.
        self.content.extend_from_slice(bytes);
        let allowed = self.state.lock().check_size(self.content.len());
        allowed.map_err(|kind| SystemError::file("write", &self.path, kind))
    }

    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError> {
        self.state.turn().await;
        put(&self.state, &self.path, self.last, &self.content, commit)
    }
}

pub(super) struct ModelScratch(pub(super) Vec<u8>);

#[async_trait]
impl ScratchFile for ModelScratch {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError> {
        let len = self.0.len() as u64;
        let metadata =
            Metadata { kind: FileKind::File, mode: 0o600, uid: 0, gid: 0, len, modified: None, links: 0 };
        Ok(Box::new(OpenModelFile { metadata, bytes: self.0.into() }))
    }
}

/// Writes a file.
///
/// `last` decides whether a link at its path is followed or replaced.
pub(super) fn put(
    state: &Shared,
    path: &Path,
    last: Follow,
    content: &[u8],
    commit: CommitFile,
) -> Result<(), SystemError> {
    let allowed = state.lock().check_size(content.len());
    allowed.map_err(|kind| SystemError::file("write", path, kind))?;
    state.change("write", path, |machine| {
        let target = file_target(&machine.tree, path, last)?;
        let is_mounted = machine.mounted.contains(&target.0);
        let path = write_file(machine, target, content, commit);
        Ok(if is_mounted { Effect::WriteInPlace { path } } else { Effect::WriteFile { path } })
    })
}

pub(super) fn read(tree: &Tree, path: &Path, limit: u64) -> ModelResult<Option<FileContent>> {
    let opened = open(tree, path, Follow::Links)?;
    Ok(opened.map(|OpenModelFile { metadata, bytes }| {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(bytes.len());
        FileContent { metadata, bytes: bytes[..limit].to_vec() }
    }))
}

pub(super) fn open(tree: &Tree, path: &Path, last: Follow) -> ModelResult<Option<OpenModelFile>> {
    let Some((_, node)) = there(tree.find_for_reading(path, last))? else { return Ok(None) };
    match &node.content {
        Content::File(bytes) => {
            Ok(Some(OpenModelFile { metadata: node.metadata(), bytes: Arc::clone(bytes) }))
        }
        Content::Directory => Err(SystemErrorKind::IsADirectory),
        Content::Symlink(_) => Err(SystemErrorKind::InvalidPath),
    }
}

pub(super) fn entries(tree: &Tree, path: &Path) -> ModelResult<Vec<NamedEntry>> {
    let (directory, node) = tree.find(path, Follow::Links)?;
    if !node.is_dir() {
        return Err(SystemErrorKind::NotADirectory);
    }
    let children = tree.children(&directory);
    Ok(children
        .filter_map(|(child, node)| {
            Some(NamedEntry { name: child.file_name()?.to_owned(), kind: node.metadata().kind })
        })
        .collect())
}

/// Returns the resolved path of a write, and whether it replaces a file.
fn file_target(tree: &Tree, path: &Path, last: Follow) -> ModelResult<(PathBuf, bool)> {
    refuse_temporary(path)?;
    let (path, node) = tree.walk(path, last)?;
    refuse_temporary(&path)?;
    match node {
        None => Ok((path, false)),
        Some(node) if node.is_dir() => Err(SystemErrorKind::IsADirectory),
        Some(node) => Ok((path, matches!(node.content, Content::File(_)))),
    }
}

/// Returns the existing file from which missing attributes are inherited.
fn inherited_from(tree: &Tree, path: &Path, inherit: Inherit) -> Option<Metadata> {
    let replaced = tree.get(path)?.metadata();
    let folder = tree.get(path.parent()?)?.metadata();
    TRUST.is_inherited(&folder, &replaced, inherit).then_some(replaced)
}

/// Returns the existing file whose attributes a write at this path inherits.
pub(super) fn inherited(tree: &Tree, path: &Path, inherit: Inherit) -> ModelResult<Option<Metadata>> {
    let (path, exists) = file_target(tree, path, Follow::Links)?;
    Ok(inherited_from(tree, &path, inherit).filter(|_| exists))
}

fn write_file(
    machine: &mut Machine,
    (path, exists): (PathBuf, bool),
    content: &[u8],
    commit: CommitFile,
) -> PathBuf {
    let Machine { tree, now, mounted, .. } = machine;
    let old_metadata = inherited_from(tree, &path, commit.inherit).filter(|_| exists);
    let (mode, ownership) = Trust::attributes(old_metadata.as_ref(), &commit);
    let extended = match (tree.get(&path), &old_metadata) {
        (Some(old), Some(_)) => old.extended.clone(),
        _ => BTreeMap::new(),
    };
    if mounted.contains(&path) {
        tree.alter(&path, |node| (node.uid, node.gid) = (0, 0));
    } else {
        tree.remove(&path);
        tree.create(path.clone(), Content::File([].into()), mode, *now);
    }
    let modified = commit.modified.unwrap_or(*now);
    tree.alter(&path, |node| {
        node.content = Content::File(content.into());
        node.uid = ownership.uid.unwrap_or(node.uid);
        node.gid = ownership.gid.unwrap_or(node.gid);
        node.modified = modified;
        node.extended = extended;
        node.set_mode(mode);
    });
    path
}

pub(super) fn rename(tree: &mut Tree, from: &Path, to: &Path) -> ModelResult<Effect> {
    let slash = has_slash(from) || has_slash(to);
    let source = tree.walk(without_slash(from), Follow::Never)?;
    refuse_temporary(to)?;
    let (to, target) = tree.walk(without_slash(to), Follow::Never)?;
    let (from, Some(node)) = source else { return Err(SystemErrorKind::NotFound) };
    if from.parent().is_none() || to.parent().is_none() {
        return Err(errno(Errno::Busy));
    }
    if !node.is_dir() && slash {
        return Err(SystemErrorKind::NotADirectory);
    }
    if from != to && to.starts_with(&from) {
        return Err(SystemErrorKind::InvalidPath);
    }
    if from != to && from.starts_with(&to) {
        return Err(SystemErrorKind::NotEmpty);
    }
    match target {
        Some(target) if from != to => match (node.is_dir(), target.is_dir()) {
            (true, false) => return Err(SystemErrorKind::NotADirectory),
            (false, true) => return Err(SystemErrorKind::IsADirectory),
            (true, true) if tree.children(&to).next().is_some() => return Err(SystemErrorKind::NotEmpty),
            _ => {}
        },
        _ => {}
    }
    tree.rename(&from, &to);
    Ok(Effect::Rename { from, to })
}

/// Converts a missing path into `None`.
pub(super) fn there<T>(result: ModelResult<T>) -> ModelResult<Option<T>> {
    match result {
        Err(SystemErrorKind::NotFound | SystemErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}

/// Clears set-uid as a change of owner does, and set-gid unless it marks mandatory locking.
pub(super) fn without_set_id(mode: u32) -> u32 {
    let bits = if mode & 0o010 == 0 { mode } else { mode & !0o2000 };
    bits & !0o4000
}

/// Whether a path has a trailing slash, which requires a directory.
pub(super) fn has_slash(path: &Path) -> bool {
    // Paths that differ only in a trailing slash compare as equal.
    without_slash(path).as_os_str() != path.as_os_str()
}

#[cfg(unix)]
pub(super) fn without_slash(path: &Path) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;

    let bytes = path.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(bytes.len().min(1), |last| last + 1);
    Path::new(std::ffi::OsStr::from_bytes(&bytes[..end]))
}

/// Removes trailing slashes, except from names that are not text.
#[cfg(not(unix))]
pub(super) fn without_slash(path: &Path) -> &Path {
    let Some(text) = path.to_str() else { return path };
    match text.trim_end_matches('/') {
        "" => Path::new(text.get(..1).unwrap_or_default()),
        trimmed => Path::new(trimmed),
    }
}
