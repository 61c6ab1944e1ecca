//! The settings of one run.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::events::interrupt::{Interrupt, Stops};
use crate::persistence::run_lock::LockWait;
use crate::sdk::context::RunId;
use crate::tables::selection::Selection;

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) id: Option<RunId>,
    pub(super) deadline: Option<Duration>,
    pub(super) grace: Duration,
    pub(super) parallelism: Option<NonZeroUsize>,
    pub(super) lock_wait: Option<LockWait>,
    pub(super) selection: Selection,
    pub(super) interrupt: Interrupt,
    pub(super) stops: Stops,
}

impl Settings {
    pub(super) fn new() -> Self {
        let interrupt = Interrupt::new();
        Self {
            id: None,
            deadline: None,
            grace: Duration::ZERO,
            parallelism: None,
            lock_wait: None,
            selection: Selection::default(),
            stops: Stops::new(&interrupt),
            interrupt,
        }
    }
}
