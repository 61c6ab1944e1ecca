//! The metrics of a server: one value from which every part gets its counters.
//!
//! Labels are known at compile time, or are the names of controllers. No client can create new ones.

mod count;
mod counting_store;
mod fleet;
mod listeners;
mod process;
mod store;
#[cfg(test)]
mod tests;
mod text;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use converge_controller::storage::Backend;
use jiff::Timestamp;

pub(crate) use count::{Counted, Counter};
use counting_store::CountingStore;
pub(crate) use fleet::{
    AssignmentCondition, AssignmentState, FleetCounts, ModuleState, NodeState, RolloutPhase, State, Tally,
};
use listeners::write;
pub(crate) use listeners::{Answering, Asked, Code, Denial, Handshake, Limit, ListenerCounts};
use process::Process;
use store::{Space, StoreCounts};
use text::{END, Family, Kind, Text};

const CERTIFICATE: Family = Family {
    name: "converge_server_certificate_expiry_timestamp_seconds",
    kind: Kind::Gauge,
    help: "When the certificate of the server ends, in seconds since 1970; only where it speaks TLS.",
};

/// The metrics of one server.
#[derive(Debug)]
pub(crate) struct Metrics {
    process: Process,
    store: Arc<StoreCounts>,
    /// The file of the store, if there is one.
    file: Option<PathBuf>,
    http: Arc<ListenerCounts>,
    grpc: Arc<ListenerCounts>,
    fleet: Arc<FleetCounts>,
    /// The expiry of the server certificate.
    certificate: Mutex<Option<Timestamp>>,
}

impl Metrics {
    /// Creates the metrics of a server that starts now, with its store in this file, if there is one.
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        let [http, grpc] = ["http", "grpc"].map(|door| Arc::new(ListenerCounts::new(door)));
        let certificate = Mutex::default();
        Self {
            process: Process::new(),
            store: Arc::default(),
            file,
            http,
            grpc,
            fleet: Arc::default(),
            certificate,
        }
    }

    /// Wraps a store so that each operation is counted.
    pub(crate) fn counting(&self, store: Arc<dyn Backend>) -> Arc<dyn Backend> {
        Arc::new(CountingStore::new(store, Arc::clone(&self.store)))
    }

    /// Returns the metrics of the HTTP listener.
    pub(crate) fn http(&self) -> &Arc<ListenerCounts> {
        &self.http
    }

    /// Returns the metrics of the gRPC listener.
    pub(crate) fn grpc(&self) -> &Arc<ListenerCounts> {
        &self.grpc
    }

    pub(crate) fn fleet(&self) -> &Arc<FleetCounts> {
        &self.fleet
    }

    /// Sets the expiry of the server certificate, if it is known.
    pub(crate) fn set_certificate_expiry(&self, end: Option<Timestamp>) {
        *self.certificate.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    /// Returns all metrics as [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text.
    ///
    /// The metrics of controllers, which are in the same format, come first. Nothing is read from the store.
    pub(crate) async fn openmetrics(&self, controllers: &str) -> String {
        let space = match &self.file {
            Some(file) => Some(Space::query(file.clone()).await),
            None => None,
        };
        let mut text = Text::after(controllers.strip_suffix(END).unwrap_or(controllers).to_owned());
        self.process.write(&mut text);
        self.store.write(&mut text);
        if let Some(space) = space {
            space.write(&mut text);
        }
        write(&[&self.http, &self.grpc], &mut text);
        self.fleet.write(&mut text);
        let certificate = *self.certificate.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(end) = certificate {
            text.family(&CERTIFICATE).value(&[], end.as_second());
        }
        text.end()
    }
}
