//! `package.install`: packages, by the package manager that the machine has.

mod name;
mod task;
#[cfg(test)]
mod tests;

use std::str::FromStr;
use std::time::Duration;

use converge_core::prelude::*;
use converge_core::system::Platform;
use converge_core::value::{FieldError, OneOrMany};

pub use task::InstalledPackages;

use super::apt::{AptPackages, Update};
use super::lock_timeout::DEFAULT_LOCK_TIMEOUT;
use super::names::{each_once, invalid};
use super::platform;
use super::rpm::RpmPackages;
use super::upgrade_policy::Newest;
use name::PackageName;
use task::Manager;

/// Installs and removes packages with the package manager of the machine: as `package.apt` on Debian and its relatives, and as
/// `package.rpm` on Fedora, Red Hat, SUSE and theirs.
///
/// It is for modules that are used on machines of both kinds, where a package has the same name. What only one of them can do is a
/// field of its own type, and everything that is said there holds here. The platform decides, not which programs there are: a
/// Debian machine may have `rpm` as well.
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
    /// The exact version of the one package that is named. A newer one that is installed is replaced by it.
    version: Option<String>,
    /// Whether packages that are installed are upgraded to the version that the package manager prefers. Which one that is, the lists
    /// on the machine say: with `update` or `cache_valid_time` new ones are fetched first.
    #[hcl(default)]
    latest: bool,
    /// Whether packages that are named are upgraded as with `latest` where they are installed, and are left alone where they are not.
    #[hcl(default)]
    only_upgrade: bool,
    /// Whether the lists of what the repositories have are fetched before something is installed, as `package.apt` does it. The
    /// package managers of RPM see to that themselves.
    update: Option<bool>,
    /// How old these lists may become before they are fetched. When it is written, `update` need not be.
    #[hcl(alias = "cache_max_age")]
    cache_valid_time: Option<Duration>,
    /// How long to wait for another program that holds a lock of the package manager. It is 5 minutes when nothing else is given.
    lock_timeout: Option<Duration>,
}

impl InstallPreparer {
    fn newest(&self) -> Newest {
        Newest::of(self.latest, self.only_upgrade)
    }

    /// The packages, with the version that is given beside the name.
    fn packages(&self) -> Result<OneOrMany<PackageName>, Vec<FieldError>> {
        let mut name = self.name.clone();
        if let Some(version) = &self.version {
            match &mut name {
                OneOrMany::One(PackageName(name)) if !name.contains('=') => {
                    let whole = format!("{name}={version}").parse::<PackageName>();
                    *name = whole.map_err(|_| invalid("version", "it is no exact version, such as 1.2-3"))?.0;
                }
                OneOrMany::One(_) => return Err(invalid("version", "`name` has a version already")),
                OneOrMany::Many(_) => {
                    return Err(invalid("version", "it is of one package: in a list write \"name=1.0-1\""));
                }
            }
        }
        let has_version = |PackageName(name): &PackageName| name.contains('=');
        self.newest().validate(self.state, name.as_slice().iter().any(has_version))?;
        if self.state == Ensure::Absent && name.as_slice().iter().any(has_version) {
            let message = "a package that is absent has no version: leave it away to remove any version";
            return Err(invalid("state", message));
        }
        let bare = |PackageName(name): &PackageName| name.split('=').next().unwrap_or_default().to_owned();
        each_once(name.as_slice().iter().map(bare))?;
        Ok(name)
    }
}

/// Which package manager a platform has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Apt,
    Rpm,
}

impl Kind {
    fn of(platform: &Platform) -> Option<Self> {
        match platform.family() {
            "debian" => Some(Self::Apt),
            "redhat" | "suse" => Some(Self::Rpm),
            _ => None,
        }
    }
}

/// The packages as a package manager takes them; a name that it does not take is a mistake of the field.
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
        let manager = match Kind::of(cx.system().platform()) {
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
