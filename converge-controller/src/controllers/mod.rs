//! The controllers of the built-in types.

mod reaper;
mod tenancies;

#[cfg(test)]
mod tests;

use crate::runtime::{Manager, RegisterError};

/// Adds the built-in controllers to a manager.
///
/// Without them, children of deleted resources stay, and a deleted namespace never disappears.
///
/// # Errors
///
/// Fails if a controller with the same name is registered.
pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(reaper::controller())?;
    manager.register(tenancies::partitions())?;
    manager.register(tenancies::namespaces())
}
