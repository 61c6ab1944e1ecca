//! What can be seen of controllers.

use std::time::Duration;

use serde::Serialize;

use crate::runtime::engine::definition::{Definition, Placement};
use crate::runtime::engine::record::{LastError, Reconciles, Record, RunStatus};
use crate::runtime::events::ResourceEvent;
use crate::runtime::supervisor::SupervisorStatus;

/// What can be seen of a controller at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ControllerStatus {
    /// Its name.
    pub name: String,
    /// The type that it reconciles.
    pub managed_type: String,
    /// The other types that it watches.
    pub watched_types: Vec<String>,
    /// Where it runs.
    pub placement: Placement,
    /// Whether it runs, and how often it began again.
    pub supervisor: SupervisorStatus,
    /// For how long it has run nowhere, as nobody holds its lease: neither this server nor another.
    pub vacant: Option<Duration>,
    /// What it has done since the program began.
    pub reconciles: Reconciles,
    /// The last error of a reconcile, over all runs.
    pub last_error: Option<LastError>,
    /// What was said last about resources, the latest at the end: by [`Runtime::event`](crate::runtime::Runtime::event), and the
    /// errors of reconciles. Of each resource some are kept, and a few hundred of all.
    pub events: Vec<ResourceEvent>,
    /// What waits, in the run that goes on.
    pub run: Option<RunStatus>,
}

impl ControllerStatus {
    pub(super) fn of(
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
