//! `agent`.

use std::path::PathBuf;

use clap::Args;
use converge_client::ServerUrl;
use converge_controller::Name;
use converge_core::engine::CancellationToken;

use super::client_args::CredentialArgs;
use super::core_dumps::keep_memory;
use super::error::CommandError;
use super::exit::Exit;
use super::notify::Manager;
use super::signals::Signals;
use crate::agent::{self, Settings};
use crate::output::print_error;

/// The state folder of root.
const OF_THE_MACHINE: &str = "/var/lib/converge";

/// The arguments of `agent`.
#[derive(Debug, Args)]
#[command(after_help = "\
The agent authenticates with a certificate (--join-token-file) or with a token.
Assignments are checked when they arrive, and then at the interval of their module. While the server is unreachable, the last known ones stay in force.
SIGTERM and SIGINT stop it: running work is cancelled in order. A second signal stops it at once.

Exit codes:
  0    it was stopped by a signal
  1    it could not start
  130  a second signal ended it at once")]
pub(super) struct AgentArgs {
    /// URL of the server. Several servers that share one store are separated by commas; if one is away, the
    /// next is used.
    #[arg(long, value_name = "URL", env = "CONVERGE_SERVER", default_value = "http://127.0.0.1:8500")]
    server: String,

    #[command(flatten)]
    credentials: CredentialArgs,

    /// Join with the one-time token in this file, which must not be readable by others, and authenticate
    /// with a certificate afterwards. The certificate is stored in the state folder and renewed in time;
    /// the token is then no longer needed. A different token makes the machine join again.
    #[arg(long, value_name = "FILE", env = "CONVERGE_JOIN_TOKEN_FILE", hide_env_values = true)]
    join_token_file: Option<PathBuf>,

    /// Name of the node that this machine is [default: the host name up to the first dot].
    #[arg(long, value_name = "NAME")]
    node: Option<Name>,

    /// A label of the node, used if the server creates the node.
    #[arg(long = "label", value_name = "KEY=TEXT", value_parser = label)]
    labels: Vec<(String, String)>,

    /// Folder for the assignments and the state of runs. It is shared with `converge apply`, so that the
    /// two never run at the same time [default: `/var/lib/converge` for root].
    #[arg(long, value_name = "DIR", env = "CONVERGE_STATE_DIR", hide_env_values = true)]
    state_dir: Option<PathBuf>,
}

/// Returns the URLs of servers, separated by commas.
fn urls(servers: &[ServerUrl]) -> String {
    servers.iter().map(ServerUrl::as_str).collect::<Vec<_>>().join(",")
}

fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, text)) if !key.is_empty() => Ok((key.to_owned(), text.to_owned())),
        _ => Err("write it like role=web".to_owned()),
    }
}

impl AgentArgs {
    pub(super) fn run(self) -> Result<Exit, CommandError> {
        keep_memory();
        let of_root = || rustix::process::geteuid().is_root().then(|| PathBuf::from(OF_THE_MACHINE));
        let state = self.state_dir.or_else(of_root).ok_or(CommandError::NoState)?;
        let node = self.node.map_or_else(host_name, Ok)?;
        let (servers, credentials) = (ServerUrl::parse_list(&self.server)?, self.credentials.read()?);
        let (join, labels) = (self.join_token_file, self.labels);
        let settings = Settings { servers, credentials, join, node, labels, state };
        let runtime = tokio::runtime::Runtime::new().map_err(CommandError::Runtime)?;
        runtime.block_on(run(settings))
    }
}

async fn run(settings: Settings) -> Result<Exit, CommandError> {
    let mut signals = Signals::new().map_err(CommandError::Runtime)?;
    let stop = CancellationToken::new();
    let manager = Manager::from_environment();
    let on_start = {
        let (manager, works) =
            (manager.clone(), format!("works for node {}, asks {}", settings.node, urls(&settings.servers)));
        move || {
            manager.ready(&works);
            manager.keep_alive();
        }
    };
    let mut working = std::pin::pin!(agent::run(settings, stop.clone(), on_start));
    tokio::select! {
        ended = &mut working => return Ok(ended.map(|()| Exit::Done)?),
        () = signals.next() => stop.cancel(),
    }
    manager.stopping();
    tokio::select! {
        ended = working => Ok(ended.map(|()| Exit::Done)?),
        () = signals.next() => {
            print_error("stopped without waiting for running work\n");
            // A running job may ignore its cancellation, and a normal return would wait for it.
            std::process::exit(Exit::Interrupted.code().into());
        }
    }
}

/// Returns the host name of this machine without its domain.
fn host_name() -> Result<Name, CommandError> {
    let name = rustix::system::uname().nodename().to_string_lossy().to_ascii_lowercase();
    let label = name.split('.').next().unwrap_or_default();
    label.parse().map_err(|_| CommandError::HostName(name))
}
