//! Tests of a controller while members of the cluster fail.

use std::collections::BTreeSet;
use std::time::Duration;

use converge_controller::service::{Client, List};
use converge_controller::storage::{Consistency, Etcd};
use converge_controller::testing::{ControllerTest, resource};
use converge_controller::{Scope, StoredResource};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::server::{Invoice, LEASE, Ledger, Order, PATIENCE, insist, ledger, observe, only, order, start};
use crate::support::Cluster;

/// The number of orders created at once. One in three is cancelled as soon as it is in the ledger.
const TOGETHER: usize = 6;

/// Creates orders until `over`, and once more; returns the kept and the cancelled ones.
async fn keep_ordering(client: &Client, stop: &CancellationToken) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut completed_orders, mut cancelled) = (BTreeSet::new(), BTreeSet::new());
    for round in 0.. {
        let last = stop.is_cancelled();
        let names: Vec<_> = (0..TOGETHER).map(|number| format!("order-{round}-{number}")).collect();
        order(client, &names).await;
        for (number, name) in names.into_iter().enumerate() {
            if number % 3 != 0 {
                completed_orders.insert(name);
                continue;
            }
            let id = resource::<Order>(&name).build().id;
            insist(async || client.delete(&id, None).await).await;
            cancelled.insert(name);
        }
        if last {
            break;
        }
    }
    (completed_orders, cancelled)
}

async fn names<T: StoredResource>(client: &Client) -> BTreeSet<String> {
    let list =
        List::for_type::<T>().in_tenancy(Scope::Namespace.default_tenancy()).consistency(Consistency::Strong);
    let listed = client.list(&list).await.expect("a list");
    listed.iter().map(|listed| listed.id.name.to_string()).collect()
}

/// Waits until all controllers of the server are idle.
async fn idle(server: &ControllerTest) {
    let idle = || {
        server.controllers.status().iter().all(|controller| {
            let run = controller.run.as_ref();
            run.is_none_or(|run| {
                let mut queues = run.feeds.iter().map(|feed| &feed.queue).chain([&run.queue]);
                queues.all(|queue| queue.depth + queue.in_flight + queue.failing.len() == 0)
            })
        })
    };
    let wait = async {
        while !idle() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(timeout(PATIENCE, wait).await.is_ok(), "still busy: {:?}", server.controllers);
}

/// Creates orders during a temporary fault, and checks that none is lost, entered twice or restored.
async fn keeps_the_books(stores: [Etcd; 2], fault: impl AsyncFnOnce()) {
    let [serving, observing] = stores;
    let (sender, _listener) = mpsc::unbounded_channel();
    let observer = observe(observing).await;
    observer.client.write(resource::<Ledger>("only").build()).await.expect("a ledger");
    let server = start(serving, "a", 1, sender).await;

    let stop = CancellationToken::new();
    let first: Vec<_> = (0..TOGETHER).map(|number| format!("before-{number}")).collect();
    order(&observer.client, &first).await;
    let client: &Client = &observer.client;
    let during = async {
        fault().await;
        stop.cancel();
    };
    // The timeout includes the faults, during which requests wait for members several times.
    let (ordered, ()) = tokio::join!(timeout(PATIENCE * 10, keep_ordering(client, &stop)), during);
    let (mut completed_orders, cancelled) = ordered.expect("it ends");
    completed_orders.extend(first);

    for name in &cancelled {
        observer.client.wait_for_deletion(&resource::<Invoice>(name).build().id).await;
    }
    idle(&server).await;
    let ledger = ledger(client).await;
    let entered: BTreeSet<_> = ledger.orders.iter().cloned().collect();
    assert_eq!(entered.len(), ledger.orders.len(), "none is entered twice");
    assert_eq!(entered, completed_orders.union(&cancelled).cloned().collect(), "none is lost");
    assert_eq!(names::<Order>(client).await, completed_orders, "what was cancelled is gone");
    assert_eq!(names::<Invoice>(client).await, completed_orders, "and so are its invoices");
    observer.client.require_exists(&only::<Ledger>()).await;
    server.stop().await;
    observer.stop().await;
}

async fn stores(cluster: &Cluster, numbers: &[usize]) -> [Etcd; 2] {
    let connect = async || cluster.connect(cluster.options_of(numbers).lease_time(LEASE)).await;
    [connect().await, connect().await]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_only_member_is_killed() {
    let Some(cluster) = Cluster::start(1) else { return };
    keeps_the_books(stores(&cluster, &[0]).await, async || {
        for _ in 0..4 {
            cluster.kill(0);
            cluster.restart(0);
            cluster.ready(cluster.options()).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_leader_is_killed() {
    let Some(cluster) = Cluster::start(3) else { return };
    cluster.leader_when_ready().await;
    keeps_the_books(stores(&cluster, &[0, 1, 2]).await, async || {
        for _ in 0..3 {
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
async fn a_member_stands_still() {
    let Some(cluster) = Cluster::start(3) else { return };
    let stopped = cluster.leader_when_ready().await;
    let others: Vec<_> = (0..3).filter(|number| *number != stopped).collect();
    keeps_the_books(stores(&cluster, &[stopped, others[0], others[1]]).await, async || {
        for _ in 0..3 {
            cluster.members()[stopped].stop();
            cluster.ready(cluster.options_of(&others)).await;
            cluster.members()[stopped].go_on();
            cluster.ready(cluster.options_of(&[stopped])).await;
        }
    })
    .await;
}
