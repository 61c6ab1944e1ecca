//! The errors of the dump program.

use converge_core::RegistryError;
use converge_core::engine::EngineError;
use converge_core::load::LoadError;

/// A reason why nothing can be printed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{file} has errors")]
    Mistakes { file: String },
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("cannot start: {0}")]
    Start(#[from] std::io::Error),
}
