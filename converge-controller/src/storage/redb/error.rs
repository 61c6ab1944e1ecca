//! What can be wrong with a file.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::storage::error::Unavailable;

/// A store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is open already.
    #[error(
        "{} is in use by {}: a store in a file is for one process at a time. Stop that process, or give this one another file",
        .path.display(), holder(*.process)
    )]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process that has it open, where the system says so.
        process: Option<u32>,
    },
    /// It is a folder.
    #[error("{} is a folder: give a file in it, such as {}", .path.display(), .path.join("resources.redb").display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{} is not a store of resources ({reason}): give another file, or move this one away", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What tells.
        reason: String,
    },
    /// It was written in a format that this program does not know.
    #[error(
        "{} is a store of format {found}, and this program knows only format {known}: open it with the program that wrote it, or a newer one",
        .path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// The format that it has.
        found: u64,
        /// The format that would be known.
        known: u64,
    },
    /// A part of it is missing or wrong.
    #[error(
        "{} is damaged ({reason}): put a copy of it in its place, or move it away to begin with an empty store",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The system refuses it.
    #[error("cannot open {}: {source}", .path.display())]
    File {
        /// The file, or the folder that it should be in.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn holder(process: Option<u32>) -> String {
    match process {
        Some(process) if process == std::process::id() => "this process".to_owned(),
        Some(process) => format!("process {process}"),
        None => "another process".to_owned(),
    }
}

/// What goes wrong with an open file.
#[derive(Debug)]
pub(super) enum Failure {
    /// It is not open.
    Closed,
    /// It cannot be read or written.
    File(Box<redb::Error>),
    /// A resource in it cannot be read.
    Record {
        /// Its key.
        key: String,
        /// Why.
        source: prost::DecodeError,
    },
    /// What is in it makes no sense.
    Damaged(String),
}

/// What to do where a part of an open file cannot be read.
const REPLACE: &str = "stop what uses it, and put a copy of it in its place";

impl Failure {
    /// As those who use the store are told.
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

/// Works on a file. redb checks a page only when it repairs a file; what else it reads of damaged ones makes it panic here and
/// there, which must not end those who ask.
pub(super) fn contained<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // After a panic the file is closed, and nothing of what was in the middle is used again.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::Damaged(text.unwrap_or_else(|| "it makes no sense".to_owned())))
    })
}
