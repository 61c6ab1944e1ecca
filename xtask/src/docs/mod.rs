//! `cargo xtask docs`.

use std::env;

use crate::cargo;
use crate::error::Error;

mod pages;

/// Writes the pages of `docs`, or checks them, and builds the documentation of the workspace; a warning is an error.
pub(crate) fn run(check: bool) -> Result<(), Error> {
    pages::run(check)?;
    let mut command = cargo::command(&["doc", "--workspace", "--no-deps", "--all-features"]);
    let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
    command.env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start());
    cargo::run(command)?;
    println!("open {}", cargo::workspace()?.target_directory.join("doc/converge_core/index.html").display());
    Ok(())
}
