//! A reader with a limit on its bytes.

use std::io::{self, Read};

/// A reader that passes on at most a given number of bytes, and fails if there are more.
pub(super) struct Metered<R> {
    from: R,
    left: u64,
    over: bool,
}

impl<R: Read> Metered<R> {
    pub(super) fn new(from: R, maximum: u64) -> Self {
        Self { from, left: maximum, over: false }
    }

    /// Returns whether the limit was exceeded.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !buffer.is_empty() {
            self.over |= self.from.read(&mut [0])? > 0;
            return if self.over { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(0) };
        }
        let maximum = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.from.read(&mut buffer[..maximum])?;
        self.left -= count as u64;
        Ok(count)
    }
}
