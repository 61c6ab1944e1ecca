//! Errors that end the command, as opposed to mistakes in a module or failed resources.

use std::io;
use std::path::PathBuf;

use converge_core::engine::EngineError;
#[cfg(feature = "plugins")]
use converge_core::plugin::PluginError;
use converge_core::view::explain::FindError;

/// The reason why the command cannot continue.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A mistake that the part of the command which found it describes.
    #[error("{0}")]
    Message(String),
    /// A file cannot be read, written or used.
    #[error("{}: {problem}", .file.display())]
    File { file: PathBuf, problem: String },
    /// A name matches no resource, or several.
    #[error(transparent)]
    Find(#[from] FindError),
    #[error("`-` stands for standard input and cannot be combined with files; a file of that name is `./-`")]
    StandardInputAndFiles,
    #[error("could not read standard input: {0}")]
    StandardInput(#[source] io::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A plugin was found but cannot be used.
    #[cfg(feature = "plugins")]
    #[error("{error}{}", .error.problem.help().map(|help| format!("; {help}")).unwrap_or_default())]
    Plugin {
        #[from]
        error: PluginError,
    },
    /// A module names a plugin, but this program was built without plugin support.
    #[cfg(not(feature = "plugins"))]
    #[error("{} names the plugin `{name}`, and this command was built without plugins: build it with the feature `plugins`", .file.display())]
    WithoutPlugins { file: PathBuf, name: String },
    #[error("could not write the output: {0}")]
    Output(#[source] io::Error),
    /// An event has no JSON form.
    #[error("could not write JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot store state: {0}; set a folder that only you can write to with --state-dir")]
    State(#[source] converge_core::state::StateError),
    #[error(
        "cannot start: {needed} more threads are needed, and the limits do not allow them (`ulimit -u`, `ulimit -v`, the \
         limits of the container or service): {error}"
    )]
    TooFewThreads { needed: usize, error: io::Error },
    #[error(
        "cannot start: {needed} more files must be open at a time, and the limit is lower (`ulimit -n`): {error}"
    )]
    TooFewFiles { needed: usize, error: io::Error },
    #[error("cannot use this machine: {0}")]
    System(#[source] converge_core::system::SystemError),
    #[error("a plan must be applied alone: run a separate apply for {}", .0.display())]
    PlanAndOthers(PathBuf),
    #[error("{option} cannot be used with a stored plan: its resources were chosen when it was made")]
    SelectionOfPlan { option: &'static str },
    #[error("--out writes the plan of one module; give one FILE")]
    OutOfSeveral,
    #[error(
        "the plan has no value for {names} because sensitive values are not stored: give the same values again, with -p or as before"
    )]
    SensitiveMissing { names: String },
    #[error(transparent)]
    ApplyPlan(#[from] converge_core::plan::ApplyPlanError),
    /// The threads that run the engine could not be started.
    #[error("could not start: {0}")]
    Start(#[source] io::Error),
    /// The target of `converge new` exists.
    #[error("{} is there already; name another folder with --path", .0.display())]
    Exists(PathBuf),
    #[error("cannot make {}: {source}", .path.display())]
    New { path: PathBuf, source: io::Error },
    #[error("there are no sources of Converge in {}: it has no folder {package} with a crate", .folder.display())]
    NoSources { folder: PathBuf, package: &'static str },
    #[error("`{0}` is already a name in modules and cannot name a new resource; add a word")]
    NameTaken(String),
    /// A message from an editor does not follow the protocol.
    #[cfg(feature = "lsp")]
    #[error("standard input is not the Language Server Protocol: {0}")]
    NoMessage(String),
    #[error("the thread that writes the output ended before the run")]
    PrinterGone,
    /// The type in `converge docs TYPE` is not compiled into this program.
    #[error("`{name}` is not available: this program was built without {needs}")]
    AbsentResource { name: String, needs: &'static str },
    #[error(
        "this command is in the program `{program}`, which is neither {place}in PATH: build it with `cargo build -p {program}`, or \
         install it with `cargo install --path {program}`, in a checkout of converge"
    )]
    NoProgram { program: &'static str, place: String },
    #[error("cannot run {}: {error}", .program.display())]
    Program { program: PathBuf, error: io::Error },
    #[cfg(feature = "http")]
    #[error("cannot use {}: {problem}", .file.display())]
    /// A file with a token or with authorities cannot be used.
    ServerFile { file: PathBuf, problem: String },
    /// A request to a server failed.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Remote(#[from] crate::remote::RemoteError),
    /// An awaited condition did not occur in time.
    #[cfg(feature = "http")]
    #[error("{0}")]
    Wait(String),
    #[cfg(feature = "http")]
    #[error("cannot edit: {0}")]
    Editor(#[source] io::Error),
    #[error("functions have no JSON Schema: ask for `--format json`")]
    FunctionsHaveNoSchema,
    /// The type in `converge docs TYPE` does not exist.
    #[error("there is no resource type `{name}`{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    UnknownResource {
        name: String,
        /// A help text with similar names.
        help: Option<String>,
    },
}
