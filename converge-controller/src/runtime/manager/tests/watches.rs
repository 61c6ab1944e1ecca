//! Tests of the triggers of reconciles.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::stage::{Log, Running, Stage, settle};
use super::*;
use crate::registry::Typed;
use crate::resource::{Condition, ConditionState, Resource, StatusKey};
use crate::runtime::demo::{Album, Artist, Playlist, id, reference, resource};
use crate::runtime::{
    Action, Controller, IdPrefix, Index, Phase, Predicate, Request, RunError, Runtime, by_id, map,
    update_status,
};
use crate::{Reference, Status};

/// An empty stream.
pub(super) struct Ticks;

impl Stream for Ticks {
    type Item = ();

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<()>> {
        Poll::Ready(None)
    }
}

/// A stream of numbers from a channel.
struct Numbers(mpsc::UnboundedReceiver<u32>);

impl Stream for Numbers {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<u32>> {
        self.0.poll_recv(cx)
    }
}

fn artists(stage: &Stage) -> Definition {
    Controller::<Artist>::new("artists").reconcile(stage.logging())
}

#[tokio::test(start_paused = true)]
async fn what_is_there_and_what_changes_is_reconciled() {
    let stage = Stage::new();
    stage.write("korn", Artist::default()).await;
    let running = stage.run([artists(&stage)]);
    assert_eq!(stage.log.settled().await, ["korn"]);
    stage.write("korn", Artist { genre: "metal".into() }).await;
    assert_eq!(stage.log.settled().await, ["korn"]);
    stage.write("bjork", Artist::default()).await;
    stage.delete::<Artist>("korn").await;
    assert_eq!(stage.log.settled().await, ["bjork", "korn is gone"]);
    running.stop().await;
    stage.write("late", Artist::default()).await;
    assert!(stage.log.settled().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn statuses_do_not_wake_who_writes_them() {
    let stage = Stage::new();
    let key: StatusKey = "artists".parse().expect("a key");
    let (log, status_key) = (stage.log.clone(), key.clone());
    let report = move |runtime: Runtime, request: Request<Artist>| {
        let (log, key) = (log.clone(), status_key.clone());
        async move {
            let artist = runtime.client.read(request.id(), crate::storage::Consistency::Strong).await?;
            let condition = Condition::new("accepted", ConditionState::True);
            let status = Status::new(artist.generation.expect("it is stored"), [condition]);
            let artist_after = update_status(&runtime, &artist, &key, status).await?;
            log.say(if artist_after.version == artist.version { "same" } else { "written" });
            Ok::<_, RunError>(Action::await_change())
        }
    };
    let reporting = |predicate: Option<Predicate>| {
        let controller = Controller::<Artist>::new("artists");
        let controller = match predicate {
            Some(predicate) => controller.when(predicate),
            None => controller,
        };
        controller.reconcile(report.clone())
    };
    let running = stage.run([reporting(None)]);
    stage.write("korn", Artist::default()).await;
    assert_eq!(stage.log.settled().await, ["written"]);
    let status = stage.read::<Artist>("korn").await.expect("it is there").status[&key].clone();
    assert!(status.updated_at.is_some());
    running.stop().await;

    // With statuses as triggers, the second write is skipped as unchanged, so the controller comes to rest as
    // well.
    stage.delete::<Artist>("korn").await;
    let running = stage.run([reporting(Some(Predicate::any()))]);
    stage.write("korn", Artist::default()).await;
    assert_eq!(stage.log.settled().await, ["written", "same"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn metadata_matter() {
    let stage = Stage::new();
    let _running = stage.run([artists(&stage)]);
    let korn = stage.write("korn", Artist::default()).await;
    stage.log.settled().await;
    let mut noted = Resource::clone(&korn);
    noted.metadata.set("team", "web").expect("a note");
    stage.client.write(noted).await.expect("it is written");
    assert_eq!(stage.log.settled().await, ["korn"]);
}

const BY_ARTIST: Index<Album, Reference> = Index::many("artist", |album| album.artists.clone());
const BY_SELECTION: Index<Playlist, IdPrefix> = Index::one("selection", |playlist| {
    let tenancy = &playlist.resource.id.tenancy;
    Some(IdPrefix::names(
        <Album as crate::registry::StoredResource>::resource_type(),
        tenancy,
        &playlist.albums_from,
    ))
});

#[tokio::test(start_paused = true)]
async fn watched_types_are_mapped() {
    let stage = Stage::new();
    let albums = Controller::<Album>::new("albums")
        .watch::<Artist>(map::list(&BY_ARTIST))
        .index(&BY_ARTIST)
        .reconcile(stage.logging());
    let playlists = Controller::<Playlist>::new("playlists")
        .watch::<Album>(map::parents(&BY_SELECTION))
        .index(&BY_SELECTION)
        .reconcile(stage.logging());
    let _running = stage.run([albums, playlists]);
    let album_by = |name| Album { artists: vec![reference::<Artist>(name)], ..Album::default() };
    stage.write("issues", album_by("korn")).await;
    stage.write("debut", album_by("bjork")).await;
    stage.write("from-i", Playlist { albums_from: "i".into(), ..Playlist::default() }).await;
    assert_eq!(stage.log.settled().await, ["debut", "issues", "from-i"]);
    stage.write("korn", Artist::default()).await;
    assert_eq!(stage.log.settled().await, ["issues"]);
    stage.write("ism", album_by("nobody")).await;
    let mut entries = stage.log.settled().await;
    entries.sort();
    assert_eq!(entries, ["from-i", "ism"]);
    stage.delete::<Artist>("korn").await;
    assert_eq!(stage.log.settled().await, ["issues"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_all_types_are_known() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.write(name, Artist::default()).await;
        stage.write(name, Album::default()).await;
    }
    let log = stage.log.clone();
    let counting = move |runtime: Runtime, request: Request<Album>| {
        let artists = runtime.cache.count(&id::<Artist>("x").resource_type);
        let albums = runtime.cache.count(&request.id().resource_type);
        log.say(format!("{} of {artists} and {albums}", request.id().name));
        async { Ok::<_, RunError>(Action::await_change()) }
    };
    let nowhere = map::with(|_, _| async { Ok::<_, map::MapError>(None) });
    let _running = stage.run([Controller::new("albums").watch::<Artist>(nowhere).reconcile(counting)]);
    assert_eq!(stage.log.settled().await, ["a of 3 and 3", "b of 3 and 3", "c of 3 and 3"]);
}

#[tokio::test(start_paused = true)]
async fn a_mapper_may_name_what_is_not_there_and_is_asked_again_when_it_fails() {
    let stage = Stage::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let (counted, log) = (Arc::clone(&calls), stage.log.clone());
    let flaky = map::with(move |_, artist: Typed<Artist>| {
        let call = counted.fetch_add(1, Ordering::SeqCst);
        log.say(format!("mapping {}", artist.resource.id.name));
        async move {
            let ghost: Request<Album> = id::<Album>("ghost").try_into()?;
            match call {
                0 => Err(map::MapError::from("not now")),
                1 => panic!("even less"),
                _ => Ok(vec![ghost]),
            }
        }
    });
    let running =
        stage.run([Controller::<Album>::new("albums").watch::<Artist>(flaky).reconcile(stage.logging())]);
    stage.write("korn", Artist::default()).await;
    assert_eq!(stage.log.settled().await, ["mapping korn"]);
    let feed = |running: &Running| running.status().run.expect("it runs").feeds.remove(0);
    let source = feed(&running);
    assert_eq!(source.source, "demo.v2.Artist");
    assert_eq!(source.queue.failing[0].key, "demo.v2.Artist/default/default/korn");
    assert_eq!(source.queue.failing[0].error, "not now");
    sleep(Duration::from_millis(5)).await;
    assert_eq!(stage.log.settled().await, ["mapping korn"]);
    assert_eq!(feed(&running).queue.failing[0].failures, 2);
    assert!(feed(&running).queue.failing[0].error.ends_with("even less"));
    sleep(Duration::from_millis(10)).await;
    assert_eq!(stage.log.settled().await, ["mapping korn", "ghost is gone"]);
    assert!(feed(&running).queue.failing.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_mapper_sees_the_newest_state_and_the_last_one_of_what_is_gone() {
    let stage = Stage::new();
    let log = stage.log.clone();
    let slow = map::with(move |_, artist: Typed<Artist>| {
        let log = log.clone();
        async move {
            log.say(artist.genre.clone());
            sleep(Duration::from_millis(10)).await;
            Ok::<_, map::MapError>(None)
        }
    });
    let _running =
        stage.run([Controller::<Album>::new("albums").watch::<Artist>(slow).reconcile(stage.logging())]);
    for genre in ["one", "two", "three", "four"] {
        stage.write("korn", Artist { genre: genre.into() }).await;
        if genre == "one" {
            settle().await;
        }
    }
    sleep(Duration::from_millis(20)).await;
    assert_eq!(stage.log.settled().await, ["one", "four"]);
    stage.delete::<Artist>("korn").await;
    assert_eq!(stage.log.settled().await, ["four"]);
}

#[tokio::test(start_paused = true)]
async fn streams_are_mapped_and_may_end() {
    let stage = Stage::new();
    let (events, receiver) = mpsc::unbounded_channel();
    let receiver = Mutex::new(Some(receiver));
    let open = move || {
        let receiver = receiver.lock().expect("nobody panics here").take();
        Numbers(receiver.expect("it is opened once"))
    };
    let log = stage.log.clone();
    let map = move |_: Runtime, number: u32| {
        let log = log.clone();
        async move {
            log.say(format!("event {number}"));
            sleep(Duration::from_millis(10)).await;
            Ok::<_, RunError>([Request::<Artist>::try_from(id::<Artist>(&format!("artist-{number}")))?])
        }
    };
    let controller = Controller::new("artists").watch_stream("numbers", open, map).reconcile(stage.logging());
    let running = stage.run([controller]);
    settle().await;
    for number in [1, 2, 2, 3, 2] {
        events.send(number).expect("somebody listens");
    }
    sleep(Duration::from_millis(50)).await;
    let expect =
        ["event 1", "artist-1 is gone", "event 2", "artist-2 is gone", "event 3", "artist-3 is gone"];
    let mut entries = stage.log.settled().await;
    entries.sort();
    let mut expect = expect.map(str::to_owned).to_vec();
    expect.sort();
    assert_eq!(entries, expect);

    drop(events);
    stage.write("korn", Artist::default()).await;
    assert_eq!(stage.log.settled().await, ["korn"]);
    assert_eq!(running.status().supervisor.phase, Phase::Running);
    assert_eq!(running.status().supervisor.restarts, 0);
}

/// Returns a controller that logs the names in its cache when it reconciles.
fn with_names(log: Log) -> Definition {
    Controller::<Artist>::new("artists").reconcile(move |runtime: Runtime, request: Request<Artist>| {
        let prefix = IdPrefix::of_type(&request.id().resource_type);
        let names = runtime.cache.list(&by_id::<Artist>(), &prefix).expect("the cache answers");
        let names: Vec<String> = names.iter().map(|artist| artist.resource.id.name.to_string()).collect();
        log.say(format!("{} of {}", request.id().name, names.join("+")));
        async { Ok::<_, RunError>(Action::await_change()) }
    })
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_closed_begins_anew_without_ghosts() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.write(name, Artist::default()).await;
    }
    let running = stage.run([with_names(stage.log.clone())]);
    assert_eq!(stage.log.settled().await, ["a of a+b+c", "b of a+b+c", "c of a+b+c"]);

    // `b` is deleted while there is no watch, `d` is new, and the others are unchanged.
    let mut snapshot = stage.store.snapshot();
    snapshot.retain(|resource| resource.id.name.as_str() != "b");
    let mut new = resource("d", Artist::default());
    new.id = new.id.with_uid(crate::Uid::from_bits(7));
    new.version = Some(1_000.into());
    snapshot.push(Arc::new(new));
    stage.store.restore(snapshot);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.log.settled().await, ["b of a+c+d", "d of a+c+d"]);
    assert_eq!(running.status().supervisor.restarts, 0);

    // The new watch delivers changes.
    stage.delete::<Artist>("a").await;
    assert_eq!(stage.log.settled().await, ["a of c+d"]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_reconciler_does_not_close_the_watch() {
    let stage = Stage::new();
    let log = stage.log.clone();
    let slow = move |_: Runtime, request: Request<Artist>| {
        let log = log.clone();
        async move {
            sleep(Duration::from_secs(10)).await;
            log.say(request.id().name.to_string());
            Ok::<_, RunError>(Action::await_change())
        }
    };
    let _running = stage.run([Controller::new("artists").reconcile(slow)]);
    stage.write("korn", Artist::default()).await;
    settle().await;
    // These are more events than a watch buffers.
    for number in 0..3000 {
        stage.write("korn", Artist { genre: number.to_string() }).await;
    }
    sleep(Duration::from_mins(1)).await;
    assert_eq!(stage.log.settled().await, ["korn", "korn"]);
}
