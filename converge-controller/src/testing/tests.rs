//! Tests of the test support with a demo: artists, their albums, and the number of albums of each.

use std::sync::Arc;
use std::time::Duration;

use converge_derive::StoredResource;

use super::*;
use crate::builtin_types::{Namespace, Partition};
use crate::identity::{Id, Tenancy};
use crate::registry::{RegistryError, StoredResource as _, TypeRegistry, Typed};
use crate::resource::{Condition, ConditionState, Resource, Status};
use crate::runtime::{Action, Controller, Definition, Request, Runtime, map, report};
use crate::service::{List, ServiceError, StatusUpdate};
use crate::storage::{Backend, Consistency, Memory};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {
    #[stored(tag = 1)]
    genre: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

/// Reports how many albums an artist has.
async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, ServiceError> {
    let Some(artist) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let albums = runtime.client.list_by_owner(&artist.id).await?.len();
    let counted = Condition::new("counted", ConditionState::True).reason(albums.to_string());
    report(&runtime, &artist, [counted]).await?;
    Ok(Action::await_change())
}

fn artists() -> Definition {
    Controller::<Artist>::new("artists").watch::<Album>(map::owner()).reconcile(reconcile)
}

fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Artist>()?;
    types.register::<Album>()
}

async fn started(store: Arc<dyn Backend>, seed: u64) -> ControllerTest {
    let builder =
        ControllerTest::builder().types(register_types).controllers(|manager| manager.register(artists()));
    builder.store(store).seed(seed).start().await
}

fn counted(albums: usize) -> ExpectedCondition {
    condition("artists", "counted", ConditionState::True).because(&albums.to_string())
}

fn id_of<T: crate::StoredResource>(name: &str) -> Id {
    resource::<T>(name).build().id
}

#[tokio::test(start_paused = true)]
async fn a_controller_is_called_by_hand() {
    let client = TestClient::in_memory(register_types).await;
    let mut controller = TestController::new(artists(), &client).await;
    for tenancy in client.tenancies::<Artist>().await {
        let korn = resource::<Artist>("korn").in_tenancy(tenancy.clone()).write(&client).await;
        let album = resource::<Album>("issues").in_tenancy(tenancy).with_owner(korn.id());
        let album = album.write(&client).await;
        assert_eq!(controller.map(&album.resource).await.unwrap(), [korn.id().clone().without_uid()]);
        assert_eq!(controller.reconcile(korn.id()).await.unwrap(), Action::await_change());
        let artist = client.require_status_condition_for_current_gen(korn.id(), &counted(1)).await;
        assert!(controller.runtime().cache.contains(album.id()));

        // The second reconcile writes nothing.
        assert_eq!(controller.reconcile(korn.id()).await.unwrap(), Action::await_change());
        client.require_version_unchanged(korn.id(), artist.version.as_ref().unwrap()).await;
        client.must_delete(album.id()).await;
        assert_eq!(controller.reconcile(korn.id()).await.unwrap(), Action::await_change());
        assert!(!controller.runtime().cache.contains(album.id()));
        client.require_version_changed(korn.id(), artist.version.as_ref().unwrap()).await;
    }
    // A missing resource is no error.
    assert_eq!(controller.reconcile(&id_of::<Artist>("nobody")).await.unwrap(), Action::await_change());
}

#[tokio::test(start_paused = true)]
async fn a_failed_write_is_not_in_the_cache() {
    let client = TestClient::in_memory(register_types).await;
    let mut controller = TestController::new(artists(), &client).await;
    let korn = resource::<Artist>("korn").write(&client).await;
    let stale = Resource { version: Some(999.into()), ..korn.resource.clone() };
    client.write(stale.clone()).await.unwrap_err();
    let status = Status::new(korn.resource.generation.unwrap(), []);
    let (id, version, key) = (korn.id().clone(), stale.version.clone(), "c".parse().unwrap());
    client.write_status(StatusUpdate { id, version, key, status }).await.unwrap_err();
    client.delete(korn.id(), stale.version.as_ref()).await.unwrap_err();
    let nobody = controller.reconcile(&id_of::<Artist>("nobody")).await.unwrap();
    assert_eq!(nobody, Action::await_change());
    let cached = controller.runtime().cache.resource::<Artist>(korn.id()).unwrap().unwrap();
    assert_eq!(cached.resource.version, korn.resource.version);
}

#[tokio::test(start_paused = true)]
async fn a_test_has_tenancies_of_each_scope() {
    let client = TestClient::in_memory(register_types).await;
    assert_eq!(client.tenancies::<Partition>().await, [Tenancy::Cluster]);
    let tenancy = |partition, namespace| Tenancy::from_units(partition, namespace).unwrap();
    let partitions = [tenancy("default", ""), tenancy("other", "")];
    assert_eq!(client.tenancies::<Namespace>().await, partitions);
    let namespaces = [("default", "default"), ("default", "other"), ("other", "default"), ("other", "other")];
    let namespaces = namespaces.map(|(partition, namespace)| tenancy(partition, namespace));
    assert_eq!(client.tenancies::<Artist>().await, namespaces);
}

