//! The arguments of every command; those of `converge`.

use std::io;

use anstream::ColorChoice;
use clap::{ArgAction, Args, ValueEnum};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// What every command understands.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// When to use colours; `auto` does on a terminal, and heeds `NO_COLOR`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    color: Color,

    /// Log more on standard error than what went wrong: once for what is decided, twice for details, thrice for everything.
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    verbose: u8,

    /// Log what this filter lets through, such as `converge_controller=debug`.
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
    // No docs: they would turn the list of values in the help into a paragraph that says nothing new.
    Auto,
    Always,
    Never,
}

impl Global {
    /// Settles the colours, and begins to log if that is wanted.
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
        // A program that embeds the command may have a subscriber of its own.
        drop(tracing_subscriber::registry().with(self.filter()).with(logs).try_init());
    }

    /// A filter says more than `-v`, so it wins.
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

/// A filter by level and by the place in the program, as that of `converge`.
fn log_filter(text: &str) -> Result<Targets, String> {
    text.parse().map_err(|error| format!("{error}; write it like `info` or `converge_controller=debug`"))
}
