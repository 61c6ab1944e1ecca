use std::cell::Cell;
use std::hash::Hasher;
use std::time::Duration;

use super::*;

mod model;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn queue() -> Queue<&'static str> {
    Queue::new(Backoff::default())
}

fn done() -> Verdict {
    Verdict::Done { force_after: None }
}

async fn next<K: Clone + Eq + Hash>(queue: &Queue<K>) -> Turn<K> {
    queue.next().await.expect("the queue is open")
}

/// Returns the keys, reasons and times of the next turns, and ends each as done.
async fn turns(queue: &Queue<&'static str>, count: usize) -> Vec<(&'static str, Reason, Duration)> {
    let start = Instant::now();
    let mut results = Vec::new();
    for _ in 0..count {
        let item = next(queue).await;
        results.push((*item.key(), item.reason().clone(), start.elapsed()));
        item.end(done());
    }
    results
}

#[track_caller]
fn check_idle(queue: &Queue<&'static str>) {
    let expect = QueueStatus { depth: 0, delayed: 0, in_flight: 0, failing: Vec::new() };
    assert_eq!(queue.status(), expect);
}

#[tokio::test(start_paused = true)]
async fn first_in_first_out_without_doubles() {
    let queue = queue();
    for key in ["a", "b", "a", "c", "b"] {
        queue.add(key, Reason::Changed);
    }
    assert_eq!(queue.status().depth, 3);
    let actual = turns(&queue, 3).await;
    assert_eq!(actual.map_keys(), ["a", "b", "c"]);
    check_idle(&queue);
}

trait Keys {
    fn map_keys(&self) -> Vec<&'static str>;
}

impl Keys for Vec<(&'static str, Reason, Duration)> {
    fn map_keys(&self) -> Vec<&'static str> {
        self.iter().map(|(key, ..)| *key).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_in_flight_has_one_more_turn_afterwards() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    let item = next(&queue).await;
    queue.add("a", Reason::Mapped("x".into()));
    queue.add("a", Reason::Changed);
    queue.add("b", Reason::Changed);
    assert_eq!(queue.status().depth, 1, "a is not ready while it is in flight");

    let second = next(&queue).await;
    assert_eq!(*second.key(), "b");
    item.end(done());
    let repeat = next(&queue).await;
    assert_eq!((*repeat.key(), repeat.reason()), ("a", &Reason::Mapped("x".into())));
    repeat.end(done());
    second.end(done());
    check_idle(&queue);
}

#[tokio::test(start_paused = true)]
async fn a_failing_key_waits_longer_each_time() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    for (failures, delay) in [(1, 5), (2, 10), (3, 20), (4, 40)] {
        next(&queue).await.end(Verdict::Failed(format!("error {failures}")));
        let failing =
            Failing { key: "a", failures, error: format!("error {failures}"), retry_in: Some(ms(delay)) };
        assert_eq!(queue.status().failing, [failing]);
        let start = Instant::now();
        let item = next(&queue).await;
        assert_eq!(start.elapsed(), ms(delay));
        assert_eq!((item.failures(), item.reason()), (failures, &Reason::Retry { failures }));
        drop(item);
    }
    // An interruption counts as neither success nor failure, and a success resets the failures.
    let item = next(&queue).await;
    assert_eq!((item.failures(), item.reason()), (4, &Reason::Interrupted));
    item.end(done());
    check_idle(&queue);
    queue.add("a", Reason::Changed);
    next(&queue).await.end(Verdict::Failed("anew".into()));
    assert_eq!(queue.status().failing[0].retry_in, Some(ms(5)));
}

#[tokio::test(start_paused = true)]
async fn keys_fail_each_for_itself() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    queue.add("b", Reason::Changed);
    next(&queue).await.end(Verdict::Failed("no".into()));
    next(&queue).await.end(done());
    let actual = turns(&queue, 1).await;
    assert_eq!(actual, [("a", Reason::Retry { failures: 1 }, ms(5))]);
}

#[tokio::test(start_paused = true)]
async fn an_event_does_not_wait_for_the_backoff_and_success_takes_the_retry_back() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    next(&queue).await.end(Verdict::Failed("no".into()));
    queue.add("a", Reason::Changed);
    assert_eq!(turns(&queue, 1).await, [("a", Reason::Changed, ms(0))]);
    check_idle(&queue);
}

