//! The sink of progress events, and the limits on them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Mutex;

use super::bytes::LastReport;
use crate::redact::Redactor;
use crate::system::OutputStream;

/// The maximum length of a reported line in bytes.
pub(super) const LONGEST: usize = 4096;

/// A progress event of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressUpdate {
    /// A number of bytes is done.
    Bytes {
        /// The number of bytes done.
        done: u64,
        /// The total number of bytes, if known.
        total: Option<u64>,
    },
    /// A step begins.
    Step {
        /// The description of the step.
        text: String,
    },
    /// A program printed a line.
    Output {
        /// The stream of the line.
        stream: OutputStream,
        /// The line without its end.
        ///
        /// Invalid UTF-8 is replaced.
        line: String,
        /// The number of bytes that are cut off at its end.
        left_out: u64,
    },
}

/// A receiver of progress events of a resource.
#[doc(hidden)]
pub trait ProgressSink: fmt::Debug + Send + Sync {
    /// Receives an update.
    ///
    /// The closure is called only if there is room for it.
    fn tell(&self, kind: UpdateKind, update: &mut dyn FnMut() -> ProgressUpdate);
}

/// The kind of an update, which decides how much room there is for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum UpdateKind {
    /// A line of output.
    ///
    /// There may be millions of them.
    Line,
    Other,
}

/// A sink and the last byte count reported to it.
#[derive(Debug)]
#[doc(hidden)]
pub struct ProgressTarget<S: ?Sized = dyn ProgressSink> {
    pub(super) bytes: Mutex<LastReport>,
    pub(super) sink: S,
}

impl<S> ProgressTarget<S> {
    #[doc(hidden)]
    pub fn new(sink: S) -> Self {
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

/// Redacts a line and cuts it to the maximum length.
///
/// Returns the number of bytes cut off.
///
/// Redaction comes first, because a secret that is cut cannot be recognized.
pub(super) fn readable(redactor: &Redactor, bytes: &[u8]) -> (String, u64) {
    let mut line = String::from_utf8_lossy(bytes);
    if let Cow::Owned(redacted) = redactor.redact(&line) {
        line = Cow::Owned(redacted);
    }
    let prefix_length = line.floor_char_boundary(LONGEST.min(line.len()));
    let left_out =
        if prefix_length < line.len() { bytes.len().saturating_sub(prefix_length) as u64 } else { 0 };
    let mut line = line.into_owned();
    line.truncate(prefix_length);
    (line, left_out)
}
