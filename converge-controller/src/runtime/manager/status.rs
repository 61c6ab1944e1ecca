//! Statuses of controllers.

use std::time::Duration;

use serde::Serialize;

use crate::runtime::engine::definition::{Definition, Placement};
use crate::runtime::engine::record::{LastError, Reconciles, Record, RunStatus};
use crate::runtime::events::ResourceEvent;
use crate::runtime::supervisor::SupervisorStatus;

/// The status of a controller at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ControllerStatus {
    /// The name of the controller.
    pub name: String,
    /// The type that the controller reconciles.
    pub managed_type: String,
    /// The other types that the controller watches.
    pub watched_types: Vec<String>,
    /// The servers that the controller runs on.
    pub placement: Placement,
    /// The phase and the restarts of the controller.
    pub supervisor: SupervisorStatus,
    /// The time since when nobody has held its lease, so that it runs on no server.
    pub vacant: Option<Duration>,
    /// The counts of reconciles since the program began.
    pub reconciles: Reconciles,
    /// The last error of a reconcile, over all runs.
    pub last_error: Option<LastError>,
    /// The last events of resources, latest last.
    ///
    /// They come from [`Runtime::event`](crate::runtime::Runtime::event) and from errors of reconciles.
    /// Several are kept for each resource, and a few hundred in total.
    pub events: Vec<ResourceEvent>,
    /// The state of the current run.
    pub run: Option<RunStatus>,
}

impl ControllerStatus {
    pub(super) fn new(
        definition: &Definition,
        record: &Record,
        supervisor: SupervisorStatus,
        vacant: Option<Duration>,
    ) -> Self {
        Self {
            name: definition.name().to_owned(),
            managed_type: definition.managed_type().to_string(),
            watched_types: definition.watched_types().map(ToString::to_string).collect(),
            placement: definition.placement(),
            supervisor,
            vacant,
            reconciles: record.reconciles(),
            last_error: record.last_error(),
            events: record.events().all(),
            run: record.run(),
        }
    }
}
