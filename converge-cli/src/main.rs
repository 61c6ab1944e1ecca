//! The `converge` command: arguments in, text and an exit code out. All the work is in `converge-core`.

mod args;
mod commands;
mod console;
mod diagnostics;
mod error;
mod exit;
mod interrupt;
mod logs;
mod modules;
mod output;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Cli;
use crate::exit::Exit;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => cli.run().into(),
        Err(usage) => {
            // Help goes to standard output and is no mistake, nor is a reader that has seen enough of it.
            let told = usage.print().or_else(|error| match error.kind() {
                std::io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error),
            });
            let exit = if usage.use_stderr() || told.is_err() { Exit::Error } else { Exit::Done };
            exit.into()
        }
    }
}
