//! The command line.

mod home;
mod param;
mod params;
mod sources;
mod state;
#[cfg(test)]
mod tests;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::commands::{
    ApplyArgs, DocsArgs, ExplainArgs, FmtArgs, GraphArgs, HealthcheckArgs, PlanArgs, ValidateArgs,
};
use param::Param;
pub(crate) use params::ParamArgs;
pub(crate) use sources::SourceArgs;
pub(crate) use state::StateArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    there was nothing to do, or all of it was done
  1    a mistake on the command line or in a module, or a resource that failed,
       or a file that `fmt --check` finds not to be formatted
  2    `plan --detailed-exitcode` found changes
  3    `healthcheck` found nothing worse than a warning
  4    `healthcheck` found an error
  130  interrupted; what was done and what was not has been reported";

/// Brings a machine to the state that modules declare.
#[derive(Debug, Parser)]
#[command(name = "converge", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// When to use colours; `auto` does on a terminal, and heeds `NO_COLOR`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub(crate) color: Color,

    /// Log to standard error: once for what is decided, twice for details, thrice for everything.
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,

    /// Log what this filter lets through, such as `converge_core::engine=debug`.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "CONVERGE_LOG",
        hide_env_values = true,
        value_parser = log_filter,
        help_heading = "Global options"
    )]
    pub(crate) log: Option<String>,
}

/// Kept as text, as the filter itself cannot be cloned.
fn log_filter(text: &str) -> Result<String, String> {
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("{error}; write it like `info` or `converge_core::engine=debug`")),
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // No docs: they would turn the list of values in the help into a paragraph that says nothing new.
    Auto,
    Always,
    Never,
}

/// How to write what there is to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs: one JSON object on each line.
    Json,
}

/// The commands, each in its own file.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what an apply would change; changes nothing.
    Plan(PlanArgs),
    /// Change what differs from what the modules declare.
    Apply(ApplyArgs),
    /// Tell how healthy the machine is by a plan; changes nothing.
    Healthcheck(HealthcheckArgs),
    /// Report every mistake in modules, without looking at the machine.
    Validate(ValidateArgs),
    /// Give module files their canonical form.
    Fmt(FmtArgs),
    /// Print the resources of a module and what each waits for.
    Graph(GraphArgs),
    /// Say why a resource would change, or would not, and what it waits for; changes nothing.
    Explain(ExplainArgs),
    /// List the resource types, or describe one of them.
    #[command(visible_alias = "resources")]
    Docs(DocsArgs),
    /// Print the version.
    Version,
}
