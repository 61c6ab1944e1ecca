//! The command line.

use std::fmt;

use crate::fuzz::RUNS;
use crate::hosts::Action;

/// What `cargo xtask` prints.
pub(crate) const HELP: &str = "\
The chores of this workspace

Usage: cargo xtask <CHORE> [OPTIONS]

Chores:
  test      Run every test: unit, documentation, compile-fail, whole-system, examples, fuzz targets
  fuzz      Try random inputs on what reads modules (needs a C++ compiler)
  features  Check each crate with no default features, with all features, and with each alone
  docs      Write the pages of docs/ from the types, and build the documentation; a warning is an error
  bench     Measure the engine and the command next to a bare loop of system calls
  hosts     Make or remove what tests of users, packages and units need (as root, on Debian)
  help      Print this

Options of test:
  --no-skips          Fail when a test could not run (also with CI=true)
  -- <ARGUMENTS>      Given to `cargo test`: cargo xtask test -- -p converge-core

Options of fuzz:
  <TARGET>            One of the files in fuzz/src/targets [default: all]
  --runs <N>          Inputs for each target [default: 2000]

Options of docs:
  --check             Write nothing; a page that is not current is an error

Options of hosts:
  up                  Make a Docker engine, an image of Debian with systemd, a network, an image registry
  down                Remove them, but for the image
  down --all          Remove the image as well
  shell               Open a shell in a host with `converge`; both end together

Options of bench:
  --sizes <N,N,..>    Numbers of resources [default: 100,1000,10000,100000]
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    Help,
    Test(TestOptions),
    Features,
    Docs {
        /// Whether pages that are not current are an error; they are written otherwise.
        check: bool,
    },
    Fuzz(FuzzOptions),
    Hosts(Action),
    /// The measuring program knows its own options.
    Bench {
        arguments: Vec<String>,
    },
}

/// How to test.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestOptions {
    /// Whether a skipped test is a failure.
    pub(crate) no_skips: bool,
    /// More arguments for `cargo test`.
    pub(crate) cargo: Vec<String>,
}

/// What to fuzz, and how long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FuzzOptions {
    /// One target, or all.
    pub(crate) target: Option<String>,
    /// Inputs for each.
    pub(crate) runs: u32,
}

/// Arguments that make no sense.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UsageError {
    /// There is no such chore.
    UnknownChore { chore: String },
    /// The chore does not take this.
    UnexpectedArgument { chore: &'static str, argument: String },
    /// The chore does not say what to do.
    Missing { chore: &'static str, what: &'static str },
    /// An option has no number after it.
    NoNumber { option: &'static str },
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownChore { chore } => write!(f, "there is no chore `{chore}`"),
            Self::UnexpectedArgument { chore, argument } => {
                write!(f, "`cargo xtask {chore}` does not take `{argument}`")
            }
            Self::Missing { chore, what } => write!(f, "`cargo xtask {chore}` needs {what}"),
            Self::NoNumber { option } => write!(f, "`{option}` needs a number"),
        }
    }
}

/// Reads the arguments that follow `cargo xtask`.
pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Chore, UsageError> {
    let mut arguments = arguments.into_iter();
    let Some(chore) = arguments.next() else { return Ok(Chore::Help) };
    match chore.as_str() {
        "help" | "-h" | "--help" => Ok(Chore::Help),
        "test" => test_options(arguments),
        "features" => nothing_more("features", arguments, Chore::Features),
        "docs" => docs(arguments),
        "fuzz" => fuzz(arguments),
        "hosts" => hosts(arguments),
        "bench" => Ok(bench(arguments.collect())),
        _ => Err(UsageError::UnknownChore { chore }),
    }
}

fn test_options(mut arguments: impl Iterator<Item = String>) -> Result<Chore, UsageError> {
    let mut options = TestOptions::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--no-skips" => options.no_skips = true,
            "--" => options.cargo.extend(arguments.by_ref()),
            "-h" | "--help" => return Ok(Chore::Help),
            _ => return Err(UsageError::UnexpectedArgument { chore: "test", argument }),
        }
    }
    Ok(Chore::Test(options))
}

fn fuzz(mut arguments: impl Iterator<Item = String>) -> Result<Chore, UsageError> {
    let mut options = FuzzOptions { target: None, runs: RUNS };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => {
                let runs = arguments.next().and_then(|runs| runs.parse().ok());
                options.runs = runs.ok_or(UsageError::NoNumber { option: "--runs" })?;
            }
            "-h" | "--help" => return Ok(Chore::Help),
            target if options.target.is_none() && !target.starts_with('-') => options.target = Some(argument),
            _ => return Err(UsageError::UnexpectedArgument { chore: "fuzz", argument }),
        }
    }
    Ok(Chore::Fuzz(options))
}

