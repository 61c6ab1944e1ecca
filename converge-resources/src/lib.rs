//! The built-in resources of Converge.
//!
//! Each resource is one folder, `src/FAMILY/NAME`: its fields in `mod.rs`, what it does in `task.rs`, its
//! tests in `tests.rs`. Each family is a cargo feature.
//!
//! The resources are written with the public SDK only, as anybody's would be, and reach the machine
//! only through [`Context::system`](converge_core::Context::system).

#[cfg(feature = "file")]
pub mod file;
#[cfg(feature = "task")]
pub mod task;
#[cfg(any(feature = "file", feature = "task"))]
mod text;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use converge_core::{Registry, RegistryError};

/// Adds the built-in resources to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    #[cfg(feature = "file")]
    let registry = file::register(registry)?;
    #[cfg(feature = "task")]
    let registry = task::register(registry)?;
    Ok(registry)
}

/// The built-in resources and what belongs to the language, and nothing else.
///
/// ```
/// let registry = converge_resources::registry()?;
/// assert!(registry.get("file.owner").is_some());
/// # Ok::<(), converge_core::RegistryError>(())
/// ```
///
/// # Errors
///
/// As [`register`]; it does not happen with the resources of this crate alone.
pub fn registry() -> Result<Registry, RegistryError> {
    register(Registry::new())
}
