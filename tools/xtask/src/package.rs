//! `cargo xtask package`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use converge_tests::published_crates::{self, Registry};

use crate::cargo::{self, Package};
use crate::error::Error;
use crate::{examples, files};

/// The packages whose examples are compiled here, with the contents of the package only.
///
/// The examples of other packages run in `cargo xtask docs --check`. To run those of these packages, nearly
/// all of the workspace would be built for each one.
pub(crate) const CHECKED: [&str; 3] = ["converge-cli", "converge-resources", "converge-server"];

/// The options of the command.
#[derive(Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Package for a private registry, which cargo knows by this name: each crate takes the others from
    /// there and none from crates.io, where these names belong to others
    #[arg(long, value_name = "NAME")]
    pub(crate) registry: Option<String>,
    /// Prefix of the package names in that registry
    #[arg(long, value_name = "TEXT", requires = "registry", default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
}

/// Packages each published crate and builds it from its package, or packages all for a registry.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    match &options.registry {
        None => verify(),
        Some(name) => pack(Registry { name, prefix: &options.prefix }),
    }
}

/// Packages each crate in order of dependencies, and compiles the packages against each other.
///
/// Nothing from the workspace is available to them. Third-party crates come from the download cache of the
/// workspace build.
fn verify() -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    // All dependencies are fetched first, so that crates.io is never asked for the names of our crates.
    cargo::run(cargo::command(&["fetch", "--quiet", "--locked"]))?;
    let packed = workspace.target_directory.join("package");
    let unpacked = packed.join("unpacked");
    files::remove(&unpacked)?;
    let published: Vec<_> = workspace.packages.iter().filter(|package| package.is_published).collect();
    // Uncommitted changes are packaged too, because they are what is tested. A check is enough, so cargo's
    // own build is skipped.
    let mut package = cargo::command(&["package", "--quiet", "--offline", "--allow-dirty", "--no-verify"]);
    package.args(published.iter().flat_map(|member| ["--package", &member.name]));
    cargo::run(package)?;
    unpack(&published, &packed, &unpacked)?;
    for member in &published {
        let mut check = cargo::command(&["check", "--quiet", "--offline", "--package", &member.name]);
        if CHECKED.contains(&member.name.as_str()) {
            add_examples(&unpacked.join(folder_of(member)))?;
            check.args(["--lib", "--bins", "--examples"]);
        }
        check.arg("--target-dir").arg(&workspace.target_directory).current_dir(&unpacked);
        cargo::run(check)?;
    }
    println!("{} packages, in {}", published.len(), packed.display());
    Ok(())
}

/// Unpacks packages next to each other, and lets each use the others from there.
fn unpack(packages: &[&Package], packed: &Path, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::at(folder))?;
    let mut members = Vec::new();
    let mut patches = String::new();
    for package in packages {
        let member = folder_of(package);
        let mut tar = Command::new("tar");
        // The files in a package have an old modification time, by which cargo would take them for unchanged.
        tar.args(["--touch", "-xzf"]).arg(packed.join(format!("{member}.crate"))).arg("-C").arg(folder);
        cargo::run_as(tar, format!("tar --touch -xzf {member}.crate"))?;
        let _ = writeln!(patches, "{} = {{ path = {member:?} }}", package.name);
        members.push(member);
    }
    let manifest = folder.join("Cargo.toml");
    let text =
        format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n{patches}");
    fs::write(&manifest, text).map_err(Error::at(&manifest))?;
    // The locked versions of the workspace are already on this machine.
    let lock = folder.join("Cargo.lock");
    fs::copy(cargo::root().join("Cargo.lock"), &lock).map_err(Error::at(&lock))?;
    Ok(())
}

/// Returns the name of the folder inside a package.
fn folder_of(package: &Package) -> String {
    format!("{}-{}", package.name, package.version)
}

/// Adds the documentation examples to an unpacked package as programs without dev-dependencies.
///
/// Users do not have these dependencies.
fn add_examples(folder: &Path) -> Result<(), Error> {
    let manifest = folder.join("Cargo.toml");
    let mut text = without_dev_dependencies(&fs::read_to_string(&manifest).map_err(Error::at(&manifest))?);
    for (number, program) in (1..).zip(examples::read_folder(&folder.join("src"))?) {
        let path = folder.join(format!("example-{number}.rs"));
        fs::write(&path, program).map_err(Error::at(&path))?;
        let _ = write!(text, "\n[[example]]\nname = \"example-{number}\"\npath = \"example-{number}.rs\"\n");
    }
    fs::write(&manifest, text).map_err(Error::at(&manifest))
}

/// Removes the dev-dependencies from a packaged manifest, where each dependency is a table.
fn without_dev_dependencies(manifest: &str) -> String {
    let mut is_left_out = false;
    let mut output = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_left_out = line.contains("dev-dependencies");
        }
        if !is_left_out {
            output.push_str(line);
            output.push('\n');
        }
    }
    output
}

/// Packages a copy of the crates that names the registry, and leaves the copy for publishing.
fn pack(registry: Registry<'_>) -> Result<(), Error> {
    let target = cargo::workspace()?.target_directory.join("registry").join(registry.name);
    files::remove(&target)?;
    let sources = target.join("sources");
    fs::create_dir_all(&sources).map_err(Error::at(&sources))?;
    published_crates::copy(&sources, Some(registry)).map_err(Error::at(&sources))?;
    let mut package =
        cargo::command(&["package", "--quiet", "--workspace", "--no-verify", "--exclude-lockfile"]);
    package.arg("--target-dir").arg(&target).current_dir(&sources);
    cargo::run(package)?;
    println!("{} packages, in {}", published_crates::CRATES.len(), target.join("package").display());
    println!(
        "To publish them: cd {} && cargo publish --workspace --registry {}",
        sources.display(),
        registry.name
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_have_is_taken_out_of_a_manifest() {
        let manifest = "[dependencies.a]\nversion = \"1\"\n\n[dev-dependencies.b]\nversion = \"2\"\n\n\
                        [target.'cfg(unix)'.dev-dependencies.c]\nversion = \"3\"\nfeatures = [\n    \"d\",\n]\n\n[lints]\n";
        assert_eq!(without_dev_dependencies(manifest), "[dependencies.a]\nversion = \"1\"\n\n[lints]\n");
    }
}
