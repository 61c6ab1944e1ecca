//! Changes that make a copy equal to its source.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{
    CommitFile, Directory, FileKind, Ownership, ReadAt, StagedFile, SystemError, SystemErrorKind,
};

use super::overwrite_policy::Existing;
use crate::file::atomic_link::{self, NewLink};
use crate::file::descent::Descent;
use crate::file::mode::Mode;

/// The number of bytes of a file that are read at once.
pub(super) const PIECE: usize = 64 * 1024;

/// The number of files that are committed together.
const TOGETHER: usize = 64;

/// One change of a path below the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    MakeDirectory(Mode, Ownership),
    /// Write the content of the source.
    Write(Mode, Ownership),
    Link(PathBuf, Ownership),
    /// Change attributes only; the content is equal.
    Attributes(Option<Mode>, Ownership),
    Remove(FileKind),
}

/// Applies the changes in order: directories before their contents, removals from the deepest on.
pub(super) async fn make(
    cx: &Context,
    changes: &[Change],
    existing: Existing,
    (from, to): (Box<dyn Directory>, Box<dyn Directory>),
) -> Result<()> {
    let (mut from, mut to) = (Descent::new(from), Descent::new(to));
    let mut staged: Vec<(Box<dyn StagedFile>, CommitFile)> = Vec::new();
    for Change { path, what } in changes {
        cx.check_cancelled()?;
        let (parent, Some(name)) = (path.parent().unwrap_or(Path::new("")), path.file_name()) else {
            continue;
        };
        let directory = to.to(parent).await?.ok_or_else(|| gone(parent))?;
        // Another process may have created the file since the check.
        if matches!(what, What::Write(..) | What::Link(..))
            && existing == Existing::Stays
            && existing.keeps(directory.metadata(name).await?.as_ref())
        {
            continue;
        }
        match what {
            What::MakeDirectory(mode, owner) => {
                match directory.create_dir(name, mode.bits()).await {
                    // An earlier apply may have created the directory.
                    Err(error) if error.kind == SystemErrorKind::AlreadyExists => {
                        let metadata = directory.metadata(name).await?;
                        if metadata.is_none_or(|metadata| metadata.kind != FileKind::Directory) {
                            return Err(error.into());
                        }
                    }
                    done => done?,
                }
                own(directory, name, *owner).await?;
            }
            What::Write(mode, ownership) => {
                let source = from.to(parent).await?.ok_or_else(|| gone(parent))?;
                let source = source.open(name).await?.ok_or_else(|| gone(path))?;
                let mut file = directory.stage(name).await?;
                copy(cx, &*source, &mut *file).await?;
                let commit =
                    CommitFile { mode: Some(mode.bits()), ownership: *ownership, ..CommitFile::default() };
                staged.push((file, commit));
            }
            What::Link(target, owner) => {
                let is_replaced = |kind| kind != FileKind::Directory;
                atomic_link::put(directory, name, NewLink::Symbolic(target), *owner, is_replaced).await?;
            }
            What::Attributes(mode, owner) => {
                own(directory, name, *owner).await?;
                if let Some(mode) = mode {
                    directory.set_mode(name, mode.bits()).await?;
                }
            }
            What::Remove(kind) => {
                let removed = match kind {
                    FileKind::Directory => directory.remove_dir(name).await,
                    _ => directory.remove_file(name).await,
                };
                match removed {
                    Err(error) if error.kind == SystemErrorKind::NotFound => {}
                    removed => removed?,
                }
            }
        }
        if staged.len() == TOGETHER {
            commit(cx, &mut staged).await?;
        }
    }
    commit(cx, &mut staged).await
}

async fn commit(cx: &Context, staged: &mut Vec<(Box<dyn StagedFile>, CommitFile)>) -> Result<()> {
    for committed in cx.system().files().commit_all(std::mem::take(staged)).await {
        committed?;
    }
    Ok(())
}

async fn own(directory: &dyn Directory, name: &std::ffi::OsStr, owner: Ownership) -> Result<()> {
    if owner != Ownership::default() {
        directory.set_ownership(name, owner).await?;
    }
    Ok(())
}

pub(super) fn gone(path: &Path) -> SystemError {
    SystemError::file("copy", path, SystemErrorKind::NotFound)
}

pub(super) async fn copy(cx: &Context, from: &dyn ReadAt, to: &mut dyn StagedFile) -> Result<()> {
    let mut piece = vec![0; PIECE];
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = from.read_at(offset, &mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        to.write(&piece[..count]).await?;
        offset += count as u64;
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
}
