//! What goes wrong with apt.

use std::fmt;
use std::time::Duration;

use super::simulation;
use super::spec::Package;
use crate::package::output::Tail;

/// apt could not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AptError {
    /// No repository has the package.
    #[error(
        "apt knows no package {package:?}: look at the spelling and at the repositories in /etc/apt, and at whether \
         their lists are up to date (`update = true` sees to that)"
    )]
    UnknownPackage { package: String },
    /// The name stands for any of some packages.
    #[error(
        "{package:?} is a virtual package, which is never installed itself: name {}{}",
        if .providers.len() == 1 { "the package that provides it, " } else { "one of those that provide it: " },
        .providers.join(", ")
    )]
    Virtual { package: String, providers: Vec<String> },
    /// No repository has the version.
    #[error("apt knows no version {version:?} of {package:?}{}", Known(.known))]
    UnknownVersion {
        package: String,
        version: String,
        /// Those that it knows.
        known: Vec<String>,
    },
    /// The package must stay as it is.
    #[error("{package} is on hold, so it is left as it is: `apt-mark unhold {package}` ends that")]
    Held { package: String },
    /// Something that it needs cannot be installed.
    #[error("apt cannot satisfy the dependencies{0}")]
    Dependencies(Tail),
    /// Packages would be removed that the check did not report.
    #[error(
        "this would also remove {}, which the check did not show, so nothing was done: the next plan shows it, unless \
         it comes from changes that are applied together",
        .0.join(", ")
    )]
    Removes(Vec<String>),
    /// Another program holds a lock of apt or dpkg.
    #[error(
        "{} has held the lock {lock} for more than {after:?}: end it, or give it more time with `lock_timeout`",
        .holder.as_deref().unwrap_or("another program")
    )]
    Locked {
        lock: String,
        /// `process 4711 (apt-get)`.
        holder: Option<String>,
        after: Duration,
    },
    /// Not allowed.
    #[error("only root can change packages: run converge as root")]
    NotRoot,
    /// A repository did not give what was asked for.
    #[error("apt could not fetch {}", .0.join("; "))]
    Fetch(Vec<String>),
    /// dpkg could not install or remove packages, mostly because a script of theirs failed.
    #[error("{}", Joined(.0))]
    Packages(Vec<PackageFailure>),
    /// It ran longer than the resource may take.
    #[error("`{command}` was ended after {after:?}, the time that was left for it{output}")]
    TimedOut { command: String, after: Duration, output: Tail },
    /// Anything else.
    #[error("`{command}` failed{output}")]
    Other { command: String, output: Tail },
}

/// Why dpkg could not install or remove a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageFailure {
    pub(super) package: String,
    /// In dpkg's words.
    pub(super) reason: String,
    /// What was printed meanwhile.
    pub(super) output: Tail,
}

struct Known<'a>(&'a [String]);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": it knows {}", self.0.join(", ")) }
    }
}

struct Joined<'a>(&'a [PackageFailure]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, PackageFailure { package, reason, output }) in self.0.iter().enumerate() {
            let line = if index == 0 { "" } else { "\n" };
            write!(f, "{line}dpkg failed with {package}: {reason}{output}")?;
        }
        Ok(())
    }
}

impl AptError {
    /// There is no package of this name, and these provide what it may mean.
    pub(super) fn no_candidate(package: String, providers: Vec<String>) -> Self {
        if providers.is_empty() {
            return Self::UnknownPackage { package };
        }
        Self::Virtual { package, providers }
    }

    /// Whether it would be the same with any packages.
    pub(super) fn is_general(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::NotRoot | Self::TimedOut { .. })
    }

    /// Whether it says that this package is at fault.
    pub(super) fn blames(&self, package: &Package) -> bool {
        match self {
            Self::UnknownPackage { package: name }
            | Self::Virtual { package: name, .. }
            | Self::UnknownVersion { package: name, .. }
            | Self::Held { package: name } => simulation::is(package, name),
            Self::Packages(failures) => {
                failures.iter().any(|failure| simulation::is(package, &failure.package))
            }
            _ => false,
        }
    }

    /// The same error, without what it says about other packages than these.
    pub(super) fn about(&self, packages: &[&Package]) -> Self {
        if let Self::Packages(failures) = self {
            let own = |failure: &&PackageFailure| {
                packages.iter().any(|package| simulation::is(package, &failure.package))
            };
            let own: Vec<PackageFailure> = failures.iter().filter(own).cloned().collect();
            if !own.is_empty() {
                return Self::Packages(own);
            }
        }
        self.clone()
    }
}
