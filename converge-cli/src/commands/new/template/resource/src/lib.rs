//! The resource `sample_crate`: a file with a text, or none.
//!
//! Begin with `resource.rs`. Beside it are a module that shows the resource (`resource/example.hcl`), which `docs sample_crate` prints, and
//! its tests.

mod resource;

pub use resource::SampleKind;

use converge_core::{Registry, RegistryError};

/// Adds the resource to those that a program has.
///
/// # Errors
///
/// There is a resource of this name already.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry.with::<SampleKind>()
}
