//! Threads that may wait.
//!
//! A poll of a future is not to take long, and how long a file takes is up to its size and its disk. What is small is done at
//! once, as handing it over costs several times what it does; all that is larger, and whatever waits for the disk, is done
//! here. The threads are no part of the runtime that asks: a caller may itself be on one of the threads of that runtime that
//! may wait, all of which could be waiting for this.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;

use super::threads::Threads;
use crate::SystemErrorKind;

/// Up to so many bytes are read and written at once.
const SMALL: u64 = 256 * 1024;

/// How many bytes are read or written before it is looked whether somebody still wants that.
pub(super) const PIECE: usize = 1 << 20;

/// So many files can be waited for at a time.
const THREADS: NonZeroUsize = NonZeroUsize::new(32).expect("it is not zero");

/// Does what may take long.
#[derive(Debug)]
pub(super) struct Pool {
    small: u64,
    threads: Threads,
}

/// Whether somebody waits for a piece of work.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// Somebody waits until this is dropped.
    pub(super) fn waiting(&self) -> Waiting {
        Waiting(self.clone())
    }

    /// Says that nobody waits any more.
    pub(super) fn check(&self) -> Result<(), SystemErrorKind> {
        if self.0.load(Ordering::Acquire) { Err(SystemErrorKind::Cancelled) } else { Ok(()) }
    }
}

/// In the future that waits.
pub(super) struct Waiting(Wanted);

impl Drop for Waiting {
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

    /// Whether so many bytes are read, written or compared here.
    pub(super) fn is_large(&self, bytes: u64) -> bool {
        bytes > self.small
    }

    /// As many bytes as may be read at once.
    #[cfg(unix)]
    pub(super) fn small(&self) -> u64 {
        self.small
    }

    /// Does what may take long. When the future is dropped, the work is told so, and ends by itself. Where no thread can be
    /// had, it is done at once.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Wanted) -> Result<T, SystemErrorKind> + Send + 'static,
    ) -> Result<T, SystemErrorKind> {
        let wanted = Wanted::default();
        let _waiting = wanted.waiting();
        let (done, result) = oneshot::channel();
        self.start(move || {
            // Nobody may want it any more.
            let _ = done.send(work(&wanted));
        });
        result.await.unwrap_or_else(|_| Err(SystemErrorKind::Other("it panicked".to_owned())))
    }

    /// Reads a piece of a file of `len` bytes at an offset, by the means of the system.
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
        let read = move |_: &Wanted| {
            let mut bytes = vec![0; room];
            let count = uninterrupted(|| read_at(&file, &mut bytes, offset))?;
            bytes.truncate(count);
            Ok(bytes)
        };
        let bytes = self.run(read).await?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    /// Closes a large file: whoever is the last to close one that has no name any more waits until its room is free.
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

/// Again, when a signal came between.
fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
