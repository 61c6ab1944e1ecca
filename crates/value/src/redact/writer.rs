//! Redaction of a stream.

use std::io::{self, Write};

use super::fingerprints::WINDOW;
use super::redactor::{REDACTED, Redactor};

/// The number of bytes that are held back because they may be the beginning of a secret.
const HELD_BACK: usize = WINDOW - 1;

/// A writer that redacts secrets; created by [`Redactor::writer`].
///
/// It holds back the last bytes, which may be the beginning of a secret, until more follows or the writer is
/// dropped. Write whole messages, or drop the writer at the end of each one: [`flush`](Write::flush) does not
/// write the bytes held back.
#[derive(Debug)]
pub struct RedactingWriter<W: Write> {
    inner: W,
    redactor: Redactor,
    /// The bytes that are not written yet.
    pending: Vec<u8>,
    /// The number of pending bytes that belong to a secret whose replacement was already written.
    covered: usize,
}

impl Redactor {
    /// Returns a writer that redacts secrets, even if they are written in small pieces.
    pub fn writer<W: Write>(&self, inner: W) -> RedactingWriter<W> {
        RedactingWriter { inner, redactor: self.clone(), pending: Vec::new(), covered: 0 }
    }
}

impl<W: Write> RedactingWriter<W> {
    /// Writes the pending bytes, except `held` bytes at the end.
    fn write_out(&mut self, reserve: usize) -> io::Result<()> {
        let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        let floor =
            |index: usize, bytes: &[u8]| (0..=index).rev().find(|at| !bytes.get(*at).is_some_and(is_inside));
        let mut end = self.pending.len().saturating_sub(reserve);
        end = floor(end, &self.pending).unwrap_or(0);
        let hidden = self.redactor.find_bytes(&self.pending);
        let mut position = self.covered.min(end);
        let mut covered = self.covered - position;
        for range in hidden {
            // The range is extended to whole characters.
            let start = floor(range.start, &self.pending).unwrap_or(0);
            let range_end =
                range.end + self.pending[range.end..].iter().take_while(|byte| is_inside(byte)).count();
            if start >= end {
                break;
            }
            if start > position || (position == 0 && self.covered == 0) {
                self.inner.write_all(&self.pending[position..start])?;
                self.inner.write_all(REDACTED.as_bytes())?;
            }
            position = position.max(range_end.min(end));
            covered = covered.max(range_end.saturating_sub(end));
        }
        if position < end {
            self.inner.write_all(&self.pending[position..end])?;
        }
        self.pending.drain(..end);
        self.covered = covered;
        Ok(())
    }
}

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        self.write_out(if self.redactor.is_empty() { 0 } else { HELD_BACK })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> Drop for RedactingWriter<W> {
    fn drop(&mut self) {
        // The error is dropped; a caller that needs it writes more, or flushes the inner writer.
        let _ = self.write_out(0);
        let _ = self.inner.flush();
    }
}
