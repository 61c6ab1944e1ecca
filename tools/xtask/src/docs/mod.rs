//! `cargo xtask docs`.

use std::env;
use std::process::Command;

use crate::cargo;
use crate::error::Error;
use crate::package::CHECKED;

mod pages;

/// The options of the command.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Write nothing, and fail if a page is outdated or an example does not work with default features
    #[arg(long)]
    pub(crate) check: bool,
}

/// Writes or checks the pages of `docs` and the diagram of the layers, and builds all documentation.
///
/// Warnings are errors.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    pages::run(options.check)?;
    drawing(options.check)?;
    let workspace = cargo::workspace()?;
    if options.check {
        for package in workspace.packages.iter().filter(|package| package.is_published) {
            alone(&package.name)?;
        }
    }
    // This build comes last, so that its pages remain.
    doc(&["--workspace", "--all-features"])?;
    println!("open {}", workspace.target_directory.join("doc/converge_core/index.html").display());
    Ok(())
}

/// Builds the documentation and the examples of one crate alone with its default features.
///
/// Examples also see the `dev-dependencies` of the crate: `converge-core` lists itself there with the
/// features for tests of authors. Examples that are slow to build are checked with the packages.
fn alone(package: &str) -> Result<(), Error> {
    doc(&["--package", package])?;
    if CHECKED.contains(&package) {
        return Ok(());
    }
    cargo::run(cargo::command(&["test", "--quiet", "--doc", "--package", package]))
}

/// Builds documentation without that of dependencies.
fn doc(arguments: &[&str]) -> Result<(), Error> {
    let mut command = cargo::command(&[&["doc", "--no-deps"], arguments].concat());
    let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
    command.env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start());
    cargo::run(command)
}

/// Writes or checks the diagram of the layers in `docs/layers.md`.
///
/// The program for this was built with the pages.
fn drawing(check: bool) -> Result<(), Error> {
    let program = cargo::workspace()?.target_directory.join("debug/converge-layers");
    let action = if check { "--check" } else { "--write" };
    let mut command = Command::new(program);
    command.arg(action).arg(cargo::root());
    cargo::run_as(command, format!("converge-layers {action}"))
}
