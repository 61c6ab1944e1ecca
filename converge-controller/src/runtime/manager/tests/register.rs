//! Tests of the registration of controllers.

use super::*;
use crate::runtime::demo::{Album, Artist, Playlist};
use crate::runtime::{Action, Controller, Index, RunError, map};

use super::stage::Stage;
use super::watches::Ticks;

async fn nothing<A, B>(_: A, _: B) -> Result<Action, RunError> {
    Ok(Action::await_change())
}

fn albums(name: &str) -> Controller<Album> {
    Controller::<Album>::new(name)
}

#[tokio::test(start_paused = true)]
async fn refusals() {
    #[track_caller]
    fn check(definition: Definition, expect: &str) {
        let mut manager = Manager::new(Stage::new().client, Random::from_seed(1));
        manager.register(albums("albums").reconcile(nothing)).expect("the first");
        let error = manager.register(definition).map_err(|error| error.to_string());
        assert_eq!(error.err().as_deref().unwrap_or_default(), expect);
        assert_eq!(manager.handle().status().len(), 1 + usize::from(expect.is_empty()));
    }
    // Two controllers may manage one type.
    check(albums("more-albums").reconcile(nothing), "");
    check(
        albums("").reconcile(nothing),
        "\"\" is not the name of a controller: it is not empty and has no /",
    );
    check(
        albums("a/b").reconcile(nothing),
        "\"a/b\" is not the name of a controller: it is not empty and has no /",
    );
    check(
        Controller::<Artist>::new("albums").reconcile(nothing),
        "there are two controllers of the name \"albums\", of demo.v2.Album and of demo.v2.Artist",
    );
    check(
        albums("x").watch::<Artist>(map::all()).watch::<Artist>(map::same_name()).reconcile(nothing),
        "controller \"x\" watches demo.v2.Artist twice; the managed type is watched anyway",
    );
    check(
        albums("x").watch::<Album>(map::owner()).reconcile(nothing),
        "controller \"x\" watches demo.v2.Album twice; the managed type is watched anyway",
    );
    let stream = |controller: Controller<Album>| {
        controller.watch_stream("ticks", || Ticks, |_, ()| async { Ok::<_, RunError>(Vec::new()) })
    };
    check(stream(albums("one-stream")).reconcile(nothing), "");
    check(
        stream(stream(albums("x"))).reconcile(nothing),
        "controller \"x\" has two streams of the name \"ticks\"",
    );
    let index: Index<Playlist, String> = Index::one("from", |playlist| Some(playlist.albums_from.clone()));
    check(
        albums("x").index(&index).reconcile(nothing),
        "controller \"x\": index \"from\" is of demo.v2.Playlist, which is neither managed nor watched",
    );
    check(albums("y").index(&index).watch::<Playlist>(map::all()).reconcile(nothing), "");
}

#[tokio::test(start_paused = true)]
async fn a_type_that_the_service_does_not_know_is_refused() {
    use crate::clock::Clock;
    use crate::registry::TypeRegistry;
    use crate::service::Service;

    let store = Arc::new(crate::storage::Memory::new());
    let service = Service::new(store, TypeRegistry::new(), Clock::machine(), Random::from_seed(1));
    let mut manager = Manager::new(
        service.expect("no type twice").client(crate::authorize::Caller::system()),
        Random::from_seed(1),
    );
    let error = manager.register(albums("albums").reconcile(nothing)).expect_err("an unknown type");
    assert_eq!(error.to_string(), "controller \"albums\" watches demo.v2.Album, which is not registered");
}

#[test]
fn a_controller_as_text() {
    use std::time::Duration;
    let albums = albums("albums")
        .watch::<Artist>(map::all())
        .watch::<Playlist>(map::all())
        .backoff(Duration::from_millis(10)..=Duration::from_mins(1))
        .placement(Placement::EachServer);
    assert_eq!(
        albums.reconcile(nothing).to_string(),
        "<Controller managed_type=demo.v2.Album, watched_types=[demo.v2.Artist, demo.v2.Playlist], \
         backoff=<base=10ms, max=60s>, placement=each-server>"
    );
    assert_eq!(
        Controller::<Artist>::new("artists").reconcile(nothing).to_string(),
        "<Controller managed_type=demo.v2.Artist, watched_types=[], backoff=<base=5ms, max=1000s>, \
         placement=singleton>"
    );
}
