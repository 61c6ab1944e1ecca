//! The arguments that every command accepts.

use clap::{ArgAction, Args};
use tracing_subscriber::filter::Targets;

use crate::console::Color;

/// The arguments that every command accepts.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// When to use colours; `auto` uses them on a terminal unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub(crate) color: Color,

    /// Show more. Reports messages of unchanged resources, and prints the output of running programs on
    /// standard error. Also logs there: once for decisions, twice for details, three times for everything
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,

    /// Log the events that this filter selects, such as `converge_engine=debug`
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

/// Parses a filter by level and target.
///
/// Filters on the logged values are not supported: they would make the build depend on a large regular
/// expression engine.
fn log_filter(text: &str) -> Result<Targets, String> {
    text.parse().map_err(|error| format!("{error}; write it like `info` or `converge_engine=debug`"))
}
