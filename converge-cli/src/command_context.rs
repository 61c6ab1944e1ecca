//! What every command works with.

use converge_core::{Redactor, Registry};

use crate::console::Console;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// The types of resources.
    pub(crate) registry: &'a Registry,
    /// What keeps the secrets of all modules.
    pub(crate) redactor: &'a Redactor,
    pub(crate) console: Console,
}
