//! Lesson 17: a service around the engine.
//!
//! A small fleet agent: it stores modules, plans them, stores the plans, and applies the approved ones. Its
//! clients see the events of each run as they happen.
//!
//! Run it with `cargo run --example fleetlet`.
//!
//! This command serves a temporary folder and acts as the first client. To serve permanently, with a folder
//! of your choice:
//!
//! ```text
//! cargo run --example fleetlet -- /tmp/fleet 127.0.0.1:8080
//! curl --data-binary @site.hcl -X PUT localhost:8080/modules/site.hcl
//! curl --json '{"port": 8080}' --no-buffer localhost:8080/modules/site.hcl/plan
//! curl localhost:8080/plans/1
//! curl -X POST --no-buffer localhost:8080/plans/1/apply
//! ```
//!
//! The service does not authenticate its clients, so nobody else may be able to reach its address.

mod answer;
mod client;
mod fleet;
mod service;

use std::error::Error;
use std::path::PathBuf;

use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

use fleet::Fleet;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else { return demonstrate().await };
    let address = arguments.next().and_then(|address| address.into_string().ok());
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:0")).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, service::routes(Fleet::open(&folder)?)).await?;
    Ok(())
}

/// Serves a temporary folder and sends the requests of the commands above.
#[expect(clippy::disallowed_methods, reason = "a look from outside at what the service made")]
async fn demonstrate() -> Result<(), Failure> {
    let folder = tempfile::Builder::new().prefix("fleetlet").tempdir_in(client::private_folder()?)?;
    let fleet = Fleet::open(folder.path())?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(async move { axum::serve(listener, service::routes(fleet)).await });
    spawn_blocking(move || client::demonstrate_requests(&url)).await??;
    server.abort();
    let page = std::fs::read_to_string(folder.path().join("machine/site/index.html"))?;
    println!("{page}");
    Ok(())
}
