//! Why a run did not begin.

use std::fmt;
use std::time::Duration;

use crate::diagnostic::{Diagnostic, Suggest};
use crate::graph::{Cycle, Graph, NodeId, Tag};
use crate::state::{Holder, StateError};

/// A run could not begin: but for [`RuntimeGone`](Self::RuntimeGone), nothing was checked or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Resources wait for each other.
    #[error("resources wait for each other: {}", show(.cycles))]
    Cycles {
        /// One circle for each set of resources that wait for each other. Each resource waits for the
        /// next, the last one for the first.
        cycles: Vec<Vec<NodeId>>,
    },
    /// Resource types need [state](crate::AppState) that the engine was not given.
    #[error("{}", lines(.diagnostics))]
    MissingState {
        /// One for each type of resource and each type of state.
        diagnostics: Vec<Diagnostic>,
    },
    /// Another run has the [lock](super::Engine::with_state_folder), and was waited for long enough.
    #[error("another apply is under way: {holder}{}", after(*.waited))]
    Locked {
        /// Who has it.
        holder: Holder,
        /// How long that was.
        waited: Duration,
    },
    /// It was interrupted while it waited for the lock.
    #[error("interrupted while it waited for another apply to end; nothing was changed")]
    Interrupted,
    /// A [target](super::Run::target) is not in the graph.
    #[error("there is no {target} in this graph, so it cannot be a target{}", Suggest(.close))]
    UnknownTarget {
        /// What was asked for.
        target: NodeId,
        /// Ids like it.
        close: Vec<String>,
    },
    /// No resource in the graph has a [tag](super::Run::tag).
    #[error("nothing in this graph has the tag `{tag}`{}", Suggest(.close))]
    UnknownTag {
        /// What was asked for.
        tag: Tag,
        /// Tags like it.
        close: Vec<String>,
    },
    /// It was begun outside of a tokio runtime.
    #[error(
        "a run needs a tokio runtime around it, and here is none: await or spawn it in async code that a runtime drives \
         (`#[tokio::main]`, `Runtime::block_on`), or enter a runtime before `spawn` (`Handle::enter`)"
    )]
    NoRuntime,
    /// The tokio runtime that it was begun in lacks something.
    #[error("the tokio runtime around this run has no {0}: build it with `Builder::enable_all`")]
    RuntimeWithout(RuntimePart),
    /// The runtime was shut down before the run was over.
    #[error("the runtime was shut down before the run was over")]
    RuntimeGone,
    /// A plan needs a random key, and none can be made.
    #[error("a plan needs random numbers, and there are none: {0}")]
    NoRandomNumbers(String),
    /// The state cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}

/// A part of a tokio runtime that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimePart {
    /// Deadlines and waits need it.
    Timer,
    /// Programs and connections need it.
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
    pub(super) fn cycles(graph: &Graph, cycles: &[Cycle]) -> Self {
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
    if waited.is_zero() { String::new() } else { format!("; it was waited for {:.1}s", waited.as_secs_f64()) }
}

/// How many resources of a circle a message names; the rest can be read off the error itself.
const SHOWN: usize = 8;

fn show(cycles: &[Vec<NodeId>]) -> String {
    let circle = |ids: &Vec<NodeId>| {
        let mut names: Vec<&str> = ids.iter().take(SHOWN).map(NodeId::short).collect();
        if ids.len() > SHOWN {
            names.push("..");
        }
        names.extend(ids.first().map(NodeId::short));
        names.join(" -> ")
    };
    cycles.iter().map(circle).collect::<Vec<_>>().join("; ")
}
