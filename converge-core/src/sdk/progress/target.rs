//! To whom progress is told, and how much of it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Mutex;

use super::bytes::Told;
use crate::redact::Redactor;
use crate::system::OutputStream;

/// The most bytes of a line of output that are told.
pub(super) const LONGEST: usize = 4096;

/// Something that a resource tells of its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgressUpdate {
    /// So much is done.
    Bytes {
        /// How many bytes are done.
        done: u64,
        /// How many there are in all, where that is known.
        total: Option<u64>,
    },
    /// A step begins.
    Step {
        /// What is done in it.
        text: String,
    },
    /// A program printed a line.
    Output {
        /// Where to.
        stream: OutputStream,
        /// The line without its end. What is not UTF-8 in it is replaced.
        line: String,
        /// How many bytes at its end are left out.
        left_out: u64,
    },
}

/// Who is told of the progress of a resource.
pub(crate) trait ProgressSink: fmt::Debug + Send + Sync {
    /// Takes an update, which is made when there is room for it.
    fn tell(&self, kind: UpdateKind, update: &mut dyn FnMut() -> ProgressUpdate);
}

/// What decides how much room there is for an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateKind {
    /// A line, of which there may be millions.
    Line,
    /// Anything else.
    Other,
}

/// A sink, and what it was told last.
#[derive(Debug)]
pub(crate) struct ProgressTarget<S: ?Sized = dyn ProgressSink> {
    pub(super) bytes: Mutex<Told>,
    pub(super) sink: S,
}

impl<S> ProgressTarget<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self { bytes: Mutex::default(), sink }
    }
}

impl ProgressTarget {
    pub(super) fn line(&self, redactor: &Redactor, stream: OutputStream, bytes: &[u8], left_out: u64) {
        self.sink.tell(UpdateKind::Line, &mut || {
            let (line, cut) = readable(redactor, bytes);
            ProgressUpdate::Output { stream, line, left_out: left_out + cut }
        });
    }
}

/// As much of a line as is told, without secrets, and how many bytes that leaves out. Secrets first: one that is cut is no longer
/// one.
pub(super) fn readable(redactor: &Redactor, bytes: &[u8]) -> (String, u64) {
    let mut line = String::from_utf8_lossy(bytes);
    if let Cow::Owned(redacted) = redactor.redact(&line) {
        line = Cow::Owned(redacted);
    }
    let kept = line.floor_char_boundary(LONGEST.min(line.len()));
    let left_out = if kept < line.len() { bytes.len().saturating_sub(kept) as u64 } else { 0 };
    let mut line = line.into_owned();
    line.truncate(kept);
    (line, left_out)
}
