//! Tests of resources so large that a few of them exceed the target size of a response.

use std::sync::Arc;

use converge_controller::storage::{Backend as _, Consistency, Etcd, Query, WatchEvent};
use converge_controller::{Data, Id, Resource, Scope, Uid};

use crate::support::Cluster;

const SMALL: u128 = 300;
const LARGE: u128 = 40;
const MEBIBYTE: usize = 1 << 20;

fn resource(name: &str, number: u128, bytes: usize) -> Resource {
    let tenancy = Scope::Namespace.default_tenancy();
    let id = Id::new("demo.v1.Image".parse().expect("a type"), tenancy, name.parse().expect("a name"));
    let owner = id.clone().with_uid(Uid::from_bits(u128::MAX - 1));
    let data = Data::new(&id.resource_type, vec![7; bytes]);
    let id = id.with_uid(Uid::from_bits(number));
    Resource { data: Some(data), owner: Some(owner), ..Resource::new(id) }
}

async fn write(store: &Etcd, name: String, number: u128, bytes: usize) -> Arc<Resource> {
    store.write(resource(&name, number, bytes)).await.expect("a write")
}

/// Tests a list that requests many keys at a time after small resources, and then reaches large ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_resources_are_listed_after_small_ones() {
    let Some(cluster) = Cluster::shared(1) else { return };
    let store = cluster.connect(cluster.options().prefix(cluster.new_prefix())).await;
    let mut stored = Vec::new();
    for number in 0..SMALL {
        stored.push(write(&store, format!("a{number:03}"), number, 10).await);
    }
    for number in 0..LARGE {
        stored.push(write(&store, format!("b{number:03}"), SMALL + number, MEBIBYTE).await);
    }
    stored.push(write(&store, "c".to_owned(), SMALL + LARGE, 10).await);
    let check_names = |found: &[Arc<Resource>]| {
        let names = |list: &[Arc<Resource>]| {
            list.iter().map(|resource| resource.id.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(found), names(&stored));
        assert!(found == stored, "they say something else");
    };
    let query = Query::new(&stored[0].id.resource_type, Scope::Namespace.default_tenancy().into());
    for consistency in [Consistency::Strong, Consistency::Eventual] {
        check_names(&store.list(&query, consistency).await.expect("a list"));
    }
    // The keys of the owned resources are read first, and then each resource.
    check_names(&store.list_by_owner(Uid::from_bits(u128::MAX - 1)).await.expect("a list"));
    let mut watch = store.watch(&query).await.expect("a watch");
    let mut snapshot = Vec::new();
    while let WatchEvent::Upsert(found) = watch.next().await.expect("an event") {
        snapshot.push(found);
    }
    check_names(&snapshot);
}
