//! Errors that prevent a run.

use std::fmt;
use std::time::Duration;

use crate::diagnostic::{Diagnostic, Suggest};
use crate::graph::{Cycle, Graph, NodeId, Tag};
use crate::state::{Holder, StateError};

/// The reason why a run could not begin.
///
/// Except for [`RuntimeGone`](Self::RuntimeGone), nothing was checked or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Resources depend on each other in a cycle.
    #[error("resources wait for each other: {}", show(.cycles))]
    Cycles {
        /// One cycle for each set of resources that wait for each other.
        ///
        /// Each resource waits for the next, and the last one for the first.
        cycles: Vec<Vec<NodeId>>,
    },
    /// Resource types need [state](converge_sdk::AppState) that the engine was not given.
    #[error("{}", lines(.diagnostics))]
    MissingState {
        /// One diagnostic for each resource type and each type of state.
        diagnostics: Vec<Diagnostic>,
    },
    /// Another run still holds the [lock](crate::Engine::with_state_folder) after the maximum wait.
    #[error("another apply is running: {holder}{}", after(*.waited))]
    Locked {
        /// The holder of the lock.
        holder: Holder,
        /// The time spent waiting.
        waited: Duration,
    },
    /// The run was interrupted while it waited for the lock.
    #[error("interrupted while waiting for another apply to end; nothing was changed")]
    Interrupted,
    /// A [target](crate::Run::target) is not in the graph.
    #[error("there is no {target} in this graph, so it cannot be a target{}", Suggest(.close))]
    UnknownTarget {
        /// The requested target.
        target: NodeId,
        /// Similar ids.
        close: Vec<String>,
    },
    /// No resource in the graph has a [tag](crate::Run::tag).
    #[error("nothing in this graph has the tag `{tag}`{}", Suggest(.close))]
    UnknownTag {
        /// The requested tag.
        tag: Tag,
        /// Similar tags.
        close: Vec<String>,
    },
    /// The run was started outside of a tokio runtime.
    #[error(
        "a run needs a tokio runtime around it, and here is none: await or spawn it in async code that a runtime drives \
         (`#[tokio::main]`, `Runtime::block_on`), or enter a runtime before `spawn` (`Handle::enter`)"
    )]
    NoRuntime,
    /// The tokio runtime lacks a part.
    #[error("the tokio runtime around this run has no {0}: build it with `Builder::enable_all`")]
    RuntimeWithout(RuntimePart),
    /// The runtime was shut down before the run was over.
    #[error("the runtime was shut down before the run was over")]
    RuntimeGone,
    /// The random key for a plan could not be created.
    #[error("cannot get random numbers for the plan: {0}")]
    NoRandomNumbers(String),
    /// The state folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}

/// An optional part of a tokio runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimePart {
    /// The timer, which deadlines and waits need.
    Timer,
    /// The I/O driver, which programs and connections need.
    Io,
}

impl fmt::Display for RuntimePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timer => "timer",
            Self::Io => "I/O",
        })
    }
}

impl EngineError {
    pub(crate) fn cycles(graph: &Graph, cycles: &[Cycle]) -> Self {
        let redactor = graph.sources().redactor();
        let ids =
            |cycle: &Cycle| cycle.steps.iter().map(|(at, _)| graph.node(*at).id.redacted(redactor)).collect();
        Self::Cycles { cycles: cycles.iter().map(ids).collect() }
    }
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    let line = |diagnostic: &Diagnostic| {
        let help = diagnostic.help.as_ref().map(|help| format!("; {help}"));
        format!("{}{}", diagnostic.message, help.unwrap_or_default())
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn after(waited: Duration) -> String {
    if waited.is_zero() { String::new() } else { format!("; waited for {:.1}s", waited.as_secs_f64()) }
}

/// The maximum number of resources of a cycle in a message; the error itself has all of them.
const MAX_SHOWN: usize = 8;

fn show(cycles: &[Vec<NodeId>]) -> String {
    let circle = |ids: &Vec<NodeId>| {
        let mut names: Vec<&str> = ids.iter().take(MAX_SHOWN).map(NodeId::short).collect();
        if ids.len() > MAX_SHOWN {
            names.push("..");
        }
        names.extend(ids.first().map(NodeId::short));
        names.join(" -> ")
    };
    cycles.iter().map(circle).collect::<Vec<_>>().join("; ")
}
