//! Types that are known only while the server runs: `.proto` files that somebody stored.
//!
//! Begin with `definition`, the stored type. `compile` makes types of its text, by the rules of `rules`; `defined` is all that is
//! defined at a time, and `controller` reports on each definition and keeps it until nothing of its types is left.
//!
//! A definition has the files of one group and is called like it. So whatever could contradict, two versions of a type or two messages
//! of one name, is in one resource, which the store changes as a whole.

mod compile;
mod compile_error;
mod controller;
mod definition;
mod definition_files;
mod definition_set;
mod hooks;
mod rules;
#[cfg(test)]
mod tests;

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

pub(crate) use compile::FOLDER;
pub(crate) use compile_error::{Mistake, invalid};
pub(crate) use controller::{left, shown};
pub(crate) use definition::TypeDefinition;
pub(crate) use definition_set::{Defined, DefinedFiles, accept};

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<TypeDefinition>()
}

pub(crate) fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controller::definitions())
}
