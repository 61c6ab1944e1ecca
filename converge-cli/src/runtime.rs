//! The threads that a run needs, had before it begins.
//!
//! The async runtime takes for granted that it gets its threads and files: without them it panics, or waits for ever for a
//! thread that was never made. So what it will need is made here first, and given back.

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::error::CliError;
use crate::platform::spare_files;

/// One that writes what happens, and one for what would block.
const OTHERS: usize = 2;

/// When so many more can be made as well, threads are not scarce.
const SPARE: usize = 2;

/// What the runtime has open, a program that is run, and some files that are read.
const FILES: usize = 32;

/// The thread for what would block is never given back: another one may not be had.
const KEEP: Duration = Duration::from_hours(24 * 365);

/// How long an ended thread is waited for, until it no longer counts, and how often it is looked for.
const PAUSE: Duration = Duration::from_millis(1);
const PAUSES: usize = 1000;

/// Starts the runtime. Where threads are scarce it is one of a single thread, which does everything in turns.
///
/// # Errors
///
/// When this process may not have the threads or open the files without which nothing can be run.
pub(crate) fn start() -> Result<Runtime, CliError> {
    spare_files(FILES).map_err(|error| CliError::TooFewFiles { needed: FILES, error })?;
    // One more than one, as signals must be heard while a resource keeps a thread busy.
    let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get).max(2);
    let mut builder = match make_threads(workers + OTHERS + SPARE) {
        (_, None) => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(workers);
            builder
        }
        (made, Some(error)) if made < OTHERS => {
            return Err(CliError::TooFewThreads { needed: OTHERS, error });
        }
        (_, Some(_)) => Builder::new_current_thread(),
    };
    let runtime = builder.enable_all().thread_keep_alive(KEEP).build().map_err(CliError::Start)?;
    // Made now. What comes when no other can be made waits for this one.
    drop(runtime.spawn_blocking(|| ()));
    Ok(runtime)
}

/// A runtime for what only waits, on a thread without another around it.
#[cfg(feature = "http")]
pub(crate) fn clock() -> Result<Runtime, CliError> {
    Builder::new_current_thread().enable_time().build().map_err(CliError::Start)
}

/// Makes up to so many threads at once, and gives them back. Says how many there were, and why not more.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn make_threads(wanted: usize) -> (usize, Option<io::Error>) {
    let before = count_threads();
    let gate = Mutex::new(());
    let closed = gate.lock();
    let made = thread::scope(|scope| {
        let mut made = 0;
        let problem = loop {
            if made == wanted {
                break None;
            }
            let wait = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
            match thread::Builder::new().spawn_scoped(scope, wait) {
                Ok(_) => made += 1,
                Err(error) => break Some(error),
            }
        };
        drop(closed);
        (made, problem)
    });
    if made.1.is_some() {
        // A thread counts for a moment after it has ended.
        for _ in 0..PAUSES {
            if count_threads() <= before {
                break;
            }
            thread::sleep(PAUSE);
        }
    }
    made
}

/// How many threads this process has; zero where nobody says so.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn count_threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_made_at_once_and_given_back() {
        let (made, problem) = make_threads(8);
        assert_eq!((made, problem.map(|error| error.to_string())), (8, None));
    }
}
