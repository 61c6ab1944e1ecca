//! Errors of the code generation in a build script.

use std::fmt;
use std::io;
use std::path::PathBuf;

use prost_reflect::DescriptorError;

/// An error while Rust types are generated from `.proto` files.
#[derive(thiserror::Error)]
pub enum BuildError {
    /// The compiler refused a `.proto` file.
    #[error(transparent)]
    Compile(#[from] protox::Error),
    /// The descriptors that the compiler made cannot be decoded.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// A definition has no counterpart in stored types.
    #[error("{what} has no counterpart in stored types: {help}")]
    Unsupported {
        /// The full name of the definition.
        what: String,
        /// The text to write instead.
        help: String,
    },
    /// The generated file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The path of the generated file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// `OUT_DIR` is not set, because the program is not a build script.
    #[error("OUT_DIR is not set: this is for build scripts")]
    NoBuildScript,
}

impl fmt::Debug for BuildError {
    /// Writes the message, which cargo shows when `main` of a build script returns the error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
