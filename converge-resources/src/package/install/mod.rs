//! The `package.install` resource: packages, with the package manager of the machine.

mod name;
mod task;
#[cfg(test)]
mod tests;

use std::str::FromStr;
use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::Platform;
use converge_sdk::value::{FieldError, OneOrMany};

pub use task::InstalledPackages;

use super::apt::{AptPackages, Update};
use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::{each_once, invalid};
use super::platform;
use super::rpm::RpmPackages;
use super::upgrade_policy::UpgradePolicy;
use name::PackageName;
use task::Manager;

/// Installs and removes packages with the package manager of the machine.
///
/// It works like `package.apt` on Debian and related distributions, and like `package.rpm` on Fedora, Red
/// Hat, SUSE and related ones. The resource is for modules that are used on both kinds of machines, where a
/// package has the same name. Features of only one package manager are fields of its own type. The
/// documentation of both types applies here. The platform decides, not the installed programs: a Debian
/// machine may have `rpm` as well.
///
/// # Caveats
///
/// Other distributions are refused by name.
#[derive(Debug, Preparer)]
#[preparer(name = "package.install", task = InstalledPackages, validate, changes = "anything", lock = "apt", batch, example = "example.hcl")]
pub struct InstallPreparer {
    /// The package, or a list of packages: `"mc"`, or with an exact version `"mc=4.8.29-2"`.
    #[hcl(
        required,
        nonempty,
        alias = "names",
        ensures = "package",
        needs = "debconf_answers, path:tree at /etc/apt, path:tree at /etc/yum.repos.d"
    )]
    name: OneOrMany<PackageName>,
    /// Whether the packages are to be installed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// The exact version of the one package that is named. It also replaces a newer installed version.
    version: Option<String>,
    /// Whether installed packages are upgraded to the version that the package manager prefers.
    ///
    /// The lists on the machine determine that version: `update` or `cache_valid_time` fetches new ones
    /// first.
    #[hcl(default)]
    latest: bool,
    /// Whether named packages are upgraded if they are installed, and left alone otherwise.
    ///
    /// The upgrade is the same as with `latest`.
    #[hcl(default)]
    only_upgrade: bool,
    /// Whether the lists of the repositories are fetched before an installation, as in `package.apt`.
    ///
    /// The package managers of RPM do that by themselves.
    update: Option<bool>,
    /// The maximum age of the lists before they are fetched. With this field, `update` is not needed.
    #[hcl(alias = "cache_max_age")]
    cache_valid_time: Option<Duration>,
    /// The time to wait for another program that holds a lock of the package manager.
    ///
    /// The default is 5 minutes.
    lock_timeout: Option<Duration>,
}

impl InstallPreparer {
    fn newest(&self) -> UpgradePolicy {
        UpgradePolicy::from_fields(self.latest, self.only_upgrade)
    }

    /// Returns the packages, combined with the separate `version`.
    fn packages(&self) -> Result<OneOrMany<PackageName>, Vec<FieldError>> {
        let mut name = self.name.clone();
        if let Some(version) = &self.version {
            match &mut name {
                OneOrMany::One(PackageName(name)) if !name.contains('=') => {
                    let spec = format!("{name}={version}").parse::<PackageName>();
                    *name =
                        spec.map_err(|_| invalid("version", "it is not an exact version, such as 1.2-3"))?.0;
                }
                OneOrMany::One(_) => return Err(invalid("version", "`name` has a version already")),
                OneOrMany::Many(_) => {
                    return Err(invalid("version", "it is for one package: in a list write \"name=1.0-1\""));
                }
            }
        }
        let has_version = |PackageName(name): &PackageName| name.contains('=');
        self.newest().validate(self.state, name.as_slice().iter().any(has_version))?;
        if self.state == Ensure::Absent && name.as_slice().iter().any(has_version) {
            let message = "an absent package has no version: leave the version out to remove any version";
            return Err(invalid("state", message));
        }
        let base_name =
            |PackageName(name): &PackageName| name.split('=').next().unwrap_or_default().to_owned();
        each_once(name.as_slice().iter().map(base_name))?;
        Ok(name)
    }
}

/// The package manager of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Apt,
    Rpm,
}

impl Kind {
    fn from_platform(platform: &Platform) -> Option<Self> {
        match platform.family() {
            "debian" => Some(Self::Apt),
            "redhat" | "suse" => Some(Self::Rpm),
            _ => None,
        }
    }
}

/// Parses the names for a package manager. An invalid name is an error of the field.
fn parsed<T: FromStr<Err = String>>(names: OneOrMany<PackageName>) -> Result<OneOrMany<T>, Vec<FieldError>> {
    let parse =
        |PackageName(name): PackageName| name.parse().map_err(|error: String| invalid("name", &error));
    match names {
        OneOrMany::One(name) => parse(name).map(OneOrMany::One),
        OneOrMany::Many(names) => names.into_iter().map(parse).collect::<Result<_, _>>().map(OneOrMany::Many),
    }
}

impl Validate for InstallPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.packages().map(drop)
    }
}

impl Resource for InstallPreparer {
    async fn prepare(self, cx: &Context, _renderer: &dyn Renderer) -> Result<InstalledPackages> {
        let (name, newest) = (self.packages()?, self.newest());
        let lock_timeout = self.lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT);
        let manager = match Kind::from_platform(cx.system().platform()) {
            Some(Kind::Apt) => {
                let names = parsed(name.clone())?;
                let update = Update::new(self.update, self.cache_valid_time);
                let packages = AptPackages::plain(names, self.state, newest, update, lock_timeout);
                Manager::Apt(Box::new(packages))
            }
            Some(Kind::Rpm) => {
                let names = parsed(name.clone())?;
                let packages = RpmPackages::new(names, self.state, lock_timeout);
                Manager::Rpm(Box::new(packages.plain(newest, self.cache_valid_time)))
            }
            None => {
                let reason = "it is known for Debian, Fedora, Red Hat, SUSE and their relatives".to_owned();
                return Err(platform::unsupported(cx, "package.install", reason));
            }
        };
        let version = name.clone().map(|_| None);
        Ok(InstalledPackages { name, state: self.state, version, manager })
    }
}
