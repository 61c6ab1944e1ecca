//! How long others wait for their turn while something is done.

use std::future::{Future, poll_fn};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use converge_core::prelude::embed::*;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Builder;

/// The longest that a poll may take in the unoptimised build of a test, which takes some ten times as long as an optimised one.
pub const MOST: Duration = Duration::from_millis(50);

/// How often something is tried whose polls take too long. What is wrong with them is wrong each time; the clock of a thread also counts
/// what a virtual machine was kept waiting for its processor, and that is another poll each time.
const ATTEMPTS: u32 = 3;

/// Does some work, none of whose polls takes longer than [`MOST`]. When one did, it is done again, a few times.
///
/// # Panics
///
/// When one did each time.
#[track_caller]
pub fn check<T>(what: &str, mut work: impl AsyncFnMut() -> T) -> T {
    attempts(|| {
        let (done, longest) = longest(work());
        (done, vec![(what.to_owned(), longest)])
    })
}

/// Plans a module and applies it, and plans again: nothing fails, nothing is left to be changed, and no poll takes long. The text of
/// the module is made with the folder that it may write to, which is another one each time that it is tried.
///
/// # Panics
///
/// When it is not so.
#[track_caller]
pub fn converges(registry: &Registry, system: &Arc<dyn System>, what: &str, text: impl Fn(&Path) -> String) {
    attempts(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let text = text(folder.path());
        let graph = Loader::new(registry).load_text("main.hcl", text).into_graph().expect("a module");
        let engine = || Engine::new(Arc::clone(system));
        let (plan, planning) = longest(async { engine().plan(&graph).await.expect("a plan") });
        assert_eq!(plan.failed, 0, "{what}: {plan:?}");
        let (applied, applying) =
            longest(async { engine().apply_for_report(&graph).await.expect("an apply") });
        assert!(applied.summary.is_success(), "{what}: {:?}", applied.resources);
        let (again, planning_again) = longest(async { engine().plan(&graph).await.expect("a plan") });
        assert!(!again.has_changes(), "{what}: {again:?}");
        let polls = [("plan", planning), ("apply", applying), ("second plan", planning_again)];
        ((), polls.map(|(part, longest)| (format!("{what}: {part}"), longest)).into())
    });
}

/// Does something until no poll of its parts takes longer than [`MOST`].
#[track_caller]
fn attempts<T>(mut attempt: impl FnMut() -> (T, Vec<(String, Duration)>)) -> T {
    let mut too_long = Vec::new();
    for _ in 0..ATTEMPTS {
        let (done, polls) = attempt();
        let before = too_long.len();
        too_long.extend(polls.into_iter().filter(|(_, longest)| *longest > MOST));
        if too_long.len() == before {
            return done;
        }
    }
    panic!("polls took longer than {MOST:?} in each of {ATTEMPTS} attempts: {too_long:?}");
}

/// Does some work on a runtime with one thread, and gives with its result the longest time for which it kept a neighbour
/// waiting: the longest poll of it, or of a task that it spawned.
///
/// The neighbour is a task that always wants its next turn, so between two turns of it every other task is polled at most once. What
/// passes between them is measured as the time that the thread was given a processor: what else the machine does makes no difference.
/// Threads of a pool have clocks of their own and do not count.
///
/// # Panics
///
/// Where no runtime can be had.
pub fn longest<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be had");
    let (longest, is_done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let neighbour = {
        let (longest, is_done) = (Arc::clone(&longest), Arc::clone(&is_done));
        let mut last = thread_time();
        poll_fn(move |cx| {
            let now = thread_time();
            let waited = now - std::mem::replace(&mut last, now);
            longest.fetch_max(waited, Ordering::Relaxed);
            if is_done.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            // Behind all others that are ready; `yield_now` would come after some turns of each.
            cx.waker().wake_by_ref();
            Poll::Pending
        })
    };
    let done = runtime.block_on(async {
        let neighbour = tokio::spawn(neighbour);
        let done = work.await;
        // The last poll counts, too.
        is_done.store(true, Ordering::Relaxed);
        neighbour.await.expect("it counts");
        done
    });
    (done, Duration::from_nanos(longest.load(Ordering::Relaxed)))
}

/// Takes a processor for so long.
pub fn busy(time: Duration) {
    let start = thread_time();
    while Duration::from_nanos(thread_time() - start) < time {
        std::hint::spin_loop();
    }
}

/// For how many nanoseconds this thread was given a processor.
fn thread_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    number(time.tv_sec) * 1_000_000_000 + number(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever has the long poll: the work itself, at any time, or a task of it.
    #[test]
    fn the_longest_poll_is_found() {
        let long = Duration::from_millis(60);
        let check = |found: Duration| assert!(found >= long && found < long * 3, "{found:?}");
        check(longest(async { busy(long) }).1);
        let between = async {
            tokio::task::yield_now().await;
            busy(long);
            tokio::task::yield_now().await;
        };
        check(longest(between).1);
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

    /// One poll that takes long may be the machine's; one each time is not.
    #[test]
    fn what_takes_long_each_time_is_refused() {
        let mut times = [MOST * 2, Duration::ZERO].into_iter();
        check("once", async || busy(times.next().unwrap()));
        let each_time = std::panic::catch_unwind(|| check("each time", async || busy(MOST * 2)));
        let message = *each_time.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("in each of 3 attempts") && message.contains("each time"), "{message}");
    }

    /// What waits takes no processor, whoever else has it.
    #[test]
    fn other_threads_do_not_count() {
        let (_, found) =
            longest(async { tokio::task::spawn_blocking(|| busy(Duration::from_millis(100))).await });
        assert!(found < Duration::from_millis(50), "{found:?}");
    }
}
