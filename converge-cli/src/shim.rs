use converge_core::{Registry, RegistryError};
pub(crate) fn registry() -> Result<Registry, RegistryError> { Ok(Registry::new()) }
