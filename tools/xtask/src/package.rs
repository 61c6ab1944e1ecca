//! `cargo xtask package`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use converge_tests::published_crates::{self, Registry};

use crate::cargo::{self, Package};
use crate::error::Error;
use crate::{examples, files};

/// Packages whose examples are checked here, with what the package itself has. Those of all others run (`cargo xtask docs --check`); for the
/// few of these nearly all of the workspace would have to be built, once for each of them.
pub(crate) const CHECKED: [&str; 3] = ["converge-cli", "converge-resources", "converge-server"];

/// For whom to pack.
#[derive(Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Pack them for a registry of your own, which cargo knows by this name: each has the others from there, and none from crates.io,
    /// where these names are other people's
    #[arg(long, value_name = "NAME")]
    pub(crate) registry: Option<String>,
    /// What the names of the packages begin with there
    #[arg(long, value_name = "TEXT", requires = "registry", default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
}

/// Packs each published crate and builds what is in its package, or packs them for a registry.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    match &options.registry {
        None => verify(),
        Some(name) => pack(Registry { name, prefix: &options.prefix }),
    }
}

/// Packs each in the order of their dependencies, and compiles what is in its package, against what is in the others: there is nothing around
/// them that only these sources have. What others made is taken from where the build of the workspace has it.
fn verify() -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    // Everything that is needed, after which nobody is asked what crates.io has under these names.
    cargo::run(cargo::command(&["fetch", "--quiet", "--locked"]))?;
    let packed = workspace.target_directory.join("package");
    let unpacked = packed.join("unpacked");
    files::remove(&unpacked)?;
    let published: Vec<_> = workspace.packages.iter().filter(|package| package.is_published).collect();
    // What has not been committed is packed as well: it is what is tried. Cargo would build them, and to check them is enough.
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

/// Unpacks packages side by side, each of which has the others from there.
fn unpack(packages: &[&Package], packed: &Path, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::at(folder))?;
    let mut members = Vec::new();
    let mut patches = String::new();
    for package in packages {
        let member = folder_of(package);
        let mut tar = Command::new("tar");
        // Files of a package have a time long past, by which cargo would take them for those that it has checked before.
        tar.args(["--touch", "-xzf"]).arg(packed.join(format!("{member}.crate"))).arg("-C").arg(folder);
        cargo::run_as(tar, format!("tar --touch -xzf {member}.crate"))?;
        let _ = writeln!(patches, "{} = {{ path = {member:?} }}", package.name);
        members.push(member);
    }
    let manifest = folder.join("Cargo.toml");
    let text =
        format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n{patches}");
    fs::write(&manifest, text).map_err(Error::at(&manifest))?;
    // The versions that the workspace has, which are there already.
    let lock = folder.join("Cargo.lock");
    fs::copy(cargo::root().join("Cargo.lock"), &lock).map_err(Error::at(&lock))?;
    Ok(())
}

/// The folder that is in a package.
fn folder_of(package: &Package) -> String {
    format!("{}-{}", package.name, package.version)
}

/// Adds the examples of the documentation to an unpacked package, as programs that have no more than its users have: what only its tests
/// have is taken out.
fn add_examples(folder: &Path) -> Result<(), Error> {
    let manifest = folder.join("Cargo.toml");
    let mut text = without_dev_dependencies(&fs::read_to_string(&manifest).map_err(Error::at(&manifest))?);
    for (number, program) in (1..).zip(examples::of_folder(&folder.join("src"))?) {
        let path = folder.join(format!("example-{number}.rs"));
        fs::write(&path, program).map_err(Error::at(&path))?;
        let _ = write!(text, "\n[[example]]\nname = \"example-{number}\"\npath = \"example-{number}.rs\"\n");
    }
    fs::write(&manifest, text).map_err(Error::at(&manifest))
}

/// A manifest as cargo packs it, where each dependency is a table.
fn without_dev_dependencies(manifest: &str) -> String {
    let mut is_left_out = false;
    let mut kept = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_left_out = line.contains("dev-dependencies");
        }
        if !is_left_out {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Packs them from a copy that names the registry, which is left there to be published.
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
