//! Tests with faulty controllers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use super::stage::{Stage, settle};
use super::*;
use crate::Typed;
use crate::runtime::demo::{Album, Artist, id};
use crate::runtime::{Action, Controller, Index, Phase, Predicate, Request, RunError, Runtime, map};

/// The number of panics at each point.
const PANICS: usize = 3;

/// Panics the first few times that it is called.
#[derive(Default)]
struct Fuse(AtomicUsize);

impl Fuse {
    fn burn(&self, place: &str) {
        let call = self.0.fetch_add(1, Ordering::SeqCst);
        assert!(call >= PANICS, "{place} panics");
    }
}

/// An index that panics as long as the title asks for it.
const BY_TITLE: Index<Album, String> = Index::one("title", |album| {
    assert!(album.title != "panic", "the index panics");
    Some(album.title.clone())
});

#[tokio::test(start_paused = true)]
async fn a_controller_that_panics_everywhere_harms_itself_only_and_recovers() {
    let stage = Stage::new();
    let fuses: [Arc<Fuse>; 8] = Default::default();
    let [initialize, start, stop, predicate, mapper, open, stream, reconcile] = fuses.clone();
    let (log, name) = (stage.log.clone(), "everywhere");
    let broken =
        Controller::<Artist>::new(name)
            .initialize(move |_| {
                initialize.burn("initialize");
                async { Ok::<_, RunError>(()) }
            })
            .on_start(move |_| start.burn("start"))
            .on_stop(move |_| stop.burn("stop"))
            .when(Predicate::new(move |_, _| {
                predicate.burn("predicate");
                true
            }))
            .index(&BY_TITLE)
            .watch::<Album>(map::with(move |_: Runtime, album: Typed<Album>| {
                mapper.burn("mapper");
                async move {
                    Ok::<_, RunError>([Request::new(album.id().tenancy.clone(), album.id().name.clone())])
                }
            }))
            .watch_stream(
                "numbers",
                move || {
                    open.burn("open");
                    futures_util::stream::iter([7])
                },
                move |_, _| {
                    stream.burn("stream");
                    async { Ok::<_, RunError>([]) }
                },
            )
            .reconcile(move |_, request: Request<Artist>| {
                reconcile.burn("reconcile");
                log.say(format!("{name} {}", request.id().name));
                async { Ok::<_, RunError>(Action::await_change()) }
            });
    let second = Controller::<Album>::new("other").reconcile(stage.logging());
    let running = stage.run([broken, second]);
    settle().await;
    stage.write("issues", Album { title: "panic".into(), ..Album::default() }).await;
    assert_eq!(stage.log.settled().await, ["issues"]);
    for year in 1993..2001 {
        stage.write("korn", Artist { genre: format!("metal of {year}") }).await;
        sleep(Duration::from_mins(2)).await;
    }
    assert!(stage.log.settled().await.contains(&format!("{name} korn")));
    for status in running.handle.status() {
        assert_eq!(status.supervisor.phase, Phase::Running, "{status:?}");
        assert_eq!(status.run.expect("it runs").queue.failing, []);
    }
    for (place, fuse) in fuses.iter().enumerate().filter(|(place, _)| *place != 2) {
        assert!(fuse.0.load(Ordering::SeqCst) > PANICS, "place {place} has not recovered");
    }
    assert!(running.stop().await < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_mapper_may_name_a_hundred_thousand() {
    let stage = Stage::new();
    let many = map::with(|_: Runtime, _: Typed<Album>| async {
        let tenancy = id::<Artist>("x").tenancy;
        let requests = (0..100_000).map(move |number| {
            Request::<Artist>::new(tenancy.clone(), format!("artist-{number}").parse().expect("a name"))
        });
        Ok::<_, RunError>(requests)
    });
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let controller = Controller::<Artist>::new("artists").watch::<Album>(many).reconcile(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, RunError>(Action::await_change()) }
    });
    let running = stage.run([controller]);
    settle().await;
    stage.write("issues", Album::default()).await;
    settle().await;
    assert_eq!(count.load(Ordering::SeqCst), 100_000);
    // None of the resources exists, so no state is kept about them.
    let queue = running.status().run.expect("it runs").queue;
    assert_eq!((queue.depth, queue.delayed, queue.in_flight), (0, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_manager_that_is_dropped_runs_nothing_any_more_and_says_so() {
    let stage = Stage::new();
    let controller = || Controller::<Artist>::new("artists").reconcile(stage.logging());
    let first = stage.run([controller()]);
    settle().await;
    assert_eq!(first.status().supervisor.phase, Phase::Running);
    first.done.abort();
    settle().await;
    stage.write("korn", Artist::default()).await;
    assert_eq!(stage.log.settled().await, [""; 0]);
    let status = first.handle.status().remove(0);
    assert_eq!((status.supervisor.phase, status.run), (Phase::Stopped, None));
    // The lease is free.
    let second = stage.run([controller()]);
    assert_eq!(stage.log.settled().await, ["korn"]);
    assert_eq!(second.status().supervisor.phase, Phase::Running);
}
