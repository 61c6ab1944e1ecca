//! The splitting of program output into progress events by line.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::target::{LONGEST, ProgressTarget};
use crate::redact::Redactor;
use crate::system::{LineSplitter, OutputLine, OutputStream};

/// The number of bytes of an unfinished line that are kept.
///
/// The number is the maximum that is reported, plus enough to recognize a secret at the cut.
pub(super) const KEPT: usize = LONGEST + 64;

/// A splitter that joins pieces of output into lines and reports them.
pub(super) struct Lines {
    to: Arc<ProgressTarget>,
    redactor: Redactor,
    splitter: Mutex<LineSplitter>,
}

impl Lines {
    pub(super) fn new(to: Arc<ProgressTarget>, redactor: Redactor) -> Self {
        Self { to, redactor, splitter: Mutex::new(LineSplitter::new(KEPT)) }
    }

    fn splitter(&self) -> MutexGuard<'_, LineSplitter> {
        self.splitter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, stream: OutputStream, piece: &[u8]) {
        self.splitter().add(stream, piece, |line| self.tell(&line));
    }

    fn tell(&self, line: &OutputLine) {
        self.to.line(&self.redactor, line.stream, &line.bytes, line.left_out);
    }

    /// Reports the last line, which may have no end.
    fn finish(&self) {
        self.splitter().finish(|line| self.tell(&line));
    }
}

/// A guard that reports the last line on drop.
pub(super) struct EndOfOutput(pub(super) Arc<Lines>);

impl Drop for EndOfOutput {
    fn drop(&mut self) {
        self.0.finish();
    }
}
