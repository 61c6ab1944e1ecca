//! Tests of when and how often a resource is reconciled.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::stage::{Stage, settle};
use super::*;
use crate::runtime::demo::{Artist, resource, stored};
use crate::runtime::{Action, Controller, Reason, Request, RunError, Runtime};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

const HOUR: Duration = Duration::from_hours(1);

/// Returns a controller whose reconciles of `korn` follow a script, and that logs when they begin.
fn scripted(
    stage: &Stage,
    script: impl Fn(usize) -> Result<Action, RunError> + Send + Sync + 'static,
) -> Controlling {
    let (log, calls) = (stage.log.clone(), AtomicUsize::new(0));
    let began = Instant::now();
    let reconcile = move |_: Runtime, _: Request<Artist>| {
        log.say(format!("{:?}", began.elapsed()));
        let result = script(calls.fetch_add(1, Ordering::SeqCst));
        async move { result }
    };
    Controlling {
        controller: Controller::new("artists"),
        reconcile: Box::new(move |r, q| Box::pin(reconcile(r, q))),
    }
}

type Reconcile = Box<
    dyn Fn(
            Runtime,
            Request<Artist>,
        ) -> std::pin::Pin<Box<dyn Future<Output = Result<Action, RunError>> + Send>>
        + Send
        + Sync,
>;

struct Controlling {
    controller: Controller<Artist>,
    reconcile: Reconcile,
}

impl Controlling {
    fn with(self, change: impl FnOnce(Controller<Artist>) -> Controller<Artist>) -> Self {
        Self { controller: change(self.controller), ..self }
    }

    fn definition(self) -> Definition {
        self.controller.reconcile(self.reconcile)
    }
}

#[tokio::test(start_paused = true)]
async fn errors_and_panics_wait_longer_each_time() {
    let stage = Stage::new();
    let script = |call| match call {
        0 => Err("the first error".into()),
        1 => panic!("the second"),
        2 => Err("the third".into()),
        _ => Ok(Action::await_change()),
    };
    let running = stage.run([scripted(&stage, script).definition()]);
    stage.write("korn", Artist::default()).await;
    settle().await;
    let status = running.status();
    assert_eq!((status.reconciles.failed, status.reconciles.panicked), (1, 0));
    assert_eq!(status.last_error.expect("an error").error, "the first error");
    sleep(ms(6)).await;
    assert!(running.status().last_error.expect("an error").error.ends_with(": the second"));
    sleep(ms(100)).await;
    assert_eq!(stage.log.settled().await, ["0ns", "5ms", "15ms", "35ms"]);
    let status = running.status();
    let reconciles = status.reconciles;
    assert_eq!((reconciles.failed, reconciles.panicked, reconciles.succeeded), (2, 1, 1));
    assert!(status.run.expect("it runs").queue.failing.is_empty());
    assert_eq!(status.supervisor.restarts, 0);
}

#[tokio::test(start_paused = true)]
async fn the_backoff_is_that_of_the_controller() {
    let stage = Stage::new();
    let controlling = scripted(&stage, |_| Err("never".into()));
    let _running = stage.run([controlling.with(|c| c.backoff(ms(100)..=ms(300))).definition()]);
    stage.write("korn", Artist::default()).await;
    sleep(ms(1000)).await;
    assert_eq!(stage.log.settled().await, ["0ns", "100ms", "300ms", "600ms", "900ms"]);
}

#[tokio::test(start_paused = true)]
async fn requeue_is_no_error() {
    let stage = Stage::new();
    let script = |call| match call {
        0 => Ok(Action::requeue(ms(40))),
        1 => Err("once".into()),
        2 => Ok(Action::requeue_now()),
        3 => Err("again".into()),
        _ => Ok(Action::await_change()),
    };
    let running = stage.run([scripted(&stage, script).definition()]);
    stage.write("korn", Artist::default()).await;
    sleep(ms(200)).await;
    // The first failure after a requeue has the base delay again.
    assert_eq!(stage.log.settled().await, ["0ns", "40ms", "45ms", "45ms", "50ms"]);
    assert_eq!(running.status().reconciles.requeued, 2);
}

#[tokio::test(start_paused = true)]
async fn a_success_is_forced_again_in_six_to_eight_hours() {
    let stage = Stage::new();
    let running = stage.run([scripted(&stage, |_| Ok(Action::await_change())).definition()]);
    stage.write("korn", Artist::default()).await;
    sleep(HOUR * 6).await;
    assert_eq!(stage.log.settled().await.len(), 1);
    sleep(HOUR * 2).await;
    assert_eq!(stage.log.settled().await.len(), 1);
    // A deleted resource is not reconciled any more.
    stage.delete::<Artist>("korn").await;
    assert_eq!(stage.log.settled().await.len(), 1);
    sleep(HOUR * 24).await;
    assert!(stage.log.settled().await.is_empty());
    assert_eq!(running.status().run.expect("it runs").queue.delayed, 0);
}

