//! `server`.

use std::net::SocketAddr;

use clap::{Args, Subcommand};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::access::{AccessArgs, AccessFiles};
use super::core_dumps::keep_memory;
use super::error::CommandError;
use super::exit::Exit;
use super::init::{InitArgs, RenewArgs};
use super::notify::Manager;
use super::signals::{Hangup, Signals};
use super::store::StoreArgs;
use crate::content::{Content, Store};
use crate::output::{print, print_error};
use crate::secret_seal::SecretKeys;
use crate::server::{GRPC, HTTP, Running, Server};

/// The arguments of `server`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Its addresses are printed when it answers there, each alone on a line of standard output: that of HTTP, then that of gRPC.
SIGTERM and SIGINT end it: controllers finish what they have begun, and open requests are answered. A second signal ends it at once. SIGHUP lets it read
its certificate and the files of --tokens and --secrets-key again.

Exit codes:
  0    it was stopped by a signal
  1    it could not start
  130  a second signal ended it at once"
)]
pub(super) struct ServerArgs {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    access: AccessArgs,

    /// Address for HTTP; only a loopback address without TLS and tokens. Port 0 selects a free port.
    #[arg(long, value_name = "ADDRESS", default_value_t = HTTP)]
    http: SocketAddr,

    /// Address for gRPC, which may be the same as for HTTP.
    #[arg(long, value_name = "ADDRESS", default_value_t = GRPC)]
    grpc: SocketAddr,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create what a server needs to accept other machines: an authority, a certificate and the first
    /// token. Existing files are never overwritten.
    Init(InitArgs),
    /// Create a new key and certificate for a server, signed by the authority that `init` created
    Renew(RenewArgs),
}

impl ServerArgs {
    pub(super) fn run(self, content: &Content) -> Result<Exit, CommandError> {
        keep_memory();
        let output = match self.command {
            Some(Command::Init(args)) => Some(args.run()?),
            Some(Command::Renew(args)) => Some(args.run()?),
            None => None,
        };
        if let Some(output) = output {
            return print(&output).map(|()| Exit::Done).map_err(CommandError::Output);
        }
        let store = self.store.open()?;
        let data = match &store {
            Store::Folder(folder) => Some(folder.as_path()),
            _ => None,
        };
        let in_memory = matches!(store, Store::Memory);
        let files = self.access.files(data, in_memory)?;
        let (policy, tls) = (files.policy()?, files.tls()?);
        let server =
            Server::with_content(content.clone()).with_store(store).with_http(self.http).with_grpc(self.grpc);
        allow_open_files();
        let server = match policy {
            Some(policy) => server.with_policy(policy),
            None => server,
        };
        let server = match tls {
            Some(tls) => server.with_tls(tls),
            None => server,
        };
        let server = match files.joining() {
            Some(joining) => server.with_joining(joining),
            None => server,
        };
        let server = match files.secrets()?.or_else(|| in_memory.then(SecretKeys::random).flatten()) {
            Some(keys) => server.with_secrets(keys),
            None => server,
        };
        let runtime = tokio::runtime::Runtime::new().map_err(CommandError::Runtime)?;
        runtime.block_on(run(server, in_memory, &files))
    }
}

/// Raises the limit of open files of this process to its maximum.
///
/// Each watch needs an open file, and the default limit is often only 1,024. Without a higher limit, clients
/// wait to be accepted.
fn allow_open_files() {
    let limits = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limits.maximum, ..limits });
}

async fn run(server: Server, in_memory: bool, files: &AccessFiles) -> Result<Exit, CommandError> {
    let mut signals = Signals::new().map_err(CommandError::Runtime)?;
    let mut hangup = Hangup::new().map_err(CommandError::Runtime)?;
    let running = tokio::select! {
        running = server.start() => running?,
        // Nothing has started yet.
        () = signals.next() => return Ok(Exit::Done),
    };
    if in_memory {
        print_error("everything is in memory, and lost when the server stops\n");
    }
    let tls = if running.has_tls() { "s" } else { "" };
    let grpc = running.grpc().map(|address| format!("grpc{tls}://{address}"));
    let doors: Vec<_> = std::iter::once(format!("http{tls}://{}", running.http())).chain(grpc).collect();
    print(&(doors.join("\n") + "\n")).map_err(CommandError::Output)?;
    let (manager, answers) = (Manager::from_environment(), format!("answers at {}", doors.join(" and ")));
    manager.ready(&answers);
    manager.keep_alive();
    loop {
        tokio::select! {
            () = signals.next() => break,
            () = hangup.next() => {
                manager.reloading();
                reload(&running, files);
                manager.ready(&answers);
            }
        }
    }
    manager.stopping();
    tokio::select! {
        () = running.stop() => Ok(Exit::Done),
        () = signals.next() => {
            print_error("stopped without waiting for running work\n");
            // A running job may ignore its cancellation, and a normal return would wait for it.
            std::process::exit(Exit::Interrupted.code().into());
        }
    }
}

/// Reloads the files. A file that cannot be used changes nothing.
fn reload(running: &Running, files: &AccessFiles) {
    match files.policy() {
        Ok(Some(policy)) => {
            running.replace_policy(policy);
            print_error("the tokens were read again\n");
        }
        Ok(None) => {}
        Err(error) => print_error(&format!("error: {error}; the tokens stay as they were\n")),
    }
    match files.tls() {
        Ok(Some(tls)) => {
            running.replace_tls(tls);
            print_error("the certificate was read again\n");
        }
        Ok(None) => {}
        Err(error) => print_error(&format!("error: {error}; the certificate stays as it was\n")),
    }
    match files.secrets() {
        Ok(Some(keys)) => {
            running.replace_secrets(keys);
            print_error("the keys for secrets were read again\n");
        }
        Ok(None) => {}
        Err(error) => print_error(&format!("error: {error}; the keys for secrets stay as they were\n")),
    }
}
