//! Tests of deadlines, cancellation and pending dependencies.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::*;
use crate::system::LocalSystem;

fn context() -> Context {
    Context::new(Arc::new(LocalSystem::new()), RunId::new("run"), RunMode::Plan)
}

/// Asserts the result of `check_cancelled`.
fn check(cx: &Context, expect: Result<(), &str>) {
    let actual = cx.check_cancelled().map_err(|error| error.to_string());
    assert_eq!(actual.as_ref().copied().map_err(String::as_str), expect);
}

#[test]
fn a_context_says_which_run_it_is_of() {
    let cx = context();
    assert_eq!((cx.run().as_str(), cx.mode(), cx.remaining()), ("run", RunMode::Plan, None));
    assert_eq!(cx.clone().with_deadline(Instant::now()).started(), cx.started());
    check(&cx, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn the_earlier_deadline_counts() {
    let start = Instant::now();
    let instant_after = |seconds| start + Duration::from_secs(seconds);
    for (first, second) in [(5, 9), (9, 5)] {
        let cx = context().with_deadline(instant_after(first)).with_deadline(instant_after(second));
        assert_eq!(cx.remaining(), Some(Duration::from_secs(5)), "{first}, then {second}");
        check(&cx, Ok(()));
    }
    let cx = context().with_deadline(instant_after(5));
    tokio::time::advance(Duration::from_secs(7)).await;
    assert_eq!(cx.remaining(), Some(Duration::ZERO));
    check(&cx, Err("the deadline passed 2s ago"));
}

#[test]
fn cancelling_reaches_every_copy() {
    let token = CancellationToken::new();
    let cx = context().with_cancellation(token.clone());
    let copy = cx.clone();
    check(&copy, Ok(()));
    token.cancel();
    check(&cx, Err("cancelled"));
    check(&copy, Err("cancelled"));
}

#[test]
fn what_is_pending_is_asked_for_once_and_only_when_wanted() {
    assert!(context().pending().is_empty());
    let node = NodeId::root().child("task.a");
    assert_eq!(context().with_pending([node.clone()]).pending(), std::slice::from_ref(&node));
    let calls = Arc::new(std::sync::atomic::AtomicU8::new(0));
    let counter = Arc::clone(&calls);
    let cx = context().with_lazy_pending(Pending::lazy(move || {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        [node].into()
    }));
    let count = || calls.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(count(), 0);
    assert_eq!((cx.clone().pending().len(), cx.pending().len()), (1, 1));
    assert_eq!(count(), 1);
}
