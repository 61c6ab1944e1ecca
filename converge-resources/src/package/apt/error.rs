use std::time::Duration;

use super::simulation;
use super::spec::Package;
use crate::package::output::OutputTail;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AptError {
    #[error(
        "apt knows no package {package:?}: check the spelling, the repositories in /etc/apt, and whether their lists are up to date (`update = true` fetches them)"
    )]
    UnknownPackage { package: String },
    #[error(
        "{package:?} is a virtual package, which is never installed itself: name {}{}",
        if .providers.len() == 1 { "the package that provides it, " } else { "one of those that provide it: " },
        .providers.join(", ")
    )]
    Virtual { package: String, providers: Vec<String> },
    #[error("apt knows no version {version:?} of {package:?}{}", knows(.known))]
    UnknownVersion { package: String, version: String, known: Vec<String> },
    #[error("{package} is on hold, so it is not changed: `apt-mark unhold {package}` releases it")]
    Held { package: String },
    #[error("apt cannot satisfy the dependencies{0}")]
    Dependencies(OutputTail),
    #[error(
        "this would also remove {}, which the check did not show, so nothing was done: run a new plan to see it, unless it comes from changes that are applied together",
        .0.join(", ")
    )]
    Removes(Vec<String>),
    #[error(
        "{} has held the lock {lock} for more than {after:?}: end it, or give it more time with `lock_timeout`",
        .holder.as_deref().unwrap_or("another program")
    )]
    Locked {
        lock: String,
        /// The process that holds the lock: `process 4711 (apt-get)`.
        holder: Option<String>,
        after: Duration,
    },
    #[error("only root can change packages: run converge as root")]
    NotRoot,
    #[error("apt could not fetch {}", .0.join("; "))]
    Fetch(Vec<String>),
    #[error("{}", joined(.0))]
    Packages(Vec<PackageFailure>),
    #[error("`{command}` was stopped after {after:?}, the remaining time{output}")]
    TimedOut { command: String, after: Duration, output: OutputTail },
    #[error("`{command}` failed{output}")]
    Other { command: String, output: OutputTail },
}

/// The failure of dpkg to install or remove a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageFailure {
    pub(super) package: String,
    /// The reason, in the words of dpkg.
    pub(super) reason: String,
    pub(super) output: OutputTail,
}

fn knows(versions: &[String]) -> String {
    if versions.is_empty() { String::new() } else { format!(": it knows {}", versions.join(", ")) }
}

fn joined(failures: &[PackageFailure]) -> String {
    let line = |PackageFailure { package, reason, output }: &PackageFailure| {
        format!("dpkg failed with {package}: {reason}{output}")
    };
    failures.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl AptError {
    /// Returns the error that a package name is virtual, with the packages that provide it.
    pub(super) fn no_candidate(package: String, providers: Vec<String>) -> Self {
        if providers.is_empty() {
            return Self::UnknownPackage { package };
        }
        Self::Virtual { package, providers }
    }

    /// Whether the error would be the same with any packages.
    pub(super) fn is_general(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::NotRoot | Self::TimedOut { .. })
    }

    /// Whether the error names this package as the cause.
    pub(super) fn concerns(&self, package: &Package) -> bool {
        match self {
            Self::UnknownPackage { package: name }
            | Self::Virtual { package: name, .. }
            | Self::UnknownVersion { package: name, .. }
            | Self::Held { package: name } => simulation::is_name_of(package, name),
            Self::Packages(failures) => {
                failures.iter().any(|failure| simulation::is_name_of(package, &failure.package))
            }
            _ => false,
        }
    }

    /// Returns the error reduced to these packages.
    pub(super) fn about(&self, packages: &[&Package]) -> Self {
        if let Self::Packages(failures) = self {
            let is_own = |failure: &&PackageFailure| {
                packages.iter().any(|package| simulation::is_name_of(package, &failure.package))
            };
            let own_failures: Vec<PackageFailure> = failures.iter().filter(is_own).cloned().collect();
            if !own_failures.is_empty() {
                return Self::Packages(own_failures);
            }
        }
        self.clone()
    }
}
