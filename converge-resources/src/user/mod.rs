//! Users and groups of the machine.
//!
//! They are read through the machine's name service, and changed with the programs of shadow-utils.

mod defaults;
mod error;
pub mod group;
mod learned;
#[cfg(test)]
mod model;
mod outlook;
mod tool;
#[expect(clippy::module_inception, reason = "a folder for each resource, and this one is `user.user`")]
pub mod user;

use converge_core::prelude::*;
use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry.with::<group::GroupPreparer>()?.with::<user::UserPreparer>()
}

/// Whether a user or a group is to be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub enum State {
    /// It exists.
    #[default]
    Present,
    /// It does not exist.
    Absent,
}

/// In modules for the original, an empty text means that nothing is given.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The name of the resource after a rename; `None` where there is none.
fn renamed(name: &str, new_name: Option<String>) -> Option<String> {
    given(new_name).filter(|new_name| new_name != name)
}
