//! Tests with several servers.

use std::time::Duration;

use tokio::time::sleep;

use super::stage::{Stage, settle};
use super::*;
use crate::runtime::demo::Artist;
use crate::runtime::{Action, Controller, Phase, Request, RunError, Runtime};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Returns a controller that logs the server on which it reconciles.
fn on_server(stage: &Stage, server: &'static str, placement: Placement) -> Definition {
    let log = stage.log.clone();
    Controller::<Artist>::new("artists").placement(placement).reconcile(move |_, request: Request<Artist>| {
        log.say(format!("{server} {}", request.id().name));
        async { Ok::<_, RunError>(Action::await_change()) }
    })
}

#[tokio::test(start_paused = true)]
async fn a_singleton_runs_on_one_server_and_moves_to_the_next() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let first = stage.run([on_server(&stage, "one", Placement::Singleton)]);
    settle().await;
    let two = stage.run([on_server(&stage, "two", Placement::Singleton)]);
    assert_eq!(stage.log.settled().await, ["one korn"]);
    assert_eq!(two.status().supervisor.phase, Phase::Waiting);
    first.stop().await;
    assert_eq!(stage.log.settled().await, ["two korn"]);
    assert_eq!(two.status().supervisor.phase, Phase::Running);
}

#[tokio::test(start_paused = true)]
async fn on_each_server_all_run() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let _servers = ["one", "two"].map(|server| stage.run([on_server(&stage, server, Placement::EachServer)]));
    let mut entries = stage.log.settled().await;
    entries.sort();
    assert_eq!(entries, ["one korn", "two korn"]);
}

#[tokio::test(start_paused = true)]
async fn other_names_are_other_leases() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let controller = |name: &'static str| Controller::<Artist>::new(name).reconcile(stage.logging());
    let _servers = [stage.run([controller("one")]), stage.run([controller("two")])];
    assert_eq!(stage.log.settled().await, ["korn", "korn"]);
}

/// Returns a controller whose reconciles take ten seconds, long enough to lose the lease within one.
fn slow(stage: &Stage, server: &'static str) -> Definition {
    let log = stage.log.clone();
    Controller::<Artist>::new("artists").reconcile(move |_: Runtime, _: Request<Artist>| {
        let log = log.clone();
        async move {
            log.say(format!("{server} begins"));
            let cancelled = Cancelled(log.clone(), server);
            sleep(ms(10_000)).await;
            std::mem::forget(cancelled);
            log.say(format!("{server} ends"));
            Ok::<_, RunError>(Action::await_change())
        }
    })
}

/// Logs a message when it is dropped.
struct Cancelled(super::stage::Log, &'static str);

impl Drop for Cancelled {
    fn drop(&mut self) {
        self.0.say(format!("{} is cancelled", self.1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_loss_of_a_lease_cancels_what_goes_on() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let first = stage.run([slow(&stage, "one")]);
    settle().await;
    let _two = stage.run([slow(&stage, "two")]);
    sleep(ms(5000)).await;
    let name: LeaseName = "artists".parse().expect("a name");
    stage.store.leases().revoke(&name);
    assert_eq!(stage.log.settled().await, ["one begins", "one is cancelled", "two begins"]);
    assert_eq!(first.status().supervisor.phase, Phase::Waiting);
    // It gets the lease when the lease is available again.
    sleep(ms(10_000)).await;
    assert_eq!(stage.log.settled().await, ["two ends"]);
    stage.store.leases().revoke(&name);
    assert_eq!(stage.log.settled().await, ["one begins"]);
    assert_eq!(first.status().supervisor.last_error, None);
}

#[tokio::test(start_paused = true)]
async fn what_was_begun_before_the_loss_of_a_lease_writes_nothing() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let log = stage.log.clone();
    // A task that a reconcile spawns is not cancelled with it, because the runtime does not know the task.
    let reconcile = move |runtime: Runtime, request: Request<Artist>| {
        let log = log.clone();
        async move {
            let artist = runtime.client.read(request.id(), crate::storage::Consistency::Strong).await?;
            let attempt = log.clone();
            tokio::spawn(async move {
                attempt.say("begins");
                sleep(ms(1000)).await;
                let mut late = crate::Resource::clone(&artist);
                late.version = None;
                late.metadata.set("written", "late").expect("a note");
                match runtime.client.write(late).await {
                    Ok(_) => attempt.say("written"),
                    Err(error) => attempt.say(error.kind_name()),
                }
            });
            Ok::<_, RunError>(Action::await_change())
        }
    };
    let _one = stage.run([Controller::<Artist>::new("artists").reconcile(reconcile)]);
    settle().await;
    let before = stage.read::<Artist>("korn").await;
    // There is no other candidate, so the same server gets the lease again, as a new holding.
    stage.store.leases().revoke(&"artists".parse().expect("a name"));
    settle().await;
    sleep(ms(999)).await;
    // The successful write triggers one more reconcile.
    let entries = stage.log.settled().await;
    assert_eq!(entries, ["begins", "begins", "FailedPrecondition", "written", "begins"]);
    assert_ne!(stage.read::<Artist>("korn").await, before);
}

trait KindName {
    fn kind_name(&self) -> String;
}

impl KindName for crate::service::ServiceError {
    fn kind_name(&self) -> String {
        format!("{:?}", self.kind())
    }
}
