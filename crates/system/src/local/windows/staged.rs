//! Staged files on Windows.
//!
//! A file has a random name next to its target until it is renamed.
//!
//! Leftovers of killed runs stay: whether a writer still exists could only be told with a lock, which would
//! block readers.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::super::pool::PIECE;
use super::super::system_state::Shared;
use super::paths::{OpenFile, Outcome, expect_file, expect_mode, look, refuse_name, set_ownership, there};
use crate::kernel_random::fill;
use crate::names::{RANDOM_BYTES, TEMPORARY_PREFIX};
use crate::{
    CommitFile, FileKind, Follow, Metadata, ReadAt, ScratchFile, StagedFile, SystemError, SystemErrorKind,
};

/// `FILE_FLAG_DELETE_ON_CLOSE`: the file is deleted with its last handle, however the process ends.
const DELETE_ON_CLOSE: u32 = 0x0400_0000;

/// The target of a write, and the existing file.
pub(super) struct Target {
    path: PathBuf,
    pub(super) existing: Option<Metadata>,
}

impl Target {
    /// Resolves a path.
    ///
    /// A link stays, and its target is replaced.
    pub(super) fn from_path(path: &Path) -> Outcome<Self> {
        refuse_name(path)?;
        match there(look(path, Follow::Never))? {
            Some(link) if link.kind == FileKind::Symlink => {
                let path = fs::canonicalize(path)?;
                let existing = there(look(&path, Follow::Never))?;
                Self { path, existing }.require_file()
            }
            existing => Self { path: path.to_owned(), existing }.require_file(),
        }
    }

    /// Resolves an entry of a directory.
    ///
    /// A link itself is replaced.
    pub(super) fn from_entry(path: &Path) -> Outcome<Self> {
        refuse_name(path)?;
        let existing = there(look(path, Follow::Never))?.filter(|found| found.kind != FileKind::Symlink);
        Self { path: path.to_owned(), existing }.require_file()
    }

    fn require_file(self) -> Outcome<Self> {
        self.existing.as_ref().map_or(Ok(()), |existing| expect_file(existing.kind))?;
        Ok(self)
    }
}

pub(super) struct Staged {
    target: PathBuf,
    shown: PathBuf,
    temporary: PathBuf,
    file: Arc<File>,
    written: u64,
    /// Whether the content is complete: no write failed or was dropped.
    whole: bool,
    named: bool,
    shared: Arc<Shared>,
}

impl Staged {
    /// Begins to write; `shown` is the path in messages.
    pub(super) fn new(target: Target, shown: &Path, shared: &Arc<Shared>) -> Outcome<Self> {
        let temporary = target.path.with_file_name(random_name()?);
        let file = File::options().read(true).write(true).create_new(true).open(&temporary)?;
        Ok(Self {
            target: target.path,
            shown: shown.to_owned(),
            temporary,
            file: Arc::new(file),
            written: 0,
            whole: true,
            named: false,
            shared: Arc::clone(shared),
        })
    }

    pub(super) async fn add(&mut self, bytes: &[u8]) -> Outcome<()> {
        if !std::mem::replace(&mut self.whole, false) {
            return Err(incomplete());
        }
        self.written = self.written.saturating_add(bytes.len() as u64);
        append(&self.file, self.written, bytes, &self.shared).await?;
        self.whole = true;
        Ok(())
    }

    pub(super) async fn finish(mut self, commit: CommitFile) -> Outcome<()> {
        if !self.whole {
            return Err(incomplete());
        }
        expect_mode(&self.target, commit.mode)?;
        set_ownership(commit.ownership)?;
        if let Some(modified) = commit.modified {
            self.file.set_modified(modified)?;
        }
        let file = Arc::clone(&self.file);
        // After the flush, a caller that gave up assumes that nothing was written.
        self.shared.pool.run(move |wanted| Ok(file.sync_all()?).and_then(|()| wanted.check())).await?;
        fs::rename(&self.temporary, &self.target)?;
        self.named = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.named {
            // The first error is the one to report.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

#[async_trait]
impl StagedFile for Staged {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        let added = self.add(bytes).await;
        added.map_err(|kind| SystemError::file("write", &self.shown, kind))
    }

    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError> {
        let shown = self.shown.clone();
        self.finish(commit).await.map_err(|kind| SystemError::file("write", shown, kind))
    }
}

fn incomplete() -> SystemErrorKind {
    SystemErrorKind::Other("a part of it was not written".to_owned())
}

/// Appends bytes to a file that will then have `len` bytes.
async fn append(file: &Arc<File>, len: u64, bytes: &[u8], shared: &Shared) -> Outcome<()> {
    if !shared.pool.is_large(len) {
        return Ok((&**file).write_all(bytes)?);
    }
    for piece in bytes.chunks(PIECE) {
        let (file, piece) = (Arc::clone(file), piece.to_vec());
        shared.pool.run(move |_| Ok((&*file).write_all(&piece)?)).await?;
    }
    Ok(())
}

fn random_name() -> Outcome<String> {
    let mut random = [0; RANDOM_BYTES];
    fill(&mut random)?;
    let mut name = TEMPORARY_PREFIX.to_owned();
    for byte in random {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name)
}

/// A scratch file that nobody else can open, deleted with its handle.
pub(super) struct Scratch {
    file: Arc<File>,
    path: PathBuf,
    written: u64,
    shared: Arc<Shared>,
}

impl Scratch {
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, SystemError> {
        let directory = std::env::temp_dir();
        let create = || -> Outcome<(File, PathBuf)> {
            let path = directory.join(random_name()?);
            let mut options = File::options();
            options.read(true).write(true).create_new(true).share_mode(0).custom_flags(DELETE_ON_CLOSE);
            Ok((options.open(&path)?, path))
        };
        let failed = |kind| SystemError::file("create a temporary file in", &directory, kind);
        let (file, path) = create().map_err(failed)?;
        Ok(Self { file: Arc::new(file), path, written: 0, shared: Arc::clone(shared) })
    }
}

#[async_trait]
impl ScratchFile for Scratch {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.written = self.written.saturating_add(bytes.len() as u64);
        let written = append(&self.file, self.written, bytes, &self.shared).await;
        written.map_err(|kind| SystemError::file("write a temporary file", &self.path, kind))
    }

    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError> {
        let failed = |kind| SystemError::file("read a temporary file", &self.path, kind);
        let file = self.file.try_clone().map_err(|error| failed(error.into()))?;
        Ok(Box::new(OpenFile::new(file, &self.path, &self.shared).map_err(failed)?))
    }
}
