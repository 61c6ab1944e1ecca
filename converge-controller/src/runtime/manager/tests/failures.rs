//! Tests of the begin, failure and end of runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use super::stage::{Stage, settle};
use super::*;
use crate::runtime::demo::Artist;
use crate::runtime::{Action, Controller, Phase, Request, RunError, Runtime};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[tokio::test(start_paused = true)]
async fn a_run_begins_and_ends_in_order() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let [initialized, started, stopped] = [(); 3].map(|()| stage.log.clone());
    let controller = Controller::<Artist>::new("artists")
        .initialize(move |runtime: Runtime| {
            initialized.say(format!("initialize {}", runtime.controller()));
            async { Ok::<_, RunError>(()) }
        })
        .on_start(move |runtime| started.say(format!("start {:?}", runtime.cache)))
        .on_stop(move |runtime| stopped.say(format!("stop {:?}", runtime.cache)))
        .reconcile(stage.logging());
    let running = stage.run([controller]);
    assert_eq!(stage.log.settled().await, ["initialize artists", "start {\"demo.v2.Artist\": 0}", "korn"]);
    running.stop().await;
    assert_eq!(stage.log.settled().await, ["stop {\"demo.v2.Artist\": 1}"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_the_initializer_succeeds() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let (log, calls) = (stage.log.clone(), AtomicUsize::new(0));
    let controller = Controller::<Artist>::new("artists")
        .initialize(move |_| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            log.say(format!("initialize {call}"));
            async move {
                match call {
                    0 => Err(RunError::from("not yet")),
                    1 => panic!("worse"),
                    _ => Ok(()),
                }
            }
        })
        .reconcile(stage.logging());
    let running = stage.run([controller]);
    assert_eq!(stage.log.settled().await, ["initialize 0"]);
    let supervisor = running.status().supervisor;
    assert_eq!((supervisor.phase, supervisor.last_error.as_deref()), (Phase::Restarting, Some("not yet")));
    assert!(supervisor.restart_in.is_some_and(|wait| wait > ms(450) && wait < ms(626)));
    sleep(ms(626)).await;
    assert_eq!(stage.log.settled().await, ["initialize 1"]);
    sleep(ms(1251)).await;
    assert_eq!(stage.log.settled().await, ["initialize 2", "korn"]);
    let supervisor = running.status().supervisor;
    assert_eq!((supervisor.phase, supervisor.restarts), (Phase::Running, 2));
}

#[tokio::test(start_paused = true)]
async fn one_controller_that_fails_leaves_the_others_alone() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let failing = Controller::<Artist>::new("failing")
        .initialize(|_| async { Err(RunError::from("never")) })
        .reconcile(stage.logging());
    let running = stage.run([failing, Controller::<Artist>::new("artists").reconcile(stage.logging())]);
    sleep(Duration::from_mins(10)).await;
    assert_eq!(stage.log.settled().await, ["korn"]);
    let restarts = running.handle.status()[0].supervisor.restarts;
    assert!((10..20).contains(&restarts), "{restarts} restarts in ten minutes");
    assert_eq!(running.stop().await, ms(0));
}

/// Returns a controller whose reconciles take this long.
fn slow(stage: &Stage, duration: Duration, grace: Duration) -> Definition {
    let log = stage.log.clone();
    Controller::<Artist>::new("artists").grace(grace).reconcile(
        move |_: Runtime, request: Request<Artist>| {
            let log = log.clone();
            async move {
                log.say(format!("{} begins", request.id().name));
                sleep(duration).await;
                log.say(format!("{} ends", request.id().name));
                Ok::<_, RunError>(Action::await_change())
            }
        },
    )
}

#[tokio::test(start_paused = true)]
async fn stopping_lets_reconciles_end_and_begins_none() {
    let stage = Stage::new();
    stage.write("a", Artist::default()).await;
    stage.write("b", Artist::default()).await;
    let running = stage.run([slow(&stage, ms(500), ms(1000))]);
    sleep(ms(100)).await;
    let handle = running.handle.clone();
    assert_eq!(running.stop().await, ms(400));
    assert_eq!(stage.log.settled().await, ["a begins", "a ends"]);
    let status = handle.status().remove(0);
    assert_eq!((status.supervisor.phase, status.run, status.reconciles.succeeded), (Phase::Stopped, None, 1));
}

#[tokio::test(start_paused = true)]
async fn stopping_does_not_wait_for_ever() {
    let stage = Stage::new();
    stage.write("a", Artist::default()).await;
    let running = stage.run([slow(&stage, Duration::from_hours(1), ms(1000))]);
    settle().await;
    assert_eq!(running.stop().await, ms(1000));
    assert_eq!(stage.log.settled().await, ["a begins"]);
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_an_initializer() {
    let stage = Stage::new();
    let controller = Controller::<Artist>::new("artists")
        .initialize(|_| async {
            std::future::pending::<()>().await;
            Ok::<_, RunError>(())
        })
        .reconcile(stage.logging());
    let running = stage.run([controller]);
    settle().await;
    assert_eq!(running.stop().await, ms(0));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_what_is_told_of_the_start_fails_the_run() {
    let stage = Stage::new();
    let controller = Controller::<Artist>::new("artists")
        .on_start(|_| panic!("cannot start"))
        .on_stop(|_| panic!("cannot stop"))
        .reconcile(stage.logging());
    let running = stage.run([controller]);
    settle().await;
    let supervisor = running.status().supervisor;
    assert_eq!(supervisor.phase, Phase::Restarting);
    assert!(supervisor.last_error.is_some_and(|error| error.ends_with("cannot start")));
    running.stop().await;
}