#[tokio::test(start_paused = true)]
async fn requeue_forgets_failures() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    next(&queue).await.end(Verdict::Failed("no".into()));
    next(&queue).await.end(Verdict::Requeue(ms(300)));
    assert_eq!(queue.status().failing, []);
    assert_eq!(turns(&queue, 1).await, [("a", Reason::Requeued, ms(300))]);
}

#[tokio::test(start_paused = true)]
async fn requeue_now_is_behind_what_waits() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    queue.add("b", Reason::Changed);
    next(&queue).await.end(Verdict::Requeue(Duration::ZERO));
    assert_eq!(turns(&queue, 2).await.map_keys(), ["b", "a"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_for_later_outlives_an_event() {
    let queue = queue();
    queue.add_after("a", ms(30), Reason::Requeued);
    queue.add("a", Reason::Changed);
    let actual = turns(&queue, 2).await;
    assert_eq!(actual, [("a", Reason::Changed, ms(0)), ("a", Reason::Requeued, ms(30))]);
    check_idle(&queue);
}

/// Requests a key at two times, and compares the remaining one.
async fn check_times(first: (u64, Reason), second: (u64, Reason), expect: (u64, Reason)) {
    let queue = queue();
    for (delay, reason) in [first.clone(), second.clone()] {
        queue.add_after("a", ms(delay), reason);
    }
    assert_eq!(queue.status().delayed, 1, "{first:?} then {second:?}");
    assert_eq!(turns(&queue, 1).await, [("a", expect.1.clone(), ms(expect.0))], "{first:?} then {second:?}");
    check_idle(&queue);
}

#[tokio::test(start_paused = true)]
async fn the_earlier_time_wins_over_all_but_a_forced_turn() {
    let retry = Reason::Retry { failures: 1 };
    check_times((20, Reason::Requeued), (10, retry.clone()), (10, retry.clone())).await;
    check_times((10, Reason::Requeued), (20, retry.clone()), (10, Reason::Requeued)).await;
    check_times((10, Reason::Requeued), (10, retry.clone()), (10, Reason::Requeued)).await;
    check_times((10, Reason::Forced), (20, Reason::Requeued), (20, Reason::Requeued)).await;
    check_times((20, Reason::Forced), (10, Reason::Requeued), (10, Reason::Requeued)).await;
    check_times((20, Reason::Requeued), (10, Reason::Forced), (20, Reason::Requeued)).await;
    check_times((20, Reason::Forced), (10, Reason::Forced), (10, Reason::Forced)).await;
    check_times((10, Reason::Forced), (20, Reason::Forced), (10, Reason::Forced)).await;
}

#[tokio::test(start_paused = true)]
async fn success_may_force_a_turn_later() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    next(&queue).await.end(Verdict::Done { force_after: Some(ms(100)) });
    // Another success restarts the time of the forced turn.
    tokio::time::advance(ms(60)).await;
    queue.add("a", Reason::Changed);
    next(&queue).await.end(Verdict::Done { force_after: Some(ms(100)) });
    assert_eq!(turns(&queue, 1).await, [("a", Reason::Forced, ms(100))]);
    check_idle(&queue);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_dropped_is_not_lost() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    drop(next(&queue).await);
    assert_eq!(turns(&queue, 1).await, [("a", Reason::Interrupted, ms(0))]);
}

#[tokio::test(start_paused = true)]
async fn never_is_too_far_away() {
    let queue = queue();
    queue.add_after("a", Duration::MAX, Reason::Requeued);
    queue.add("b", Reason::Changed);
    next(&queue).await.end(Verdict::Requeue(Duration::MAX));
    check_idle(&queue);
}

#[tokio::test(start_paused = true)]
async fn a_closed_queue_gives_nothing_out() {
    let queue = queue();
    queue.add("a", Reason::Changed);
    let item = next(&queue).await;
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.next().await.is_none() }
    });
    tokio::task::yield_now().await;
    queue.close();
    assert!(waiting.await.expect("no panic"));
    queue.add("b", Reason::Changed);
    assert!(queue.next().await.is_none());
    item.end(Verdict::Failed("late".into()));
    assert_eq!(queue.status().failing.len(), 1);
}

