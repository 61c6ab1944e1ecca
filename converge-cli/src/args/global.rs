//! The arguments of every command.

use clap::{ArgAction, Args};
use tracing_subscriber::filter::Targets;

use crate::console::Color;

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// When to use colours; `auto` does on a terminal, and heeds `NO_COLOR`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub(crate) color: Color,

    /// Show messages of unchanged resources as well, and on standard error what programs print while they run; and log there:
    /// once for what is decided, twice for details, thrice for everything.
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
    pub(crate) log: Option<Targets>,
}

/// A filter by level and by the place in the program, and not by the values that are logged: for these whoever builds the command would
/// wait for a large engine of regular expressions.
fn log_filter(text: &str) -> Result<Targets, String> {
    text.parse().map_err(|error| format!("{error}; write it like `info` or `converge_core::engine=debug`"))
}
