//! The context of the resource commands.

use crate::console::Console;
use crate::interrupt::Interrupts;

#[derive(Debug)]
pub(super) struct Work {
    pub(super) console: Console,
    pub(super) interrupts: Interrupts,
}