/// Takes turns of one second each, and logs them with their times.
fn taker(
    queue: &Queue<&'static str>,
    taken: &tokio::sync::mpsc::UnboundedSender<(&'static str, Instant)>,
) -> tokio::task::JoinHandle<()> {
    let (queue, sender) = (queue.clone(), taken.clone());
    tokio::spawn(async move {
        while let Some(item) = queue.next().await {
            sender.send((*item.key(), Instant::now())).expect("the test listens");
            tokio::time::sleep(ms(1000)).await;
            item.end(done());
        }
    })
}

#[tokio::test(start_paused = true)]
async fn all_takers_know_the_next_time() {
    let (queue, start) = (queue(), Instant::now());
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let _takers = [taker(&queue, &sender), taker(&queue, &sender)];
    tokio::task::yield_now().await;
    queue.add_after("later", ms(50), Reason::Requeued);
    queue.add_after("sooner", ms(40), Reason::Requeued);
    tokio::task::yield_now().await;
    queue.add("now", Reason::Changed);
    assert_eq!(receiver.recv().await, Some(("now", start)));
    assert_eq!(receiver.recv().await, Some(("sooner", start + ms(40))));
    assert_eq!(receiver.recv().await, Some(("later", start + ms(1000))));
}

#[tokio::test(start_paused = true)]
async fn a_taker_that_is_dropped_while_it_waits_takes_nothing_with_it() {
    for dropped in [0, 1] {
        let (queue, start) = (queue(), Instant::now());
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let takers = [taker(&queue, &sender), taker(&queue, &sender)];
        tokio::task::yield_now().await;
        queue.add_after("a", ms(50), Reason::Requeued);
        tokio::task::yield_now().await;
        takers[dropped].abort();
        let next = tokio::time::timeout(ms(60_000), receiver.recv()).await;
        assert_eq!(next.expect("one is left"), Some(("a", start + ms(50))));
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_while_a_key_rests_is_one_turn() {
    let queue = Queue::with_cooldown(Backoff::default(), ms(100));
    queue.add("a", Reason::Changed);
    assert_eq!(turns(&queue, 1).await, [("a", Reason::Changed, ms(0))]);
    for _ in 0..3 {
        queue.add("a", Reason::Mapped("x".into()));
    }
    queue.add("b", Reason::Changed);
    let expect = QueueStatus { depth: 1, delayed: 1, in_flight: 0, failing: Vec::new() };
    assert_eq!(queue.status(), expect);
    let actual = turns(&queue, 2).await;
    assert_eq!(actual, [("b", Reason::Changed, ms(0)), ("a", Reason::Mapped("x".into()), ms(100))]);
    // No state is kept of a key that has rested.
    tokio::time::sleep(ms(200)).await;
    queue.add("c", Reason::Changed);
    assert_eq!(turns(&queue, 1).await, [("c", Reason::Changed, ms(0))]);
    assert_eq!(queue.0.lock().schedule.known(), 1, "c alone, which rests");
}

/// A key that counts how often it is compared or hashed.
#[derive(Clone)]
struct Counted(u32);

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        LOOKS.set(LOOKS.get() + 1);
        self.0 == other.0
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        LOOKS.set(LOOKS.get() + 1);
        self.0.hash(state);
    }
}

/// Returns how often keys are compared or hashed when `count` of them pass the queue.
///
/// Half of them have a delay.
async fn looks(count: u32) -> u64 {
    LOOKS.set(0);
    let queue = Queue::new(Backoff::default());
    for key in 0..count {
        if key % 2 == 0 {
            queue.add(Counted(key), Reason::Changed);
        } else {
            queue.add_after(Counted(key), ms(u64::from(count - key)), Reason::Requeued);
        }
    }
    for round in 0..2 * count {
        let verdict = if round < count { Verdict::Failed("no".into()) } else { done() };
        next(&queue).await.end(verdict);
    }
    let status = queue.status();
    assert_eq!((status.depth, status.delayed, status.failing.len()), (0, 0, 0));
    LOOKS.get()
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_keys_cost_ten_times_what_ten_thousand_do() {
    let (small, many) = (looks(10_000).await, looks(100_000).await);
    assert!(many < 12 * small, "{small} looks at 10,000 keys, {many} at 100,000");
}
