//! A symbolic link that takes its place as a whole.

use std::ffi::OsStr;
use std::path::Path;

use converge_core::system::{Directory, FileKind, SystemError, SystemErrorKind};

use super::sibling;

/// Makes a link under a name of its own first, and then gives it its name: whoever follows it meanwhile finds what was there, or the new
/// target. The first name is the same in each run, so what an interrupted one leaves is replaced by the next.
///
/// # Errors
///
/// What is there by now is of a kind that `is_replaced` refuses: [`SystemErrorKind::Unsteady`]; or the system refuses.
pub(crate) async fn put(
    directory: &dyn Directory,
    name: &OsStr,
    target: &Path,
    is_replaced: impl Fn(FileKind) -> bool + Send,
) -> Result<(), SystemError> {
    let unfinished = sibling::temporary(".converge-link.", name);
    match directory.remove_file(&unfinished).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => {}
        removed => removed?,
    }
    directory.symlink(target, &unfinished).await?;
    let now = directory.metadata(name).await?;
    if now.is_some_and(|now| !is_replaced(now.kind)) {
        directory.remove_file(&unfinished).await?;
        let path = directory.path().join(name);
        return Err(SystemError::file("create the link", &path, SystemErrorKind::Unsteady));
    }
    directory.rename(&unfinished, name).await
}
