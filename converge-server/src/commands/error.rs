//! The error type of the commands.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use converge_client::ClientError;
use converge_controller::protobuf::DescriptorError;
use converge_controller::registry::RegistryError;
use converge_controller::runtime::RegisterError;

use crate::agent::AgentError;
use crate::identity::MakeError;
use crate::private_files::FileError;
use crate::proto::ExportError;
use crate::server::StartError;
use crate::top::TopError;

/// A reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("{error}{}", .error.hint())]
    Client {
        #[from]
        error: ClientError,
    },
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Top(#[from] TopError),
    #[error(transparent)]
    File(#[from] FileError),
    /// The content of a file is invalid.
    #[error("{}: {error}", .file.display())]
    Content { file: PathBuf, error: Box<dyn Error + Send + Sync> },
    #[error(transparent)]
    Make(#[from] MakeError),
    #[error(
        "the server has no tokens: make a certificate and the first token with `converge server init --data DIR`, or name a file of tokens with --tokens, or let everybody on this machine do everything with --open-on-loopback"
    )]
    NobodySaysWho,
    #[error("cannot read {}: {error}", .file.display())]
    Read { file: PathBuf, error: io::Error },
    #[error("cannot use {}: {problem}", .file.display())]
    Authority { file: PathBuf, problem: String },
    #[error("certificates are of no use without TLS: write the address with etcds://")]
    PlainWithCertificates,
    #[error("there is no folder for the state: name one with --state-dir")]
    NoState,
    #[error("{0:?}, the name of this machine, is not a name for a node: give it one with --node")]
    HostName(String),
    #[error("the types cannot be registered: {0}")]
    Types(#[from] RegistryError),
    #[error("the controllers cannot be registered: {0}")]
    Controllers(#[from] RegisterError),
    #[error("the types cannot be described: {0}")]
    Describe(#[from] DescriptorError),
    #[error("could not write the output: {0}")]
    Output(#[source] io::Error),
    #[error("could not write JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("could not start: {0}")]
    Runtime(#[source] io::Error),
}
