//! A link that takes its place as a whole.

use std::ffi::OsStr;
use std::path::Path;

use converge_core::system::{Directory, FileKind, SystemError, SystemErrorKind};

use super::sibling_path;

/// What is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewLink<'a> {
    /// A symbolic link that points there.
    Symbolic(&'a Path),
    /// Another name of the file that is there.
    Hard(&'a Path),
}

impl NewLink<'_> {
    /// Makes it where nothing is yet.
    pub(crate) async fn make(self, directory: &dyn Directory, name: &OsStr) -> Result<(), SystemError> {
        match self {
            Self::Symbolic(target) => directory.symlink(target, name).await,
            Self::Hard(existing) => directory.hard_link(existing, name).await,
        }
    }
}

/// Makes a link under a name of its own first, and then gives it its name: whoever follows it meanwhile finds what was there, or the new
/// target. The first name is the same in each run, so what an interrupted one leaves is replaced by the next.
///
/// # Errors
///
/// What is there by now is of a kind that `is_replaced` refuses: [`SystemErrorKind::Unsteady`]; or the system refuses.
pub(crate) async fn put(
    directory: &dyn Directory,
    name: &OsStr,
    link: NewLink<'_>,
    is_replaced: impl Fn(FileKind) -> bool + Send,
) -> Result<(), SystemError> {
    let unfinished = sibling_path::temporary(".converge-link.", name);
    remove(directory, &unfinished).await?;
    link.make(directory, &unfinished).await?;
    let now = directory.metadata(name).await?;
    if now.is_some_and(|now| !is_replaced(now.kind)) {
        directory.remove_file(&unfinished).await?;
        let path = directory.path().join(name);
        return Err(SystemError::file("create the link", &path, SystemErrorKind::Unsteady));
    }
    directory.rename(&unfinished, name).await?;
    match link {
        NewLink::Symbolic(_) => Ok(()),
        // Somebody may have made the same link meanwhile: of two names of one file, a rename keeps both.
        NewLink::Hard(_) => remove(directory, &unfinished).await,
    }
}

/// Removes what may be there.
async fn remove(directory: &dyn Directory, name: &OsStr) -> Result<(), SystemError> {
    match directory.remove_file(name).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
