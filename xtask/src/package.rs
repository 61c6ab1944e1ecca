//! `cargo xtask package`.

use std::fs;

use converge_tests::published::{self, Registry};

use crate::cargo;
use crate::error::Error;
use crate::files;

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

/// Packs each in the order of their dependencies, and builds it from its package and the packages of those before, with nothing around
/// it that only these sources have. What others made is taken from where the build of the workspace has it.
fn verify() -> Result<(), Error> {
    let workspace = cargo::workspace()?;
    // Everything that is needed, after which nobody is asked what crates.io has under these names.
    cargo::run(cargo::command(&["fetch", "--quiet", "--locked"]))?;
    // What has not been committed is packed as well: it is what is tried.
    let mut package = cargo::command(&["package", "--quiet", "--offline", "--allow-dirty"]);
    let published: Vec<_> = workspace.packages.iter().filter(|package| package.is_published).collect();
    for member in &published {
        package.args(["--package", &member.name]);
    }
    cargo::run(package)?;
    println!("{} packages, in {}", published.len(), workspace.target_directory.join("package").display());
    Ok(())
}

/// Packs them from a copy that names the registry, which is left there to be published.
fn pack(registry: Registry<'_>) -> Result<(), Error> {
    let target = cargo::workspace()?.target_directory.join("registry").join(registry.name);
    files::remove(&target)?;
    let sources = target.join("sources");
    fs::create_dir_all(&sources).map_err(Error::at(&sources))?;
    published::copy(&sources, Some(registry)).map_err(Error::at(&sources))?;
    let mut package =
        cargo::command(&["package", "--quiet", "--workspace", "--no-verify", "--exclude-lockfile"]);
    package.arg("--target-dir").arg(&target).current_dir(&sources);
    cargo::run(package)?;
    println!("{} packages, in {}", published::CRATES.len(), target.join("package").display());
    println!(
        "To publish them: cd {} && cargo publish --workspace --registry {}",
        sources.display(),
        registry.name
    );
    Ok(())
}
