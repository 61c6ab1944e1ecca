//! `cargo xtask features`.

use crate::cargo;
use crate::error::Error;

/// Checks each crate of the workspace by itself, with as little and with as much as it can have.
///
/// By itself, because in a build of the whole workspace one crate turns on the features that another forgot. With
/// clippy, because it denies warnings in our own crates only: what is unused without a feature is found too.
pub(crate) fn run() -> Result<(), Error> {
    for package in cargo::workspace()?.packages {
        check(&package.name, "--no-default-features")?;
        if package.has_features {
            check(&package.name, "--all-features")?;
        }
    }
    Ok(())
}

fn check(package: &str, features: &str) -> Result<(), Error> {
    cargo::run(cargo::command(&["clippy", "--quiet", "--package", package, features, "--", "-D", "warnings"]))
}
