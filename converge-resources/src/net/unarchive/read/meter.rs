use std::io::{self, Read};

use crate::net::unarchive::error::ArchiveError;
use crate::net::unarchive::manifest::Limits;

/// The number of bytes up to which the ratio of the expansion is not limited.
const HARMLESS: u64 = 16 << 20;

/// Reads until the buffer is full or the input ends.
pub(super) fn fill(from: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    limits: Limits,
    archive: u64,
    expanded: u64,
}

impl Meter {
    pub(super) fn new(limits: Limits, archive: u64) -> Self {
        Self { limits, archive, expanded: 0 }
    }

    pub(super) fn add(&mut self, bytes: usize) -> Result<(), ArchiveError> {
        self.expanded = self.expanded.saturating_add(bytes as u64);
        let Limits { size, ratio, .. } = self.limits;
        if self.expanded > size {
            return Err(ArchiveError::TooLarge(size));
        }
        if self.expanded > HARMLESS && self.expanded / ratio > self.archive {
            return Err(ArchiveError::TooDense(ratio));
        }
        Ok(())
    }
}

pub(super) struct Metered<R> {
    pub(super) inner: R,
    pub(super) meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.meter.add(count)?;
        Ok(count)
    }
}
