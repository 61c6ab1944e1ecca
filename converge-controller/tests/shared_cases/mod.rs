//! Test bodies for controllers, which run over each store.

use std::sync::Arc;
use std::time::Duration;

use converge_controller::registry::TypeRegistry;
use converge_controller::runtime::{Action, Controller, Request, Runtime, map, report};
use converge_controller::service::ServiceError;
use converge_controller::storage::{Backend, Consistency};
use converge_controller::testing::{ControllerTest, ExpectedCondition, condition, resource};
use converge_controller::{Condition, ConditionState, Resource, StoredResource};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album {}

/// Reports how many albums an artist owns.
async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, ServiceError> {
    let Some(artist) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let albums = runtime.client.list_by_owner(&artist.id).await?.len();
    let counted = Condition::new("counted", ConditionState::True).reason(albums.to_string());
    report(&runtime, &artist, [counted]).await?;
    Ok(Action::await_change())
}

fn counted(albums: usize) -> ExpectedCondition {
    condition("artists", "counted", ConditionState::True).because(&albums.to_string())
}

fn album(name: &str, artist: &Resource) -> Resource {
    resource::<Album>(name).with_owner(&artist.id).build()
}

/// Whether the albums are counted.
enum Counting {
    On,
    Off,
}

/// Starts a server over a store. Writes without counting are left for the next server.
async fn start(store: Arc<dyn Backend>, counting: Counting, seed: u64) -> ControllerTest {
    let types = |types: &mut TypeRegistry| {
        types.register::<Artist>()?;
        types.register::<Album>()
    };
    // A real store on a busy machine is slow.
    let test =
        ControllerTest::builder().types(types).store(store).seed(seed).patience(Duration::from_mins(1));
    let artists = || Controller::<Artist>::new("artists").watch::<Album>(map::owner()).reconcile(reconcile);
    match counting {
        Counting::On => test.controllers(move |manager| manager.register(artists())).start().await,
        Counting::Off => test.start().await,
    }
}

/// Tests that finished work is kept after a restart, and that the rest is done.
///
/// Each store is opened after the previous one was dropped.
pub(crate) async fn goes_on_after_a_restart(open: impl AsyncFn() -> Arc<dyn Backend>) {
    let mut test = start(open().await, Counting::On, 0).await;
    let korn = resource::<Artist>("korn").build();
    test.publish(vec![korn.clone(), album("issues", &korn), album("untouchables", &korn)]).await;
    let before = test.client.wait_for_status_condition(&korn.id, &counted(2)).await;
    test.stop().await;

    // An album is created while no controller counts. The earlier counts are still there.
    let mut test = start(open().await, Counting::Off, 1).await;
    assert_eq!(test.client.require_status_condition(&korn.id, &counted(2)).await, before);
    test.publish(vec![album("serenity", &korn)]).await;
    test.stop().await;

    let test = start(open().await, Counting::On, 2).await;
    test.client.wait_for_status_condition(&korn.id, &counted(3)).await;
    test.client.must_delete(&korn.id).await;
    for name in ["issues", "untouchables", "serenity"] {
        test.client.wait_for_deletion(&album(name, &korn).id).await;
    }
    test.stop().await;
}

/// Tests that the order of writes does not affect the final result.
///
/// An owner that is created again under its name does not inherit the children of the earlier one.
pub(crate) async fn any_order_leads_to_the_same(open: impl AsyncFn() -> Arc<dyn Backend>) {
    let mut test = start(open().await, Counting::On, 3).await;
    let artists = ["korn", "tool", "isis"].map(|name| resource::<Artist>(name).build());
    let albums = artists.iter().enumerate().flat_map(|(count, artist)| {
        (0..=count).map(move |number| album(&format!("{}-{number}", artist.id.name), artist))
    });
    test.publish(albums.chain(artists.iter().cloned()).collect()).await;
    for (count, artist) in artists.iter().enumerate() {
        test.client.wait_for_status_condition(&artist.id, &counted(count + 1)).await;
    }

    let [_, _, last] = &artists;
    test.client.must_delete(&last.id).await;
    test.publish(vec![last.clone()]).await;
    test.client.wait_for_status_condition(&last.id, &counted(0)).await;
    for number in 0..3 {
        test.client.wait_for_deletion(&album(&format!("{}-{number}", last.id.name), last).id).await;
    }
    test.client.wait_for_status_condition(&artists[1].id, &counted(2)).await;
    test.stop().await;
}
