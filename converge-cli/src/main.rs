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
            // Help goes to standard output and is no mistake. Nobody is left to tell when even this fails.
            let exit = if usage.use_stderr() { Exit::Error } else { Exit::Done };
            drop(usage.print());
            exit.into()
        }
    }
}
