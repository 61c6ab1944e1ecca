//! `cargo xtask features`.

use crate::cargo;
use crate::error::Error;

/// Checks each crate of the workspace by itself, with as little and with as much as it can have.
///
/// By itself, because in a build of the whole workspace one crate turns on the features that another forgot.
pub(crate) fn run() -> Result<(), Error> {
    for package in cargo::workspace()?.packages {
        let check = ["check", "--quiet", "--package", &package.name];
        cargo::run(cargo::command(&[&check[..], &["--no-default-features"]].concat()))?;
        if package.has_features {
            cargo::run(cargo::command(&[&check[..], &["--all-features"]].concat()))?;
        }
    }
    Ok(())
}
