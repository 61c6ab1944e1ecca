//! How a run is asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

use super::event::InterruptKind;

/// Asks a run to stop; every clone is the same interrupt.
///
/// The first [`raise`](Self::raise) lets what is running finish, the second cancels it. A command line
/// raises it for each Ctrl-C.
///
/// ```
/// use converge_core::engine::{Interrupt, InterruptKind};
///
/// let interrupt = Interrupt::new();
/// assert_eq!(interrupt.raise(), InterruptKind::Finish);
/// assert_eq!(interrupt.raise(), InterruptKind::Cancel);
/// assert_eq!(interrupt.raise(), InterruptKind::Cancel);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    finish: CancellationToken,
    cancel: CancellationToken,
}

impl Interrupt {
    /// Not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks once more, and says what was asked for. It may be called from any thread.
    pub fn raise(&self) -> InterruptKind {
        if self.raised.swap(true, Ordering::SeqCst) {
            self.cancel.cancel();
            InterruptKind::Cancel
        } else {
            self.finish.cancel();
            InterruptKind::Finish
        }
    }

    /// Asks to finish, unless something was asked for already. It may be called from any thread.
    ///
    /// ```
    /// use converge_core::engine::{Interrupt, InterruptKind};
    ///
    /// let interrupt = Interrupt::new();
    /// interrupt.finish();
    /// interrupt.finish();
    /// assert_eq!(interrupt.raised(), Some(InterruptKind::Finish));
    /// ```
    pub fn finish(&self) {
        if !self.raised.swap(true, Ordering::SeqCst) {
            self.finish.cancel();
        }
    }

    /// What was asked for so far.
    pub fn raised(&self) -> Option<InterruptKind> {
        match (self.finish.is_cancelled(), self.cancel.is_cancelled()) {
            (_, true) => Some(InterruptKind::Cancel),
            (true, false) => Some(InterruptKind::Finish),
            (false, false) => None,
        }
    }

    pub(super) fn token(&self, kind: InterruptKind) -> &CancellationToken {
        match kind {
            InterruptKind::Finish => &self.finish,
            InterruptKind::Cancel => &self.cancel,
        }
    }
}
