//! A `System` that looks for secrets on command lines.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::graph::{Graph, Node};
use crate::redact::Redactor;
use crate::system::{Command, Output, Processes, System, SystemError, WrapProcesses, WrapSystem};

/// A system that remembers the programs that were given a secret as an argument.
#[derive(Debug)]
pub(crate) struct WatchedSystem {
    system: Arc<dyn System>,
    redactor: Redactor,
    /// The programs found. A task may run several programs at once.
    exposed: Mutex<BTreeSet<String>>,
}

impl WatchedSystem {
    pub(crate) fn new(system: Arc<dyn System>, redactor: Redactor) -> Self {
        Self { system, redactor, exposed: Mutex::default() }
    }

    /// Removes and returns the programs that were given a secret as an argument.
    pub(crate) fn exposed(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.exposed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn check_arguments(&self, command: &Command) {
        if command.args.iter().any(|argument| self.redactor.is_in(argument)) {
            let mut exposed = self.exposed.lock().unwrap_or_else(PoisonError::into_inner);
            exposed.insert(command.program.clone());
        }
    }
}

/// Returns the warning for a node that ran a program with a secret among its arguments.
pub(crate) fn exposed_warning(graph: &Graph, node: &Node, program: &str) -> String {
    let place = node.span.map(|span| format!("{}: ", graph.sources().location(span))).unwrap_or_default();
    format!(
        "{place}a secret is among the arguments of `{program}`, which every user of this machine can read while it runs"
    )
}

impl WrapSystem for WatchedSystem {
    fn wrapped_system(&self) -> &dyn System {
        &*self.system
    }

    fn processes(&self) -> &dyn Processes {
        self
    }
}

#[async_trait]
impl WrapProcesses for WatchedSystem {
    fn wrapped_processes(&self) -> &dyn Processes {
        self.system.processes()
    }

    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        self.check_arguments(&command);
        self.wrapped_processes().run(command).await
    }

    async fn started_elsewhere(&self, command: &Command) {
        self.check_arguments(command);
        self.wrapped_processes().started_elsewhere(command).await;
    }
}
