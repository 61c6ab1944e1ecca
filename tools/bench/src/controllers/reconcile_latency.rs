//! Latency from a write to its reconcile, and throughput of an initial queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use converge_controller::authorize::Caller;
use converge_controller::clock::{Clock, Random};
use converge_controller::registry::TypeRegistry;
use converge_controller::runtime::{Action, Controller, Definition, Manager, Request, Runtime};
use converge_controller::service::{Client, Service, ServiceError};
use converge_controller::storage::{Backend, Consistency};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::report::{Rate, Report, Row};
use super::stores::{Entry, Kind, Stores, fill, resource};
use crate::error::BenchError;

/// The number of concurrent reconciles while the queue empties.
const CONCURRENCY: usize = 16;
/// The target at p99 for the time from a write to its reconcile, without the time of the store.
const AIM: Duration = Duration::from_millis(1);

/// Returns a client of a service over the store.
async fn client(store: Arc<dyn Backend>) -> Result<Client, BenchError> {
    let mut types = TypeRegistry::new();
    types.register::<Entry>().map_err(BenchError::store)?;
    let service = Service::new(store, types, Clock::machine(), Random::from_machine());
    let service = service.map_err(BenchError::store)?;
    service.start().await.map_err(BenchError::store)?;
    Ok(service.client(Caller::system()))
}

/// Runs a controller until the returned guard is dropped.
fn run(client: &Client, controller: Definition) -> Result<DropGuard, BenchError> {
    let mut manager = Manager::new(client.clone(), Random::from_machine());
    manager.register(controller).map_err(BenchError::store)?;
    let stop = CancellationToken::new();
    tokio::spawn(manager.run(stop.clone()));
    Ok(stop.drop_guard())
}

/// Measures the time from the begin of a write to its reconcile, one write after the other.
pub(super) async fn latency(
    stores: &Stores,
    kind: Kind,
    time: Duration,
    report: &mut Report,
) -> Result<(), BenchError> {
    let opened = stores.open(kind).await?;
    let client = client(Arc::clone(&opened)).await?;
    let (sender, mut received) = mpsc::unbounded_channel();
    let controller = Controller::<Entry>::new("entries").reconcile(move |_, _| {
        // The send fails when the measurement already has its result.
        let _ = sender.send(Instant::now());
        std::future::ready(Ok::<_, ServiceError>(Action::await_change()))
    });
    let _running = run(&client, controller)?;
    let mut entry = resource(0)?;
    entry.id.uid = None;
    // The first reconcile shows that the controller runs.
    client.write(entry.clone()).await.map_err(BenchError::store)?;
    received.recv().await;

    let mut latencies = Vec::new();
    let start = Instant::now();
    while start.elapsed() < time {
        let write_start = Instant::now();
        client.write(entry.clone()).await.map_err(BenchError::store)?;
        let Some(instant) = received.recv().await else { break };
        latencies.push(instant.saturating_duration_since(write_start));
    }
    let rate = Rate::from_latencies(latencies, start.elapsed());
    let aim = (kind == Kind::Memory).then_some(AIM);
    report.add(Row::latency("write to reconcile", kind.name(), &rate, aim));
    Ok(())
}

async fn reconcile(
    runtime: Runtime,
    request: Request<Entry>,
    reconciled: Arc<(AtomicUsize, mpsc::UnboundedSender<()>, usize)>,
) -> Result<Action, ServiceError> {
    let (count, sender, resources) = &*reconciled;
    if runtime.client.find(request.id(), Consistency::Eventual).await?.is_some()
        && count.fetch_add(1, Ordering::Relaxed) + 1 == *resources
    {
        let _ = sender.send(());
    }
    Ok(Action::await_change())
}

/// Measures a controller that starts with many resources: it lists them and reads each of them.
pub(super) async fn throughput(
    stores: &Stores,
    kind: Kind,
    resources: usize,
    report: &mut Report,
) -> Result<(), BenchError> {
    let opened = stores.open(kind).await?;
    fill(&**opened, resources).await?;
    let client = client(Arc::clone(&opened)).await?;
    let (sender, mut ended) = mpsc::unbounded_channel();
    let context = Arc::new((AtomicUsize::new(0), sender, resources));
    let controller = Controller::<Entry>::new("entries").concurrency(CONCURRENCY);
    let start = Instant::now();
    let _running = run(&client, controller.reconcile_with(context, reconcile))?;
    ended.recv().await;
    report.add(Row::count(format!("queue of {resources}"), kind.name(), resources, start.elapsed()));
    Ok(())
}
