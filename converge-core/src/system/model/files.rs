//! The files of the model, with the answers that Linux gives.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use nix::errno::Errno;

use super::tree::{Content, Tree, errno};
use super::{Effect, Machine, ModelSystem};
use crate::system::{
    CommitFile, DirEntry, FileContent, FileKind, Files, Follow, Metadata, Ownership, ReadAt, ScratchFile,
    StagedFile, SystemError, SystemErrorKind, WriteFile,
};

const MODE_BITS: u32 = 0o7777;

type ModelResult<T> = Result<T, SystemErrorKind>;

#[async_trait]
impl Files for ModelSystem {
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        let state = self.lock();
        let found = there(state.machine.tree.find(path, follow));
        let found = found.map_err(|kind| SystemError::file("look at", path, kind))?;
        Ok(found.map(|(_, node)| node.metadata()))
    }

    async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError> {
        read(&self.lock().machine.tree, path).map_err(|kind| SystemError::file("read", path, kind))
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let opened = open(&self.lock().machine.tree, path);
        let opened = opened.map_err(|kind| SystemError::file("read", path, kind))?;
        Ok(opened.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
        let WriteFile { content, mode, ownership, durable } = write;
        self.put(path, content, CommitFile { mode, ownership, modified: None, durable })
    }

    async fn stage<'a>(&'a self, path: &Path) -> Result<Box<dyn StagedFile + 'a>, SystemError> {
        let target = file_target(&self.lock().machine.tree, path).map(|_| ());
        target.map_err(|kind| SystemError::file("write", path, kind))?;
        Ok(Box::new(ModelStaged { model: self, path: path.to_owned(), content: Vec::new() }))
    }

    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError> {
        Ok(Box::new(ModelScratch(Vec::new())))
    }

    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        self.change("create the directory", path, |machine| {
            let path = machine.tree.free(without_slash(path))?;
            machine.tree.create(path.clone(), Content::Directory, mode & MODE_BITS, machine.now);
            Ok(Effect::CreateDir { path })
        })
    }

    /// What is in memory is as safe as it can be.
    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError> {
        let failed = |kind| SystemError::file("write to disk", path, kind);
        let state = self.lock();
        let (_, node) = state.machine.tree.find(path, Follow::Links).map_err(failed)?;
        if node.is_dir() { Ok(()) } else { Err(failed(SystemErrorKind::NotADirectory)) }
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        read_dir(&self.lock().machine.tree, path).map_err(|kind| SystemError::file("list", path, kind))
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        self.change("change the mode of", path, |machine| {
            let (path, _) = machine.tree.find(path, Follow::Links)?;
            let node = machine.tree.get_mut(&path).ok_or(SystemErrorKind::NotFound)?;
            node.mode = mode & MODE_BITS;
            Ok(Effect::SetMode { path, mode: node.mode })
        })
    }

    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError> {
        self.change("change the owner of", path, |machine| {
            let (path, _) = machine.tree.find(path, follow)?;
            let node = machine.tree.get_mut(&path).ok_or(SystemErrorKind::NotFound)?;
            node.uid = ownership.uid.unwrap_or(node.uid);
            node.gid = ownership.gid.unwrap_or(node.gid);
            if matches!(node.content, Content::File(_)) {
                node.mode = without_set_id(node.mode);
            }
            Ok(Effect::SetOwnership { path, ownership })
        })
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        let state = self.lock();
        let failed = |kind| SystemError::file("read the link", path, kind);
        match there(state.machine.tree.find(path, Follow::Never)).map_err(failed)? {
            None => Ok(None),
            Some((_, node)) => match &node.content {
                Content::Symlink(target) => Ok(Some(target.clone())),
                _ => Err(failed(SystemErrorKind::InvalidPath)),
            },
        }
    }

    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError> {
        self.change("create the link", path, |machine| {
            if target.as_os_str().is_empty() {
                return Err(SystemErrorKind::NotFound);
            }
            let slash = has_slash(path);
            let path = machine.tree.free(without_slash(path))?;
            if slash {
                return Err(SystemErrorKind::NotFound);
            }
            let target = target.to_owned();
            machine.tree.create(path.clone(), Content::Symlink(target.clone()), 0o777, machine.now);
            Ok(Effect::Symlink { path, target })
        })
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError> {
        self.change("rename", from, |machine| rename(&mut machine.tree, from, to))
    }

    async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
        self.change("remove", path, |machine| {
            let slash = has_slash(path);
            let (path, node) = machine.tree.find(without_slash(path), Follow::Never)?;
            if node.is_dir() {
                return Err(SystemErrorKind::IsADirectory);
            }
            if slash {
                return Err(SystemErrorKind::NotADirectory);
            }
            machine.tree.remove_one(&path);
            Ok(Effect::RemoveFile { path })
        })
    }

    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError> {
        self.change("remove the directory", path, |machine| {
            let (path, node) = machine.tree.find(without_slash(path), Follow::Never)?;
            if !node.is_dir() {
                return Err(SystemErrorKind::NotADirectory);
            }
            if path.parent().is_none() {
                return Err(errno(Errno::EBUSY));
            }
            if machine.tree.children(&path).next().is_some() {
                return Err(SystemErrorKind::NotEmpty);
            }
            machine.tree.remove_one(&path);
            Ok(Effect::RemoveDir { path })
        })
    }
}

