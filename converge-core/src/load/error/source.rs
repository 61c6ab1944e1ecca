//! Files that cannot be loaded.

use crate::report::Diagnostic;

/// Why a module file cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum FileError {
    /// It cannot be read.
    Unreadable { name: String, reason: String },
    /// It is not UTF-8.
    NotUtf8 { name: String, offset: usize },
    /// It is too large.
    TooLarge { name: String, bytes: u64, limit: u64 },
    /// A relative source in a module that is in no file.
    NoPlace { name: String },
}

impl From<FileError> for Diagnostic {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Unreadable { name, reason } => {
                Self::error("unreadable-file", format!("cannot read {name}: {reason}"))
            }
            FileError::NotUtf8 { name, offset } => {
                Self::error("not-utf8", format!("{name} is not UTF-8: byte {offset} begins no character"))
                    .help("save the file as UTF-8")
            }
            FileError::TooLarge { name, bytes, limit } => Self::error(
                "file-too-large",
                format!("{name} has {bytes} bytes; at most {limit} can be loaded"),
            )
            .help("divide the module into several"),
            FileError::NoPlace { name } => Self::error(
                "unreadable-file",
                format!("cannot find {name}: the module that calls it comes from no file"),
            )
            .help("write an absolute path"),
        }
    }
}
