//! Threads that start on demand and end when they are idle for a while.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The time that an idle thread waits for work.
const KEEP: Duration = Duration::from_secs(10);

pub(super) type Job = Box<dyn FnOnce() + Send>;

#[derive(Debug)]
pub(super) struct Threads {
    most: NonZeroUsize,
    shared: Arc<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    /// Signalled when there is work, or when the pool is closed.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { jobs, threads, idle, closed } = self;
        f.debug_struct("State")
            .field("jobs", &jobs.len())
            .field("threads", threads)
            .field("idle", idle)
            .field("closed", closed)
            .finish()
    }
}

impl Threads {
    pub(super) fn new(maximum: NonZeroUsize) -> Self {
        Self { most: maximum, shared: Arc::default() }
    }

    /// Queues a job.
    ///
    /// Returns the job if no thread is available.
    pub(super) fn start(&self, job: Job) -> Result<(), Job> {
        let mut state = self.shared.lock();
        state.jobs.push_back(job);
        if state.jobs.len() > state.idle && state.threads < self.most.get() {
            let queue = Arc::clone(&self.shared);
            let thread = thread::Builder::new().name("converge-files".to_owned());
            match thread.spawn(move || queue.work()) {
                Ok(_) => state.threads += 1,
                // No further thread can be started, so an existing one will run the job.
                Err(_) if state.threads > 0 => {}
                Err(_) => return state.jobs.pop_back().map_or(Ok(()), Err),
            }
        }
        drop(state);
        self.shared.changed.notify_one();
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.shared.lock().threads
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs until the thread should end.
    fn work(&self) {
        while let Some(job) = self.next() {
            // A panic drops the job with its result channel, which tells the waiter.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    /// Waits for the next job; `None` if the thread should end.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        let mut waited = false;
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if waited || state.closed {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            let (guard, result) =
                self.changed.wait_timeout(state, KEEP).unwrap_or_else(PoisonError::into_inner);
            state = guard;
            state.idle -= 1;
            waited = result.timed_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc::channel;

    use super::*;

    fn threads(maximum: usize) -> Threads {
        Threads::new(NonZeroUsize::new(maximum).expect("more than none"))
    }

    fn start(threads: &Threads, job: impl FnOnce() + Send + 'static) {
        assert!(threads.start(Box::new(job)).is_ok(), "there is a thread");
    }

    #[test]
    fn as_many_jobs_run_at_once_as_there_may_be_threads() {
        let threads = threads(4);
        let barrier = Arc::new(Barrier::new(5));
        for _ in 0..4 {
            let barrier = Arc::clone(&barrier);
            start(&threads, move || {
                barrier.wait();
            });
        }
        barrier.wait();
        assert_eq!(threads.count(), 4);
    }

    #[test]
    fn more_jobs_than_threads_wait_for_their_turn() {
        let threads = threads(2);
        let (sender, results) = channel();
        for index in 0..100 {
            let sender = sender.clone();
            start(&threads, move || sender.send(index).expect("somebody listens"));
        }
        drop(sender);
        let mut results: Vec<i32> = results.iter().collect();
        results.sort_unstable();
        assert_eq!(results, (0..100).collect::<Vec<_>>());
        assert!(threads.count() <= 2);
    }

    #[test]
    fn a_job_that_panics_ends_no_thread() {
        let threads = threads(1);
        let (sender, results) = channel::<()>();
        start(&threads, move || {
            let _done = sender;
            panic!("as the test wants it");
        });
        assert!(results.recv().is_err(), "what it had is gone");
        let (sender, results) = channel();
        start(&threads, move || sender.send(()).expect("somebody listens"));
        assert_eq!((results.recv(), threads.count()), (Ok(()), 1));
    }

    #[test]
    fn what_was_started_is_done_when_nobody_starts_more() {
        let threads = threads(1);
        let (sender, results) = channel();
        for index in 0..10 {
            let sender = sender.clone();
            start(&threads, move || sender.send(index).expect("somebody listens"));
        }
        drop((threads, sender));
        // The channel closes when the last thread has ended.
        assert_eq!(results.iter().count(), 10);
    }
}
