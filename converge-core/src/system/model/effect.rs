//! What changes a machine.

use std::path::PathBuf;

use crate::system::{Command, Ownership};

/// A change that was made to a [`ModelSystem`](super::ModelSystem). Paths are where it happened, with all
/// links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// A file was written.
    WriteFile {
        /// The file.
        path: PathBuf,
    },
    /// A directory was made.
    CreateDir {
        /// The directory.
        path: PathBuf,
    },
    /// Permission bits were set.
    SetMode {
        /// The file or directory.
        path: PathBuf,
        /// The bits.
        mode: u32,
    },
    /// Owner or group were set.
    SetOwnership {
        /// The file, directory or link.
        path: PathBuf,
        /// What was asked for.
        ownership: Ownership,
    },
    /// A symbolic link was made.
    Symlink {
        /// The link.
        path: PathBuf,
        /// What it points to.
        target: PathBuf,
    },
    /// Something was renamed.
    Rename {
        /// Its path before.
        from: PathBuf,
        /// Its path now.
        to: PathBuf,
    },
    /// A file or link was removed.
    RemoveFile {
        /// The file.
        path: PathBuf,
    },
    /// A directory was removed.
    RemoveDir {
        /// The directory.
        path: PathBuf,
    },
    /// A program was run that is not only looking.
    Run {
        /// The program.
        command: Command,
    },
}
