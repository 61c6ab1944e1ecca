//! `package.apt`: packages of Debian and its relatives.

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

use std::time::Duration;

use converge_core::prelude::*;
use converge_core::value::{FieldError, OneOrMany};

pub(super) use lists::Update;
pub use packages::AptPackages;

use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::{each_once, invalid};
use super::scope::{Lists, Named, Scope};
use spec::{AptSpec, DebianVersion};

/// Installs and removes packages with `apt-get`.
///
/// A package is installed in the version that apt prefers, and one that is installed stays at its version: nothing is
/// upgraded unless a version, `latest` or `upgrade_all` is written. What is to be installed brings its dependencies along. The check asks apt-get
/// what it would do, so the plan names them, and shows what would have to be removed.
///
/// Packages that become ready together are installed and removed in one transaction, also those of several resources.
/// When one of them cannot be installed, the others are, and its resource alone fails.
///
/// Nothing is ever asked. Questions of packages take their default answers, and a configuration file that was changed
/// on the machine stays as it is when its package brings a new one.
///
/// Which version is the newest, the lists on the machine say: with `latest` and `upgrade_all`, `update` or `cache_valid_time` has new ones fetched
/// first, and where that is due a plan says that there may be changes.
///
/// A package of which only its configuration is left counts as absent. One that is installed half, because dpkg was
/// killed or a script of the package failed, has changes, and an apply completes it. A package on hold is not changed, unless `hold` is written.
///
/// # Caveats
///
/// Virtual packages, such as `mail-transport-agent`, are refused when they are to be present, and are always absent:
/// name the package that provides them. What depends on a package that is removed is removed too; the plan shows it.
#[derive(Debug, Preparer)]
#[preparer(name = "package.apt", task = AptPackages, validate, changes = "anything", lock = "apt", batch, example = "example.hcl")]
pub struct AptPreparer {
    /// The package, or a list of packages: `"mc"`, with an exact version `"mc=3:4.8.29-2"`, with an architecture
    /// `"libc6:i386"`.
    /// One of `name`, `file`, `upgrade_all` and `autoremove` is written, or `cache_valid_time` alone.
    #[hcl(nonempty, alias = "names", ensures = "package", needs = "debconf_answers, path:tree at /etc/apt")]
    name: Option<OneOrMany<AptSpec>>,
    /// Whether the packages are to be installed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// The exact version of the one package that is named. A newer one that is installed is replaced by it.
    version: Option<DebianVersion>,
    /// Whether a package that is removed loses its configuration too. With this one of which only its configuration is
    /// left has changes.
    #[hcl(default)]
    purge: bool,
    /// Whether the packages are on hold: then neither `apt upgrade` nor another resource changes their version or removes them. What this
    /// resource declares is done all the same, and they are on hold again behind it. When it is not written, what is on hold stays so, and
    /// is not changed.
    hold: Option<bool>,
    /// Whether packages come along that are recommended by what is installed. It is what apt is configured to do
    /// when it is not written: on most machines they do.
    recommends: Option<bool>,
    /// Whether the lists of what the repositories have are fetched before something is installed, as with
    /// `apt-get update`. It is done when there is something to install, and once in a run, or again when a resource of the
    /// run has changed what says which repositories there are. A repository that cannot be reached is then an error.
    ///
    /// When it is not written, that is done only where there are no lists at all, as on a machine that was only just made.
    update: Option<bool>,
    /// How old these lists may become before they are fetched. They are also fetched when they are older than
    /// `/etc/apt/sources.list` or anything in `/etc/apt/sources.list.d`. When it is written, `update` need not be. Where no package is
    /// named they are fetched when they are too old, whether something is installed or not.
    #[hcl(alias = "cache_max_age", needs = "path:tree at /etc/apt")]
    cache_valid_time: Option<Duration>,
    #[hcl(embed)]
    scope: Scope,
    /// How long to wait for another program that holds a lock of apt or dpkg. It is 5 minutes when nothing else is
    /// given.
    lock_timeout: Option<Duration>,
}

impl AptPreparer {
    /// The packages, with the version that is given beside the name.
    fn packages(&self) -> Result<OneOrMany<AptSpec>, Vec<FieldError>> {
        let mut name = self.name.clone().unwrap_or(OneOrMany::Many(Vec::new()));
        if let Some(version) = self.version.clone() {
            match &mut name {
                OneOrMany::One(spec) if spec.version.is_none() => spec.version = Some(version),
                OneOrMany::One(_) => return Err(invalid("version", "`name` has a version already")),
                OneOrMany::Many(names) if names.is_empty() => {
                    return Err(invalid("version", "it is of a package that `name` names"));
                }
                OneOrMany::Many(_) => {
                    return Err(invalid("version", "it is of one package: in a list write \"name=1.0-1\""));
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
        self.scope.validate(Named { any: self.name.is_some(), versions, state: self.state, lists })?;
        if self.hold.is_some() && (specs.is_empty() && self.scope.file.is_none()) {
            return Err(invalid("hold", "it is about packages that are named: write `name` or `file`"));
        }
        if self.hold.is_some() && self.state == Ensure::Absent {
            return Err(invalid("hold", "what is to be absent is not on hold"));
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
