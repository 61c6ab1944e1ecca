use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use converge_sdk::system::ReadAt;
use tokio::runtime::Handle;

use crate::net::unarchive::error::ArchiveError;

/// The bytes of a file, created on a thread of a runtime and read on a blocking thread.
pub(super) struct ArchiveBytes {
    file: Arc<dyn ReadAt>,
    handle: Handle,
    cancelled: Arc<AtomicBool>,
    at: u64,
}

impl ArchiveBytes {
    pub(super) fn new(file: Arc<dyn ReadAt>, cancelled: Arc<AtomicBool>) -> Self {
        Self { file, handle: Handle::current(), cancelled, at: 0 }
    }

    pub(super) fn rewind(&mut self) {
        self.at = 0;
    }
}

impl Read for ArchiveBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(ArchiveError::Cancelled.into());
        }
        let read = self.handle.block_on(self.file.read_at(self.at, buffer));
        let count = read.map_err(ArchiveError::System)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for ArchiveBytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = match to {
            SeekFrom::Start(start) => Some(start),
            SeekFrom::End(by) => self.file.metadata().len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = offset.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
