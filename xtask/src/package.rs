//! `cargo xtask package`.

use std::path::PathBuf;
use std::{env, fs};

use converge_tests::published::{self, Registry};

use crate::cargo::{self, Package};
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
        forget_unpacked(member)?;
    }
    cargo::run(package)?;
    println!("{} packages, in {}", published.len(), workspace.target_directory.join("package").display());
    Ok(())
}

/// Forgets what cargo has unpacked of a package when it was verified before: it knows that by name and version only, and would build others
/// against it. Registries without a name are folders, such as the one that `cargo package` makes.
fn forget_unpacked(package: &Package) -> Result<(), Error> {
    let usual = || Some(PathBuf::from(env::var_os("HOME")?).join(".cargo"));
    let Some(home) = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(usual) else { return Ok(()) };
    let Ok(registries) = fs::read_dir(home.join("registry/src")) else { return Ok(()) };
    let unnamed = registries.flatten().filter(|one| one.file_name().as_encoded_bytes().starts_with(b"-"));
    for registry in unnamed {
        files::remove(&registry.path().join(format!("{}-{}", package.name, package.version)))?;
    }
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
