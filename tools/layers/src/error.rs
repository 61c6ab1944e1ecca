//! The errors of reading a source tree.

use std::io;
use std::path::PathBuf;

/// A reason why the source tree cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file is no valid Rust.
    #[error("{}:{line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The text that the parser expected.
        reason: String,
    },
    /// A declared module has no file.
    #[error("{}: no file for `mod {module}`", path.display())]
    MissingModule {
        /// The file that declares the module.
        path: PathBuf,
        /// The module.
        module: String,
    },
    /// A document has no marks for the diagram.
    #[error("{}: no place for the drawing, between the marks that `drawing` names", path.display())]
    NoPlace {
        /// The document.
        path: PathBuf,
    },
}