#[tokio::test(start_paused = true)]
async fn a_life_is_followed_step_by_step() {
    let test = started(Arc::new(Memory::new()), 0).await;
    let client = &test.client;
    let korn = resource::<Artist>("korn").with_note("team", "web").write(client).await;
    client.wait_for_reconciliation(korn.id(), "artists").await;
    client.require_note(korn.id(), "team", "web").await;
    let album = resource::<Album>("issues").with_owner(korn.id()).write(client).await;
    client.wait_for_status_condition(korn.id(), &counted(1)).await;
    client.must_delete(album.id()).await;
    client.wait_for_status_condition(korn.id(), &counted(0)).await;
    client.must_delete(korn.id()).await;
    client.wait_for_deletion(korn.id()).await;
    client.require_not_found(&id_of::<Artist>("korn")).await;
    assert_eq!(test.controllers.status().len(), 4);
    test.stop().await;
}

/// Publishes resources in random order, and checks the result.
async fn one_shot(test: &mut ControllerTest) {
    let mut artists = Vec::new();
    for artist in ["korn", "tool"] {
        let draft = resource::<Artist>(artist).build();
        for n in 0..3 {
            artists.push(resource::<Album>(&format!("{artist}-{n}")).with_owner(&draft.id).build());
        }
        artists.push(draft);
    }
    test.publish(artists).await;
    for artist in ["korn", "tool"] {
        test.client.wait_for_status_condition(&id_of::<Artist>(artist), &counted(3)).await;
    }
}

#[test]
fn the_order_of_what_is_published_does_not_matter() {
    simulate(20, |seed| async move {
        let mut test = started(Arc::new(Memory::new()), seed).await;
        one_shot(&mut test).await;
        test.stop().await;
    });
}

#[test]
fn a_store_that_fails_only_delays() {
    simulate(40, |seed| async move {
        let memory = Memory::new();
        let leases = memory.leases().clone();
        let faults = Arc::new(Faults::new(memory, leases, FaultRates::NONE, seed));
        let backend: Arc<dyn Backend> = Arc::<Faults<Memory>>::clone(&faults);
        let test = started(backend, seed).await;
        faults.set_rates(FaultRates::default());
        for name in ["korn", "tool"] {
            let artist = insist(&test, resource::<Artist>(name).build()).await;
            for n in 0..3 {
                let album = resource::<Album>(&format!("{name}-{n}")).with_owner(&artist.id).build();
                insist(&test, album).await;
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        faults.set_rates(FaultRates::NONE);
        for name in ["korn", "tool"] {
            test.client.wait_for_status_condition(&id_of::<Artist>(name), &counted(3)).await;
        }
        test.stop().await;
        let snapshot = faults.store().snapshot();
        let albums = snapshot.iter().filter(|resource| resource.id.resource_type == *Album::resource_type());
        assert_eq!(albums.count(), 6);
    });
}

/// Retries a write until the store acknowledges it, though it may have happened before.
async fn insist(test: &ControllerTest, resource: Resource) -> Arc<Resource> {
    loop {
        match test.client.write(resource.clone()).await {
            Ok(stored) => return stored,
            Err(ServiceError::Unavailable(_) | ServiceError::Aborted(_)) => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(error) => panic!("{}: {error}", resource.id),
        }
    }
}

#[test]
fn a_type_says_what_it_admits() {
    let metal = Artist { genre: "metal".into() };
    assert_eq!(admit(resource("korn").with_data(metal.clone()).build()), Ok(metal));
    let mut broken = resource::<Artist>("korn").build();
    broken.data.as_mut().unwrap().value = vec![0x0a, 9].into();
    assert!(admit::<Artist>(broken).unwrap_err().contains("buffer underflow"));
}

#[test]
fn a_type_says_who_may() {
    let rules = r#"[{"types":["demo.*.Artist"],"verbs":["read","list"]}]"#;
    let korn = resource::<Artist>("korn").build();
    let permissions = accesses::<Artist>(serde_json::from_str(rules).unwrap(), &korn).unwrap();
    assert_eq!(permissions, Accesses { read: true, write: false, list: true });
    assert_eq!(
        accesses::<Artist>(Vec::new(), &korn).unwrap(),
        Accesses { read: false, write: false, list: false }
    );
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "not so after 7s: demo.v2.Artist/default/default/korn has the condition")]
async fn what_does_not_come_fails_with_the_last_state() {
    let test = started(Arc::new(Memory::new()), 0).await;
    let korn: Typed<Artist> = resource("korn").write(&test.client).await;
    let list = List::new(Artist::resource_type().clone()).in_tenancy(korn.id().tenancy.clone());
    assert_eq!(test.client.list(&list).await.unwrap().len(), 1);
    test.client.wait_for_status_condition(korn.id(), &counted(9)).await;
}
