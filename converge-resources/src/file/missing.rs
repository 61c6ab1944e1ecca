//! A path that is managed and is not there.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{FileKind, Follow, SystemError, SystemErrorKind};

/// The status of a check whose path does not exist: in a plan, something that the resource depends on
/// may be about to make it.
///
/// # Errors
///
/// The path does not exist, and nothing is about to make it.
pub(super) fn check(cx: &Context, destination: &str) -> Result<Status> {
    if cx.pending().is_empty() {
        return Err(Error::NotFound { kind: "file", name: destination.to_owned() });
    }
    let mut status = Status::new();
    status.add_message(format!("{destination} does not exist yet"));
    status.raise_level(StatusLevel::MayChange);
    Ok(status)
}

/// Looks at the directory in which a file is to be made, and says so when it does not exist yet.
///
/// # Errors
///
/// It does not exist, and nothing is about to make it; or it is no directory.
pub(crate) async fn check_directory(cx: &Context, status: &mut Status, file: &Path) -> Result<()> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Some(parent) = parent else { return Ok(()) };
    match cx.system().files().metadata(parent, Follow::Links).await? {
        Some(metadata) if metadata.kind == FileKind::Directory => Ok(()),
        Some(_) => Err(SystemError::file("write", file, SystemErrorKind::NotADirectory).into()),
        None if cx.pending().is_empty() => Err(Error::msg(format!(
            "the directory {} does not exist: declare it with `file.directory`, and name that in `depends`",
            parent.display()
        ))),
        None => {
            status.add_message(format!("the directory {} does not exist yet", parent.display()));
            Ok(())
        }
    }
}
