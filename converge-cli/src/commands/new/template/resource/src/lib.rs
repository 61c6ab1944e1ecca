//! The resource `sample_crate`: a file with a text, or no file.
//!
//! Begin with `resource.rs`. Beside it are its tests and an example module (`resource/example.hcl`), which
//! `docs sample_crate` prints.

mod resource;

pub use resource::SampleKind;

use converge_core::{Registry, RegistryError};

/// Adds the resource to the registry of a program.
///
/// # Errors
///
/// Fails if the registry has a resource with this name.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry.with::<SampleKind>()
}
