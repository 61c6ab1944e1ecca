//! Scripts for the shell, or for any other interpreter.

pub mod query;
mod run;
pub mod script;
pub mod wait;

use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry
        .with::<script::ScriptPreparer>()?
        .with::<script::HealthcheckPreparer>()?
        .with::<query::QueryPreparer>()?
        .with::<wait::WaitPreparer>()
}
