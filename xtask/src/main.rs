//! The chores of this workspace: `cargo xtask` lists them.
//!
//! Each chore is one file. What a chore runs is printed before it runs, so that it can be repeated by hand.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user through these")]

use std::process::ExitCode;

mod args;
mod bench;
mod cargo;
mod docs;
mod error;
mod features;
mod fuzz;
mod hosts;
mod test;

use args::Chore;
use error::Error;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Error::Usage(_) = error { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn run() -> Result<(), Error> {
    match args::parse(std::env::args().skip(1))? {
        Chore::Help => {
            print!("{}", args::HELP);
            Ok(())
        }
        Chore::Test(options) => test::run(&options),
        Chore::Features => features::run(),
        Chore::Docs { check } => docs::run(check),
        Chore::Fuzz(options) => fuzz::run(&options),
        Chore::Hosts(action) => hosts::run(action),
        Chore::Bench { arguments } => bench::run(&arguments),
    }
}
