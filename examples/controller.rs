//! Lesson 19: a controller.
//!
//! It says of each artist how many albums there are, and says it anew when an album comes or goes. Nobody calls it: it watches,
//! and is asked for the artists that are affected. What it knows of the albums is in its cache, found by an index.
//!
//! Run it with `cargo run --example controller`.

use std::error::Error;

use converge_controller::runtime::{
    Action, Controller, Definition, Index, Request, RunError, Runtime, map, report,
};
use converge_controller::storage::Consistency;
use converge_controller::testing::{ControllerTest, condition, resource};
use converge_controller::{Condition, ConditionState, Ref, Reference, StoredResource, Typed};

/// Who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Artist {}

/// What they make.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Album {
    /// Who made it.
    #[stored(tag = 1)]
    artist: Option<Ref<Artist>>,
}

/// The albums of an artist.
const BY_ARTIST: Index<Album, Reference> =
    Index::one("artist", |album| album.artist.as_ref().map(Reference::from));

/// Looks at one artist. It may be asked at any time, and twice.
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
