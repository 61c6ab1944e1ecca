//! Conformance tests of lists.
//!
//! The same resources are listed in many ways. Their names, units and types are prefixes of each other, and
//! the versions of their types are mixed.

use std::sync::Arc;

use super::sample::{artist, artist_album, id, lists, put, query, remove, resource};
use crate::resource::Resource;
use crate::storage::{Backend, Key};
use crate::testing::StoreUnderTest;

/// The partitions and namespaces; an empty text means none.
const TENANCIES: [(&str, &str); 9] = [
    ("", ""),
    ("default", ""),
    ("eu", ""),
    ("default", "def"),
    ("default", "default"),
    ("default", "other"),
    ("def", "default"),
    ("eu", "default"),
    ("eu", "other"),
];
const NAMES: [&str; 5] = ["korn", "k", "korn-2", "slash", "kom"];

/// Creates the resources of all list tests, and returns them sorted by key.
pub(super) async fn seed(store: &dyn Backend) -> Vec<Arc<Resource>> {
    let newer = "demo.v2.Artist".parse().expect("a type");
    let other_group = "demos.v1.Artist".parse().expect("a type");
    let mut stored = Vec::new();
    for (partition, namespace) in TENANCIES {
        for (number, name) in NAMES.into_iter().enumerate() {
            let resource_type = if number % 2 == 0 { artist() } else { crate::Type::clone(&newer) };
            stored.push(put(store, resource(id(resource_type, partition, namespace, name))).await);
        }
        for resource_type in [artist_album(), crate::Type::clone(&other_group)] {
            stored.push(put(store, resource(id(resource_type, partition, namespace, "korn"))).await);
        }
    }
    stored.sort_by_key(|resource| Key::from_id(&resource.id));
    stored
}

/// Returns whether an artist is in these units, where `*` matches any existing one, and has the prefix.
pub(super) fn is_meant(resource: &Resource, partition: &str, namespace: &str, prefix: &str) -> bool {
    let Resource { id, .. } = resource;
    let unit = |unit: Option<&str>, asked: &str| match (unit, asked) {
        (None, asked) => asked.is_empty(),
        (Some(_), "*") => true,
        (Some(unit), asked) => unit == asked,
    };
    (id.resource_type.group.as_str(), id.resource_type.kind.as_str()) == ("demo", "Artist")
        && unit(id.tenancy.partition().map(AsRef::as_ref), partition)
        && unit(id.tenancy.namespace().map(AsRef::as_ref), namespace)
        && id.name.as_str().starts_with(prefix)
}

async fn check(store: StoreUnderTest, (partition, namespace, prefix): (&str, &str, &str), expect: usize) {
    let seed = seed(&*store).await;
    let matches: Vec<_> =
        seed.into_iter().filter(|resource| is_meant(resource, partition, namespace, prefix)).collect();
    assert_eq!(matches.len(), expect);
    lists(&*store, &query(partition, namespace, prefix), &matches).await;
}

/// Lists one namespace.
pub async fn of_a_namespace(store: StoreUnderTest) {
    check(store, ("default", "default", ""), 5).await;
}

/// Lists a namespace that is not the default.
pub async fn of_another_namespace(store: StoreUnderTest) {
    check(store, ("eu", "other", ""), 5).await;
}

/// Lists the names with a prefix in a namespace.
pub async fn of_a_prefix(store: StoreUnderTest) {
    check(store, ("default", "default", "kor"), 2).await;
}

/// Lists everything.
pub async fn of_everything(store: StoreUnderTest) {
    check(store, ("*", "*", ""), 30).await;
}

/// Lists all namespaces of a partition.
pub async fn of_a_partition(store: StoreUnderTest) {
    check(store, ("default", "*", ""), 15).await;
}

/// Lists all namespaces with one name.
pub async fn of_a_namespace_in_any_partition(store: StoreUnderTest) {
    check(store, ("*", "default", ""), 15).await;
}

/// Lists the names with a prefix everywhere.
pub async fn of_a_prefix_anywhere(store: StoreUnderTest) {
    check(store, ("*", "*", "korn-"), 6).await;
}

/// Resources of a whole partition or cluster are not listed among those of namespaces.
pub async fn of_wider_scopes(store: StoreUnderTest) {
    let seed = seed(&*store).await;
    for (partition, expect) in [("", 5), ("eu", 5), ("*", 10)] {
        let matches = seed.iter().filter(|resource| is_meant(resource, partition, "", ""));
        let matches: Vec<_> = matches.map(Arc::clone).collect();
        assert_eq!(matches.len(), expect);
        lists(&*store, &query(partition, "", ""), &matches).await;
    }
}

/// Each existing group and kind is listed once, sorted by key; deleted ones are not listed.
pub async fn name_the_kinds_of_which_there_is_anything(store: StoreUnderTest) {
    let kinds = async || {
        let kinds = store.kinds().await.expect("the kinds");
        kinds.into_iter().map(|(group, kind)| format!("{group}/{kind}")).collect::<Vec<_>>()
    };
    assert_eq!(kinds().await, [""; 0]);
    seed(&*store).await;
    // This kind sorts directly after the last key of another one.
    let resource_type = "demo.v1.Artist0".parse().expect("a type");
    let last = put(&*store, resource(id(resource_type, "", "", "korn"))).await;
    assert_eq!(kinds().await, ["demo/Artist", "demo/Artist0", "demo/ArtistAlbum", "demos/Artist"]);
    remove(&*store, &last).await;
    assert_eq!(kinds().await, ["demo/Artist", "demo/ArtistAlbum", "demos/Artist"]);
}
