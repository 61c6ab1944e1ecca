//! The whole command line.

mod deferred_args;
mod foreign_arguments;
#[cfg(test)]
mod tests;

use clap::{Parser, Subcommand};
use converge_core::Registry;

use crate::args::Global;
use crate::command_context::Surroundings;
#[cfg(feature = "lsp")]
use crate::commands::LspArgs;
#[cfg(feature = "git")]
use crate::commands::ModulesArgs;
#[cfg(feature = "plugins")]
use crate::commands::PluginsArgs;
use crate::commands::{
    ApplyArgs, DocsArgs, ExplainArgs, FmtArgs, GraphArgs, HealthcheckArgs, NewArgs, OutputArgs, PlanArgs,
    ShowArgs, ValidateArgs,
};
#[cfg(feature = "http")]
use crate::commands::{
    EventsArgs, HistoryArgs, NodeArgs, ResourceArgs, RolloutArgs, SecretArgs, TokenArgs, TypeArgs,
};
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::logs;
use crate::secrets;
use crate::server_program::{self, ForwardedArgs};

use self::deferred_args::Deferred;
pub(crate) use self::foreign_arguments::{SERVER, report as report_foreign};

const EXIT_CODES: &str = "\
Exit codes:
  0    nothing to do, or everything was applied
  1    a mistake on the command line or in a module, or a resource that failed,
       or a plan that does not match the module, or cannot be read,
       or a file that `fmt --check` reports as not formatted
  2    `plan --detailed-exitcode` found changes
  3    `healthcheck` found nothing worse than a warning
  4    `healthcheck` found an error
  5    another apply was running, and `--no-wait` or `--lock-timeout` ended the wait
  6    the machine is rebooting for a `system.reboot`: the next apply does the rest
  130  interrupted, or the output was closed; the report lists what was done and what was not";

/// Bring a machine to the state that modules declare
#[derive(Debug, Parser)]
#[command(name = "converge", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show what an apply would change; changes nothing
    Plan(PlanArgs),
    /// Print a plan that `plan --out` wrote
    Show(ShowArgs),
    /// Change what differs from the modules, or apply a saved plan
    Apply(ApplyArgs),
    /// Show how healthy the machine is, by a plan; changes nothing
    Healthcheck(HealthcheckArgs),
    /// Print the outputs of a module, computed by a plan; changes nothing
    Output(OutputArgs),
    /// Report every mistake in modules, without looking at the machine
    Validate(ValidateArgs),
    /// Format module files
    Fmt(FmtArgs),
    /// Print the resources of a module and what each waits for
    Graph(GraphArgs),
    /// Explain why a resource would change, or would not, and what it waits for; changes nothing
    Explain(ExplainArgs),
    /// List the resource types, or describe one of them
    #[command(visible_alias = "resources")]
    Docs(DocsArgs),
    /// Answer an editor about modules, over the Language Server Protocol
    #[cfg(feature = "lsp")]
    Lsp(LspArgs),
    /// List the plugins that are found or that modules name, and the types that they provide
    #[cfg(feature = "plugins")]
    Plugins(PluginsArgs),
    /// Lock the git branches and tags that modules name to commits, and list modules
    #[cfg(feature = "git")]
    Modules(Deferred<ModulesArgs>),
    /// Create a new crate or module from a template
    New(Deferred<NewArgs>),
    /// Run a server: a store of resources and the controllers that reconcile them (the program
    /// `converge-server`)
    Server(ForwardedArgs),
    /// Apply the modules that a server assigns to this machine, and keep enforcing them (the program
    /// `converge-server`)
    Agent(ForwardedArgs),
    /// Show nodes, modules, rollouts and events of a server, live (the program `converge-server`)
    Top(ForwardedArgs),
    /// Read, write, watch and delete resources on a server
    #[cfg(feature = "http")]
    Resource(Deferred<ResourceArgs>),
    /// Show, pause, resume and undo rollouts of module versions
    #[cfg(feature = "http")]
    Rollout(Deferred<RolloutArgs>),
    /// Show what agents did on their machines, newest first
    #[cfg(feature = "http")]
    History(HistoryArgs),
    /// Show events of machines and modules, most recent first
    #[cfg(feature = "http")]
    Events(EventsArgs),
    /// Set, list and delete secrets. A server seals them, and gives them only to nodes whose modules name
    /// them
    #[cfg(feature = "http")]
    Secret(Deferred<SecretArgs>),
    /// Load resource types into a server from .proto files, list and delete them
    #[cfg(feature = "http")]
    Type(Deferred<TypeArgs>),
    /// Create, list and revoke the tokens by which a server authenticates callers
    #[cfg(feature = "http")]
    Token(Deferred<TokenArgs>),
    /// List nodes, and revoke their certificates
    #[cfg(feature = "http")]
    Node(Deferred<NodeArgs>),
    /// Show controllers and types, of a server or the built-in ones (the program `converge-server`)
    Controllers(ForwardedArgs),
    /// Print the version
    Version,
}

impl Cli {
    /// Runs the command with these resource types and reports its error.
    ///
    /// `version` is the name and version of the program.
    pub(crate) fn run(self, registry: &Registry, version: &str) -> Exit {
        let mut console = Console::new(self.global.color, self.global.verbose > 0);
        let redactor = secrets::redactor();
        if logs::start(&self.global, console.stderr.color, redactor.clone()) {
            // Log lines would break up the progress line.
            console.progress = false;
        }
        let surroundings = Surroundings { registry, redactor: &redactor, console };
        self.command.run(version, surroundings).unwrap_or_else(|error| {
            console.error(redactor.redact(&error.to_string()));
            Exit::Error
        })
    }
}

impl Command {
    fn run(self, version: &str, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        if matches!(self, Self::Plan(_) | Self::Apply(_) | Self::Healthcheck(_)) {
            foreign_arguments::warn_unread_options(surroundings.console);
        }
        match self {
            Self::Plan(args) => args.run(surroundings),
            Self::Show(args) => args.run(surroundings),
            Self::Apply(args) => args.run(surroundings),
            Self::Healthcheck(args) => args.run(surroundings),
            Self::Output(args) => args.run(surroundings),
            Self::Validate(args) => args.run(surroundings),
            Self::Fmt(args) => args.run(surroundings.console),
            Self::Graph(args) => args.run(surroundings),
            Self::Explain(args) => args.run(surroundings),
            Self::Docs(args) => args.run(surroundings),
            #[cfg(feature = "lsp")]
            Self::Lsp(args) => args.run(surroundings),
            #[cfg(feature = "plugins")]
            Self::Plugins(args) => args.run(surroundings),
            #[cfg(feature = "git")]
            Self::Modules(Deferred(args)) => args.run(surroundings),
            Self::New(Deferred(args)) => args.run(surroundings.registry),
            #[cfg(feature = "http")]
            Self::Resource(Deferred(args)) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::Rollout(Deferred(args)) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::History(args) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::Events(args) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::Secret(Deferred(args)) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::Type(Deferred(args)) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::Token(Deferred(args)) => args.run(surroundings.console),
            #[cfg(feature = "http")]
            Self::Node(Deferred(args)) => args.run(surroundings.console),
            Self::Server(_) | Self::Agent(_) | Self::Top(_) | Self::Controllers(_) => {
                server_program::server()
            }
            Self::Version => print(&format!("{version}\n")).map(|()| Exit::Done),
        }
    }
}
