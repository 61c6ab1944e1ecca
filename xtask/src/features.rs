//! `cargo xtask features`.

use crate::cargo;
use crate::error::Error;

/// Checks each crate of the workspace by itself, with as little and with as much as it can have, and with each of its own
/// features alone. Those that only turn on features of another crate are checked there.
///
/// By itself, because in a build of the whole workspace one crate turns on the features that another forgot. With
/// clippy, because it denies warnings in our own crates only: what is unused without a feature is found too.
pub(crate) fn run() -> Result<(), Error> {
    for package in cargo::workspace()?.packages {
        check(&package.name, &["--no-default-features"])?;
        if !package.features.is_empty() {
            check(&package.name, &["--all-features"])?;
        }
        for feature in &package.features {
            check(&package.name, &["--no-default-features", "--features", feature])?;
        }
    }
    // What is left out is known by name, and says what it needs.
    let families = ["test", "--quiet", "--package", "converge-resources", "--no-default-features", "--lib"];
    cargo::run(cargo::command(&[&families[..], &["families"]].concat()))
}

fn check(package: &str, features: &[&str]) -> Result<(), Error> {
    let clippy = ["clippy", "--quiet", "--package", package];
    cargo::run(cargo::command(&[&clippy[..], features, &["--", "-D", "warnings"]].concat()))
}
