//! Tests that stores of earlier builds can be read and continued.
//!
//! `tests/stores` has a store for each release that changed the stored form, written by the build of that
//! release, with its content as JSON. Older ones stay: they cannot be written any more. Before a release with
//! such a change, write a store with its build:
//!
//! ```sh
//! CONVERGE_WRITE_STORE=1 cargo test -p converge-controller --features testing --test upgrade
//! ```
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use converge_controller::builtin_types::{Namespace, Tombstone};
use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{
    Action, Controller, Manager, RegisterError, Request, RunError, Runtime, ensure_finalizer,
    ensure_finalizer_removed, map, report,
};
use converge_controller::service::List;
use converge_controller::storage::{Consistency, Redb};
use converge_controller::testing::{
    ControllerTest, ExpectedCondition, TestClient, condition, from_stored_bytes, resource, to_stored_bytes,
};
use converge_controller::{
    Condition, ConditionState, Id, Ref, Resource, StoredResource, Tenancy, TenancyPattern,
};
use redb::{ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _};
use serde_json::Value;

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {
    #[stored(tag = 1)]
    genres: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album {
    #[stored(tag = 1)]
    title: String,
    #[stored(tag = 2)]
    guest: Option<Ref<Artist>>,
}

fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Artist>()?;
    types.register::<Album>()
}

fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(Controller::<Artist>::new("artists").watch::<Album>(map::owner()).reconcile(reconcile))
}

/// Counts albums, and holds a finalizer on an artist until the artist is being deleted.
async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, RunError> {
    let finalizer = "demo.example/held".parse()?;
    let Some(artist) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    if artist.metadata.is_marked_for_deletion() {
        ensure_finalizer_removed(&runtime, &artist, &finalizer).await?;
        return Ok(Action::await_change());
    }
    let artist = ensure_finalizer(&runtime, &artist, &finalizer).await?;
    let albums = runtime.client.list_by_owner(&artist.id).await?.len();
    let counted = Condition::new("counted", ConditionState::True).reason(albums.to_string());
    report(&runtime, &artist, [counted]).await?;
    Ok(Action::await_change())
}

fn counted(albums: usize) -> ExpectedCondition {
    condition("artists", "counted", ConditionState::True).because(&albums.to_string())
}

fn id<T: StoredResource>(name: &str) -> Id {
    resource::<T>(name).build().id
}

/// Starts a service with the controllers over the store in a file.
async fn start(file: &Path) -> ControllerTest {
    let store = Redb::open(file).await.unwrap();
    let test = ControllerTest::builder().types(register_types).controllers(register_controllers);
    // A real store on a busy machine is slow.
    test.store(Arc::new(store)).patience(Duration::from_mins(1)).start().await
}

/// Writes resources of every kind, and waits for the results.
async fn publish(client: &TestClient) {
    let korn = resource("korn").with_data(Artist { genres: vec!["metal".into(), "funk".into()] });
    let korn = korn.with_note("team", "web").write(client).await;
    let guest = Some(Ref::new(korn.id().tenancy.clone(), korn.id().name.clone()));
    for title in ["issues", "untouchables"] {
        let album = Album { title: title.to_owned(), guest: guest.clone() };
        resource(title).with_data(album).with_owner(korn.id()).write(client).await;
    }
    let partition = Tenancy::from_units("default", "").unwrap();
    resource::<Namespace>("web").in_tenancy(partition).write(client).await;
    let web = Tenancy::from_units("default", "web").unwrap();
    resource::<Artist>("tool").in_tenancy(web).write(client).await;
    // This resource is being deleted, and held by a finalizer of another party.
    let going = resource::<Album>("going").with_finalizer("other.example/hand").write(client).await;
    client.must_delete(going.id()).await;
    client.wait_for_status_condition(korn.id(), &counted(2)).await;
}

/// Checks a store to which [`publish`] has written, and the results of changes there.
async fn verify(client: &TestClient) {
    let korn = id::<Artist>("korn");
    let artist = client.require_status_condition_for_current_gen(&korn, &counted(2)).await;
    assert!(artist.metadata.has_finalizers());
    let issues = client.find_as::<Album>(&id::<Album>("issues"), Consistency::Strong).await.unwrap().unwrap();
    assert_eq!(issues.guest.as_ref().map(Ref::id), Some(korn.clone()));
    assert_eq!(issues.owner(), Some(&artist.id));

    // The held resource disappears when its finalizer is removed, and the children of a deleted artist with
    // it.
    let going = client.require_exists(&id::<Album>("going")).await;
    let mut released_artist = Resource::clone(&going);
    assert!(released_artist.metadata.remove_finalizer(&"other.example/hand".parse().unwrap()));
    client.write(released_artist).await.unwrap();
    client.require_not_found(&going.id).await;
    resource::<Album>("serenity").with_owner(&artist.id).write(client).await;
    client.wait_for_status_condition(&korn, &counted(3)).await;
    client.must_delete(&korn).await;
    for album in ["issues", "untouchables", "serenity"] {
        client.wait_for_deletion(&id::<Album>(album)).await;
    }
    client.wait_for_deletion(&korn).await;
}