#[tokio::test(start_paused = true)]
async fn what_went_before_its_forced_turn_is_left_out() {
    let stage = Stage::new();
    // The resource exists when it is reconciled, and its deletion is reported during the reconcile.
    let (store, artist_id) = (stage.client.clone(), crate::runtime::demo::id::<Artist>("korn"));
    let log = stage.log.clone();
    let reconcile = move |_: Runtime, _: Request<Artist>| {
        let (store, artist_id, log) = (store.clone(), artist_id.clone(), log.clone());
        async move {
            log.say("turn");
            store.delete(&artist_id, None).await?;
            settle().await;
            Ok::<_, RunError>(Action::await_change())
        }
    };
    let running = stage.run([Controller::new("artists").reconcile(reconcile)]);
    stage.write("korn", Artist::default()).await;
    sleep(HOUR * 24).await;
    // The second reconcile is for the deletion.
    assert_eq!(stage.log.settled().await, ["turn", "turn"]);
    assert_eq!(running.status().run.expect("it runs").queue.delayed, 0);
}

#[tokio::test(start_paused = true)]
async fn forced_turns_can_be_had_sooner_or_never() {
    for (forced_after, expect) in [(Some(HOUR), 24..=30), (None, 1..=1)] {
        let stage = Stage::new();
        let controlling = scripted(&stage, |_| Ok(Action::await_change()));
        let _running = stage.run([controlling.with(|c| c.force_after(forced_after)).definition()]);
        stage.write("korn", Artist::default()).await;
        sleep(HOUR * 24).await;
        let count = stage.log.settled().await.len();
        assert!(expect.contains(&count), "{count} turns with {forced_after:?}");
    }
}

/// A record of the resources that are reconciled at the same time.
#[derive(Default)]
struct Meter {
    now: BTreeMap<String, usize>,
    most: usize,
    most_of_one: usize,
}

#[tokio::test(start_paused = true)]
async fn many_at_once_but_never_two_of_one() {
    for (concurrency, expect) in [(1, 1), (4, 4)] {
        let stage = Stage::new();
        let meter = Arc::new(Mutex::new(Meter::default()));
        let reconcile = |_: Runtime, request: Request<Artist>, meter: Arc<Mutex<Meter>>| async move {
            let name = request.id().name.to_string();
            {
                let mut meter = meter.lock().expect("nobody panics here");
                *meter.now.entry(name.clone()).or_default() += 1;
                meter.most = meter.most.max(meter.now.values().sum());
                meter.most_of_one = meter.most_of_one.max(meter.now[&name]);
            }
            sleep(ms(10)).await;
            *meter.lock().expect("nobody panics here").now.entry(name).or_default() -= 1;
            Ok::<_, RunError>(Action::await_change())
        };
        let controller = Controller::new("artists").concurrency(concurrency);
        let running = stage.run([controller.reconcile_with(Arc::clone(&meter), reconcile)]);
        for round in 0..20 {
            for name in ["a", "b", "c", "d", "e", "f"] {
                stage.write(name, Artist { genre: round.to_string() }).await;
            }
            sleep(ms(3)).await;
        }
        sleep(ms(1000)).await;
        let meter = meter.lock().expect("nobody panics here");
        assert_eq!((meter.most, meter.most_of_one), (expect, 1));
        assert!(running.status().reconciles.succeeded > 6);
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_does_not_hold_up_the_others() {
    let stage = Stage::new();
    let log = stage.log.clone();
    let reconcile = move |_: Runtime, request: Request<Artist>| {
        let name = request.id().name.to_string();
        log.say(name.clone());
        async move { if name == "bad" { Err(RunError::from("bad")) } else { Ok(Action::await_change()) } }
    };
    let _running = stage.run([Controller::new("artists").backoff(HOUR..=HOUR).reconcile(reconcile)]);
    for name in ["bad", "good", "better"] {
        stage.write(name, Artist::default()).await;
    }
    assert_eq!(stage.log.settled().await, ["bad", "better", "good"]);
    stage.write("good", Artist::default()).await;
    assert_eq!(stage.log.settled().await, ["good"]);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_are_each_reconciled_once() {
    const COUNT: usize = 100_000;
    let stage = Stage::new();
    let artists = (0..COUNT).map(|number| {
        let artist = resource(&format!("artist-{number}"), Artist::default());
        Arc::new(stored(artist, number as u128 + 1, 1))
    });
    stage.store.restore(artists);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let reconcile = move |_: Runtime, _: Request<Artist>| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, RunError>(Action::await_change()) }
    };
    let controller = Controller::new("artists").concurrency(8).force_after(None);
    let running = stage.run([controller.reconcile(reconcile)]);
    settle().await;
    assert_eq!(count.load(Ordering::SeqCst), COUNT);
    let run = running.status().run.expect("it runs");
    assert_eq!((run.queue.depth, run.queue.delayed, run.queue.in_flight), (0, 0, 0));
    assert_eq!(run.cache[0].resources, COUNT);
}

#[test]
fn reasons_as_text() {
    let texts = [
        Reason::Changed,
        Reason::Mapped("demo.v2.Artist".into()),
        Reason::Requeued,
        Reason::Retry { failures: 3 },
        Reason::Forced,
        Reason::Interrupted,
    ];
    assert_eq!(
        texts.map(|reason| reason.to_string()),
        [
            "changed",
            "mapped from demo.v2.Artist",
            "requeued",
            "retry after failure 3",
            "forced",
            "interrupted"
        ]
    );
}
