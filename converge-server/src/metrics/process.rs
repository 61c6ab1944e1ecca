//! Metrics of the process: version and start time.

use jiff::Timestamp;

use super::text::{Family, Kind, Text};

const BUILD: Family = Family { name: "converge_build", kind: Kind::Info, help: "Which server this is." };
const START: Family = Family {
    name: "process_start_time_seconds",
    kind: Kind::Gauge,
    help: "When the server started, in seconds since 1970.",
};

/// The version and start time of the process.
#[derive(Debug)]
pub(super) struct Process {
    version: &'static str,
    started: Timestamp,
}

impl Process {
    /// Creates the metrics of a process that starts now.
    pub(super) fn new() -> Self {
        Self { version: env!("CARGO_PKG_VERSION"), started: Timestamp::now() }
    }

    pub(super) fn write(&self, text: &mut Text) {
        text.family(&BUILD).value(&[("version", self.version)], 1);
        text.family(&START).value(&[], self.started.as_duration().as_secs_f64());
    }
}
