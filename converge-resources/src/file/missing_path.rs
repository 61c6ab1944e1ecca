//! Checks of paths that do not exist, and may be created by a pending change.

use std::fmt::Display;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, SystemError, SystemErrorKind};

use crate::missing_dependency;

/// Returns the status of a check whose path does not exist.
///
/// In a plan, a resource that this one depends on may be about to create the path.
pub(super) fn check(cx: &Context, destination: &str) -> Result<Status> {
    missing_dependency::missing(cx, "file", destination, format!("{destination} does not exist yet"))
}

/// Adds a message to `status` if the directory of a new file does not exist yet.
pub(crate) async fn check_directory(cx: &Context, status: &mut Status, file: &Path) -> Result<()> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Some(parent) = parent else { return Ok(()) };
    match cx.system().files().metadata(parent, Follow::Links).await? {
        Some(metadata) if metadata.kind == FileKind::Directory => Ok(()),
        Some(_) => Err(SystemError::file("write", file, SystemErrorKind::NotADirectory).into()),
        None => {
            status.add_message(directory(cx, &parent.display())?);
            Ok(())
        }
    }
}

/// Returns the message of a plan about a missing directory.
///
/// # Errors
///
/// Returns an error if no pending change may create the directory.
pub(crate) fn directory(cx: &Context, path: &dyn Display) -> Result<String> {
    if cx.pending().is_empty() {
        return Err(Error::msg(format!(
            "the directory {path} does not exist: declare it with `file.directory`, and name it in `depends`"
        )));
    }
    Ok(format!("the directory {path} does not exist yet"))
}
