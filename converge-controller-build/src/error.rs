//! What goes wrong in a build script.

use std::fmt;
use std::io;
use std::path::PathBuf;

use prost_reflect::DescriptorError;

/// Types cannot be made of `.proto` files.
#[derive(thiserror::Error)]
pub enum BuildError {
    /// A file cannot be compiled.
    #[error(transparent)]
    Compile(#[from] protox::Error),
    /// What the compiler made cannot be read.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// Something has no counterpart in stored types.
    #[error("{what} has no counterpart in stored types: {help}")]
    Unsupported {
        /// Its full name.
        what: String,
        /// What to write instead.
        help: String,
    },
    /// The result cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// This is not a build script: there is no folder for what one makes.
    #[error("OUT_DIR is not set: this is for build scripts")]
    NoBuildScript,
}

impl fmt::Debug for BuildError {
    /// The message: it is what cargo shows of a build script whose `main` returns the error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
