//! What comes over the network: files, archives, ports.

use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    Ok(registry)
}
