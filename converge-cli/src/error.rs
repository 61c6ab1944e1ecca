//! What stops the command itself, as opposed to what is wrong with a module or a resource.

use std::io;

use converge_core::RegistryError;
use converge_core::engine::EngineError;
use converge_core::report::explain::FindError;

/// Why the command could not go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The resource types that are linked in do not fit together.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The name of no resource, or of more than one.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Standard input was asked for together with files.
    #[error("`-` stands for standard input and cannot be combined with files; a file of that name is `./-`")]
    StandardInputAndFiles,
    /// Standard input cannot be read.
    #[error("could not read standard input: {0}")]
    StandardInput(#[source] io::Error),
    /// The engine could not run the graph.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Standard output cannot be written.
    #[error("could not write the output: {0}")]
    Output(#[source] io::Error),
    /// An event has no JSON form.
    #[error("could not write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The threads that run the engine cannot be had.
    #[error("could not start: {0}")]
    Start(#[source] io::Error),
    /// The thread that writes the output is gone.
    #[error("the thread that writes the output ended before the run")]
    PrinterGone,
    /// `converge docs TYPE` of a type that is left out of this program.
    #[error("`{name}` is left out of this program: it needs {needs}, without which this program was built")]
    AbsentResource {
        /// The name that was given.
        name: String,
        /// What it needs.
        needs: &'static str,
    },
    /// `converge docs TYPE` of a type that does not exist.
    #[error("there is no resource type `{name}`{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    UnknownResource {
        /// The name that was given.
        name: String,
        /// Names that are close to it, in words.
        help: Option<String>,
    },
}
