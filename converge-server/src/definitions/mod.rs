//! Types that are defined at run time by stored `.proto` files.
//!
//! Begin with `definition`, the stored type. `compile` creates types from its text by the rules of `rules`.
//! `defined` is the set of all definitions. `controller` reports on each definition, and keeps it while
//! resources of its types exist.
//!
//! A definition has all files of one group and is named after it. Everything that could conflict, such as two
//! versions of a type or two messages of one name, is therefore in one resource, which the store changes
//! atomically.

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
pub(crate) use compile_error::{CompileError, invalid};
pub(crate) use controller::{format_remaining, remaining_resources};
pub(crate) use definition::TypeDefinition;
pub(crate) use definition_set::{DefinedFiles, DefinitionSet, accept};

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<TypeDefinition>()
}

pub(crate) fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controller::definitions())
}
