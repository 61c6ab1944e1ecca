mod crash;
mod damaged;
mod disk;
mod files;
mod life;
mod refused;

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::Redb;
use crate::testing::StoreUnderTest;
use crate::{Data, Id, Resource, Scope, Uid};

async fn new_store() -> StoreUnderTest {
    let folder = tempfile::tempdir().unwrap();
    let store = Redb::open(folder.path().join("resources.redb")).await.unwrap();
    StoreUnderTest::new(store).keeping(folder)
}

crate::storage_conformance!(new_store);

/// The environment variable that tells a test to act as the child process.
const CHILD: &str = "CONVERGE_TEST_STORE";

/// Runs a test as a child process, with the path of a store.
fn child(test: &str, store: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("storage::redb::tests::{test}"), "--nocapture", "--test-threads", "1"])
        .env(CHILD, store)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs a future in a thread of a test.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

/// Returns a store in its own folder.
async fn store() -> (TempDir, Redb) {
    let folder = tempfile::tempdir().unwrap();
    let store = Redb::open(folder.path().join("resources.redb")).await.unwrap();
    (folder, store)
}

fn id(name: &str) -> Id {
    Id::new("demo.v1.Artist".parse().unwrap(), Scope::Namespace.default_tenancy(), name.parse().unwrap())
}

/// Returns a resource with this uid and these bytes as data.
fn resource(name: &str, uid: u128, value: impl Into<bytes::Bytes>) -> Resource {
    let id = id(name);
    let data = Data::new(&id.resource_type, value);
    Resource { data: Some(data), ..Resource::new(id.with_uid(Uid::from_bits(uid))) }
}

fn everything() -> crate::storage::Query {
    crate::storage::Query::new(&id("any").resource_type, Scope::Namespace.default_tenancy().into())
}
