//! Errors of the file of a store.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::debug_as_text;
use crate::storage::error::Unavailable;

/// The reason why a store cannot be opened.
#[derive(thiserror::Error)]
pub enum OpenError {
    /// The file is in use.
    #[error(
        "{} is in use by {}: a store in a file is for one process at a time. Stop that process, or give this one another file",
        .path.display(), holder(*.process)
    )]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process that uses the file, if the system provides it.
        process: Option<u32>,
    },
    /// The path is a folder.
    #[error("{} is a folder: give a file in it, such as {}", .path.display(), .path.join("resources.redb").display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The file is not a store.
    #[error("{} is not a store of resources ({reason}): give another file, or move this one away", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The reason for this conclusion.
        reason: String,
    },
    /// The format of the file is unknown to this program.
    #[error(
        "{} is a store of format {found}, and this program knows only format {known}: open it with the program that wrote it, or a newer one",
        .path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u64,
        /// The newest format that this program knows.
        known: u64,
    },
    /// A part of the file is missing or wrong.
    #[error(
        "{} is damaged ({reason}): put a copy of it in its place, or move it away to begin with an empty store",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// The system refuses access.
    #[error("cannot open {}: {source}", .path.display())]
    File {
        /// The file, or its folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

debug_as_text!(OpenError);

fn holder(process: Option<u32>) -> String {
    match process {
        Some(process) if process == std::process::id() => "this process".to_owned(),
        Some(process) => format!("process {process}"),
        None => "another process".to_owned(),
    }
}

/// A failure of an open file.
#[derive(Debug)]
pub(super) enum Failure {
    /// The file is not open.
    Closed,
    /// The file cannot be read or written.
    File(Box<redb::Error>),
    /// A resource in the file cannot be decoded.
    Record {
        /// The key of the resource.
        key: String,
        /// The decode error.
        source: prost::DecodeError,
    },
    /// The content of the file is inconsistent.
    Damaged(String),
}

/// The advice for a damaged part of an open file.
const REPLACE: &str = "stop what uses it, and put a copy of it in its place";

impl Failure {
    /// Converts the failure to the error for users of the store.
    pub(super) fn unavailable(self, file: &Path) -> Unavailable {
        let file = file.display();
        match self {
            Self::Closed => Unavailable::new(format!("{file} is not open")),
            Self::File(error) if matches!(*error, redb::Error::Corrupted(_)) => {
                Unavailable::because(format!("{file} is damaged ({error}): {REPLACE}"), *error)
            }
            Self::File(error) => Unavailable::because(format!("{file} cannot be used: {error}"), *error),
            Self::Record { key, source } => {
                let message = format!("{key} in {file} cannot be read ({source}): {REPLACE}");
                Unavailable::because(message, source)
            }
            Self::Damaged(reason) => Unavailable::new(format!("{file} is damaged ({reason}): {REPLACE}")),
        }
    }
}

impl<E: Into<redb::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::File(Box::new(error.into()))
    }
}

/// Runs an operation on a file, and converts a panic to an error.
///
/// redb checks pages only when it repairs a file, and panics on some damaged ones.
pub(super) fn contained<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // After a panic the file is closed, and no state of the operation is used again.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::Damaged(text.unwrap_or_else(|| "it makes no sense".to_owned())))
    })
}
