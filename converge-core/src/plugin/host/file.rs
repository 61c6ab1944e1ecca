//! The file of a plugin.

use std::path::PathBuf;

/// A plugin that may be started: where it is, and why it is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFile {
    /// What people call it.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Where it comes from.
    pub origin: PluginOrigin,
    /// The version that it has to have.
    pub version: Option<String>,
}

/// Where a plugin comes from, by which it is decided whether its file is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginOrigin {
    /// It was found in a folder: nobody but root and the user of this process may be able to change it.
    Found,
    /// A module names it with the SHA-256 of its bytes, in hexadecimal digits: whoever wrote the file, it is this one.
    Pinned {
        /// The SHA-256.
        sha256: String,
    },
}
