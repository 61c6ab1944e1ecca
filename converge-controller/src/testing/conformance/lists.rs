//! What a list has. The same resources are listed in many ways; their names, units and types begin with one another,
//! and their versions of the group are mixed.

use std::sync::Arc;

use super::sample::{artist, artist_album, id, lists, put, query, remove, resource};
use crate::resource::Resource;
use crate::storage::{Backend, Key};
use crate::testing::StoreUnderTest;

/// Partition and namespace, empty where there is none.
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

/// What every list is taken of, in the order of their keys.
pub(super) async fn seed(store: &dyn Backend) -> Vec<Arc<Resource>> {
    let newer = "demo.v2.Artist".parse().expect("a type");
    let other_group = "demos.v1.Artist".parse().expect("a type");
    let mut stored = Vec::new();
    for (partition, namespace) in TENANCIES {
        for (number, name) in NAMES.into_iter().enumerate() {
            let of = if number % 2 == 0 { artist() } else { crate::Type::clone(&newer) };
            stored.push(put(store, resource(id(of, partition, namespace, name))).await);
        }
        for of in [artist_album(), crate::Type::clone(&other_group)] {
            stored.push(put(store, resource(id(of, partition, namespace, "korn"))).await);
        }
    }
    stored.sort_by_key(|resource| Key::of(&resource.id));
    stored
}

/// Whether an artist is in these units, where `*` is any that there is, and has the prefix.
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
    let meant: Vec<_> =
        seed.into_iter().filter(|resource| is_meant(resource, partition, namespace, prefix)).collect();
    assert_eq!(meant.len(), expect);
    lists(&*store, &query(partition, namespace, prefix), &meant).await;
}

/// All of one namespace.
pub async fn of_a_namespace(store: StoreUnderTest) {
    check(store, ("default", "default", ""), 5).await;
}

/// All of one that is not the default.
pub async fn of_another_namespace(store: StoreUnderTest) {
    check(store, ("eu", "other", ""), 5).await;
}

/// Those of a namespace whose names begin with a text.
pub async fn of_a_prefix(store: StoreUnderTest) {
    check(store, ("default", "default", "kor"), 2).await;
}

/// All, wherever they are.
pub async fn of_everything(store: StoreUnderTest) {
    check(store, ("*", "*", ""), 30).await;
}

/// All namespaces of one partition.
pub async fn of_a_partition(store: StoreUnderTest) {
    check(store, ("default", "*", ""), 15).await;
}

/// All namespaces of one name.
pub async fn of_a_namespace_in_any_partition(store: StoreUnderTest) {
    check(store, ("*", "default", ""), 15).await;
}

/// Those whose names begin with a text, wherever they are.
pub async fn of_a_prefix_anywhere(store: StoreUnderTest) {
    check(store, ("*", "*", "korn-"), 6).await;
}

/// What is of a whole partition or of the whole cluster is not among what is of a namespace.
pub async fn of_wider_scopes(store: StoreUnderTest) {
    let seed = seed(&*store).await;
    for (partition, expect) in [("", 5), ("eu", 5), ("*", 10)] {
        let meant = seed.iter().filter(|resource| is_meant(resource, partition, "", ""));
        let meant: Vec<_> = meant.map(Arc::clone).collect();
        assert_eq!(meant.len(), expect);
        lists(&*store, &query(partition, "", ""), &meant).await;
    }
}

/// Each group and kind once, in the order of keys, and none of which the last one is gone.
pub async fn name_the_kinds_of_which_there_is_anything(store: StoreUnderTest) {
    let kinds = async || {
        let kinds = store.kinds().await.expect("the kinds");
        kinds.into_iter().map(|(group, kind)| format!("{group}/{kind}")).collect::<Vec<_>>()
    };
    assert_eq!(kinds().await, [""; 0]);
    seed(&*store).await;
    // What sorts right behind the last key of another.
    let of = "demo.v1.Artist0".parse().expect("a type");
    let last = put(&*store, resource(id(of, "", "", "korn"))).await;
    assert_eq!(kinds().await, ["demo/Artist", "demo/Artist0", "demo/ArtistAlbum", "demos/Artist"]);
    remove(&*store, &last).await;
    assert_eq!(kinds().await, ["demo/Artist", "demo/ArtistAlbum", "demos/Artist"]);
}
