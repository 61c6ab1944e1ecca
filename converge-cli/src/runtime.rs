//! The async runtime, whose threads and files are obtained before a run begins.
//!
//! The runtime assumes that it gets its threads and files. Without them it panics, or waits forever for a
//! thread that was never created. Therefore everything it will need is allocated here first, and released
//! again.

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::error::CliError;
use crate::platform::spare_files;

/// The threads besides the workers: one that writes events, and one for blocking calls.
const EXTRA_THREADS: usize = 2;

/// The number of additional threads whose creation shows that threads are not scarce.
const SPARE_THREADS: usize = 2;

/// The number of open files needed by the runtime, one child process and some files that are read.
const FILES: usize = 32;

/// The idle time after which the blocking thread would end: never, as a new one may not be available.
const KEEP_ALIVE: Duration = Duration::from_hours(24 * 365);

/// The interval of checks whether an ended thread still counts.
const PAUSE: Duration = Duration::from_millis(1);
const PAUSES: usize = 1000;

/// Starts the runtime, with a single thread if threads are scarce.
///
/// # Errors
///
/// Fails if the process cannot create the threads or open the files that every run needs.
pub(crate) fn start() -> Result<Runtime, CliError> {
    spare_files(FILES).map_err(|error| CliError::TooFewFiles { needed: FILES, error })?;
    // One worker more than processors, but at least two: signals must be handled while a resource blocks a
    // thread.
    let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get).max(2);
    let mut builder = match make_threads(workers + EXTRA_THREADS + SPARE_THREADS) {
        (_, None) => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(workers);
            builder
        }
        (made, Some(error)) if made < EXTRA_THREADS => {
            return Err(CliError::TooFewThreads { needed: EXTRA_THREADS, error });
        }
        (_, Some(_)) => Builder::new_current_thread(),
    };
    let runtime = builder.enable_all().thread_keep_alive(KEEP_ALIVE).build().map_err(CliError::Start)?;
    // This creates the blocking thread now. If no other thread can be created later, blocking calls wait for
    // this one.
    drop(runtime.spawn_blocking(|| ()));
    Ok(runtime)
}

/// Creates up to this many threads at once and ends them.
///
/// Returns how many were created, and the error that stopped it from creating more.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn make_threads(count: usize) -> (usize, Option<io::Error>) {
    let before = count_threads();
    let gate = Mutex::new(());
    let guard = gate.lock();
    let started = thread::scope(|scope| {
        let mut started = 0;
        let problem = loop {
            if started == count {
                break None;
            }
            let wait = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
            match thread::Builder::new().spawn_scoped(scope, wait) {
                Ok(_) => started += 1,
                Err(error) => break Some(error),
            }
        };
        drop(guard);
        (started, problem)
    });
    if started.1.is_some() {
        // The system counts a thread for a moment after it has ended.
        for _ in 0..PAUSES {
            if count_threads() <= before {
                break;
            }
            thread::sleep(PAUSE);
        }
    }
    started
}

/// Returns the number of threads of this process, or 0 if unknown.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn count_threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_made_at_once_and_given_back() {
        let (started, problem) = make_threads(8);
        assert_eq!((started, problem.map(|error| error.to_string())), (8, None));
    }
}
