//! The lines of what programs print.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::target::{LONGEST, ProgressTarget};
use crate::redact::Redactor;
use crate::system::OutputStream;

/// So many bytes of a line are kept until it ends: what is told, and what is needed to know a secret that stands where it is cut.
pub(super) const KEPT: usize = LONGEST + 64;

/// Puts pieces of output together to lines.
pub(super) struct Lines {
    to: Arc<ProgressTarget>,
    redactor: Redactor,
    open: Mutex<[OpenLine; 2]>,
}

/// A line whose end was not read yet.
#[derive(Default)]
struct OpenLine {
    kept: Vec<u8>,
    left_out: u64,
    /// The last line ended with a carriage return, so a line feed that follows ends no other one.
    returned: bool,
}

impl OpenLine {
    fn add(&mut self, bytes: &[u8]) {
        let (kept, rest) = bytes.split_at(bytes.len().min(KEPT - self.kept.len()));
        self.kept.extend_from_slice(kept);
        self.left_out += rest.len() as u64;
    }
}

impl Lines {
    pub(super) fn new(to: Arc<ProgressTarget>, redactor: Redactor) -> Self {
        Self { to, redactor, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, [OpenLine; 2]> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, stream: OutputStream, mut piece: &[u8]) {
        let mut open = self.open();
        let line = &mut open[stream as usize];
        while let Some((first, rest)) = piece.split_first() {
            if std::mem::take(&mut line.returned) && *first == b'\n' {
                piece = rest;
                continue;
            }
            let Some(end) = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                line.add(piece);
                return;
            };
            line.add(&piece[..end]);
            line.returned = piece[end] == b'\r';
            piece = &piece[end + 1..];
            // A bar that is drawn anew begins with a return: there is no line before that.
            if !line.returned || !line.kept.is_empty() {
                self.tell(stream, line);
            }
        }
    }

    fn tell(&self, stream: OutputStream, line: &mut OpenLine) {
        self.to.line(&self.redactor, stream, &line.kept, line.left_out);
        line.kept.clear();
        line.left_out = 0;
    }

    /// What is left without an end of line.
    fn finish(&self) {
        let mut open = self.open();
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            let line = &mut open[stream as usize];
            if !line.kept.is_empty() {
                self.tell(stream, line);
            }
        }
    }
}

/// Tells the last line when it is dropped.
pub(super) struct EndOfOutput(pub(super) Arc<Lines>);

impl Drop for EndOfOutput {
    fn drop(&mut self) {
        self.0.finish();
    }
}
