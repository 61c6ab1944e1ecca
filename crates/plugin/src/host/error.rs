//! The errors of plugins that cannot be used.

use std::path::PathBuf;
use std::time::Duration;

use super::super::protocol::PROTOCOL;
use converge_value::debug_as_text;

/// The error of a plugin that cannot be used: its name, its file and the problem.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the plugin `{name}` ({}) {problem}", .file.display())]
pub struct PluginError {
    /// The name of the plugin.
    pub name: String,
    /// The path of the plugin's file, as given or as found.
    pub file: PathBuf,
    /// The reason.
    pub problem: Problem,
}

debug_as_text!(PluginError);

/// The reason why a plugin cannot be used.
///
/// Each is worded to follow the name of the plugin.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file does not exist.
    #[error("does not exist")]
    Missing,
    /// The folder cannot be listed.
    #[error("cannot be looked for: {0}")]
    NotSearched(String),
    /// The file or a directory on its path cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The path is not a regular file.
    #[error("is not a file")]
    NotAFile,
    /// The file has no execute permission.
    #[error("is not executable")]
    NotExecutable,
    /// Another user could have written the file or changed its path.
    #[error("is not run, as other users could change it: {0}")]
    Untrusted(String),
    /// The file is larger than the limit in bytes.
    #[error("has more than {0} bytes")]
    TooLarge(u64),
    /// The SHA-256 of the file differs from the one in the module.
    #[error("does not match its hash: its SHA-256 is {found}, not {expected}")]
    Checksum {
        /// The SHA-256 in the module.
        expected: String,
        /// The SHA-256 of the file.
        found: String,
    },
    /// The checksum in the module is not a SHA-256.
    #[error("has no SHA-256 `{0}`: that is 64 hexadecimal digits")]
    NoChecksum(String),
    /// The plugin has another version than the module asks for.
    #[error("has version {found}, but the module requires {expected}")]
    Version {
        /// The version that the module asks for.
        expected: String,
        /// The version that the plugin reports.
        found: String,
    },
    /// Plugins are not supported on this platform.
    #[error("is not run: {0}")]
    Unsupported(&'static str),
    /// The operating system cannot start the program.
    #[error("cannot be started: {0}")]
    NotStarted(String),
    /// The plugin did not answer in time.
    #[error("did not {what} within {after:?}")]
    Silent {
        /// The step that the plugin did not complete.
        what: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// The plugin ended or violated the protocol.
    #[error("{0}")]
    Ended(String),
    /// The plugin chose a protocol version that the host did not offer.
    #[error("speaks version {0} of the protocol, and this program {PROTOCOL}")]
    Protocol(u32),
    /// The description of a type is invalid.
    #[error("describes the type `{name}` wrongly: {problem}")]
    Type {
        /// The name of the type.
        name: String,
        /// The problem with the description.
        problem: String,
    },
    /// The list of types is invalid, or differs from the list at the first start.
    #[error("describes its types wrongly: {0}")]
    Types(String),
    /// A type of the plugin already exists.
    #[error("has the type `{name}`, which already comes from {owner}")]
    Taken {
        /// The name of the type.
        name: String,
        /// The owner of the existing type: the path of a Rust type, or another plugin.
        owner: String,
    },
}

debug_as_text!(Problem);

impl Problem {
    /// Returns advice on how to fix the problem, if there is any.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotExecutable => "make it executable: `chmod +x`".to_owned(),
            Self::Untrusted(_) => {
                "make root or yourself the owner of the file and the folders above it, and forbid others to write there (`chmod go-w`); or name it in a `plugin` block with its `sha256`"
                    .to_owned()
            }
            Self::Checksum { found, .. } => {
                format!("if this is the right file, write sha256 = \"{found}\"")
            }
            Self::NoChecksum(_) => "`sha256sum FILE` prints it".to_owned(),
            Self::Version { found, .. } => format!("write version = \"{found}\", or install the other one"),
            Self::Taken { .. } => "remove one of the two: a type has one owner".to_owned(),
            Self::Protocol(_) => "build it with the version of Converge that runs it".to_owned(),
            _ => return None,
        })
    }
}
