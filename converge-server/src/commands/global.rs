//! The arguments of every command; those of `converge`.

use std::io;

use anstream::ColorChoice;
use clap::{ArgAction, Args, ValueEnum};
use tracing_subscriber::EnvFilter;

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
    log: Option<String>,
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
        // The filter was read once with the arguments, so it is one.
        let Ok(filter) = EnvFilter::try_new(self.filter()) else { return };
        let color = anstream::AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        let logs = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(color);
        // A program that embeds the command may have a subscriber of its own.
        drop(logs.with_writer(io::stderr).try_init());
    }

    /// A filter says more than `-v`, so it wins.
    fn filter(&self) -> &str {
        match (&self.log, self.verbose) {
            (Some(filter), _) => filter,
            (None, 0) => "warn",
            (None, 1) => "info",
            (None, 2) => "debug",
            (None, _) => "trace",
        }
    }
}

/// Kept as text, as the filter itself cannot be cloned.
fn log_filter(text: &str) -> Result<String, String> {
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("{error}; write it like `info` or `converge_controller=debug`")),
    }
}