/// A file as it was when it was opened.
struct OpenModelFile {
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

struct ModelStaged<'a> {
    model: &'a ModelSystem,
    path: PathBuf,
    content: Vec<u8>,
}

#[async_trait]
impl StagedFile for ModelStaged<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.content.extend_from_slice(bytes);
        Ok(())
    }

    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError> {
        self.model.put(&self.path, &self.content, commit)
    }
}

struct ModelScratch(Vec<u8>);

#[async_trait]
impl ScratchFile for ModelScratch {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError> {
        let len = self.0.len() as u64;
        let metadata = Metadata { kind: FileKind::File, mode: 0o600, uid: 0, gid: 0, len, modified: None };
        Ok(Box::new(OpenModelFile { metadata, bytes: self.0.into() }))
    }
}

impl ModelSystem {
    /// Writes a file.
    fn put(&self, path: &Path, content: &[u8], commit: CommitFile) -> Result<(), SystemError> {
        self.change("write", path, |machine| {
            let path = write_file(machine, path, content, commit)?;
            Ok(Effect::WriteFile { path })
        })
    }

    fn change(
        &self,
        operation: &'static str,
        path: &Path,
        change: impl FnOnce(&mut Machine) -> ModelResult<Effect>,
    ) -> Result<(), SystemError> {
        let changed = self.lock().change(change);
        changed.map_err(|kind| SystemError::file(operation, path, kind))
    }
}

fn read(tree: &Tree, path: &Path) -> ModelResult<Option<FileContent>> {
    let opened = open(tree, path)?;
    Ok(opened.map(|OpenModelFile { metadata, bytes }| FileContent { metadata, bytes: bytes.to_vec() }))
}

fn open(tree: &Tree, path: &Path) -> ModelResult<Option<OpenModelFile>> {
    let Some((_, node)) = there(tree.find(path, Follow::Links))? else { return Ok(None) };
    match &node.content {
        Content::File(bytes) => {
            Ok(Some(OpenModelFile { metadata: node.metadata(), bytes: Arc::clone(bytes) }))
        }
        _ => Err(SystemErrorKind::IsADirectory),
    }
}

fn read_dir(tree: &Tree, path: &Path) -> ModelResult<Vec<DirEntry>> {
    let (directory, node) = tree.find(path, Follow::Links)?;
    if !node.is_dir() {
        return Err(SystemErrorKind::NotADirectory);
    }
    let children = tree.children(&directory);
    Ok(children
        .filter_map(|(child, node)| {
            Some(DirEntry { path: path.join(child.file_name()?), kind: node.metadata().kind })
        })
        .collect())
}

/// Where a file is to be written, and whether there is one.
fn file_target(tree: &Tree, path: &Path) -> ModelResult<(PathBuf, bool)> {
    match tree.walk(path, Follow::Links)? {
        (path, None) => Ok((path, false)),
        (path, Some(node)) if !node.is_dir() => Ok((path, true)),
        _ => Err(SystemErrorKind::IsADirectory),
    }
}

fn write_file(
    machine: &mut Machine,
    path: &Path,
    content: &[u8],
    commit: CommitFile,
) -> ModelResult<PathBuf> {
    let Machine { tree, now, .. } = machine;
    let (path, exists) = file_target(tree, path)?;
    if !exists {
        tree.create(path.clone(), Content::File(Arc::default()), 0o600, *now);
    }
    let node = tree.get_mut(&path).ok_or(SystemErrorKind::NotFound)?;
    node.content = Content::File(content.into());
    node.mode = commit.mode.unwrap_or(node.mode) & MODE_BITS;
    node.uid = commit.ownership.uid.unwrap_or(node.uid);
    node.gid = commit.ownership.gid.unwrap_or(node.gid);
    node.modified = commit.modified.unwrap_or(*now);
    Ok(path)
}

fn rename(tree: &mut Tree, from: &Path, to: &Path) -> ModelResult<Effect> {
    let slash = has_slash(from) || has_slash(to);
    let source = tree.walk(without_slash(from), Follow::Never)?;
    let (to, target) = tree.walk(without_slash(to), Follow::Never)?;
    let (from, Some(node)) = source else { return Err(SystemErrorKind::NotFound) };
    if from.parent().is_none() || to.parent().is_none() {
        return Err(errno(Errno::EBUSY));
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

/// Nothing at the path is an answer where something is asked for.
fn there<T>(found: ModelResult<T>) -> ModelResult<Option<T>> {
    match found {
        Err(SystemErrorKind::NotFound | SystemErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}

/// A change of owner takes set-uid away, and set-gid where it is not a sign of mandatory locking.
fn without_set_id(mode: u32) -> u32 {
    let kept = if mode & 0o010 == 0 { mode } else { mode & !0o2000 };
    kept & !0o4000
}

/// A slash at the end asks for a directory.
fn has_slash(path: &Path) -> bool {
    // Two paths that differ only in it are equal.
    without_slash(path).as_os_str() != path.as_os_str()
}

fn without_slash(path: &Path) -> &Path {
    let bytes = path.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(bytes.len().min(1), |last| last + 1);
    Path::new(std::ffi::OsStr::from_bytes(&bytes[..end]))
}
