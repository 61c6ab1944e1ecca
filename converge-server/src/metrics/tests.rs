use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use converge_controller::builtin_types::Partition;
use converge_controller::storage::{
    Backend, CommitError, Consistency, Lease, LeaseName, Memory, Query, ReadError, Redb, Transaction,
    Unavailable, Watch,
};
use converge_controller::testing::StoreUnderTest;
use converge_controller::{Group, Id, Kind, Resource, Scope, StoredResource as _, TenancyPattern, Uid};
use tokio::time::timeout;

use super::Metrics;
use super::counting_store::CountingStore;

mod in_memory {
    use super::*;

    async fn new_store() -> StoreUnderTest {
        StoreUnderTest::new(CountingStore::new(Arc::new(Memory::new()), Arc::default()))
    }

    converge_controller::storage_conformance!(new_store);
}

mod in_a_file {
    use super::*;

    async fn new_store() -> StoreUnderTest {
        let folder = tempfile::tempdir().unwrap();
        let store = Redb::open(folder.path().join("store.redb")).await.unwrap();
        StoreUnderTest::new(CountingStore::new(Arc::new(store), Arc::default())).keeping(folder)
    }

    converge_controller::storage_conformance!(new_store);
}

#[track_caller]
fn value<'a>(text: &'a str, sample: &str) -> &'a str {
    let number = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    number.unwrap_or_else(|| panic!("no {sample} in\n{text}"))
}

fn partition(name: &str) -> Id {
    Id::new(Partition::resource_type().clone(), Scope::Cluster.default_tenancy(), name.parse().unwrap())
}

