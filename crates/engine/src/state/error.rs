//! The errors of a state folder and its lock.

use std::io;
use std::path::Path;

use crate::system::SystemError;
use crate::system::folder_trust::Untrusted;
use converge_value::debug_as_text;

/// The reason why a state cannot be used, or its lock cannot be taken.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Another user could change the content of the folder.
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    /// A file operation failed.
    #[error(transparent)]
    System(#[from] SystemError),
}

debug_as_text!(StateError);

impl StateError {
    pub(super) fn file(operation: &'static str, path: &Path, error: impl Into<io::Error>) -> Self {
        Self::System(SystemError::file(operation, path, error.into()))
    }
}
