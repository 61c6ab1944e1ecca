//! What ends the reading of a source tree.

use std::io;
use std::path::PathBuf;

/// What ends the reading of a source tree.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not Rust.
    #[error("{}:{line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What the parser expected.
        reason: String,
    },
    /// A `mod` without a file.
    #[error("{}: no file for `mod {module}`", path.display())]
    MissingModule {
        /// The file that declares the module.
        path: PathBuf,
        /// The module.
        module: String,
    },
    /// A document has no place for the drawing.
    #[error("{}: no place for the drawing, between the marks that `drawing` names", path.display())]
    NoPlace {
        /// The document.
        path: PathBuf,
    },
}
