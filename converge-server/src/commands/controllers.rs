//! `controllers`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use converge_client::Method;
use converge_controller::storage::Memory;

use super::client_args::{CredentialArgs, block_on};
use super::error::CommandError;
use super::exit::Exit;
use crate::api_types::{Controllers, GraphFormat};
use crate::content::Content;
use crate::output::{print, status};
use crate::proto::Export;

/// The arguments of `controllers`.
#[derive(Debug, Args)]
pub(super) struct ControllersArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a server's controllers: queued, running and failing resources, and their next retry
    Status(StatusArgs),
    /// Draw which types each controller reconciles and watches, for this program or for a server
    Graph(GraphArgs),
    /// Write the types of this program as `.proto` files and as a descriptor set, `converge.protoset`
    Proto(ProtoArgs),
}

/// The arguments of `controllers status`.
#[derive(Debug, Args)]
struct StatusArgs {
    /// URL of the server
    #[arg(long, value_name = "URL", env = "CONVERGE_SERVER", default_value = "http://127.0.0.1:8500")]
    server: String,

    #[command(flatten)]
    credentials: CredentialArgs,

    /// Output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,
}

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    // These variants have no docs, which would turn the list of values in the help into a paragraph.
    Table,
    Json,
}

/// The arguments of `controllers graph`.
#[derive(Debug, Args)]
struct GraphArgs {
    /// Language of the drawing
    #[arg(long, default_value = "mermaid")]
    format: GraphFormat,

    /// Ask this server, such as <http://127.0.0.1:8500>, instead of this program
    #[arg(long, value_name = "URL")]
    server: Option<String>,

    #[command(flatten)]
    credentials: CredentialArgs,
}

/// The arguments of `controllers proto`.
#[derive(Debug, Args)]
struct ProtoArgs {
    /// Output folder. It is created if missing; files in it that this command did not write are left alone.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Write nothing, and fail if something would be written
    #[arg(long)]
    check: bool,

    /// Write even if the change breaks data that were stored with the earlier types
    #[arg(long, conflicts_with = "check")]
    allow_breaking: bool,
}

impl ControllersArgs {
    pub(super) fn run(self, content: &Content) -> Result<Exit, CommandError> {
        let text = match self.command {
            Command::Status(args) => args.run()?,
            Command::Graph(args) => args.run(content)?,
            Command::Proto(args) => args.run(content)?,
        };
        print(&text).map(|()| Exit::Done).map_err(CommandError::Output)
    }
}

impl StatusArgs {
    fn run(&self) -> Result<String, CommandError> {
        let client = self.credentials.client(&self.server)?;
        let controllers: Controllers = block_on(client.json(Method::GET, "/v1/controllers", None))??;
        Ok(match self.output {
            Output::Table => status(&controllers),
            Output::Json => serde_json::to_string_pretty(&controllers)? + "\n",
        })
    }
}

impl GraphArgs {
    fn run(&self, content: &Content) -> Result<String, CommandError> {
        if let Some(server) = &self.server {
            let path = format!("/v1/controllers/graph?format={}", self.format.as_str());
            let client = self.credentials.client(server)?;
            return Ok(block_on(client.text(&path))??);
        }
        // The commands only inspect the types, so any store will do.
        let service = content.service(Arc::new(Memory::new()))?;
        Ok(self.format.draw(&content.manager(&service)?.dependencies()))
    }
}

impl ProtoArgs {
    fn run(&self, content: &Content) -> Result<String, CommandError> {
        let service = content.service(Arc::new(Memory::new()))?;
        let export = Export::new(service.types().files()?);
        if self.check {
            let summary = export.check(&self.out)?;
            return Ok(format!("{} files are current\n", summary.unchanged));
        }
        let summary = export.write(&self.out, self.allow_breaking)?;
        let total = summary.changed.len() + summary.unchanged;
        let lines = summary.changed.iter().map(|path| format!("wrote {}\n", path.display()));
        let text: String =
            lines.chain([format!("{} of {total} files written\n", summary.changed.len())]).collect();
        Ok(text)
    }
}
