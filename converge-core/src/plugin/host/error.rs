//! Why a plugin cannot be used.

use std::path::PathBuf;
use std::time::Duration;

use super::super::protocol::PROTOCOL;

/// A plugin that cannot be used: which one, where it is, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plugin `{name}` ({}) {problem}", .file.display())]
pub struct PluginError {
    /// The name of the plugin.
    pub name: String,
    /// Its file, as it was given or found.
    pub file: PathBuf,
    /// Why.
    pub problem: Problem,
}

/// Why a plugin cannot be used. Each reads on behind the name of the plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is no file.
    #[error("does not exist")]
    Missing,
    /// The folder cannot be listed.
    #[error("cannot be looked for: {0}")]
    NotSearched(String),
    /// The file, or the way to it, cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It is no regular file.
    #[error("is not a file")]
    NotAFile,
    /// Nobody may run it.
    #[error("is not executable")]
    NotExecutable,
    /// Somebody else could have written what would be run.
    #[error("is not run, as others could change it: {0}")]
    Untrusted(String),
    /// It is larger than what is run.
    #[error("has more than {0} bytes")]
    TooLarge(u64),
    /// The file is another one than the module names.
    #[error("is another file than the module names: its SHA-256 is {found}, and not {expected}")]
    Checksum {
        /// What the module says.
        expected: String,
        /// What it is.
        found: String,
    },
    /// What a module says is the SHA-256 of the file is none.
    #[error("has no SHA-256 `{0}`: that is 64 hexadecimal digits")]
    NoChecksum(String),
    /// It says that it is another version.
    #[error("says that it is version {found}, and the module asks for {expected}")]
    Version {
        /// What the module says.
        expected: String,
        /// What the plugin says.
        found: String,
    },
    /// Plugins are not run here.
    #[error("is not run: {0}")]
    Unsupported(&'static str),
    /// The machine does not start it.
    #[error("cannot be started: {0}")]
    NotStarted(String),
    /// It says nothing.
    #[error("did not {what} within {after:?}")]
    Silent {
        /// What it should have done.
        what: &'static str,
        /// How long it was waited for.
        after: Duration,
    },
    /// It ended, or said what it must not.
    #[error("{0}")]
    Ended(String),
    /// It speaks a version of the protocol that it was not offered.
    #[error("speaks version {0} of the protocol, and this program {PROTOCOL}")]
    Protocol(u32),
    /// What it says of a type cannot be.
    #[error("describes the type `{name}` wrongly: {problem}")]
    Type {
        /// The type.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// What it says of its types is not understood, or is not the same as before.
    #[error("describes its types wrongly: {0}")]
    Types(String),
    /// A type that it brings is there already.
    #[error("brings the type `{name}`, which is there already: it comes from {owner}")]
    Taken {
        /// The type.
        name: String,
        /// Who has it: the path of a Rust type, or another plugin.
        owner: String,
    },
}

impl Problem {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotExecutable => "make it executable: `chmod +x`".to_owned(),
            Self::Untrusted(_) => {
                "let it, and the folders above it, belong to root or to you, and let nobody else write there \
                                   (`chmod go-w`); or name it in a `plugin` block with its `sha256`"
                    .to_owned()
            }
            Self::Checksum { found, .. } => {
                format!("if this is the file that is meant, write sha256 = \"{found}\"")
            }
            Self::NoChecksum(_) => "`sha256sum FILE` prints it".to_owned(),
            Self::Version { found, .. } => format!("write version = \"{found}\", or install the other one"),
            Self::Taken { .. } => "leave one of the two out: a type has one owner".to_owned(),
            Self::Protocol(_) => "build it with the version of Converge that runs it".to_owned(),
            _ => return None,
        })
    }
}
