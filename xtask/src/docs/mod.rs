//! `cargo xtask docs`.

use std::env;
use std::process::Command;

use crate::cargo;
use crate::error::Error;

mod pages;

/// Whether to write.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Write nothing; what is not current is an error
    #[arg(long)]
    pub(crate) check: bool,
}

/// Writes the pages of `docs` and the drawing of the layers, or checks them, and builds the documentation of the workspace;
/// a warning is an error.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    pages::run(options.check)?;
    drawing(options.check)?;
    let mut command = cargo::command(&["doc", "--workspace", "--no-deps", "--all-features"]);
    let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
    command.env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start());
    cargo::run(command)?;
    println!("open {}", cargo::workspace()?.target_directory.join("doc/converge_core/index.html").display());
    Ok(())
}

/// Writes the drawing of the layers in `ARCHITECTURE.md`, or checks it. The pages have built the program that does it.
fn drawing(check: bool) -> Result<(), Error> {
    let program = cargo::workspace()?.target_directory.join("debug/converge-layers");
    let action = if check { "--check" } else { "--write" };
    let mut command = Command::new(program);
    command.arg(action).arg(cargo::root());
    cargo::run_as(command, format!("converge-layers {action}"))
}
