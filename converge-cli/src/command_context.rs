//! The context of every command.

use converge_core::{Redactor, Registry};

use crate::console::Console;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// The resource types.
    pub(crate) registry: &'a Registry,
    /// The redactor of the secrets of all modules.
    pub(crate) redactor: &'a Redactor,
    pub(crate) console: Console,
}
