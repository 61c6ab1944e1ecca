//! Tests of reads and watches when the history of the store is compacted or replaced by a backup.

use converge_controller::storage::{
    Backend, Change, Consistency, Etcd, EtcdOptions, Query, Transaction, WatchClosed, WatchEvent,
};
use converge_controller::{Data, Id, Resource, Scope, Type, Uid};
use tokio::time::{Duration, timeout};

use crate::support::{Cluster, Proxy};

/// The timeout of the tests, far above what anything takes.
const PATIENCE: Duration = Duration::from_mins(1);
const OWNER: Uid = Uid::from_bits(u128::MAX - 1);

fn entry_type() -> Type {
    "demo.v1.Entry".parse().expect("a type")
}

fn everything() -> Query {
    Query::new(&entry_type(), Scope::Namespace.default_tenancy().into())
}

/// Returns a resource of some size that has an owner.
fn entry(number: u32) -> Resource {
    let tenancy = Scope::Namespace.default_tenancy();
    let id = |name: String| Id::new(entry_type(), tenancy.clone(), name.parse().expect("a name"));
    Resource {
        owner: Some(id("owner".to_owned()).with_uid(OWNER)),
        data: Some(Data::new(&entry_type(), vec![7; 400])),
        ..Resource::new(id(format!("entry-{number:05}")).with_uid(Uid::from_bits(u128::from(number) + 1)))
    }
}

async fn fill(store: &Etcd, entries: u32) {
    let numbers: Vec<_> = (0..entries).collect();
    for chunk in numbers.chunks(50) {
        let changes = chunk.iter().map(|&number| Change::Put(Box::new(entry(number)))).collect();
        store.commit(Transaction { changes, ..Transaction::default() }).await.expect("they are new");
    }
}

/// Writes and compacts while a paged read is in progress, and checks that the read starts again.
///
/// The result must be the state at one moment.
async fn forgets_while_read<F>(entries: u32, after_bytes: u64, read: impl FnOnce(Etcd) -> F)
where
    F: Future<Output = Vec<String>> + Send + 'static,
{
    let Some(cluster) = Cluster::start(1) else { return };
    let direct = cluster.connect(cluster.options()).await;
    fill(&direct, entries).await;
    let proxy = Proxy::to(&cluster.address(0)).await;
    let reader = cluster.connect(EtcdOptions::new([proxy.address.clone()])).await;

    let reading = tokio::spawn(read(reader));
    timeout(PATIENCE, proxy.hold_up_after(after_bytes)).await.expect("there is more to read");
    let last = direct.write(entry(entries)).await.expect("it is new");
    cluster.compact(last.version.as_ref().expect("it is stored").as_str());
    proxy.let_pass();
    let read = timeout(PATIENCE, reading).await.expect("it ends").expect("no panic");
    let expect: Vec<_> = (0..=entries).map(|number| entry(number).id.name.to_string()).collect();
    assert_eq!(read, expect);
}

fn names(resources: &[std::sync::Arc<Resource>]) -> Vec<String> {
    resources.iter().map(|resource| resource.id.name.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_read_again_when_its_revision_is_forgotten() {
    // A page has a thousand keys.
    forgets_while_read(1_500, 100_000, async |store: Etcd| {
        names(&store.list(&everything(), Consistency::Strong).await.expect("a list"))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn children_are_read_again_when_their_revision_is_forgotten() {
    // The keys are read first, less than 40 kB, and then the resources, a hundred at a time.
    forgets_while_read(300, 60_000, async |store: Etcd| {
        names(&store.list_by_owner(OWNER).await.expect("a list"))
    })
    .await;
}

async fn next(store: &mut converge_controller::storage::Watch) -> Result<WatchEvent, WatchClosed> {
    timeout(PATIENCE, store.next()).await.expect("the watch goes on")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_is_closed_when_the_store_is_an_older_one_again() {
    let Some(cluster) = Cluster::start(1) else { return };
    let store = cluster.connect(cluster.options()).await;
    let first_entry = store.write(entry(0)).await.expect("it is new");
    cluster.kill(0);
    cluster.back_up(0, "backup");
    cluster.restart(0);
    cluster.ready(cluster.options()).await;

    let mut watch = store.watch(&everything()).await.expect("a watch");
    assert_eq!(next(&mut watch).await, Ok(WatchEvent::Upsert(first_entry.clone())));
    assert_eq!(next(&mut watch).await, Ok(WatchEvent::EndOfSnapshot));
    let second_entry = store.write(entry(1)).await.expect("it is new");
    assert_eq!(next(&mut watch).await, Ok(WatchEvent::Upsert(second_entry.clone())));

    cluster.kill(0);
    cluster.restore(0, "backup");
    cluster.restart(0);
    assert_eq!(next(&mut watch).await, Err(WatchClosed::Restored));

    // The restored state counts from here on, whatever was known before.
    let mut second_watch = store.watch(&everything()).await.expect("a watch");
    assert_eq!(next(&mut second_watch).await, Ok(WatchEvent::Upsert(first_entry.clone())));
    assert_eq!(next(&mut second_watch).await, Ok(WatchEvent::EndOfSnapshot));
    for consistency in [Consistency::Strong, Consistency::Eventual] {
        let listed = store.list(&everything(), consistency).await.expect("a list");
        assert_eq!(listed, std::slice::from_ref(&first_entry));
    }
    store.write((*second_entry).clone()).await.expect_err("what it replaces is not there");
    let new = store.write(entry(1)).await.expect("it is new");
    assert_eq!(next(&mut second_watch).await, Ok(WatchEvent::Upsert(new.clone())));
    store
        .delete(first_entry.id.clone(), first_entry.version.clone().expect("it is stored"))
        .await
        .expect("it is there");
    assert_eq!(next(&mut second_watch).await, Ok(WatchEvent::Delete(first_entry)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_is_closed_when_the_restored_store_has_gone_further() {
    let Some(cluster) = Cluster::start(1) else { return };
    let direct = cluster.connect(cluster.options()).await;
    direct.write(entry(0)).await.expect("it is new");
    cluster.kill(0);
    cluster.back_up(0, "backup");
    cluster.restart(0);
    cluster.ready(cluster.options()).await;

    let proxy = Proxy::to(&cluster.address(0)).await;
    let watching = cluster.connect(EtcdOptions::new([proxy.address.clone()])).await;
    let [mut told, mut listed] = [watching.watch(&everything()).await.expect("a watch"), {
        direct.write(entry(1)).await.expect("it is new");
        watching.watch(&everything()).await.expect("a watch")
    }];
    // One watch has reported the change that is going to be lost, and the other had it in its snapshot.
    for (watch, events) in [(&mut told, 3), (&mut listed, 3)] {
        for _ in 0..events {
            next(watch).await.expect("an event");
        }
    }
    proxy.cut();
    cluster.kill(0);
    cluster.restore(0, "backup");
    cluster.restart(0);
    cluster.ready(cluster.options()).await;
    for number in 2..6 {
        direct.write(entry(number)).await.expect("it is new");
    }
    proxy.mend();
    assert_eq!(next(&mut told).await, Err(WatchClosed::Restored));
    assert_eq!(next(&mut listed).await, Err(WatchClosed::Restored));
}
