use std::path::Path;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, ReadAt, SystemError, SystemErrorKind};

use super::choice::Choice;
use super::error::ArchiveError;
use super::extract::{self, Unpacking};
use super::manifest::{Limits, Manifest};
use super::tree_diff::{self, Existing, TreeDiff, Work};
use crate::file::missing_path;
use crate::file::tree_attributes::Wanted;
use crate::missing_dependency;
use crate::net::download::{RequestOptions, not_yet, receive, with_retries};
use crate::net::hash::{Expected, HashType};
use crate::net::source::{Location, Source};

/// The task of an `unarchive` resource.
#[derive(Debug, Export)]
pub struct Unarchive {
    /// The archive.
    #[export]
    pub(super) source: Source,
    /// The directory.
    #[export]
    pub(super) destination: String,
    /// The hash function.
    #[export]
    pub(super) hash_type: Option<HashType>,
    /// The expected hash of the archive.
    #[export]
    pub(super) hash: Option<String>,
    /// Whether existing files that differ are replaced.
    #[export]
    pub(super) force: bool,
    pub(super) existing: Existing,
    /// The permissions and owners that override those of the archive.
    pub(super) wanted: Wanted,
    pub(super) choice: Arc<Choice>,
    pub(super) expected: Option<Expected>,
    pub(super) limits: Limits,
    pub(super) options: RequestOptions,
    /// The archive, read once for all checks and the apply of a run.
    pub(super) archive: Option<Archive>,
    /// The work that the check found, if there is any.
    pub(super) found: Option<Found>,
}

/// The work for the apply, with the open directory.
///
/// The apply uses the same directory, even if its path leads elsewhere by then.
pub(super) struct Found {
    root: Arc<dyn Directory>,
    work: Work,
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found").field("root", &self.root.path()).field("work", &self.work).finish()
    }
}

#[derive(Clone)]
pub(super) struct Archive {
    file: Arc<dyn ReadAt>,
    manifest: Arc<Manifest>,
}

impl std::fmt::Debug for Archive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive").field("entries", &self.manifest.entries.len()).finish_non_exhaustive()
    }
}

impl Unarchive {
    /// Opens the directory, or returns `None` if it does not exist.
    async fn root(&self, cx: &Context) -> Result<Option<Arc<dyn Directory>>> {
        match cx.system().files().open_dir(Path::new(&self.destination)).await {
            Err(SystemError { kind: SystemErrorKind::NotADirectory, .. }) => {
                Err(Error::msg(format!("{} is not a directory", self.destination)))
            }
            opened => Ok(opened?.map(Arc::from)),
        }
    }

    async fn load(&self, cx: &Context) -> Result<Archive> {
        let file: Arc<dyn ReadAt> = match self.source.location() {
            Location::Url(url) => with_retries(cx, || receive(cx, &self.options, &self.source, url)).await?,
            Location::File(path) => Arc::from(self.source.open(cx, path).await?),
        };
        cx.progress().step("reading the archive");
        if let Some(expected) = &self.expected {
            let actual = expected.hash_type.hash_file(Arc::clone(&file)).await?;
            expected.check(self.source.shown(), &actual)?;
        }
        let manifest = extract::manifest(&file, self.limits, Arc::clone(&self.choice)).await;
        let mut manifest = manifest.map_err(|problem| self.failed(problem))?;
        manifest.declare(&self.wanted.in_tree(cx, Path::new(&self.destination)));
        if manifest.entries.is_empty() && !self.choice.is_everything() {
            return Err(Error::msg(format!(
                "nothing of {} is unpacked: `strip`, `include` and `exclude` leave all of it out",
                self.source.shown()
            )));
        }
        Ok(Archive { file, manifest: Arc::new(manifest) })
    }

    fn failed(&self, problem: ArchiveError) -> Error {
        match problem {
            ArchiveError::Cancelled => Error::Cancelled,
            problem => Error::msg(format!("cannot unpack {}: {problem}", self.source.shown())),
        }
    }

    fn report(&self, status: &mut Status, diff: &TreeDiff, total: usize) {
        let TreeDiff { missing, different, modes, owners, .. } = diff;
        let describe = |names: &tree_diff::PathSample| format!("{names} (of {total})");
        if !missing.is_empty() {
            status.add_difference("missing", describe(missing), "as in the archive");
        }
        if !different.is_empty() {
            status.add_difference("different", describe(different), "as in the archive");
        }
        if !modes.is_empty() {
            status.add_difference(
                "mode",
                describe(modes),
                if self.wanted.has_modes() { "as declared" } else { "as in the archive" },
            );
        }
        if !owners.is_empty() {
            status.add_difference("owner", describe(owners), "as declared");
        }
        status.raise_level_for_diffs();
        if !different.is_empty() && self.existing != Existing::Replace {
            status.raise_level(StatusLevel::CantChange);
            let reason = match self.existing {
                Existing::Keep => "and is of another kind than in the archive",
                Existing::Refuse | Existing::Replace => "`force = true` replaces it",
            };
            status.set_error(format!("different files are kept, {different}; {reason}"));
        }
    }
}

impl Task for Unarchive {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.found = None;
        let Some(root) = self.root(cx).await? else {
            return Ok(missing_dependency::not_yet(missing_path::directory(cx, &self.destination)?));
        };
        let mut status = Status::new();
        let archive = if let Some(archive) = self.archive.clone() {
            archive
        } else {
            let loaded = self.load(cx).await;
            let Some(archive) = not_yet(cx, &mut status, loaded)? else { return Ok(status) };
            self.archive.insert(archive).clone()
        };
        let owner = match self.wanted.ownership(cx).await? {
            Ok(owner) => owner,
            Err(message) => return Ok(missing_dependency::not_yet(message)),
        };
        let diff =
            tree_diff::compare(cx, &root, &archive.manifest, self.existing, (&self.wanted, owner)).await?;
        self.report(&mut status, &diff, archive.manifest.entries.len());
        self.found = Some(Found { root, work: diff.work });
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // The findings are taken, so that the same work is not done twice.
        let findings = self.found.take();
        if let (Some(Archive { file, manifest }), Some(Found { root, work })) = (&self.archive, &findings) {
            cx.progress().step("unpacking");
            let unpacking =
                Unpacking { archive: file, limits: self.limits, choice: &self.choice, manifest, root };
            extract::extract(cx, &unpacking, work).await?;
        }
        Ok(Status::new())
    }
}
