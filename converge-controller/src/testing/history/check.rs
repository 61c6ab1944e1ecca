//! Whether a history can be that of a store which keeps its promises.

use super::event::Violation;
use super::log::{Log, versions};
use super::recorder::History;
use super::{order, watch_check};

impl History {
    /// Checks that every promise was kept.
    ///
    /// # Errors
    ///
    /// The first that was not.
    pub fn check(&self) -> Result<(), Violation> {
        let log = Log::of(self)?;
        versions(order::seen(self))?;
        order::reads(self, &log)?;
        watch_check::lists(self, &log)?;
        watch_check::watches(self, &log)
    }
}
