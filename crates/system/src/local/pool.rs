//! A pool of threads for blocking operations.
//!
//! A poll of a future must not block, and the duration of a file operation depends on its size and the disk.
//! Small operations run directly, because handing them over costs several times the operation itself. Larger
//! ones, and all waits for the disk, run here. The threads do not belong to the caller's runtime: its
//! blocking threads could all be waiting for this pool.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;

use super::threads::Threads;
use crate::SystemErrorKind;

/// The number of bytes up to which files are read and written directly.
const SMALL: u64 = 256 * 1024;

/// The number of bytes that are read or written between checks for cancellation.
pub(super) const PIECE: usize = 1 << 20;

/// The default maximum number of threads.
const THREADS: NonZeroUsize = NonZeroUsize::new(32).expect("it is not zero");

#[derive(Debug)]
pub(super) struct Pool {
    small: u64,
    threads: Threads,
}

/// A flag that tells whether the caller still waits for the work.
#[derive(Clone, Debug, Default)]
pub(super) struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Returns a guard that sets the flag on drop.
    pub(super) fn waiting(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    /// Returns an error if the caller no longer waits.
    pub(super) fn check(&self) -> Result<(), SystemErrorKind> {
        if self.0.load(Ordering::Acquire) { Err(SystemErrorKind::Cancelled) } else { Ok(()) }
    }
}

pub(super) struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Release);
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl Pool {
    pub(super) fn new(small: Option<u64>, threads: Option<NonZeroUsize>) -> Self {
        Self { small: small.unwrap_or(SMALL), threads: Threads::new(threads.unwrap_or(THREADS)) }
    }

    /// Whether an operation on this number of bytes runs in the pool.
    pub(super) fn is_large(&self, bytes: u64) -> bool {
        bytes > self.small
    }

    /// Returns the number of bytes that may be read directly.
    #[cfg(unix)]
    pub(super) fn small(&self) -> u64 {
        self.small
    }

    /// Runs work that may block.
    ///
    /// If the future is dropped, the work is told and ends by itself. If no thread is available, the work
    /// runs directly.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CancelFlag) -> Result<T, SystemErrorKind> + Send + 'static,
    ) -> Result<T, SystemErrorKind> {
        let interest = CancelFlag::default();
        let _waiting = interest.waiting();
        let (sender, result) = oneshot::channel();
        self.start(move || {
            // The caller may no longer wait.
            let _ = sender.send(work(&interest));
        });
        result.await.unwrap_or_else(|_| Err(SystemErrorKind::Other("it panicked".to_owned())))
    }

    /// Reads a part of a file of `len` bytes at an offset, with the platform's function.
    pub(super) async fn read_at(
        &self,
        file: &Arc<File>,
        len: u64,
        offset: u64,
        buffer: &mut [u8],
        read_at: fn(&File, &mut [u8], u64) -> io::Result<usize>,
    ) -> Result<usize, SystemErrorKind> {
        if !self.is_large(len.max(buffer.len() as u64)) {
            return Ok(uninterrupted(|| read_at(file, buffer, offset))?);
        }
        let (file, room) = (Arc::clone(file), buffer.len().min(PIECE));
        let read = move |_: &CancelFlag| {
            let mut bytes = vec![0; room];
            let count = uninterrupted(|| read_at(&file, &mut bytes, offset))?;
            bytes.truncate(count);
            Ok(bytes)
        };
        let bytes = self.run(read).await?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    /// Closes a large file.
    ///
    /// The last close of an unlinked file waits until its space is freed.
    #[cfg(unix)]
    pub(super) fn close(&self, file: Arc<File>) {
        self.start(move || drop(file));
    }

    fn start(&self, job: impl FnOnce() + Send + 'static) {
        if let Err(job) = self.threads.start(Box::new(job)) {
            job();
        }
    }
}

/// Repeats a read that a signal interrupted.
fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
