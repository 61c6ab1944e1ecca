//! A `System` that marks the programs of a run that holds a lock.

use std::sync::Arc;

use async_trait::async_trait;

use crate::system::{Command, Marker, Output, Processes, System, SystemError, WrapProcesses, WrapSystem};

/// A system whose programs inherit a mark that identifies their run.
#[derive(Debug)]
pub(crate) struct MarkedSystem {
    system: Arc<dyn System>,
    marker: Marker,
}

impl MarkedSystem {
    pub(crate) fn new(system: Arc<dyn System>, marker: Marker) -> Self {
        Self { system, marker }
    }
}

impl WrapSystem for MarkedSystem {
    fn wrapped_system(&self) -> &dyn System {
        &*self.system
    }

    fn processes(&self) -> &dyn Processes {
        self
    }
}

#[async_trait]
impl WrapProcesses for MarkedSystem {
    fn wrapped_processes(&self) -> &dyn Processes {
        self.system.processes()
    }

    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        self.wrapped_processes().run(command.with_marker(self.marker.clone())).await
    }
}
