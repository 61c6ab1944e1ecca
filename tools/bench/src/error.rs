//! The error type of the benchmarks.

use std::io;
use std::path::{Path, PathBuf};

use converge_core::RegistryError;
use converge_core::engine::EngineError;
use converge_core::load::LoadError;

/// A reason why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A file or program could not be used.
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    /// The runtime of the engine could not be started.
    #[error("cannot start the runtime: {0}")]
    Runtime(io::Error),
    #[error("the generated module does not load: {0}")]
    Load(#[from] LoadError),
    #[error("`child` needs a command")]
    MissingCommand,
    /// Two resource types have the same name.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The run did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine did something other than the step to be measured.
    #[error("{step}: expected {expected}, got {got}")]
    WrongResult {
        /// The measured step.
        step: &'static str,
        expected: String,
        /// The actual result.
        got: String,
    },
    #[error("the store: {0}")]
    Store(Box<dyn std::error::Error + Send + Sync>),
    /// The cost of a child process is not available.
    #[error("resource usage of a child: {0}")]
    Kernel(#[from] nix::Error),
}

impl BenchError {
    /// Creates the error of a step with an unexpected result.
    pub(crate) fn wrong(step: &'static str, expected: &str, actual: impl Into<String>) -> Self {
        Self::WrongResult { step, expected: expected.to_owned(), got: actual.into() }
    }

    /// Creates the error of a failed store operation.
    pub(crate) fn store(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Store(error.into())
    }
}

/// Adds the path of the file to an error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> BenchError {
    |source| BenchError::File { path: path.to_owned(), source }
}
