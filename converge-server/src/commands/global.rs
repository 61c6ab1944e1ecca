//! The arguments of every command, identical to those of `converge`.

use std::io;

use anstream::ColorChoice;
use clap::{ArgAction, Args, ValueEnum};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The global arguments.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// When to use colours; `auto` uses them on a terminal and respects `NO_COLOR`
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    color: Color,

    /// Log more on standard error: once for decisions, twice for details, three times for everything
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    verbose: u8,

    /// Log everything that this filter selects, such as `converge_controller=debug`
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "CONVERGE_LOG",
        hide_env_values = true,
        value_parser = log_filter,
        help_heading = "Global options"
    )]
    log: Option<Targets>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    // These variants have no docs, which would turn the list of values in the help into a paragraph.
    Auto,
    Always,
    Never,
}

impl Global {
    /// Applies the colour setting, and starts logging if requested.
    pub(super) fn start(&self, logs: bool) {
        match self.color {
            Color::Auto => {}
            Color::Always => ColorChoice::Always.write_global(),
            Color::Never => ColorChoice::Never.write_global(),
        }
        if !logs {
            return;
        }
        let color = anstream::AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        let logs = tracing_subscriber::fmt::layer().with_ansi(color).with_writer(io::stderr);
        // A program that embeds the command may have installed its own subscriber.
        drop(tracing_subscriber::registry().with(self.filter()).with(logs).try_init());
    }

    /// Returns the log filter. An explicit filter is more specific than `-v` and wins.
    fn filter(&self) -> Targets {
        let level = match self.verbose {
            0 => LevelFilter::WARN,
            1 => LevelFilter::INFO,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        self.log.clone().unwrap_or_else(|| Targets::new().with_default(level))
    }
}

/// Parses a filter by level and module path, like that of `converge`.
fn log_filter(text: &str) -> Result<Targets, String> {
    text.parse().map_err(|error| format!("{error}; write it like `info` or `converge_controller=debug`"))
}
