//! The `package.rpm` resource: packages of Fedora, Red Hat, SUSE and related distributions.

mod error;
mod installed_packages;
mod lock;
mod request;
mod run;
mod spec;
mod task;
#[cfg(test)]
mod tests;
mod tool;
mod upgrades;

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, OneOrMany};

pub use task::RpmPackages;

use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::{each_once, invalid};
use super::scope::{Lists, NamedPackages, Scope};
use request::{Freshness, RpmRequest};
use spec::{RpmSpec, RpmVersion};

/// Installs and removes packages with `dnf`, `yum`, `zypper` or `microdnf`.
///
/// The resource uses the first of these package managers that exists on the machine. A package is installed
/// in the version that the package manager prefers. An installed package stays at its version: nothing is
/// upgraded unless a version, `latest` or `upgrade_all` is declared. A version must be available in a
/// repository.
///
/// A package can also be a file, by its path or URL: then it is installed in the version and architecture of
/// the file. A machine without these package managers installs files with `rpm` itself, which installs no
/// dependencies.
///
/// No question is ever asked. A package that others need is not removed: name these too. Packages that were
/// installed as its dependencies stay.
///
/// # Caveats
///
/// A file at a URL is fetched in each check, because only the file says which package it is. The script that
/// a package runs after its installation may fail; for RPM the package is installed all the same, and the
/// failure is a warning. `zypper` does not support `autoremove`, `update` and `cache_max_age`; `microdnf`
/// does not support `latest`, `upgrade_all` and `autoremove`. Tests cover `dnf` and `rpm` itself; the other
/// package managers are called as their manuals say.
#[derive(Debug, Preparer)]
#[preparer(name = "package.rpm", task = RpmPackages, validate, changes = "anything", lock = "rpm", example = "example.hcl")]
pub struct RpmPreparer {
    /// The package, or a list of packages.
    ///
    /// Examples are `"mc"`, with an exact version `"mc=4.8.29-2"`, or a file `"/srv/mc.rpm"` or
    /// `"https://example.com/mc.rpm"`. Give one of `name`, `file`, `upgrade_all` and `autoremove`.
    #[hcl(
        nonempty,
        alias = "names",
        ensures = "package",
        needs = "path, path:tree at /etc/yum.repos.d, path:tree at /etc/dnf"
    )]
    name: Option<OneOrMany<RpmSpec>>,
    /// Whether the packages are to be installed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// The exact version of the one package that is named, with or without release and epoch.
    ///
    /// Examples are `"4.8.29"`, `"4.8.29-2"`, `"1:4.8.29-2"`. It also replaces a newer installed version.
    version: Option<RpmVersion>,
    /// Whether the metadata of the repositories is fetched before an installation, however old it is.
    ///
    /// By default, it is fetched if the package manager finds it too old.
    #[hcl(default, conflicts_with = "cache_max_age")]
    update: bool,
    /// The maximum age of the metadata of the repositories before it is fetched.
    #[hcl(alias = "cache_valid_time")]
    cache_max_age: Option<Duration>,
    #[hcl(embed)]
    scope: Scope,
    /// The time to wait for another program that holds a lock of the package manager.
    ///
    /// The default is 5 minutes.
    lock_timeout: Option<Duration>,
}

impl RpmPreparer {
    /// Returns the packages, combined with the separate `version`.
    fn packages(&self) -> Result<OneOrMany<RpmSpec>, Vec<FieldError>> {
        let mut name = self.name.clone().unwrap_or(OneOrMany::Many(Vec::new()));
        if let Some(value) = self.version.clone() {
            match &mut name {
                OneOrMany::One(RpmSpec::Package { version: version @ None, .. }) => *version = Some(value),
                OneOrMany::One(RpmSpec::Package { .. }) => {
                    return Err(invalid("version", "`name` has a version already"));
                }
                OneOrMany::One(RpmSpec::File(_)) => {
                    return Err(invalid("version", "`name` is a file, which has its version in it"));
                }
                OneOrMany::Many(names) if names.is_empty() => {
                    return Err(invalid("version", "it needs `name`"));
                }
                OneOrMany::Many(_) => {
                    return Err(invalid("version", "it is for one package: in a list write \"name=1.0-1\""));
                }
            }
        }
        let specs = name.as_slice();
        let has_version = |spec: &RpmSpec| matches!(spec, RpmSpec::Package { version: Some(_), .. });
        let versions = specs.iter().any(has_version);
        let lists = Lists::WithPackages;
        self.scope.validate(NamedPackages {
            any: self.name.is_some(),
            versions,
            state: self.state,
            lists,
        })?;
        each_once(specs.iter().map(|spec| spec.name().to_string()))?;
        Ok(name)
    }
}

impl Validate for RpmPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.packages().map(drop)
    }
}

impl Resource for RpmPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<RpmPackages> {
        let name = self.packages()?;
        let file = self.scope.file()?;
        let request = RpmRequest {
            newest: self.scope.newest(),
            upgrade_all: self.scope.upgrade_all,
            autoremove: self.scope.autoremove,
            freshness: match self.cache_max_age {
                Some(age) => Freshness::Within(age),
                None if self.update => Freshness::Now,
                None => Freshness::Usual,
            },
            options: self.scope.options,
        };
        let packages = RpmPackages::new(name, self.state, self.lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT));
        Ok(packages.with(request, file))
    }
}
