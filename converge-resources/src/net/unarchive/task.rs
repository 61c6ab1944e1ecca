//! Fetches, compares and unpacks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{FileKind, Follow, ReadAt, Url};

use super::error::ArchiveError;
use super::extract;
use super::manifest::{Limits, Manifest};
use super::survey::{self, Survey, Work};
use crate::net::download::{Arriving, Asking, Failure, Retries, not_yet};
use crate::net::hash::{Expected, HashType};
use crate::net::source::{Place, Source};

/// The content of an archive in a directory.
#[derive(Debug, Export)]
pub struct Unarchive {
    /// The archive.
    #[export]
    source: Source,
    /// The directory.
    #[export]
    destination: String,
    /// The function that gives the hash.
    #[export]
    hash_type: Option<HashType>,
    /// The hash of the archive.
    #[export]
    hash: Option<String>,
    /// Whether files that are there and differ are replaced.
    #[export]
    force: bool,
    expected: Option<Expected>,
    limits: Limits,
    asking: Asking,
    /// Read once for all checks and the apply of a run.
    archive: Option<Archive>,
    work: Work,
}

/// An archive that was read, and found to be harmless.
#[derive(Clone)]
struct Archive {
    file: Arc<dyn ReadAt>,
    manifest: Arc<Manifest>,
}

impl std::fmt::Debug for Archive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive").field("entries", &self.manifest.entries.len()).finish_non_exhaustive()
    }
}

/// An archive is not unpacked.
#[derive(Debug, thiserror::Error)]
#[error("cannot unpack {shown}: {problem}")]
struct UnpackError {
    shown: String,
    problem: ArchiveError,
}

/// Files that may not be replaced.
#[derive(Debug, thiserror::Error)]
#[error("what differs is kept, {names}; `force = true` replaces it")]
struct Kept {
    names: String,
}

impl Unarchive {
    pub(super) fn new(
        source: Source,
        destination: String,
        expected: Option<Expected>,
        force: bool,
        limits: Limits,
        asking: Asking,
    ) -> Self {
        Self {
            destination,
            hash_type: expected.as_ref().map(|expected| expected.hash_type),
            hash: expected.as_ref().map(|expected| expected.hash.to_string()),
            source,
            force,
            expected,
            limits,
            asking,
            archive: None,
            work: Work::default(),
        }
    }

    /// The directory without links; `None` when it does not exist.
    async fn root(&self, cx: &Context) -> Result<Option<PathBuf>> {
        let files = cx.system().files();
        let Some(root) = survey::real_path(files, Path::new(&self.destination)).await? else {
            return Ok(None);
        };
        match files.metadata(&root, Follow::Never).await? {
            Some(found) if found.kind == FileKind::Directory => Ok(Some(root)),
            _ => Err(Error::msg(format!("{} is no directory", self.destination))),
        }
    }

    fn missing_root(&self, cx: &Context) -> Result<Status> {
        if cx.pending().is_empty() {
            return Err(Error::msg(format!(
                "the directory {} does not exist: declare it with `file.directory`, and name that in `depends`",
                self.destination
            )));
        }
        let mut status = Status::new();
        status.add_message(format!("the directory {} does not exist yet", self.destination));
        status.raise_level(StatusLevel::MayChange);
        Ok(status)
    }

    /// Gets the archive and reads all of it.
    async fn load(&self, cx: &Context) -> Result<Archive> {
        let file: Arc<dyn ReadAt> = match self.source.place() {
            Place::Url(url) => self.download(cx, url).await?,
            Place::File(path) => match cx.system().files().open(path).await? {
                Some(file) => Arc::from(file),
                None => return Err(Error::NotFound { kind: "file", name: self.source.shown().to_owned() }),
            },
        };
        if let Some(expected) = &self.expected {
            let found = expected.hash_type.of(Arc::clone(&file)).await?;
            expected.check(self.source.shown(), found).map_err(Error::other)?;
        }
        let manifest = extract::manifest(&file, self.limits).await.map_err(|problem| self.failed(problem))?;
        Ok(Archive { file, manifest: Arc::new(manifest) })
    }

    fn failed(&self, problem: ArchiveError) -> Error {
        match problem {
            ArchiveError::Cancelled => Error::Cancelled,
            problem => Error::other(UnpackError { shown: self.source.shown().to_owned(), problem }),
        }
    }

    async fn download(&self, cx: &Context, url: &Url) -> Result<Arc<dyn ReadAt>> {
        let mut retries = Retries::new(cx);
        loop {
            match self.receive(cx, url).await {
                Ok(file) => return Ok(file),
                Err(failure) => retries.after(failure).await?,
            }
        }
    }

    async fn receive(&self, cx: &Context, url: &Url) -> Result<Arc<dyn ReadAt>, Failure> {
        let response = self.asking.once(cx, &self.source, url, None).await?;
        let mut scratch = cx.system().files().scratch().await?;
        let mut arriving = Arriving::new(cx, &self.source, response);
        while let Some(chunk) = arriving.chunk().await? {
            scratch.write(&chunk).await?;
        }
        Ok(Arc::from(scratch.read().await?))
    }

    fn report(&self, status: &mut Status, survey: &Survey, total: usize) {
        let Survey { missing, different, modes, .. } = survey;
        let of = |names: &survey::Names| format!("{names} (of {total})");
        if !missing.is_empty() {
            status.add_difference("missing", of(missing), "as in the archive", "");
        }
        if !different.is_empty() {
            status.add_difference("different", of(different), "as in the archive", "");
        }
        if !modes.is_empty() {
            status.add_difference("mode", of(modes), "as in the archive", "");
        }
        status.raise_level_for_diffs();
        if !different.is_empty() && !self.force {
            status.raise_level(StatusLevel::CantChange);
            status.set_error(Error::other(Kept { names: different.to_string() }));
        }
    }
}

#[async_trait]
impl Task for Unarchive {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.work = Work::default();
        let Some(root) = self.root(cx).await? else { return self.missing_root(cx) };
        let mut status = Status::new();
        let archive = if let Some(archive) = self.archive.clone() {
            archive
        } else {
            let loaded = self.load(cx).await;
            let Some(archive) = not_yet(cx, &mut status, loaded)? else { return Ok(status) };
            self.archive.insert(archive).clone()
        };
        let survey = survey::survey(cx, &root, &archive.manifest).await?;
        self.report(&mut status, &survey, archive.manifest.entries.len());
        self.work = survey.work;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // What was done is not there to be done again.
        let work = std::mem::take(&mut self.work);
        if let Some(Archive { file, manifest }) = &self.archive {
            extract::extract(cx, file, self.limits, manifest, &work).await?;
        }
        Ok(Status::new())
    }
}
