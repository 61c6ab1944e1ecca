//! The controllers of the types that every service has.

mod reaper;
mod tenancies;

#[cfg(test)]
mod tests;

use crate::runtime::{Manager, RegisterError};

/// Adds them to a manager. Without them nothing that a deleted resource owned ever goes, and no namespace.
///
/// # Errors
///
/// A controller has the name of one of them.
pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(reaper::controller())?;
    manager.register(tenancies::partitions())?;
    manager.register(tenancies::namespaces())
}
