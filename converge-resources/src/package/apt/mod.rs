//! The `package.apt` resource: packages of Debian and related distributions.

mod apply;
mod apt_get;
mod deb;
mod error;
mod explain;
mod hold;
mod installed_packages;
mod lists;
mod packages;
mod simulation;
mod spec;
mod task;
#[cfg(test)]
pub(super) mod tests;
mod transaction;
mod version;

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, OneOrMany};

pub(super) use lists::Update;
pub use packages::AptPackages;

use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::{each_once, invalid};
use super::scope::{Lists, NamedPackages, Scope};
use spec::{AptSpec, DeclaredVersion};

/// Installs and removes packages with `apt-get`.
///
/// A package is installed in the version that apt prefers. An installed package stays at its version: nothing
/// is upgraded unless a version, `latest` or `upgrade_all` is declared. Dependencies are installed as well.
/// The check simulates apt-get, so the plan names the dependencies, and the packages that would have to be
/// removed.
///
/// Packages that become ready together are installed and removed in one transaction, also those of several
/// resources. If one of them cannot be installed, only its resource fails.
///
/// No question is ever asked. Questions of packages get their default answers. A configuration file that was
/// changed on the machine is kept when its package brings a new one.
///
/// The lists on the machine determine the newest version. With `latest` and `upgrade_all`, `update` or
/// `cache_valid_time` fetches new lists first. If that is due, a plan says that there may be changes.
///
/// A removed package whose configuration is left counts as absent. A partly installed package, because dpkg
/// was killed or a script of the package failed, has changes, and an apply completes it. A package on hold is
/// not changed, unless `hold` is declared.
///
/// # Caveats
///
/// Virtual packages, such as `mail-transport-agent`, are refused if they are to be present, and are always
/// absent: name the package that provides them. Packages that depend on a removed package are removed too;
/// the plan shows them.
#[derive(Debug, Preparer)]
#[preparer(name = "package.apt", task = AptPackages, validate, changes = "anything", lock = "apt", batch, example = "example.hcl")]
pub struct AptPreparer {
    /// The package, or a list of packages.
    ///
    /// Examples are `"mc"`, with an exact version `"mc=3:4.8.29-2"`, with a range of versions `"mc>=4.8,<5"`,
    /// with an architecture `"libc6:i386"`. A package that is present by its name is marked as manually
    /// installed, so that `autoremove` keeps it.
    /// Give one of `name`, `file`, `upgrade_all` and `autoremove`, or `cache_valid_time` alone.
    #[hcl(nonempty, alias = "names", ensures = "package", needs = "debconf_answers, path:tree at /etc/apt")]
    name: Option<OneOrMany<AptSpec>>,
    /// Whether the packages are to be installed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// The exact version of the one package that is named, or a range: `">=4.8,<5"`.
    ///
    /// It also replaces a newer installed version. Of a range, the newest that apt knows is installed, and an
    /// installed version in the range stays.
    version: Option<DeclaredVersion>,
    /// Whether a removed package loses its configuration too.
    ///
    /// With this, a removed package whose configuration is left has changes.
    #[hcl(default)]
    purge: bool,
    /// Whether the packages are on hold.
    ///
    /// Neither `apt upgrade` nor another resource then changes their version or removes them. Changes that
    /// this resource declares are made all the same, and the hold is set again afterwards. Without this
    /// field, an existing hold stays, and the package is not changed.
    hold: Option<bool>,
    /// Whether recommended packages are installed as well.
    ///
    /// The default is the configuration of apt; on most machines they are.
    recommends: Option<bool>,
    /// Whether the lists of the repositories are fetched before an installation, as with `apt-get update`.
    ///
    /// This happens if there is something to install, once in a run, and again if a resource of the run has
    /// changed the repositories. An unreachable repository is then an error.
    ///
    /// By default, the lists are fetched only if there are none at all, as on a new machine.
    update: Option<bool>,
    /// The maximum age of the lists before they are fetched.
    ///
    /// They are also fetched if they are older than `/etc/apt/sources.list` or anything in
    /// `/etc/apt/sources.list.d`. With this field, `update` is not needed. If no package is named, lists that
    /// are too old are fetched whether something is installed or not.
    #[hcl(alias = "cache_max_age", needs = "path:tree at /etc/apt")]
    cache_valid_time: Option<Duration>,
    #[hcl(embed)]
    scope: Scope,
    /// The time to wait for another program that holds a lock of apt or dpkg. The default is 5 minutes.
    lock_timeout: Option<Duration>,
}

impl AptPreparer {
    /// Returns the packages, combined with the separate `version`.
    fn packages(&self) -> Result<OneOrMany<AptSpec>, Vec<FieldError>> {
        let mut name = self.name.clone().unwrap_or(OneOrMany::Many(Vec::new()));
        if let Some(version) = self.version.clone() {
            match &mut name {
                OneOrMany::One(spec) if spec.version.is_none() => spec.version = Some(version),
                OneOrMany::One(_) => return Err(invalid("version", "`name` has a version already")),
                OneOrMany::Many(names) if names.is_empty() => {
                    return Err(invalid("version", "it needs `name`"));
                }
                OneOrMany::Many(_) => {
                    return Err(invalid("version", "it is for one package: in a list write \"name=1.0-1\""));
                }
            }
        }
        let specs = name.as_slice();
        let versions = specs.iter().any(|spec| spec.version.is_some());
        let lists = match (self.cache_valid_time, self.update) {
            (Some(_), _) => Lists::ByAge,
            (None, Some(true)) => Lists::WithoutAge,
            (None, _) => Lists::WithPackages,
        };
        self.scope.validate(NamedPackages {
            any: self.name.is_some(),
            versions,
            state: self.state,
            lists,
        })?;
        if self.hold.is_some() && (specs.is_empty() && self.scope.file.is_none()) {
            return Err(invalid("hold", "it needs packages: write `name` or `file`"));
        }
        if self.hold.is_some() && self.state == Ensure::Absent {
            return Err(invalid("hold", "an absent package cannot be on hold"));
        }
        each_once(specs.iter().map(|spec| spec.package.to_string()))?;
        Ok(name)
    }
}

impl Validate for AptPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.packages().map(drop)
    }
}

impl Resource for AptPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<AptPackages> {
        let name = self.packages()?;
        let update = lists::Update::new(self.update, self.cache_valid_time);
        let (file, newest) = (self.scope.file()?, self.scope.newest());
        let settings = transaction::Settings {
            recommends: self.recommends,
            purge: self.purge,
            autoremove: self.scope.autoremove,
            upgrade_all: self.scope.upgrade_all,
            options: self.scope.options,
        };
        let lock_timeout = self.lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT);
        let packages = AptPackages::new(name, self.state, settings, update, lock_timeout);
        Ok(AptPackages { hold: self.hold, newest, file: file.map(deb::Deb::new), ..packages })
    }
}
