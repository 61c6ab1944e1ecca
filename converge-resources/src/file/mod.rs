//! Files and directories.

pub(crate) mod attributes;
pub mod content;
pub mod directory;
mod ids;
pub(crate) mod missing;
pub mod mode;
pub mod owner;

use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry
        .with::<content::ContentPreparer>()?
        .with::<directory::DirectoryPreparer>()?
        .with::<mode::ModePreparer>()?
        .with::<owner::OwnerPreparer>()
}