fn hosts(mut arguments: impl Iterator<Item = String>) -> Result<Chore, UsageError> {
    let verb =
        arguments.next().ok_or(UsageError::Missing { chore: "hosts", what: "`up`, `down` or `shell`" })?;
    let action = match verb.as_str() {
        "up" => Action::Up,
        "shell" => Action::Shell,
        "down" => match arguments.next() {
            Some(argument) if argument == "--all" => Action::Down { all: true },
            Some(argument) => return nothing_more("hosts", [argument].into_iter(), Chore::Help),
            None => Action::Down { all: false },
        },
        "-h" | "--help" => return Ok(Chore::Help),
        _ => return Err(UsageError::UnexpectedArgument { chore: "hosts", argument: verb }),
    };
    nothing_more("hosts", arguments, Chore::Hosts(action))
}

fn docs(arguments: impl Iterator<Item = String>) -> Result<Chore, UsageError> {
    let mut arguments = arguments.peekable();
    let check = arguments.next_if(|argument| argument == "--check").is_some();
    nothing_more("docs", arguments, Chore::Docs { check })
}

/// The measuring program checks its options itself; it is not built to answer a question.
fn bench(arguments: Vec<String>) -> Chore {
    let help = arguments.iter().any(|argument| argument == "-h" || argument == "--help");
    if help { Chore::Help } else { Chore::Bench { arguments } }
}

fn nothing_more(
    name: &'static str,
    mut arguments: impl Iterator<Item = String>,
    chore: Chore,
) -> Result<Chore, UsageError> {
    match arguments.next() {
        None => Ok(chore),
        Some(argument) if argument == "-h" || argument == "--help" => Ok(Chore::Help),
        Some(argument) => Err(UsageError::UnexpectedArgument { chore: name, argument }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Result<Chore, &str>) {
        let parsed = parse(line.split_whitespace().map(String::from));
        assert_eq!(parsed.map_err(|error| error.to_string()), expect.map_err(String::from), "{line:?}");
    }

    fn test(no_skips: bool, cargo: &[&str]) -> Chore {
        let cargo = cargo.iter().map(ToString::to_string).collect();
        Chore::Test(TestOptions { no_skips, cargo })
    }

    #[test]
    fn arguments() {
        check("", Ok(Chore::Help));
        check("help", Ok(Chore::Help));
        check("docs --help", Ok(Chore::Help));
        check("docs", Ok(Chore::Docs { check: false }));
        check("docs --check", Ok(Chore::Docs { check: true }));
        check("docs --check --help", Ok(Chore::Help));
        check("test", Ok(test(false, &[])));
        check("test --no-skips", Ok(test(true, &[])));
        check("test -- -p xtask --no-skips", Ok(test(false, &["-p", "xtask", "--no-skips"])));
        check("features", Ok(Chore::Features));
        check("bench --sizes 1", Ok(Chore::Bench { arguments: vec!["--sizes".into(), "1".into()] }));
        check("bench --help", Ok(Chore::Help));
        let fuzz =
            |target: Option<&str>, runs| Chore::Fuzz(FuzzOptions { target: target.map(String::from), runs });
        check("fuzz", Ok(fuzz(None, RUNS)));
        check("fuzz parse --runs 7", Ok(fuzz(Some("parse"), 7)));
        check("fuzz --runs 7 parse", Ok(fuzz(Some("parse"), 7)));
        check("fuzz --runs", Err("`--runs` needs a number"));
        check("fuzz --runs many", Err("`--runs` needs a number"));
        check("fuzz parse load", Err("`cargo xtask fuzz` does not take `load`"));
        check("hosts up", Ok(Chore::Hosts(Action::Up)));
        check("hosts down", Ok(Chore::Hosts(Action::Down { all: false })));
        check("hosts down --all", Ok(Chore::Hosts(Action::Down { all: true })));
        check("hosts shell", Ok(Chore::Hosts(Action::Shell)));
        check("hosts up --help", Ok(Chore::Help));
        check("hosts down --help", Ok(Chore::Help));
        check("hosts", Err("`cargo xtask hosts` needs `up`, `down` or `shell`"));
        check("hosts --up", Err("`cargo xtask hosts` does not take `--up`"));
        check("hosts up --all", Err("`cargo xtask hosts` does not take `--all`"));
        check("hosts down --images", Err("`cargo xtask hosts` does not take `--images`"));
        check("tests", Err("there is no chore `tests`"));
        check("test fast", Err("`cargo xtask test` does not take `fast`"));
        check("docs --open", Err("`cargo xtask docs` does not take `--open`"));
    }
}
