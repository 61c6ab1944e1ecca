//! `server`.

use std::net::SocketAddr;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::error::CommandError;
use super::exit::Exit;
use super::signals::Signals;
use super::store::StoreArgs;
use crate::content::{Content, Store};
use crate::output::{print, print_error};
use crate::server::{GRPC, HTTP, Server};

/// The arguments of `server`.
#[derive(Debug, Args)]
#[command(after_help = "\
Its addresses are printed when it answers there, each alone on a line of standard output: that of HTTP, then that of gRPC.
SIGTERM and SIGINT end it: what controllers have begun is finished, and what was asked is answered. A second signal ends it at once.

Exit codes:
  0    it was told to stop, and has stopped
  1    it could not start
  130  a second signal ended it at once")]
pub(super) struct ServerArgs {
    #[command(flatten)]
    store: StoreArgs,

    /// Speak HTTP at this address, which has to be one of this machine alone: nobody is asked who they are. Port 0 is one
    /// that is free.
    #[arg(long, value_name = "ADDRESS", default_value_t = HTTP)]
    http: SocketAddr,

    /// Speak gRPC at this address, which has to be one of this machine alone too.
    #[arg(long, value_name = "ADDRESS", default_value_t = GRPC)]
    grpc: SocketAddr,
}

impl ServerArgs {
    pub(super) fn run(self, content: &Content) -> Result<Exit, CommandError> {
        let store = self.store.open()?;
        let in_memory = matches!(store, Store::Memory);
        let server =
            Server::with_content(content.clone()).with_store(store).with_http(self.http).with_grpc(self.grpc);
        allow_open_files();
        let runtime = tokio::runtime::Runtime::new().map_err(CommandError::Runtime)?;
        runtime.block_on(run(server, in_memory))
    }
}

/// Lets this process have as many files open as it may ask for: each watch is one, and what processes begin with is often no more than
/// 1,024. What it may not have it goes without: clients wait to be let in.
fn allow_open_files() {
    let limits = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limits.maximum, ..limits });
}

async fn run(server: Server, in_memory: bool) -> Result<Exit, CommandError> {
    let mut signals = Signals::new().map_err(CommandError::Runtime)?;
    let running = tokio::select! {
        running = server.start() => running?,
        // Nothing has begun yet.
        () = signals.next() => return Ok(Exit::Done),
    };
    if in_memory {
        print_error("everything is in memory, and gone when the server stops\n");
    }
    let grpc = running.grpc().map(|address| format!("grpc://{address}\n")).unwrap_or_default();
    print(&format!("http://{}\n{grpc}", running.http())).map_err(CommandError::Output)?;
    signals.next().await;
    tokio::select! {
        () = running.stop() => Ok(Exit::Done),
        () = signals.next() => {
            print_error("stopped without waiting for what is being worked on\n");
            // What runs may not heed that it is cancelled, and would be waited for.
            std::process::exit(Exit::Interrupted.code().into());
        }
    }
}
