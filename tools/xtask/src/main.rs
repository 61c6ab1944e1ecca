//! The development tasks of this workspace, which `cargo xtask` lists.
//!
//! Each task is one file. Every command is printed before it runs, so that it can be repeated manually.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user through these")]

use std::process::ExitCode;

mod api;
mod args;
mod bench;
mod cargo;
mod docs;
mod dump;
mod error;
mod examples;
mod external_crates;
mod features;
mod files;
mod fuzz;
mod hosts;
mod layers;
mod package;
mod tally;
mod targets;
mod test;

use clap::{CommandFactory as _, Parser as _};

use args::{Args, Chore};
use error::Error;

fn main() -> ExitCode {
    if let Some(exit) = api::as_rustdoc() {
        return exit;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    match Args::parse().chore {
        None => Args::command().print_help().map_err(|source| Error::Output { source }),
        Some(Chore::Test(options)) => test::run(&options),
        Some(Chore::Fuzz(options)) => fuzz::run(&options),
        Some(Chore::Features) => features::run(),
        Some(Chore::Api(options)) => api::run(&options),
        Some(Chore::Package(options)) => package::run(&options),
        Some(Chore::Targets(options)) => targets::run(&options),
        Some(Chore::Docs(options)) => docs::run(&options),
        Some(Chore::Dump(options)) => dump::run(&options),
        Some(Chore::Layers(options)) => layers::run(&options),
        Some(Chore::Bench(options)) => bench::run(&options),
        Some(Chore::Hosts(action)) => hosts::run(action),
    }
}
