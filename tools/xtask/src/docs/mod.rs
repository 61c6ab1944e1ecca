//! `cargo xtask docs`.

use std::env;
use std::process::Command;

use crate::cargo;
use crate::error::Error;
use crate::package::CHECKED;

mod pages;

/// Whether to write.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Write nothing; what is not current is an error, and so is an example of a published crate that does not work with its default features
    #[arg(long)]
    pub(crate) check: bool,
}

/// Writes the pages of `docs` and the drawing of the layers, or checks them, and builds the documentation of the workspace;
/// a warning is an error.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    pages::run(options.check)?;
    drawing(options.check)?;
    let workspace = cargo::workspace()?;
    if options.check {
        for package in workspace.packages.iter().filter(|package| package.is_published) {
            alone(&package.name)?;
        }
    }
    // Last, so that these are the pages that stay.
    doc(&["--workspace", "--all-features"])?;
    println!("open {}", workspace.target_directory.join("doc/converge_core/index.html").display());
    Ok(())
}

/// The documentation of one crate, and its examples, as whoever depends on it alone and says nothing of features has them. An example
/// has also what the `dev-dependencies` of the crate name, as cargo has it: `converge-core` names itself there, with the features that authors
/// test with. Those that take long to build are checked where the packages are.
fn alone(package: &str) -> Result<(), Error> {
    doc(&["--package", package])?;
    if CHECKED.contains(&package) {
        return Ok(());
    }
    cargo::run(cargo::command(&["test", "--quiet", "--doc", "--package", package]))
}

/// Documentation without that of others.
fn doc(what: &[&str]) -> Result<(), Error> {
    let mut command = cargo::command(&[&["doc", "--no-deps"], what].concat());
    let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
    command.env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start());
    cargo::run(command)
}

/// Writes the drawing of the layers in `ARCHITECTURE.md`, or checks it. The pages have built the program that does it.
fn drawing(check: bool) -> Result<(), Error> {
    let program = cargo::workspace()?.target_directory.join("debug/converge-layers");
    let action = if check { "--check" } else { "--write" };
    let mut command = Command::new(program);
    command.arg(action).arg(cargo::root());
    cargo::run_as(command, format!("converge-layers {action}"))
}
