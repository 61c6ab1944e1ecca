//! `cargo xtask features`.

use std::panic::resume_unwind;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::cargo::{self, Package};
use crate::error::Error;

/// Checks each crate that programs use alone: with few features, and with each of its own.
///
/// Inner crates are checked with the features that these choose, and all features together by the lints.
/// Features that only enable features of another crate are checked there. Crates are checked alone, because
/// in a workspace build one crate may enable a feature that another one forgot. Code that is unused without a
/// feature is a warning, which is a failure here.
pub(crate) fn run() -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    let published = workspace.packages.into_iter().filter(|package| package.is_published && package.is_api);
    // Two checks run at once in separate folders, because the compiler checks one crate at a time on one
    // processor. The crate with most features has its own folder. It has the fewest dependencies, which are
    // checked twice.
    let (apart, others): (Vec<_>, Vec<_>) = published.partition(|package| package.name == APART);
    let folder = workspace.target_directory.join("features");
    let (other_results, apart_result) = thread::scope(|scope| {
        let handle = scope.spawn(|| check_all(&apart, Some(&folder)));
        (check_all(&others, None), handle.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    other_results.and(apart_result)
}

/// The crate that is checked in its own folder.
const APART: &str = "converge-core";

/// Returns the feature sets to check for a package.
fn choices(package: &Package) -> Vec<Vec<&str>> {
    let mut choices = vec![vec!["--no-default-features"]];
    choices
        .extend(package.features.iter().map(|feature| vec!["--no-default-features", "--features", feature]));
    choices
}

fn check_all(packages: &[Package], folder: Option<&Path>) -> Result<(), Error> {
    for package in packages {
        for choice in choices(package) {
            let mut check = cargo::command(&["check", "--quiet", "--package", &package.name]);
            check.args(choice);
            if let Some(folder) = folder {
                check.env("CARGO_TARGET_DIR", folder);
            }
            check_one(check)?;
        }
    }
    Ok(())
}

/// Checks and fails on warnings too.
///
/// Cargo only shows warnings of our own crates.
fn check_one(mut check: Command) -> Result<(), Error> {
    let line = cargo::format_command(&check);
    println!("$ {line}");
    let checked = check.output().map_err(|source| Error::Start { program: line.clone(), source })?;
    let message = String::from_utf8_lossy(&checked.stderr);
    let warns = message.lines().any(|line| line.starts_with("warning"));
    if checked.status.success() && !warns {
        return Ok(());
    }
    eprintln!("{message}");
    Err(if checked.status.success() {
        Error::Warnings { command: line }
    } else {
        Error::Failed { command: line, status: checked.status }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, features: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            features: features.iter().map(ToString::to_string).collect(),
            is_published: true,
            is_api: true,
            tests: Vec::new(),
        }
    }

    #[test]
    fn a_package_is_checked_with_few_features_and_with_each() {
        assert_eq!(choices(&package("a", &[])), [vec!["--no-default-features"]]);
        assert_eq!(
            choices(&package("a", &["x", "y"])),
            [
                vec!["--no-default-features"],
                vec!["--no-default-features", "--features", "x"],
                vec!["--no-default-features", "--features", "y"],
            ]
        );
    }
}
