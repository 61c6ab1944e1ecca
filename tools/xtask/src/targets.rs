//! `cargo xtask targets`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::cargo;
use crate::error::Error;

/// The additional systems for which the SDK is compiled.
///
/// Nothing runs on them.
const TARGETS: [&str; 3] = ["aarch64-apple-darwin", "x86_64-pc-windows-gnu", "x86_64-unknown-freebsd"];

/// The packages that are compiled, with all their features.
const PACKAGES: [&str; 3] = ["converge-core", "converge-resources", "converge-cli"];

/// The substitute for a C compiler and an archiver of another system.
///
/// Checked code is not linked, so their output is never used.
const NOTHING: &str = "true";

/// The options of the command.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Fail if a target is not available (also with CI=true)
    #[arg(long)]
    pub(crate) no_skips: bool,
}

/// Checks that the packages compile for other systems.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let (mut available, mut skipped) = (Vec::new(), Vec::new());
    for target in TARGETS {
        match get(target) {
            Ok(()) => available.push(target),
            Err(reason) => skipped.push(format!("{target}: {reason}")),
        }
    }
    if !available.is_empty() {
        cargo::run(check(&available))?;
    }
    for skip in &skipped {
        println!("skipped: {skip}");
    }
    println!("{} of {} targets compile; nothing was run on them", available.len(), TARGETS.len());
    if !skipped.is_empty() && (options.no_skips || env::var("CI").is_ok_and(|value| value == "true")) {
        return Err(Error::Skips { count: skipped.len() });
    }
    Ok(())
}

/// Returns one command for all targets, so that build-time crates such as derives are built once.
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
    // The path of the macOS headers, which are never read.
    if env::var_os("SDKROOT").is_none() {
        check.env("SDKROOT", "/");
    }
    // The flags only apply to the targets. Crates for this machine keep their flags and are not rebuilt.
    check.env("RUSTFLAGS", "-D warnings");
    check
}

/// Installs the standard library of a target if it is missing.
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
            let message = String::from_utf8_lossy(&added.stderr);
            let last = message
                .lines()
                .map(str::trim)
                .rfind(|line| !line.is_empty())
                .unwrap_or("it does not say why");
            Err(format!("`rustup target add {target}` failed: {last}"))
        }
        // The toolchain may not come from rustup.
        Ok(_) if !is_there(target)? => {
            Err("rustup added it to another toolchain than the one in use".to_owned())
        }
        Ok(_) => Ok(()),
    }
}

/// Whether the current compiler has the standard library of a target.
fn is_there(target: &str) -> Result<bool, String> {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).args(["--print", "sysroot"]).current_dir(cargo::root()).output();
    let output = output.map_err(|error| format!("cannot start rustc: {error}"))?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
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
            cargo::format_command(&check),
            "cargo check --all-features --locked --package converge-core --package converge-resources --package converge-cli \
             --target x86_64-unknown-freebsd --target x86_64-pc-windows-gnu"
        );
        let set = |name: &str| check.get_envs().any(|(key, _)| key == name) || env::var_os(name).is_some();
        assert!(set("CC_x86_64_unknown_freebsd") && set("AR_x86_64_pc_windows_gnu") && set("SDKROOT"));
    }
}
