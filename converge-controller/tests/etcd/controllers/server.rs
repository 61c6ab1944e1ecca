//! The server of these tests, with a singleton controller.
//!
//! The controller enters each order into one ledger once, and makes an invoice of it. The ledger shows what
//! was lost or done twice, and by which server. In addition, each run of the controller leaves a task behind
//! that keeps signing until the store refuses. It simulates an outdated leader.

use std::sync::Arc;
use std::time::Duration;

use converge_controller::registry::TypeRegistry;
use converge_controller::runtime::{Action, Controller, Definition, Request, RunError, Runtime, map};
use converge_controller::service::{Client, ErrorKind, ServiceError, TypedError};
use converge_controller::storage::{Consistency, Etcd};
use converge_controller::testing::{ControllerTest, resource};
use converge_controller::{Id, StoredResource};
use tokio::sync::mpsc;
use tokio::time::sleep;

/// The timeout of the tests, far above what anything takes.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);
/// The time that a dead server, or one that seems dead, keeps the others waiting.
pub(super) const LEASE: Duration = Duration::from_secs(8);

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "shop", version = "v1", scope = namespace)]
pub(super) struct Order {}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "shop", version = "v1", scope = namespace)]
pub(super) struct Invoice {}

/// The single ledger.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "shop", version = "v1", scope = namespace)]
pub(super) struct Ledger {
    /// The orders, with the servers that entered them.
    #[stored(tag = 1)]
    pub(super) orders: Vec<String>,
    #[stored(tag = 2)]
    pub(super) servers: Vec<String>,
}

/// The single signature.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "shop", version = "v1", scope = namespace)]
pub(super) struct Signature {
    #[stored(tag = 1)]
    pub(super) server: String,
}

pub(super) fn only<T: StoredResource>() -> Id {
    resource::<T>("only").build().id
}

/// The channel of messages about servers: `began NAME`, `ended NAME` and `refused NAME`.
pub(super) type Told = mpsc::UnboundedSender<String>;

/// Returns the next message.
pub(super) async fn next(receiver: &mut mpsc::UnboundedReceiver<String>) -> String {
    let next = tokio::time::timeout(PATIENCE, receiver.recv()).await;
    next.expect("something is told").expect("the servers are there")
}

fn types(types: &mut TypeRegistry) -> Result<(), converge_controller::registry::RegistryError> {
    types.register::<Order>()?;
    types.register::<Invoice>()?;
    types.register::<Ledger>()?;
    types.register::<Signature>()
}

/// Starts a server. Each has its own seed, so that no two create the same uid.
pub(super) async fn start(store: Etcd, name: &'static str, seed: u64, sender: Told) -> ControllerTest {
    let server = server(store, seed).controllers(move |manager| manager.register(orders(name, &sender)));
    server.start().await
}

/// Starts a service without the controller.
pub(super) async fn observe(store: Etcd) -> ControllerTest {
    server(store, u64::MAX).start().await
}

fn server(store: Etcd, seed: u64) -> converge_controller::testing::ControllerTestBuilder {
    ControllerTest::builder().types(types).store(Arc::new(store)).seed(seed).patience(PATIENCE)
}

fn orders(name: &'static str, sender: &Told) -> Definition {
    let (began, ended) = (sender.clone(), sender.clone());
    Controller::<Order>::new("orders")
        .watch::<Invoice>(map::owner())
        .concurrency(4)
        .on_start(move |runtime| {
            // The receiver may be gone.
            let _ = began.send(format!("began {name}"));
            tokio::spawn(sign(runtime.client.clone(), name, began.clone()));
        })
        .on_stop(move |_| drop(ended.send(format!("ended {name}"))))
        .reconcile(move |runtime, request| reconcile(runtime, request, name))
}

async fn reconcile(
    runtime: Runtime,
    request: Request<Order>,
    name: &'static str,
) -> Result<Action, RunError> {
    let client = &runtime.client;
    let Some(order) = client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    enter(client, order.id.name.as_str(), name).await?;
    let invoice = resource::<Invoice>(order.id.name.as_str()).with_owner(&order.id).build();
    if client.find(&invoice.id, Consistency::Eventual).await?.is_none() {
        client.write(invoice).await?;
    }
    Ok(Action::await_change())
}

/// Enters an order unless it is entered.
async fn enter(client: &Client, order: &str, server: &str) -> Result<(), RunError> {
    let ledger = client.find_as::<Ledger>(&only::<Ledger>(), Consistency::Strong).await?;
    let mut ledger = ledger.ok_or("there is a ledger")?;
    if !ledger.orders.iter().any(|entered| entered == order) {
        ledger.orders.push(order.to_owned());
        ledger.servers.push(server.to_owned());
        // The write has the version that was read, so a concurrent entry causes a conflict.
        client.write_as(ledger).await?;
    }
    Ok(())
}

/// Signs, overwriting the last signature, until the store refuses because the lease is lost.
async fn sign(client: Client, name: &'static str, sender: Told) {
    loop {
        let signature = Signature { server: name.to_owned() };
        let signed = client.write(resource("only").with_data(signature).build()).await;
        match signed.map_err(|error| error.kind()) {
            // The delay limits the load: the tests are about order, not about speed.
            Ok(_) => sleep(Duration::from_millis(5)).await,
            Err(ErrorKind::FailedPrecondition) => {
                let _ = sender.send(format!("refused {name}"));
                return;
            }
            Err(ErrorKind::Unavailable | ErrorKind::Aborted) => {}
            Err(kind) => panic!("{kind:?}"),
        }
    }
}

/// Retries a request until the store is available.
///
/// The request must be repeatable, as a failed one may have happened.
pub(super) async fn insist<T>(mut ask: impl AsyncFnMut() -> Result<T, ServiceError>) -> T {
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) if [ErrorKind::Unavailable, ErrorKind::Aborted].contains(&error.kind()) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Reads the ledger.
pub(super) async fn ledger(client: &Client) -> Ledger {
    loop {
        match client.find_as::<Ledger>(&only::<Ledger>(), Consistency::Strong).await {
            Ok(ledger) => return ledger.expect("there is a ledger").data,
            Err(TypedError::Service(error)) if error.kind() == ErrorKind::Unavailable => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Creates orders, and waits until all of them are in the ledger.
pub(super) async fn order(client: &Client, names: &[String]) -> Ledger {
    for name in names {
        insist(async || client.write(resource::<Order>(name).build()).await).await;
    }
    let entered = async {
        loop {
            let ledger = ledger(client).await;
            if names.iter().all(|name| ledger.orders.contains(name)) {
                return ledger;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, entered).await.expect("the orders are entered")
}
