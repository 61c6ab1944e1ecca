//! What comes over the network: files, archives, ports.

mod date;
mod download;
pub mod fetch;
mod hash;
mod origin;
pub mod port;
#[cfg(test)]
mod server;
mod source;
#[cfg(test)]
mod tests;
pub mod unarchive;

use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry
        .with::<fetch::FetchPreparer>()?
        .with::<port::PortPreparer>()?
        .with::<unarchive::UnarchivePreparer>()
}
