//! Tests with stores whose watches fail.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::sleep;

use super::stage::{Running, Stage, settle};
use super::*;
use crate::Kind;
use crate::registry::StoredResource;
use crate::runtime::demo::{Album, Artist, client};
use crate::runtime::{Controller, Phase, map};
use crate::storage::{Query, Unavailable};
use crate::testing::overseen::{Oversee, Overseen};

/// A store that refuses the watches of some kinds for now.
#[derive(Default)]
struct Outage {
    kinds: Mutex<BTreeSet<Kind>>,
    /// The number of refused watches.
    refused: Mutex<usize>,
}

impl Oversee for Outage {
    fn watch(&self, query: &Query) -> Result<(), Unavailable> {
        if self.kinds.lock().expect("nobody panics").contains(&query.kind) {
            *self.refused.lock().expect("nobody panics") += 1;
            return Err(Unavailable::new("the store is away"));
        }
        Ok(())
    }
}

impl Outage {
    fn set<T: StoredResource>(&self, unavailable: bool) {
        let kind = T::resource_type().kind.clone();
        let mut kinds = self.kinds.lock().expect("nobody panics");
        if unavailable {
            kinds.insert(kind)
        } else {
            kinds.remove(&kind)
        };
    }
}

fn stage() -> (Stage, Arc<Overseen<Outage>>) {
    let outage = Arc::new(Overseen::<Outage>::default());
    (Stage { client: client(outage.clone()), ..Stage::new() }, outage)
}

fn albums(stage: &Stage) -> Definition {
    Controller::<Album>::new("albums").watch::<Artist>(map::all()).reconcile(stage.logging())
}

fn restarts(running: &Running) -> u64 {
    running.status().supervisor.restarts
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_is_asked_again() {
    let (stage, outage) = stage();
    stage.write("debut", Album::default()).await;
    outage.by.set::<Album>(true);
    let running = stage.run([albums(&stage)]);
    sleep(Duration::from_mins(10)).await;
    assert!(stage.log.settled().await.is_empty());
    let refused = *outage.by.refused.lock().expect("nobody panics");
    assert!((10..20).contains(&refused), "it was asked {refused} times in ten minutes");
    outage.by.set::<Album>(false);
    sleep(Duration::from_secs(75)).await;
    assert_eq!(stage.log.settled().await, ["debut"]);
    assert_eq!((running.status().supervisor.phase, restarts(&running)), (Phase::Running, 0));
}

#[tokio::test(start_paused = true)]
async fn one_type_that_is_told_twice_does_not_stand_for_another() {
    let (stage, outage) = stage();
    stage.write("debut", Album::default()).await;
    outage.by.set::<Artist>(true);
    let _running = stage.run([albums(&stage)]);
    for _ in 0..3 {
        settle().await;
        outage.store.restore(outage.store.snapshot());
        sleep(Duration::from_secs(5)).await;
    }
    assert!(stage.log.settled().await.is_empty(), "the artists are not known yet");
    outage.by.set::<Artist>(false);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(stage.log.settled().await, ["debut"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_known_stays_known_while_the_store_is_away() {
    let (stage, outage) = stage();
    stage.write("bjork", Artist::default()).await;
    stage.write("debut", Album::default()).await;
    let running = stage.run([albums(&stage)]);
    assert_eq!(stage.log.settled().await, ["debut"]);
    outage.by.set::<Artist>(true);
    let resources_left = outage
        .store
        .snapshot()
        .into_iter()
        .filter(|resource| resource.id.resource_type.kind.as_str() != "Artist");
    outage.store.restore(resources_left.collect::<Vec<_>>());
    sleep(Duration::from_mins(1)).await;
    let artists = |running: &Running| running.status().run.expect("it runs").cache[1].resources;
    assert_eq!(artists(&running), 1);
    outage.by.set::<Artist>(false);
    sleep(Duration::from_mins(2)).await;
    // The artist was deleted meanwhile, which affects all albums.
    assert_eq!(artists(&running), 0);
    assert_eq!(stage.log.settled().await, ["debut"]);
    assert_eq!(restarts(&running), 0);
}
