//! Tests of writes, watches and leases during faults.
//!
//! Each test has a counter, a resource that only changes from one number to the next. A watch has to report
//! every number once and in order.

use std::time::Duration;

use converge_controller::storage::{
    Backend, Change, CommitError, Consistency, Etcd, Fence, Lease, Query, ReadError, Transaction, Watch,
    WatchClosed, WatchEvent,
};
use converge_controller::{Data, Id, Resource, Scope, Uid};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, Network, Proxy};

/// The timeout of the tests, far above what anything takes.
const PATIENCE: Duration = Duration::from_mins(1);

fn counter() -> Id {
    let tenancy = Scope::Namespace.default_tenancy();
    let id = Id::new("demo.v1.Counter".parse().expect("a type"), tenancy, "all".parse().expect("a name"));
    id.with_uid(Uid::from_bits(1))
}

fn query() -> Query {
    Query::new(&counter().resource_type, Scope::Namespace.default_tenancy().into())
}

fn number_of(resource: &Resource) -> u64 {
    let value = resource.data.as_ref().and_then(|data| data.value[..].try_into().ok());
    value.map(u64::from_be_bytes).expect("a number")
}

/// Writes the next number, with as many attempts as necessary.
async fn count(store: &Etcd) -> Resource {
    loop {
        let stored = match store.read(&counter(), Consistency::Strong).await {
            Ok(stored) => Some(stored),
            Err(ReadError::NotFound { .. }) => None,
            Err(ReadError::Unavailable(_)) => continue,
            Err(error) => panic!("{error}"),
        };
        let number = stored.as_ref().map_or(1, |stored| number_of(stored) + 1);
        let base = stored.map_or_else(|| Resource::new(counter()), |stored| (*stored).clone());
        let data = Data::new(&counter().resource_type, number.to_be_bytes().to_vec());
        match store.write(Resource { data: Some(data), ..base }).await {
            Ok(stored) => return (*stored).clone(),
            // The next read shows whether the write happened.
            Err(CommitError::Unavailable(_) | CommitError::Conflict { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Counts a number of times.
async fn count_on(store: &Etcd, times: u64) -> Resource {
    let mut last = count(store).await;
    for _ in 1..times {
        last = count(store).await;
    }
    last
}

async fn next(watch: &mut Watch) -> Result<WatchEvent, WatchClosed> {
    timeout(PATIENCE, watch.next()).await.expect("the watch goes on")
}

/// Reads a watch up to a number, and checks that all numbers come in order.
async fn told_up_to(watch: &mut Watch, last_count: &mut u64, last: u64) {
    while *last_count < last {
        match next(watch).await.expect("the watch goes on") {
            WatchEvent::Upsert(resource) => {
                assert_eq!(number_of(&resource), *last_count + 1, "the next number is told, once");
                *last_count += 1;
            }
            WatchEvent::EndOfSnapshot => {}
            WatchEvent::Delete(resource) => panic!("{} is not deleted", resource.id),
        }
    }
}

/// Counts during a recurring fault, and checks that no watch misses a number.
async fn keeps_counting(writer: Etcd, watching: &Etcd, mut fault: impl AsyncFnMut()) {
    let mut watch = watching.watch(&query()).await.expect("a watch");
    let mut last_count = 0;
    let before = number_of(&count_on(&writer, 20).await);
    told_up_to(&mut watch, &mut last_count, before).await;

    let stop = CancellationToken::new();
    let counting = {
        let stop = stop.clone();
        tokio::spawn(async move {
            while !stop.is_cancelled() {
                count(&writer).await;
            }
            count_on(&writer, 20).await
        })
    };
    let following = {
        let stop = stop.clone();
        tokio::spawn(async move {
            while !stop.is_cancelled() {
                let next = last_count + 1;
                told_up_to(&mut watch, &mut last_count, next).await;
            }
            (watch, last_count)
        })
    };
    fault().await;
    stop.cancel();
    let last = number_of(&timeout(PATIENCE, counting).await.expect("it goes on").expect("nothing is wrong"));
    let (mut watch, mut last_count) =
        timeout(PATIENCE, following).await.expect("it goes on").expect("nothing is wrong");
    told_up_to(&mut watch, &mut last_count, last).await;
    // There are no further numbers.
    let stored = watching.read(&counter(), Consistency::Strong).await.expect("it is stored");
    assert_eq!((number_of(&stored), last_count), (last, last));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_is_killed_goes_on_where_it_was() {
    let Some(cluster) = Cluster::start(1) else { return };
    let [writer, watching] =
        [cluster.connect(cluster.options()).await, cluster.connect(cluster.options()).await];
    keeps_counting(writer, &watching, async || {
        for _ in 0..3 {
            cluster.kill(0);
            cluster.restart(0);
            cluster.ready(cluster.options()).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_death_of_the_leader_is_survived() {
    let Some(cluster) = Cluster::start(3) else { return };
    let [writer, watching] =
        [cluster.connect(cluster.options()).await, cluster.connect(cluster.options()).await];
    keeps_counting(writer, &watching, async || {
        for _ in 0..2 {
            let leader = cluster.leader_when_ready().await;
            cluster.kill(leader);
            cluster.ready(cluster.options()).await;
            cluster.restart(leader);
            cluster.ready(cluster.options_of(&[leader])).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_member_is_left() {
    let Some(cluster) = Cluster::start(3) else { return };
    let stopped = cluster.leader_when_ready().await;
    let mut others = vec![stopped];
    others.extend((0..3).filter(|number| *number != stopped));
    let [writer, watching] = [
        cluster.connect(cluster.options_of(&others)).await,
        cluster.connect(cluster.options_of(&others)).await,
    ];
    keeps_counting(writer, &watching, async || {
        cluster.members()[stopped].stop();
        cluster.ready(cluster.options_of(&others[1..])).await;
        cluster.members()[stopped].go_on();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_goes_on_when_its_connection_comes_back() {
    let Some(cluster) = Cluster::start(1) else { return };
    let writer = cluster.connect(cluster.options()).await;
    let proxy = Proxy::to(&cluster.address(0)).await;
    let options = converge_controller::storage::EtcdOptions::new([proxy.address.clone()]);
    let watching = cluster.connect(options).await;
    let direct = cluster.connect(cluster.options()).await;
    keeps_counting(writer, &watching, async || {
        for _ in 0..5 {
            proxy.cut();
            count_on(&direct, 3).await;
            proxy.mend();
            count_on(&direct, 3).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_missed_what_is_forgotten_is_closed() {
    let Some(cluster) = Cluster::start(1) else { return };
    let writer = cluster.connect(cluster.options()).await;
    let proxy = Proxy::to(&cluster.address(0)).await;
    let options = converge_controller::storage::EtcdOptions::new([proxy.address.clone()]);
    let watching = cluster.connect(options).await;
    let mut watch = watching.watch(&query()).await.expect("a watch");
    assert_eq!(next(&mut watch).await, Ok(WatchEvent::EndOfSnapshot));
    let mut last_count = 0;
    count(&writer).await;
    told_up_to(&mut watch, &mut last_count, 1).await;

    // Revisions that the watch has reported may be compacted.
    let second = count(&writer).await;
    told_up_to(&mut watch, &mut last_count, 2).await;
    cluster.compact(second.version.expect("it is stored").as_str());
    proxy.cut();
    proxy.mend();
    count(&writer).await;
    told_up_to(&mut watch, &mut last_count, 3).await;

    proxy.cut();
    let last = count_on(&writer, 3).await;
    cluster.compact(last.version.as_ref().expect("it is stored").as_str());
    proxy.mend();
    assert_eq!(next(&mut watch).await, Err(WatchClosed::Restored));
    assert!(next(&mut watch).await.is_err(), "closed it stays");

    let mut second_watch = watching.watch(&query()).await.expect("a watch");
    assert_eq!(next(&mut second_watch).await, Ok(WatchEvent::Upsert(last.into())));
    assert_eq!(next(&mut second_watch).await, Ok(WatchEvent::EndOfSnapshot));
}

/// Waits until a lease is held, or until it is not.
async fn told_whether_held(lease: &Lease, is_held: bool) -> Option<Fence> {
    let mut watch = lease.watch();
    let result = timeout(PATIENCE, watch.wait_for(|fence| fence.is_some() == is_held)).await;
    result.expect("it is told").expect("the store is there").clone()
}

fn deed(uid: u128) -> Id {
    let mut id = counter().with_uid(Uid::from_bits(uid));
    id.resource_type = "demo.v1.Deed".parse().expect("a type");
    id.name = format!("by-{uid}").parse().expect("a name");
    id
}

async fn create(store: &Etcd, uid: u128, fence: &Fence) -> Result<(), CommitError> {
    let id = deed(uid);
    let change = Change::Put(Box::new(Resource::new(id)));
    store.commit(Transaction::from_change(change).fenced_by(Some(fence.clone()))).await.map(drop)
}

/// Waits until a read succeeds: a member that was stopped needs time to find the others again.
async fn answers_again(store: &Etcd) {
    let answered = async {
        while let Err(ReadError::Unavailable(_)) = store.read(&counter(), Consistency::Strong).await {}
    };
    timeout(PATIENCE, answered).await.expect("it answers again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_behind_a_stopped_member_lets_go_in_time_and_is_fenced() {
    let Some(cluster) = Cluster::start(3) else { return };
    cluster.leader_when_ready().await;
    let short = Duration::from_secs(3);
    let connect =
        async |numbers: &[usize]| cluster.connect(cluster.options_of(numbers).lease_time(short)).await;
    let (behind, through_majority) = (connect(&[0]).await, connect(&[1, 2]).await);
    let name = "singleton".parse().expect("a name");

    let first = behind.lease(&name);
    let yesterday = told_whether_held(&first, true).await.expect("it is held");
    create(&behind, 10, &yesterday).await.expect("it is held");
    let second = through_majority.lease(&name);

    cluster.members()[0].stop();
    let today = told_whether_held(&second, true).await.expect("it is held by the other");
    // The first candidate noticed the loss before the second one could hold the lease.
    assert_eq!(first.held(), None);
    assert!(today.token > yesterday.token);
    create(&through_majority, 11, &today).await.expect("it is held");

    // This write is sent during the pause of the member, and its response may come in time or not.
    cluster.members()[0].go_on();
    let late = create(&behind, 12, &yesterday).await;
    assert!(matches!(late, Err(CommitError::Fenced { .. } | CommitError::Unavailable(_))), "{late:?}");
    answers_again(&behind).await;
    let late = create(&behind, 12, &yesterday).await;
    assert!(matches!(late, Err(CommitError::Fenced { .. })), "{late:?}");
    let stored = through_majority.read(&deed(12), Consistency::Strong).await;
    assert!(matches!(stored, Err(ReadError::NotFound { .. })), "{stored:?}");
    create(&behind, 13, &today).await.expect("the holding counts, not the way");
    drop(second);
    let tomorrow = told_whether_held(&first, true).await.expect("it is held again");
    assert!(tomorrow.token > today.token);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_whose_key_was_removed_is_lost() {
    let Some(cluster) = Cluster::start(1) else { return };
    let store = cluster.connect(cluster.options().prefix("/here")).await;
    let lease = store.lease(&"singleton".parse().expect("a name"));
    let before = told_whether_held(&lease, true).await.expect("it is held");
    // The JSON form of protobuf has bytes in base64.
    let key = serde_json::json!({ "key": "L2hlcmUvbC9zaW5nbGV0b24=" });
    let removed = cluster.operate(0, "/v3/kv/deleterange", &key);
    assert_eq!(removed["deleted"], "1");
    let mut watch = lease.watch();
    let after =
        timeout(PATIENCE, watch.wait_for(|fence| fence.as_ref().is_some_and(|fence| *fence != before)));
    let after =
        after.await.expect("it is had anew").expect("the store is there").clone().expect("it is held");
    assert!(after.token > before.token);
    assert!(matches!(create(&store, 20, &before).await, Err(CommitError::Fenced { .. })));
    create(&store, 21, &after).await.expect("it is held");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_cut_off_decides_nothing() {
    let Some(network) = Network::new(3) else { return };
    let cluster = Cluster::from_members(network.members());
    let alone = cluster.leader_when_ready().await;
    let others: Vec<_> = (0..3).filter(|number| *number != alone).collect();
    let short = Duration::from_secs(3);
    let options = |numbers: &[usize]| cluster.options_of(numbers).lease_time(short).request_timeout(short);
    let behind = cluster.connect(options(&[alone])).await;
    let majority = cluster.connect(options(&others)).await;
    let [writer, watching] =
        [cluster.connect(options(&[0, 1, 2])).await, cluster.connect(options(&[0, 1, 2])).await];
    let name = "singleton".parse().expect("a name");

    let first = behind.lease(&name);
    let yesterday = told_whether_held(&first, true).await.expect("it is held");
    let second = majority.lease(&name);
    keeps_counting(writer, &watching, async || {
        network.cut_off(alone);
        let today = told_whether_held(&second, true).await.expect("it is held by the other");
        assert_eq!(first.held(), None);

        let refused = behind.write(Resource::new(counter().with_uid(Uid::from_bits(30)))).await;
        let message = refused.expect_err("it cannot write").to_string();
        assert!(message.contains("no quorum"), "{message}");
        behind.read(&counter(), Consistency::Strong).await.expect_err("it does not know what is stored");
        create(&majority, 31, &today).await.expect("it is held");

        network.join(alone);
        cluster.ready(options(&[alone])).await;
        let late = create(&behind, 32, &yesterday).await;
        assert!(matches!(late, Err(CommitError::Fenced { .. })), "{late:?}");
    })
    .await;
}
