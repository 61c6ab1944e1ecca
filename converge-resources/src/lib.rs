//! The built-in resources of Converge.
//!
//! Each resource is one folder, `src/FAMILY/NAME`: its fields in `mod.rs`, its implementation in `task.rs`,
//! its tests in `tests.rs`, and a module that shows it in `example.hcl`. Each family is a cargo feature.
//!
//! The resources use only the public SDK, like any other resource, and reach the machine only through
//! [`Context::system`](converge_sdk::Context::system).

#[cfg(feature = "ask")]
pub mod assertion;
#[cfg(all(unix, any(feature = "lvm", feature = "system")))]
mod bytes;
#[cfg(all(unix, any(feature = "lvm", feature = "system")))]
mod device;
#[cfg(all(unix, feature = "docker"))]
pub mod docker;
mod families;
#[cfg(feature = "file")]
pub mod file;
#[cfg(all(unix, feature = "firewall"))]
pub mod firewall;
#[cfg(all(unix, feature = "git"))]
pub mod git;
#[cfg(any(feature = "file", all(unix, feature = "git"), feature = "net", all(unix, feature = "package")))]
mod invalid;
#[cfg(all(unix, feature = "lvm"))]
pub mod lvm;
#[cfg(any(
    feature = "docker",
    feature = "file",
    feature = "firewall",
    feature = "git",
    feature = "lvm",
    feature = "package",
    feature = "shell",
    feature = "systemd",
    feature = "user"
))]
mod missing_dependency;
#[cfg(all(unix, any(feature = "lvm", feature = "system")))]
mod mount_fields;
#[cfg(all(unix, any(feature = "lvm", feature = "system")))]
mod mount_point;
#[cfg(all(unix, any(feature = "file", feature = "lvm", feature = "systemd")))]
mod mount_table;
#[cfg(any(feature = "net", all(unix, feature = "package")))]
#[cfg_attr(
    not(feature = "net"),
    expect(dead_code, reason = "packages are fetched, and say nothing of who asks")
)]
pub mod net;
#[cfg(any(
    feature = "file",
    feature = "firewall",
    feature = "git",
    feature = "lvm",
    feature = "package",
    feature = "shell",
    feature = "systemd"
))]
mod output_progress;
#[cfg(all(unix, feature = "package"))]
pub mod package;
#[cfg(all(
    unix,
    any(
        feature = "file",
        feature = "firewall",
        feature = "lvm",
        feature = "system",
        feature = "systemd",
        feature = "user"
    )
))]
mod platform;
#[cfg(feature = "random")]
pub mod random;
#[cfg(all(unix, any(feature = "file", feature = "user")))]
mod removal;
#[cfg(any(feature = "net", feature = "shell"))]
mod retry;
#[cfg(all(unix, any(feature = "git", feature = "shell")))]
mod run_user;
#[cfg(all(unix, feature = "shell"))]
pub mod shell;
#[cfg(all(
    unix,
    any(feature = "file", feature = "firewall", feature = "lvm", feature = "system", feature = "systemd")
))]
mod steps;
#[cfg(all(unix, feature = "system"))]
pub mod system;
#[cfg(all(unix, feature = "systemd"))]
pub mod systemd;
#[cfg(any(
    feature = "ask",
    feature = "docker",
    feature = "file",
    feature = "net",
    feature = "package",
    feature = "shell",
    feature = "systemd"
))]
mod text;
#[cfg(all(unix, any(feature = "system", feature = "systemd")))]
mod text_file;
#[cfg(all(
    unix,
    any(feature = "file", feature = "firewall", feature = "lvm", feature = "system", feature = "systemd")
))]
mod tools;
#[cfg(all(unix, feature = "user"))]
pub mod user;

// The module is public because each family uses a part of it, and any family may be disabled.
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;

use converge_sdk::{Registry, RegistryError};

pub use families::{FAMILIES, Family};

/// Registers the built-in resources of all enabled families.
///
/// For the other families, the registry knows which feature they need ([`Registry::absent`]). Most resources
/// need Unix. Elsewhere there are `assert`, `file.content`, without a mode and an owner, and `wait.port`.
///
/// # Errors
///
/// Returns an error if `registry` has a type with the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    families::register(registry)
}

/// Returns a registry with the built-in resources and the types of the language.
///
/// ```
/// let registry = converge_resources::registry()?;
/// assert!(registry.get("file.owner").is_some());
/// # Ok::<(), converge_sdk::RegistryError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`register`]; they do not occur with the resources of this crate alone.
pub fn registry() -> Result<Registry, RegistryError> {
    register(Registry::new())
}
