//! Lesson 19: a controller.
//!
//! The controller reports for each artist the number of albums, again whenever an album is added or removed.
//! It is not called explicitly: it watches, and reconciles the affected artists. It finds the albums in its
//! cache with an index.
//!
//! Run it with `cargo run --example controller`.

use std::error::Error;

use converge_controller::runtime::{
    Action, Controller, Definition, Index, Request, RunError, Runtime, map, report,
};
use converge_controller::storage::Consistency;
use converge_controller::testing::{ControllerTest, condition, resource};
use converge_controller::{Condition, ConditionState, Ref, Reference, StoredResource, Typed};

/// An artist, who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Artist {}

/// An album of an artist.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Album {
    /// The artist who made the album.
    #[stored(tag = 1)]
    artist: Option<Ref<Artist>>,
}

/// An index of albums by artist.
const BY_ARTIST: Index<Album, Reference> =
    Index::one("artist", |album| album.artist.as_ref().map(Reference::from));

/// Reconciles one artist. The function may be called at any time, and repeatedly.
async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, RunError> {
    let Some(artist) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let albums = runtime.cache.list(&BY_ARTIST, &Reference::from(request.id().clone()))?;
    let counted = Condition::new("counted", ConditionState::True).reason(albums.len().to_string());
    report(&runtime, &artist, [counted]).await?;
    Ok(Action::await_change())
}

fn artists() -> Definition {
    Controller::<Artist>::new("artists")
        .watch(map::references(|album: &Typed<Album>| album.artist.as_ref().map(Reference::from)))
        .index(&BY_ARTIST)
        .concurrency(4)
        .reconcile(reconcile)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", artists());
    let test = ControllerTest::builder()
        .types(|types| {
            types.register::<Artist>()?;
            types.register::<Album>()
        })
        .controllers(|manager| manager.register(artists()))
        .start()
        .await;

    let korn = resource::<Artist>("korn").write(&test.client).await;
    let by_korn = Album { artist: Some(Ref::new(korn.id().tenancy.clone(), korn.id().name.clone())) };
    for (name, albums) in [("issues", "1"), ("untouchables", "2")] {
        resource(name).with_data(by_korn.clone()).write(&test.client).await;
        let counted = condition("artists", "counted", ConditionState::True).because(albums);
        test.client.wait_for_status_condition(korn.id(), &counted).await;
        println!("after {name}: {albums}");
    }
    test.stop().await;
    Ok(())
}
