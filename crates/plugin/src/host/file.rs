//! The file of a plugin and the reason to trust it.

use std::path::PathBuf;

/// A plugin that may be started: its file and the reason to trust it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFile {
    /// The name of the plugin.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The origin of the file, which decides how it is trusted.
    pub origin: PluginOrigin,
    /// The version that the plugin must report, if any.
    pub version: Option<String>,
}

/// The origin of a plugin file, which decides how the file is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginOrigin {
    /// The file was found in a folder.
    ///
    /// Only root and the user of this process may be able to change it.
    Found,
    /// A module names the file with its SHA-256 in hexadecimal digits.
    ///
    /// The content is checked, so its owner does not matter.
    Pinned {
        /// The SHA-256 in hexadecimal digits.
        sha256: String,
    },
}
