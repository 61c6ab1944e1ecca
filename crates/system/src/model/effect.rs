//! The effects that change a model host.

use std::path::{Path, PathBuf};

use crate::{Address, Command, Method, Ownership, Url};

/// A change of a [`ModelSystem`](super::ModelSystem).
///
/// Paths are resolved, with all links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A file was written.
    WriteFile {
        /// The file.
        path: PathBuf,
    },
    /// An existing file was overwritten in place.
    WriteInPlace {
        /// The file.
        path: PathBuf,
    },
    /// A directory was created.
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
        /// The requested owner and group.
        ownership: Ownership,
    },
    /// An extended attribute was set.
    SetAttribute {
        /// The file or directory.
        path: PathBuf,
        /// The name of the attribute.
        name: String,
    },
    /// An extended attribute was removed.
    RemoveAttribute {
        /// The file or directory.
        path: PathBuf,
        /// The name of the attribute.
        name: String,
    },
    /// A symbolic link was created.
    Symlink {
        /// The link.
        path: PathBuf,
        /// The target of the link.
        target: PathBuf,
    },
    /// A file got a further name.
    HardLink {
        /// The new name.
        path: PathBuf,
        /// The existing name.
        existing: PathBuf,
    },
    /// A file or directory was renamed.
    Rename {
        /// The old path.
        from: PathBuf,
        /// The new path.
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
    /// A program ran that does more than read.
    Run {
        /// The program.
        command: Command,
    },
    /// A server handled a request that changes something.
    Request {
        /// The method.
        method: Method,
        /// The URL.
        url: Url,
    },
    /// A [`Speaker`](super::Speaker) handled a message that changes something.
    Message {
        /// The address of the listener.
        address: Address,
        /// The description of the message.
        said: String,
    },
}

impl Effect {
    #[doc(hidden)]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::WriteFile { path }
            | Self::WriteInPlace { path }
            | Self::CreateDir { path }
            | Self::SetMode { path, .. }
            | Self::SetOwnership { path, .. }
            | Self::SetAttribute { path, .. }
            | Self::RemoveAttribute { path, .. }
            | Self::Symlink { path, .. }
            | Self::HardLink { path, .. }
            | Self::RemoveFile { path }
            | Self::RemoveDir { path } => vec![path],
            Self::Rename { from, to } => vec![from, to],
            Self::Run { .. } | Self::Request { .. } | Self::Message { .. } => Vec::new(),
        }
    }
}
