//! Writing of whole files, staged files, and files that are committed together.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::super::system_state::Shared;
use super::commit;
use super::path_lookup::Target;
use super::staged_file::{Attributes, SET_ID_BITS, Staged, UNFINISHED_MODE};
use super::stat::Outcome;
use crate::{CommitFile, Ownership, StagedFile, SystemError, WriteFile};

/// Writes a whole file.
///
/// A new file costs `openat2` of its directory, `fstatat`, `openat`, `fstat`, `write`, `linkat`, two `close`,
/// and two waits for the disk.
pub(super) async fn write(target: Target, write: WriteFile<'_>, shared: &Arc<Shared>) -> Outcome<()> {
    let WriteFile { content, mode, ownership, inherit } = write;
    let commit = CommitFile { mode, ownership, inherit, modified: None };
    let attributes = Attributes::from_commit(&target, &commit)?;
    // Until the file has its owner, it must not be accessible to users whom that owner would exclude.
    let stays_ours = attributes.ownership == Ownership::default();
    let first = if stays_ours { attributes.mode & !SET_ID_BITS } else { attributes.mode & 0o700 };
    let mut staged = Staged::create(target, first, shared).await?;
    staged.write(content).await?;
    commit::one(staged, commit, shared).await
}

/// Begins to write a file; `path` is used in messages.
pub(super) async fn stage(target: Target, path: &Path, shared: &Arc<Shared>) -> Outcome<NamedStagedFile> {
    let staged = Staged::create(target, UNFINISHED_MODE, shared).await?;
    Ok(NamedStagedFile { staged, path: path.to_owned(), shared: Arc::clone(shared) })
}

/// A staged file with its path for messages.
pub(super) struct NamedStagedFile {
    staged: Staged,
    path: PathBuf,
    shared: Arc<Shared>,
}

#[async_trait]
impl StagedFile for NamedStagedFile {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.staged.write(bytes).await.map_err(|error| SystemError::file("write", &self.path, error))
    }

    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError> {
        let Self { staged, path, shared } = *self;
        let committed = commit::one(staged, commit, &shared).await;
        committed.map_err(|error| SystemError::file("write", path, error))
    }
}

/// Commits files together.
///
/// Files staged by another system are committed one by one.
pub(super) async fn commit_all(
    staged: Vec<(Box<dyn StagedFile>, CommitFile)>,
    shared: &Shared,
) -> Vec<Result<(), SystemError>> {
    let mut results = Vec::with_capacity(staged.len());
    let mut ours = Vec::with_capacity(staged.len());
    let mut paths = Vec::with_capacity(staged.len());
    for (index, (staged, commit)) in staged.into_iter().enumerate() {
        results.push(Ok(()));
        if (&*staged as &dyn Any).is::<NamedStagedFile>() {
            if let Ok(file) = (staged as Box<dyn Any>).downcast::<NamedStagedFile>() {
                let NamedStagedFile { staged, path, .. } = *file;
                paths.push((index, path));
                ours.push((staged, commit));
            }
        } else {
            results[index] = staged.commit(commit).await;
        }
    }
    for ((index, path), committed) in paths.into_iter().zip(commit::all(ours, shared).await) {
        results[index] = committed.map_err(|error| SystemError::file("write", path, error));
    }
    results
}
