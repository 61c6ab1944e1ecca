//! `cargo xtask package`.

use std::fs;
use std::process::Command;

use crate::cargo;
use crate::error::Error;
use crate::files;

/// Packs each published crate, and checks that what is in the packages compiles, with nothing around it that only these sources have.
///
/// `cargo package` would build each by itself. They are checked together here, as one workspace with all features, so that what they
/// depend on has been checked before.
pub(crate) fn run() -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    let published: Vec<_> = workspace.packages.iter().filter(|package| package.is_published).collect();
    // What has not been committed is packed as well: it is what is tried.
    let mut package = cargo::command(&["package", "--quiet", "--no-verify", "--allow-dirty"]);
    for member in &published {
        package.args(["--package", &member.name]);
    }
    cargo::run(package)?;

    let packed = workspace.target_directory.join("package");
    let folder = packed.join("unpacked");
    files::remove(&folder)?;
    fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
    let mut manifest =
        String::from("[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n\n");
    // On crates.io these names are other people's.
    manifest.push_str("[patch.crates-io]\n");
    for member in &published {
        let name = format!("{}-{}", member.name, member.version);
        let mut unpack = Command::new("tar");
        unpack.arg("xzf").arg(packed.join(format!("{name}.crate"))).current_dir(&folder);
        cargo::run_as(unpack, format!("tar xzf {name}.crate"))?;
        for part in [member.name.as_str(), " = { path = \"", name.as_str(), "\" }\n"] {
            manifest.push_str(part);
        }
    }
    let at = folder.join("Cargo.toml");
    fs::write(&at, manifest).map_err(Error::at(&at))?;
    // The versions that the workspace has, which are there already.
    let lock = cargo::root().join("Cargo.lock");
    fs::copy(&lock, folder.join("Cargo.lock")).map_err(Error::at(&lock))?;
    let mut check =
        cargo::command(&["check", "--quiet", "--offline", "--workspace", "--all-features", "--target-dir"]);
    check.arg(&workspace.target_directory).current_dir(&folder);
    cargo::run(check)?;
    println!("{} packages, in {}", published.len(), packed.display());
    Ok(())
}
