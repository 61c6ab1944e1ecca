//! Atomic creation and replacement of links.

use std::ffi::OsStr;
use std::path::Path;

use converge_sdk::system::{Directory, FileKind, Ownership, SystemError, SystemErrorKind};

use super::sibling_path;

/// A link to create.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewLink<'a> {
    /// A symbolic link with this target.
    Symbolic(&'a Path),
    /// Another name of this existing file.
    Hard(&'a Path),
}

impl NewLink<'_> {
    /// Creates the link where nothing exists yet.
    pub(crate) async fn make(self, directory: &dyn Directory, name: &OsStr) -> Result<(), SystemError> {
        match self {
            Self::Symbolic(target) => directory.symlink(target, name).await,
            Self::Hard(existing) => directory.hard_link(existing, name).await,
        }
    }
}

/// Creates a link with its owner under a temporary name, and then renames it.
///
/// A process that follows the link meanwhile finds the old target or the new one. The temporary name is the
/// same in each run, so the next run replaces a leftover of an interrupted one.
///
/// # Errors
///
/// Returns [`SystemErrorKind::Unsteady`] if the path now has a kind that `is_replaced` refuses, or the error
/// of the system.
pub(crate) async fn put(
    directory: &dyn Directory,
    name: &OsStr,
    link: NewLink<'_>,
    owner: Ownership,
    is_replaced: impl Fn(FileKind) -> bool + Send,
) -> Result<(), SystemError> {
    let unfinished = sibling_path::temporary(".converge-link.", name);
    remove(directory, &unfinished).await?;
    link.make(directory, &unfinished).await?;
    if owner != Ownership::default() {
        directory.set_ownership(&unfinished, owner).await?;
    }
    let metadata = directory.metadata(name).await?;
    if metadata.is_some_and(|metadata| !is_replaced(metadata.kind)) {
        directory.remove_file(&unfinished).await?;
        let path = directory.path().join(name);
        return Err(SystemError::file("create the link", &path, SystemErrorKind::Unsteady));
    }
    directory.rename(&unfinished, name).await?;
    match link {
        NewLink::Symbolic(_) => Ok(()),
        // Another process may have created the same link meanwhile. A rename between two names of one file
        // keeps both.
        NewLink::Hard(_) => remove(directory, &unfinished).await,
    }
}

async fn remove(directory: &dyn Directory, name: &OsStr) -> Result<(), SystemError> {
    match directory.remove_file(name).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
