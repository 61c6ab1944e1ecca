use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::yield_now;

use super::*;

/// A supervisor whose runs follow `script`: each fails after some time, or serves.
struct Case {
    lease: watch::Sender<Option<u64>>,
    stop: CancellationToken,
    handle: SupervisorHandle,
    /// The begin of each run, and the holding that it received.
    runs: mpsc::UnboundedReceiver<(Instant, u64)>,
    done: tokio::task::JoinHandle<()>,
}

/// The behaviour of a run.
#[derive(Clone, Copy)]
enum Act {
    FailAfter(Duration),
    Panic,
    End,
    /// Runs until it is told to end, and takes this long to end.
    Serve(Duration),
}

fn start(fence: Option<u64>, mut script: impl FnMut(usize) -> Act + Send + 'static) -> Case {
    let (lease, receiver) = watch::channel(fence);
    let (starts, runs) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let supervisor = Supervisor::new(Random::from_seed(1));
    let handle = supervisor.handle();
    let running = Arc::new(AtomicBool::new(false));
    let mut count = 0;
    let task = tokio::spawn(supervisor.run(receiver, stop.clone(), move |held, ending| {
        starts.send((Instant::now(), held)).expect("the test listens");
        let act = script(count);
        count += 1;
        let running = Arc::clone(&running);
        async move {
            assert!(!running.swap(true, Ordering::SeqCst), "two runs at once");
            match act {
                Act::FailAfter(time) => sleep(time).await,
                Act::Panic => {
                    running.store(false, Ordering::SeqCst);
                    panic!("broken");
                }
                Act::End => return Ok(()),
                Act::Serve(time) => {
                    tokio::select! {
                        () = ending.finish() => {}
                        () = ending.abandon() => {}
                    }
                    sleep(time).await;
                }
            }
            running.store(false, Ordering::SeqCst);
            Err("it failed".into())
        }
    }));
    Case { lease, stop, handle, runs, done: task }
}

impl Case {
    async fn next_run(&mut self) -> (Instant, u64) {
        self.runs.recv().await.expect("a run begins")
    }
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Checks that a delay is this long, or up to a quarter longer.
#[track_caller]
fn check_wait(actual: Duration, expect: Duration) {
    assert!((expect..=expect.mul_f64(1.25) + ms(1)).contains(&actual), "waited {actual:?}, not {expect:?}");
}

#[tokio::test(start_paused = true)]
async fn what_flaps_waits_longer_each_time() {
    let mut case = start(Some(1), |_| Act::FailAfter(ms(10)));
    let mut last = case.next_run().await.0;
    let mut waits = Vec::new();
    for expect in [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] {
        let began = case.next_run().await.0;
        let wait = began - (last + ms(10));
        check_wait(wait, ms(expect));
        waits.push(wait);
        last = began;
    }
    assert_ne!(waits[7], waits[8], "the jitter is by chance");
    let status = case.handle.status();
    assert_eq!((status.phase, status.restarts), (Phase::Running, 9));
    assert_eq!(status.last_error.as_deref(), Some("it failed"));
}

#[tokio::test(start_paused = true)]
async fn what_ran_for_two_seconds_begins_again_at_once() {
    let times = [ms(1), ms(1999), ms(2000), ms(1)];
    let mut case = start(Some(1), move |run| Act::FailAfter(times[run.min(3)]));
    let mut last = case.next_run().await.0;
    for (runtime, expect) in times.into_iter().zip([500, 1000, 0, 500]) {
        let began = case.next_run().await.0;
        check_wait(began - (last + runtime), ms(expect));
        last = began;
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_the_lease_is_held() {
    let mut case = start(None, |_| Act::Serve(ms(0)));
    sleep(ms(10_000)).await;
    assert!(case.runs.is_empty());
    assert_eq!(case.handle.status().phase, Phase::Waiting);
    let instant = Instant::now();
    case.lease.send_replace(Some(5));
    assert_eq!(case.next_run().await, (instant, 5));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_lost_its_lease_ends_before_the_next_begins() {
    let mut case = start(Some(1), |_| Act::Serve(ms(700)));
    let began = case.next_run().await.0;
    // The lease was lost and acquired again before anybody looked.
    case.lease.send_replace(None);
    case.lease.send_replace(Some(2));
    assert_eq!(case.next_run().await, (began + ms(700), 2));
    // The lease was lost, and acquired again much later.
    case.lease.send_replace(None);
    sleep(ms(3000)).await;
    assert_eq!(case.handle.status().phase, Phase::Waiting);
    case.lease.send_replace(Some(3));
    assert_eq!(case.next_run().await, (began + ms(3700), 3));
}

#[tokio::test(start_paused = true)]
async fn the_loss_of_the_lease_forgets_failures() {
    let mut case = start(Some(1), |_| Act::FailAfter(ms(0)));
    for _ in 0..6 {
        case.next_run().await;
    }
    // The delay is more than 8 seconds by now.
    let instant = Instant::now() + ms(1);
    sleep(ms(1)).await;
    case.lease.send_replace(Some(2));
    let began = case.next_run().await;
    assert_eq!(began, (instant, 2));
    check_wait(case.next_run().await.0 - began.0, ms(500));
}

#[tokio::test(start_paused = true)]
async fn stopping_waits_for_the_run() {
    let mut case = start(Some(1), |_| Act::Serve(ms(300)));
    let began = case.next_run().await.0;
    case.stop.cancel();
    case.done.await.expect("no panic");
    assert_eq!(began.elapsed(), ms(300));
    assert_eq!(case.handle.status().phase, Phase::Stopped);
    assert!(case.runs.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn the_lease_may_be_lost_while_stopping() {
    let mut case = start(Some(1), |_| Act::Serve(ms(300)));
    let began = case.next_run().await.0;
    case.stop.cancel();
    yield_now().await;
    case.lease.send_replace(None);
    case.done.await.expect("no panic");
    assert_eq!(began.elapsed(), ms(300));
    assert!(case.runs.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_a_wait() {
    for fence in [None, Some(1)] {
        let case = start(fence, |_| Act::FailAfter(ms(0)));
        sleep(ms(100)).await;
        let stopped = Instant::now();
        case.stop.cancel();
        case.done.await.expect("no panic");
        assert_eq!(stopped.elapsed(), ms(0), "{fence:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failure() {
    let mut case = start(Some(1), |run| if run == 0 { Act::Panic } else { Act::Serve(ms(0)) });
    case.next_run().await;
    case.next_run().await;
    let error = case.handle.status().last_error.expect("an error");
    assert!(error.starts_with("panicked at ") && error.ends_with(": broken"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_ends_without_an_error_is_not_begun_again() {
    let mut case = start(Some(1), |_| Act::End);
    case.next_run().await;
    case.done.await.expect("no panic");
    assert!(case.runs.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn without_anybody_who_gives_leases_there_is_nothing_to_wait_for() {
    let case = start(None, |_| Act::End);
    drop(case.lease);
    case.done.await.expect("no panic");
}

#[test]
fn errors_are_told_with_their_causes() {
    #[derive(Debug, thiserror::Error)]
    #[error("the copy failed")]
    struct Copy(#[source] std::io::Error);
    #[derive(Debug, thiserror::Error)]
    #[error("the album is not ready: {0}")]
    struct Album(#[source] Copy);

    let error = Album(Copy(std::io::Error::other("disk full")));
    assert_eq!(chain(&error), "the album is not ready: the copy failed: disk full");
}