/// Returns everything that is stored as JSON.
async fn everything(client: &TestClient) -> Value {
    let units =
        |namespaces: bool| TenancyPattern::from_units("*", if namespaces { "*" } else { "" }).unwrap();
    let lists = [
        List::for_type::<Artist>().in_tenancy(units(true)),
        List::for_type::<Album>().in_tenancy(units(true)),
        List::for_type::<Namespace>().in_tenancy(units(false)),
        List::for_type::<Tombstone>().in_tenancy(TenancyPattern::Cluster),
    ];
    let mut entries = Vec::new();
    for list in lists {
        for resource in client.list(&list.consistency(Consistency::Strong)).await.unwrap() {
            entries.push(serde_json::to_value(&*resource).unwrap());
        }
    }
    Value::Array(entries)
}

/// Returns everything that is stored as JSON, without controllers that could change it.
async fn everything_in(file: &Path) -> Value {
    let store = Arc::new(Redb::open(file).await.unwrap());
    let mut types = TypeRegistry::new();
    register_types(&mut types).unwrap();
    let (clock, random) =
        (converge_controller::clock::Clock::machine(), converge_controller::clock::Random::from_seed(1));
    let service = converge_controller::service::Service::new(store, types, clock, random).unwrap();
    let client = service.client(converge_controller::authorize::Caller::system());
    everything(&TestClient::new(client)).await
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores")
}

/// Returns the versions of the stores of earlier builds.
fn stores() -> Vec<String> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let stores = entries.filter(|path| path.extension().is_some_and(|extension| extension == "redb"));
    let mut names: Vec<_> =
        stores.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Writes the store of this build, if requested.
async fn write_store() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("store.redb");
    let test = start(&file).await;
    publish(&test.client).await;
    test.stop().await;
    let resources = everything_in(&file).await;
    let name = folder().join(env!("CARGO_PKG_VERSION"));
    fs::write(name.with_file_name(format!("{}.json", env!("CARGO_PKG_VERSION"))), format!("{resources:#}\n"))
        .unwrap();
    // Most of a new file is unused space.
    let mut database = redb::Database::open(&file).unwrap();
    while database.compact().unwrap() {}
    drop(database);
    fs::copy(&file, name.with_file_name(format!("{}.redb", env!("CARGO_PKG_VERSION")))).unwrap();
}

#[tokio::test]
async fn what_earlier_builds_stored_is_read_and_goes_on() {
    if std::env::var_os("CONVERGE_WRITE_STORE").is_some() {
        write_store().await;
    }
    let stores = stores();
    assert!(!stores.is_empty(), "there is no store of an earlier build in {}", folder().display());
    for version in stores {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("store.redb");
        fs::copy(folder().join(format!("{version}.redb")), &file).unwrap();
        assert_eq!(everything_in(&file).await, expected(&version), "what {version} stored");

        let test = start(&file).await;
        verify(&test.client).await;
        test.stop().await;
    }
}

#[test]
fn what_earlier_builds_stored_would_be_stored_in_the_same_bytes() {
    for version in stores() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("store.redb");
        fs::copy(folder().join(format!("{version}.redb")), &file).unwrap();
        let database = redb::Database::open(&file).unwrap();
        let resources = redb::TableDefinition::<&str, &[u8]>::new("resources");
        let resources = database.begin_read().unwrap().open_table(resources).unwrap();
        assert!(resources.len().unwrap() > 0);
        for entry in resources.iter().unwrap() {
            let (key, stored) = entry.unwrap();
            let resource = from_stored_bytes(stored.value()).unwrap();
            assert_eq!(to_stored_bytes(&resource), stored.value(), "{}", key.value());
        }
    }
}

#[tokio::test]
async fn what_is_published_is_what_is_verified() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("store.redb");
    let test = start(&file).await;
    publish(&test.client).await;
    verify(&test.client).await;
    test.stop().await;
}

#[tokio::test]
async fn a_store_of_a_later_build_is_refused() {
    for version in stores() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("store.redb");
        fs::copy(folder().join(format!("{version}.redb")), &file).unwrap();
        let format = set_format(&file, 1_000);
        let refused = Redb::open(&file).await.unwrap_err().to_string();
        assert_eq!(
            refused,
            format!(
                "{} is a store of format 1000, and this program knows only format 1: open it with the program that wrote it, \
                 or a newer one",
                file.display()
            )
        );
        // The file stays unchanged, so the later build can still read all of it.
        assert_eq!(set_format(&file, format), 1_000);
        assert_eq!(everything_in(&file).await, expected(&version));
    }
}

/// Sets the format of a store, and returns the earlier one.
fn set_format(file: &Path, format: u64) -> u64 {
    let database = redb::Database::open(file).unwrap();
    let write = database.begin_write().unwrap();
    let numbers = redb::TableDefinition::<&str, u64>::new("numbers");
    let before = write.open_table(numbers).unwrap().insert("format", format).unwrap().unwrap().value();
    write.commit().unwrap();
    before
}

/// Returns the expected content of the store of an earlier build.
fn expected(version: &str) -> Value {
    let text = fs::read_to_string(folder().join(format!("{version}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}