fn resource(name: &str) -> Resource {
    Resource::new(partition(name).with_uid("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap()))
}

fn operations(operation: &str, outcome: &str) -> String {
    format!("converge_store_operations_total{{operation=\"{operation}\",outcome=\"{outcome}\"}}")
}

#[tokio::test]
async fn operations_are_counted_by_what_comes_of_them() {
    let metrics = Metrics::new(None);
    let store = metrics.counting(Arc::new(Memory::new()));
    let eu = partition("eu");
    assert!(matches!(store.read(&eu, Consistency::Strong).await, Err(ReadError::NotFound { .. })));
    let stored = store.write(resource("eu")).await.unwrap();
    assert!(matches!(store.write(resource("eu")).await, Err(CommitError::Conflict { .. })));
    let missing_id = Id { resource_type: "tenancy.v2.Partition".parse().unwrap(), ..eu.clone() };
    assert!(store.read(&missing_id, Consistency::Strong).await.is_err());
    let query = Query::new(Partition::resource_type(), TenancyPattern::Cluster);
    store.list(&query, Consistency::Eventual).await.unwrap();
    store.kinds().await.unwrap();
    let mut watches = [store.watch(&query).await.unwrap(), store.watch(&query).await.unwrap()];
    watches[0].next().await.unwrap();
    store.delete(stored.id.clone(), stored.version.clone().unwrap()).await.unwrap();

    let text = metrics.openmetrics("").await;
    let check = |sample: &str, expect: &str| assert_eq!(value(&text, sample), expect, "{sample}");
    check(&operations("read", "ok"), "1");
    check(&operations("read", "other"), "1");
    check(&operations("write", "ok"), "2");
    check(&operations("write", "conflict"), "1");
    check(&operations("list", "ok"), "2");
    check(&operations("watch", "ok"), "2");
    for operation in ["read", "write", "list", "watch"] {
        check(&operations(operation, "unavailable"), "0");
        check(&format!("converge_store_operations_in_flight{{operation=\"{operation}\"}}"), "0");
    }
    check("converge_store_operation_seconds_count{operation=\"write\"}", "3");
    check("converge_store_watches", "2");
    drop(watches);
    assert_eq!(value(&metrics.openmetrics("").await, "converge_store_watches"), "0");
}

/// A store that never answers, or one that always reports that it is unavailable.
struct Away(bool);

impl Away {
    async fn answer<T>(&self) -> Result<T, Unavailable> {
        if self.0 { std::future::pending().await } else { Err(Unavailable::new("it is away")) }
    }
}

#[async_trait]
impl Backend for Away {
    async fn read(&self, _: &Id, _: Consistency) -> Result<Arc<Resource>, ReadError> {
        Ok(self.answer().await?)
    }

    async fn list(&self, _: &Query, _: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.answer().await
    }

    async fn list_by_owner(&self, _: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.answer().await
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        self.answer().await
    }

    async fn watch(&self, _: &Query) -> Result<Watch, Unavailable> {
        self.answer().await
    }

    async fn commit(&self, _: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        Ok(self.answer().await?)
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        Memory::new().lease(name)
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_or_hangs_is_seen() {
    for (hangs, outcome) in [(false, "unavailable"), (true, "abandoned")] {
        let metrics = Metrics::new(None);
        let store = metrics.counting(Arc::new(Away(hangs)));
        let query = Query::new(Partition::resource_type(), TenancyPattern::Cluster);
        let patience = Duration::from_secs(5);
        let eu = partition("eu");
        {
            let mut reading = pin!(store.read(&eu, Consistency::Strong));
            assert!(timeout(patience, reading.as_mut()).await.is_ok() != hangs);
            let in_flight = "converge_store_operations_in_flight{operation=\"read\"}";
            assert_eq!(value(&metrics.openmetrics("").await, in_flight), if hangs { "1" } else { "0" });
        }
        assert!(timeout(patience, store.write(resource("eu"))).await.is_ok() != hangs);
        assert!(timeout(patience, store.list(&query, Consistency::Strong)).await.is_ok() != hangs);
        assert!(timeout(patience, store.watch(&query)).await.is_ok() != hangs);
        let text = metrics.openmetrics("").await;
        for operation in ["read", "write", "list", "watch"] {
            assert_eq!(value(&text, &operations(operation, outcome)), "1", "{operation}");
            assert_eq!(value(&text, &operations(operation, "ok")), "0", "{operation}");
        }
        assert_eq!(value(&text, "converge_store_watches"), "0");
    }
}

#[tokio::test]
async fn leases_are_counted_where_they_are_held() {
    let metrics = Metrics::new(None);
    let store = metrics.counting(Arc::new(Memory::new()));
    let leases_held = async || value(&metrics.openmetrics("").await, "converge_store_leases_held").to_owned();
    let names: [LeaseName; 2] = ["one", "two"].map(|name| name.parse().unwrap());
    let (first, second) = (store.lease(&names[0]), store.lease(&names[0]));
    assert_eq!(leases_held().await, "1");
    let second_lease = store.lease(&names[1]);
    assert_eq!(leases_held().await, "2");
    drop(first);
    // The second candidate takes over the lease.
    assert_eq!(leases_held().await, "2");
    drop((second, second_lease));
    assert_eq!(leases_held().await, "0");
}

#[tokio::test]
async fn the_file_of_a_store_has_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let metrics = Metrics::new(Some(file.clone()));
    assert!(!metrics.openmetrics("").await.contains("converge_store_file_bytes"), "there is none yet");
    std::fs::write(&file, [0; 5000]).unwrap();
    let text = metrics.openmetrics("").await;
    assert_eq!(value(&text, "converge_store_file_bytes"), "5000");
    assert!(value(&text, "converge_store_free_bytes").parse::<u64>().unwrap() > 0);
}

#[tokio::test]
async fn those_of_controllers_come_first_and_there_is_one_end() {
    let text = Metrics::new(None).openmetrics("# TYPE a gauge\na 1\n# EOF\n").await;
    assert!(text.starts_with("# TYPE a gauge\na 1\n# TYPE converge_build info\n"), "{text}");
    assert_eq!((text.matches("# EOF").count(), text.ends_with("\n# EOF\n")), (1, true), "{text}");
}
