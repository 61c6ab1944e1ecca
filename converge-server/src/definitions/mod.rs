//! Types that are known only while the server runs: `.proto` files that somebody stored.
//!
//! Begin with `definition`, the stored type. `compile` makes types of its text, by the rules of `rules`; `defined` is all that is
//! defined at a time, and `controller` reports on each definition and keeps it until nothing of its types is left.
//!
//! A definition has the files of one group and is called like it. So whatever could contradict, two versions of a type or two messages
//! of one name, is in one resource, which the store changes as a whole.

mod compile;
mod controller;
mod defined;
mod definition;
mod hooks;
mod mistake;
mod rules;
#[cfg(test)]
mod tests;
mod texts;

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

pub(crate) use compile::FOLDER;
pub(crate) use controller::{left, shown};
pub(crate) use defined::{Defined, DefinedFiles, accept};
pub(crate) use definition::TypeDefinition;
pub(crate) use mistake::{Mistake, invalid};

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<TypeDefinition>()
}

pub(crate) fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controller::definitions())
}
