//! Why a state cannot be used.

use std::io;
use std::path::Path;

use crate::system::SystemError;
use crate::system::folder_trust::Untrusted;

/// Why a state cannot be used, or its lock cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Others could change what is in it.
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    /// The machine did not do what it was asked to.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl StateError {
    pub(super) fn file(operation: &'static str, path: &Path, error: impl Into<io::Error>) -> Self {
        Self::System(SystemError::file(operation, path, error.into()))
    }
}
