//! The check of a history against the promises of a store.

use super::event::Violation;
use super::log::{Log, versions};
use super::recorder::History;
use super::{order, watch_check};

impl History {
    /// Checks that the store kept every promise.
    ///
    /// # Errors
    ///
    /// Returns the first violation.
    pub fn check(&self) -> Result<(), Violation> {
        let log = Log::from_history(self)?;
        versions(order::seen(self))?;
        order::reads(self, &log)?;
        watch_check::lists(self, &log)?;
        watch_check::watches(self, &log)
    }
}
