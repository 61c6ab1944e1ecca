//! `cargo xtask targets`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::cargo;
use crate::error::Error;

/// Systems that the SDK is compiled for beside the one at hand. Nothing is run there.
const TARGETS: [&str; 3] = ["aarch64-apple-darwin", "x86_64-pc-windows-gnu", "x86_64-unknown-freebsd"];

/// What is compiled, with all its features.
const PACKAGES: [&str; 3] = ["converge-core", "converge-resources", "converge-cli"];

/// In place of a C compiler and an archiver for another system. What is checked is not linked, so nobody asks for what they would have
/// made.
const NOTHING: &str = "true";

/// How to check.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Fail when a target cannot be had (also with CI=true)
    #[arg(long)]
    pub(crate) no_skips: bool,
}

/// Checks that what others build on compiles for other systems.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let (mut there, mut skipped) = (Vec::new(), Vec::new());
    for target in TARGETS {
        match get(target) {
            Ok(()) => there.push(target),
            Err(reason) => skipped.push(format!("{target}: {reason}")),
        }
    }
    if !there.is_empty() {
        cargo::run(check(&there))?;
    }
    for skip in &skipped {
        println!("skipped: {skip}");
    }
    println!("{} of {} targets compile; nothing was run on them", there.len(), TARGETS.len());
    if !skipped.is_empty() && (options.no_skips || env::var("CI").is_ok_and(|value| value == "true")) {
        return Err(Error::Skips { count: skipped.len() });
    }
    Ok(())
}

/// One command for all of them: what is for this machine, such as derives, is built once.
fn check(targets: &[&str]) -> Command {
    let mut check = cargo::command(&["check", "--all-features", "--locked"]);
    for package in PACKAGES {
        check.args(["--package", package]);
    }
    for target in targets {
        check.args(["--target", target]);
        for program in ["CC", "CXX", "AR"] {
            let name = format!("{program}_{}", target.replace('-', "_"));
            if env::var_os(&name).is_none() {
                check.env(name, NOTHING);
            }
        }
    }
    // Where the headers of macOS would be, which nothing reads.
    if env::var_os("SDKROOT").is_none() {
        check.env("SDKROOT", "/");
    }
    // Of the targets only: what is built for this machine keeps its flags, and is not built again.
    check.env("RUSTFLAGS", "-D warnings");
    check
}

/// Makes sure that the standard library of a target is there.
fn get(target: &str) -> Result<(), String> {
    if is_there(target)? {
        return Ok(());
    }
    let added = Command::new("rustup").args(["target", "add", target]).stdin(Stdio::null()).output();
    match added {
        Err(error) => {
            Err(format!("its standard library is not installed, and `rustup` cannot be started: {error}"))
        }
        Ok(added) if !added.status.success() => {
            let said = String::from_utf8_lossy(&added.stderr);
            let last =
                said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it does not say why");
            Err(format!("`rustup target add {target}` failed: {last}"))
        }
        // The toolchain may be none of rustup's.
        Ok(_) if !is_there(target)? => {
            Err("rustup added it to another toolchain than the one in use".to_owned())
        }
        Ok(_) => Ok(()),
    }
}

/// Whether the compiler in use has the standard library of a target.
fn is_there(target: &str) -> Result<bool, String> {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(compiler).args(["--print", "sysroot"]).current_dir(cargo::root()).output();
    let asked = asked.map_err(|error| format!("cannot start rustc: {error}"))?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    let libraries = fs::read_dir(sysroot.join("lib/rustlib").join(target).join("lib"));
    Ok(libraries.is_ok_and(|mut libraries| libraries.next().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_nobody_has_is_skipped_with_a_reason() {
        let reason = get("pdp11-dec-nothing").unwrap_err();
        assert!(reason.contains("rustup"), "{reason}");
    }

    #[test]
    fn one_command_checks_all_targets_and_compiles_no_c() {
        let check = check(&["x86_64-unknown-freebsd", "x86_64-pc-windows-gnu"]);
        assert_eq!(
            cargo::shown(&check),
            "cargo check --all-features --locked --package converge-core --package converge-resources --package converge-cli \
             --target x86_64-unknown-freebsd --target x86_64-pc-windows-gnu"
        );
        let set = |name: &str| check.get_envs().any(|(key, _)| key == name) || env::var_os(name).is_some();
        assert!(set("CC_x86_64_unknown_freebsd") && set("AR_x86_64_pc_windows_gnu") && set("SDKROOT"));
    }
}
