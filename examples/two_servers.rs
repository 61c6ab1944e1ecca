//! Lesson 23: two servers.
//!
//! Two programs share a store in etcd. Both have the same controller, which signs guests in. The controller
//! is a singleton: the program that holds the lease runs it, and the other one waits. When the first program
//! is killed, nobody signs in until its lease expires; then the other program takes over. A program that was
//! only paused cannot interfere: the store refuses writes in the name of an expired lease.
//!
//! The example needs an etcd, such as the one that `etcd --data-dir "$(mktemp -d)"` starts.
//!
//! Run it with `cargo run --example two_servers -- http://127.0.0.1:2379`.

#![expect(clippy::disallowed_methods, reason = "the ban on direct effects is for resources of modules")]

use std::error::Error;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use converge_controller::authorize::Caller;
use converge_controller::clock::{Clock, Random};
use converge_controller::registry::TypeRegistry;
use converge_controller::runtime::{Action, Controller, Definition, Manager, Placement, report};
use converge_controller::service::{Client, Service, ServiceError};
use converge_controller::storage::{Consistency, Etcd, EtcdOptions};
use converge_controller::testing::{TestClient, condition, resource};
use converge_controller::{Condition, ConditionState, StoredResource};
use tokio_util::sync::CancellationToken;

/// The time after which a silent server loses its lease.
const LEASE: Duration = Duration::from_secs(2);

/// A guest to sign in.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Guest {}

/// Returns the controller that signs guests in, in the name of a server.
fn reception(server: &str) -> Definition {
    let (server, began) = (server.to_owned(), server.to_owned());
    Controller::<Guest>::new("reception")
        // Singleton is also the default.
        .placement(Placement::Singleton)
        .on_start(move |_| println!("  {began} holds the lease"))
        .reconcile(move |runtime, request| {
            let server = server.clone();
            async move {
                let guest = runtime.client.find(request.id(), Consistency::Eventual).await?;
                // A guest who is signed in stays signed in when another server takes over.
                if let Some(guest) = guest.filter(|guest| guest.status.is_empty()) {
                    let signed_in = Condition::new("signed-in", ConditionState::True).reason(server);
                    report(&runtime, &guest, [signed_in]).await?;
                }
                Ok::<_, ServiceError>(Action::await_change())
            }
        })
}

/// Creates the service on the store, as each of the programs does.
async fn service(etcd: &str, prefix: &str) -> Result<Client, Box<dyn Error>> {
    let options = EtcdOptions::new([etcd]).prefix(prefix).lease_time(LEASE);
    let store = Etcd::connect(options).await?;
    let mut types = TypeRegistry::new();
    types.register::<Guest>()?;
    let service = Service::new(Arc::new(store), types, Clock::machine(), Random::from_machine())?;
    service.start().await?;
    Ok(service.client(Caller::system()))
}

/// Runs one of the two servers until it is killed.
async fn serve(etcd: &str, prefix: &str, name: &str) -> Result<(), Box<dyn Error>> {
    let mut manager = Manager::new(service(etcd, prefix).await?, Random::from_machine());
    manager.register(reception(name))?;
    manager.run(CancellationToken::new()).await;
    Ok(())
}

/// A server in a separate process.
struct Server(Child);

impl Server {
    fn start(etcd: &str, prefix: &str, name: &str) -> Result<Self, Box<dyn Error>> {
        println!("{name} starts");
        let mut command = Command::new(std::env::current_exe()?);
        Ok(Self(command.args([etcd, prefix, name]).spawn()?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process gets no time to release its lease.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Adds a guest and waits until this server has signed the guest in.
async fn guest(client: &TestClient, name: &str, server: &str) {
    println!("{name} comes");
    let guest = resource::<Guest>(name).write(client).await;
    let signed_in = condition("reception", "signed-in", ConditionState::True).because(server);
    client.wait_for_status_condition(guest.id(), &signed_in).await;
    println!("  {server} has signed {name} in");
}

async fn watch_two_servers(etcd: &str) -> Result<(), Box<dyn Error>> {
    // The prefix keeps the keys of this run separate.
    let prefix = format!("/converge-example-{}", std::process::id());
    let client = TestClient::new(service(etcd, &prefix).await?).with_patience(Duration::from_mins(1));

    let first = Server::start(etcd, &prefix, "east")?;
    guest(&client, "ann", "east").await;
    let second = Server::start(etcd, &prefix, "west")?;
    guest(&client, "bob", "east").await;

    println!("east is killed");
    drop(first);
    guest(&client, "cid", "west").await;

    for name in ["ann", "bob", "cid"] {
        client.must_delete(&resource::<Guest>(name).build().id).await;
    }
    drop(second);
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [etcd] => watch_two_servers(etcd).await,
        [etcd, prefix, name] => serve(etcd, prefix, name).await,
        _ => Err("two servers need a store that both reach: give the address of an etcd".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
