//! Measurements of how long a poll blocks other tasks.

use std::future::{Future, poll_fn};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use converge_core::prelude::embed::*;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Builder;

/// The maximum duration of a poll in an unoptimised test build.
///
/// An optimised build is about ten times as fast.
pub const MOST: Duration = Duration::from_millis(50);

/// The number of attempts if polls take too long.
///
/// A real problem occurs in every attempt. The thread clock also counts the time that a virtual machine waits
/// for its processor, which affects a different poll each time.
const ATTEMPTS: u32 = 3;

/// Runs work whose polls must not take longer than [`MOST`], and repeats it a few times if one does.
///
/// # Panics
///
/// A poll took too long in every attempt.
#[track_caller]
pub fn check<T>(label: &str, mut work: impl AsyncFnMut() -> T) -> T {
    attempts(|| {
        let (output, longest) = longest(work());
        (output, vec![(label.to_owned(), longest)])
    })
}

/// Plans, applies and plans a module, and asserts that it converges without long polls.
///
/// `text` returns the module for a writable folder, which is a new one in each attempt.
///
/// # Panics
///
/// A resource fails, the second plan has changes, or a poll took too long in every attempt.
#[track_caller]
pub fn converges(registry: &Registry, system: &Arc<dyn System>, label: &str, text: impl Fn(&Path) -> String) {
    attempts(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let text = text(folder.path());
        let graph = Loader::new(registry).load_text("main.hcl", text).into_graph().expect("a module");
        let engine = || Engine::new(Arc::clone(system));
        let (plan, planning) = longest(async { engine().plan(&graph).await.expect("a plan") });
        assert_eq!(plan.failed, 0, "{label}: {plan:?}");
        let (applied, applying) =
            longest(async { engine().apply_for_report(&graph).await.expect("an apply") });
        assert!(applied.summary.is_success(), "{label}: {:?}", applied.resources);
        let (second_plan, planning_again) = longest(async { engine().plan(&graph).await.expect("a plan") });
        assert!(!second_plan.has_changes(), "{label}: {second_plan:?}");
        let polls = [("plan", planning), ("apply", applying), ("second plan", planning_again)];
        ((), polls.map(|(part, longest)| (format!("{label}: {part}"), longest)).into())
    });
}

/// Repeats an attempt until none of its polls takes longer than [`MOST`].
#[track_caller]
fn attempts<T>(mut attempt: impl FnMut() -> (T, Vec<(String, Duration)>)) -> T {
    let mut too_long = Vec::new();
    for _ in 0..ATTEMPTS {
        let (output, polls) = attempt();
        let before = too_long.len();
        too_long.extend(polls.into_iter().filter(|(_, longest)| *longest > MOST));
        if too_long.len() == before {
            return output;
        }
    }
    panic!("polls took longer than {MOST:?} in each of {ATTEMPTS} attempts: {too_long:?}");
}

/// Runs work on a single-threaded runtime, and returns its result with the longest delay of others.
///
/// The delay is the longest poll of the work or of a task that it spawned. It is measured by a task that is
/// always ready, so that between two of its polls every other task is polled at most once. Only the processor
/// time of the thread counts, so the load of the machine does not matter. Threads of a pool have clocks of
/// their own and do not count.
///
/// # Panics
///
/// The runtime cannot be created.
pub fn longest<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be had");
    let (longest, is_done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let neighbour = {
        let (longest, is_done) = (Arc::clone(&longest), Arc::clone(&is_done));
        let mut last = thread_time();
        poll_fn(move |cx| {
            let time = thread_time();
            let waited = time - std::mem::replace(&mut last, time);
            longest.fetch_max(waited, Ordering::Relaxed);
            if is_done.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            // The task is queued behind all ready tasks; `yield_now` would only run after several of their
            // polls.
            cx.waker().wake_by_ref();
            Poll::Pending
        })
    };
    let output = runtime.block_on(async {
        let neighbour = tokio::spawn(neighbour);
        let output = work.await;
        // The last poll counts as well.
        is_done.store(true, Ordering::Relaxed);
        neighbour.await.expect("it counts");
        output
    });
    (output, Duration::from_nanos(longest.load(Ordering::Relaxed)))
}

/// Uses the processor for the given time.
pub fn busy(time: Duration) {
    let start = thread_time();
    while Duration::from_nanos(thread_time() - start) < time {
        std::hint::spin_loop();
    }
}

/// Returns the processor time of this thread in nanoseconds.
fn thread_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    number(time.tv_sec) * 1_000_000_000 + number(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The long poll may be at any point of the work, or in a spawned task.
    #[test]
    fn the_longest_poll_is_found() {
        let long = Duration::from_millis(60);
        let check = |found: Duration| assert!(found >= long && found < long * 3, "{found:?}");
        check(longest(async { busy(long) }).1);
        let work = async {
            tokio::task::yield_now().await;
            busy(long);
            tokio::task::yield_now().await;
        };
        check(longest(work).1);
        check(longest(async { tokio::spawn(async move { busy(long) }).await.unwrap() }).1);
        let in_turns = async {
            for _ in 0..200 {
                busy(Duration::from_millis(1));
                tokio::task::yield_now().await;
            }
        };
        let ((), found) = longest(in_turns);
        assert!(found < long, "{found:?}");
    }

    /// One long poll may come from the machine; a long poll in every attempt does not.
    #[test]
    fn what_takes_long_each_time_is_refused() {
        let mut times = [MOST * 2, Duration::ZERO].into_iter();
        check("once", async || busy(times.next().unwrap()));
        let each_time = std::panic::catch_unwind(|| check("each time", async || busy(MOST * 2)));
        let message = *each_time.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("in each of 3 attempts") && message.contains("each time"), "{message}");
    }

    /// A waiting task uses no processor time, even if other threads do.
    #[test]
    fn other_threads_do_not_count() {
        let (_, duration) =
            longest(async { tokio::task::spawn_blocking(|| busy(Duration::from_millis(100))).await });
        assert!(duration < Duration::from_millis(50), "{duration:?}");
    }
}
