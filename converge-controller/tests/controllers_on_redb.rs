//! Controllers over a store in a file: what they did is there after a restart, and they go on with what is not done.

use std::sync::Arc;

use converge_controller::runtime::{Action, Controller, Request, Runtime, map, report};
use converge_controller::service::ServiceError;
use converge_controller::storage::{Consistency, Redb};
use converge_controller::testing::{ControllerTest, condition, resource};
use converge_controller::{Condition, ConditionState, StoredResource};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album {}

/// Says of each artist how many albums it owns.
async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, ServiceError> {
    let Some(artist) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let albums = runtime.client.list_by_owner(&artist.id).await?.len();
    let counted = Condition::new("counted", ConditionState::True).reason(albums.to_string());
    report(&runtime, &artist, [counted]).await?;
    Ok(Action::await_change())
}

/// Whether the albums are counted.
enum Counting {
    On,
    Off,
}

/// A server over the store of a file. What is written while nobody counts waits for the next one.
async fn start(store: Redb, counting: Counting) -> ControllerTest {
    let types = |types: &mut converge_controller::registry::TypeRegistry| {
        types.register::<Artist>()?;
        types.register::<Album>()
    };
    let test = ControllerTest::builder().types(types).store(Arc::new(store));
    let artists = || Controller::<Artist>::new("artists").watch::<Album>(map::owner()).reconcile(reconcile);
    match counting {
        Counting::On => test.controllers(move |manager| manager.register(artists())).start().await,
        Counting::Off => test.start().await,
    }
}

#[tokio::test]
async fn what_was_done_is_there_after_a_restart_and_the_rest_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let counted =
        |albums: usize| condition("artists", "counted", ConditionState::True).because(&albums.to_string());

    let mut test = start(Redb::open(&file).await.unwrap(), Counting::On).await;
    let korn = resource::<Artist>("korn").build();
    let album = |name: &str| resource::<Album>(name).with_owner(&korn.id).build();
    test.publish(vec![korn.clone(), album("issues"), album("untouchables")]).await;
    let before = test.client.wait_for_status_condition(&korn.id, &counted(2)).await;
    test.stop().await;

    // While no controller counts, an album comes. What was counted is still there.
    let mut test = start(Redb::open(&file).await.unwrap(), Counting::Off).await;
    assert_eq!(test.client.require_status_condition(&korn.id, &counted(2)).await, before);
    test.publish(vec![album("serenity")]).await;
    test.stop().await;

    let test = start(Redb::open(&file).await.unwrap(), Counting::On).await;
    test.client.wait_for_status_condition(&korn.id, &counted(3)).await;
    test.client.must_delete(&korn.id).await;
    for name in ["issues", "untouchables", "serenity"] {
        test.client.wait_for_deletion(&album(name).id).await;
    }
    test.stop().await;
}
