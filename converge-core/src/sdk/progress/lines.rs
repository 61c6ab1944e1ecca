//! The lines of what programs print.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::target::{LONGEST, ProgressTarget};
use crate::redact::Redactor;
use crate::system::{LineSplitter, OutputLine, OutputStream};

/// So many bytes of a line are kept until it ends: what is told, and what is needed to know a secret that stands where it is cut.
pub(super) const KEPT: usize = LONGEST + 64;

/// Puts pieces of output together to lines, and tells them.
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

    /// What is left without an end of line.
    fn finish(&self) {
        self.splitter().finish(|line| self.tell(&line));
    }
}

/// Tells the last line when it is dropped.
pub(super) struct EndOfOutput(pub(super) Arc<Lines>);

impl Drop for EndOfOutput {
    fn drop(&mut self) {
        self.0.finish();
    }
}
