//! `cargo xtask api`.

mod items;
mod types;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use serde_json::Value;

use crate::cargo;
use crate::error::Error;

/// The environment variable that is set when cargo starts this program as rustdoc.
const RUSTDOC: &str = "CONVERGE_XTASK_RUSTDOC";

/// The supported version of the rustdoc JSON format, which belongs to the toolchain of `rust-version`.
const FORMAT: u64 = 57;

/// The published crates without an API of their own.
///
/// The lists of other crates contain what these re-export.
const INNER: [&str; 11] = [
    "converge-value",
    "converge-system",
    "converge-language",
    "converge-graph",
    "converge-source",
    "converge-load",
    "converge-engine",
    "converge-view",
    "converge-assist",
    "converge-testing",
    "converge-plugin",
];

/// The options of the command.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Write nothing, and fail if a list is not current
    #[arg(long)]
    pub(crate) check: bool,
}

/// Writes the public items of each published crate to `docs/api`, or compares them.
///
/// The public API therefore never changes unnoticed. The items come from the JSON output of rustdoc, which is
/// unstable. Only rustdoc is told to act as an unstable toolchain, because the compiler would rebuild
/// everything.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    let published: Vec<_> = workspace.packages.iter().filter(|package| package.is_published).collect();
    // The options are those of the documentation build, so that no crate is compiled only for this.
    let mut doc = cargo::command(&["doc", "--workspace", "--lib", "--no-deps", "--all-features"]);
    let executable =
        env::current_exe().map_err(|source| Error::Start { program: "cargo xtask".into(), source })?;
    let target = workspace.target_directory.join("api");
    doc.env("RUSTDOC", executable).env(RUSTDOC, &target).env("RUSTDOCFLAGS", "--cap-lints allow");
    cargo::run(doc)?;

    let mut stale = Vec::new();
    let names = published.iter().map(|package| package.name.replace('-', "_"));
    let crates = names
        .map(|name| Ok((name.clone(), parse(&target.join(format!("{name}.json")))?)))
        .collect::<Result<HashMap<_, _>, Error>>()?;
    for package in published.iter().filter(|package| !INNER.contains(&package.name.as_str())) {
        let lines = listing(&package.name.replace('-', "_"), &crates);
        let page = cargo::root().join("docs/api").join(format!("{}.txt", package.name));
        if fs::read_to_string(&page).is_ok_and(|old| old == lines) {
            continue;
        }
        if options.check {
            show_changes(&page, &lines);
            stale.push(format!("docs/api/{}.txt", package.name));
        } else {
            fs::create_dir_all(page.parent().unwrap_or(&page)).map_err(Error::at(&page))?;
            fs::write(&page, lines).map_err(Error::at(&page))?;
            println!("wrote {}", page.display());
        }
    }
    if stale.is_empty() { Ok(()) } else { Err(Error::StaleApi { lists: stale }) }
}

/// Runs rustdoc if cargo has started this program as rustdoc; returns `None` otherwise.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let target = env::var_os(RUSTDOC)?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "unstable-options", "--output-format", "json"]);
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        let is_folder = argument == "-o" || argument == "--out-dir";
        rustdoc.arg(argument);
        if is_folder && arguments.next().is_some() {
            rustdoc.arg(&target);
        }
    }
    let status = rustdoc.status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the list of a crate as text.
fn listing(name: &str, crates: &HashMap<String, Value>) -> String {
    items::list(name, crates).iter().flat_map(|line| [line, "\n"]).collect()
}

/// Returns a crate from the output of rustdoc.
fn parse(json: &Path) -> Result<Value, Error> {
    let text = fs::read(json).map_err(Error::at(json))?;
    let unreadable = |reason: String| Error::Rustdoc { path: PathBuf::from(json), reason };
    let krate: Value = serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
    match krate["format_version"].as_u64() {
        Some(FORMAT) => Ok(krate),
        found => Err(unreadable(format!(
            "its format is {found:?}, and `tools/xtask/src/api` reads {FORMAT}: look what has changed, and raise the number"
        ))),
    }
}

/// Prints the added and removed items.
fn show_changes(page: &Path, after: &str) {
    let before = fs::read_to_string(page).unwrap_or_default();
    for line in before.lines().filter(|line| !after.lines().any(|other| other == *line)) {
        println!("- {line}");
    }
    for line in after.lines().filter(|line| !before.lines().any(|other| other == *line)) {
        println!("+ {line}");
    }
}

#[cfg(test)]
mod tests;
