//! Units of systemd, over D-Bus.
//!
//! [`unit`](mod@unit) is what modules use. Below it, [`bus`] gives a connection to the system bus, [`manager`] speaks to systemd
//! over it, and [`properties`] turns what systemd says into values of the module language.

mod bus;
mod error;
mod manager;
mod properties;
pub mod unit;

use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry.with::<unit::UnitPreparer>()
}
