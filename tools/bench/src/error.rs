//! Why nothing could be measured.

use std::io;
use std::path::{Path, PathBuf};

use converge_core::RegistryError;
use converge_core::engine::EngineError;
use converge_core::load::LoadError;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A file or program could not be used.
    #[error("{}: {source}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The runtime of the engine could not be started.
    #[error("cannot start the runtime: {0}")]
    Runtime(io::Error),
    /// The generated module is refused.
    #[error("the generated module does not load: {0}")]
    Load(#[from] LoadError),
    /// No program to run.
    #[error("`child` needs a command")]
    MissingCommand,
    /// Two resources of one name.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The run did not begin.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine did something else than was to be measured.
    #[error("{step}: expected {expected}, got {got}")]
    WrongResult {
        /// What was measured.
        step: &'static str,
        /// What must come of it.
        expected: String,
        /// What came of it.
        got: String,
    },
    /// A store does not do what it is asked for.
    #[error("the store: {0}")]
    Store(Box<dyn std::error::Error + Send + Sync>),
    /// What a child cost cannot be known.
    #[error("resource usage of a child: {0}")]
    Kernel(#[from] nix::Error),
}

impl BenchError {
    /// A step gave something else than was to be measured.
    pub(crate) fn wrong(step: &'static str, expected: &str, got: impl Into<String>) -> Self {
        Self::WrongResult { step, expected: expected.to_owned(), got: got.into() }
    }

    /// A store does not do what it is asked for.
    pub(crate) fn store(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Store(error.into())
    }
}

/// Names the file that an operation was on.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> BenchError {
    |source| BenchError::File { path: path.to_owned(), source }
}
