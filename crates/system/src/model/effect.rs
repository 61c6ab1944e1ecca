//! What changes a machine.

use std::path::{Path, PathBuf};

use crate::{Address, Command, Method, Ownership, Url};

/// A change that was made to a [`ModelSystem`](super::ModelSystem). Paths are where it happened, with all
/// links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A file was written.
    WriteFile {
        /// The file.
        path: PathBuf,
    },
    /// A file that is there was written into.
    WriteInPlace {
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
    /// A file was given another name.
    HardLink {
        /// The new name.
        path: PathBuf,
        /// The name that it had.
        existing: PathBuf,
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
    /// A server was asked to change something, and has.
    Request {
        /// What was asked for.
        method: Method,
        /// Of what.
        url: Url,
    },
    /// A [`Speaker`](super::Speaker) was told to change something, and has.
    Message {
        /// Where it is.
        address: Address,
        /// What it was told, in words.
        said: String,
    },
}

impl Effect {
    /// The paths that it is on.
    #[doc(hidden)]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::WriteFile { path }
            | Self::WriteInPlace { path }
            | Self::CreateDir { path }
            | Self::SetMode { path, .. }
            | Self::SetOwnership { path, .. }
            | Self::Symlink { path, .. }
            | Self::HardLink { path, .. }
            | Self::RemoveFile { path }
            | Self::RemoveDir { path } => vec![path],
            Self::Rename { from, to } => vec![from, to],
            Self::Run { .. } | Self::Request { .. } | Self::Message { .. } => Vec::new(),
        }
    }
}
