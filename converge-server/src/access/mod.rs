//! Who asks, and how it is known.
//!
//! Begin with `token`, the stored type, and `gate`, which knows callers by what their requests bring.

mod gate;
mod rule;
mod secret;
mod token;

#[cfg(test)]
mod tests;

use converge_controller::registry::{RegistryError, TypeRegistry};

pub(crate) use gate::{Denied, Gate, Pass};

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<token::Token>()
}
