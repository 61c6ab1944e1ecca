use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Follow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PackageManager {
    Dnf,
    Yum,
    Zypper,
    Microdnf,
    /// `rpm` itself, which has no repositories.
    Rpm,
}

/// A package to install, as a tool takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackageRequest<'a> {
    pub(super) name: &'a str,
    pub(super) version: Option<&'a str>,
}

impl PackageManager {
    /// The tools that fetch packages from repositories, the preferred first.
    pub(super) const FETCHING: [Self; 4] = [Self::Dnf, Self::Yum, Self::Zypper, Self::Microdnf];

    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Dnf => "dnf",
            Self::Yum => "yum",
            Self::Zypper => "zypper",
            Self::Microdnf => "microdnf",
            Self::Rpm => "rpm",
        }
    }

    pub(super) async fn find(cx: &Context) -> Result<Self> {
        for tool in Self::FETCHING {
            for folder in ["/usr/bin", "/bin"] {
                let path = Path::new(folder).join(tool.program());
                if cx.system().files().metadata(&path, Follow::Links).await?.is_some() {
                    return Ok(tool);
                }
            }
        }
        Ok(Self::Rpm)
    }

    /// Returns the options that prevent questions, and unlimited waits for locks.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Dnf | Self::Yum => &["-y", "--setopt=exit_on_lock=True"],
            Self::Zypper => &["--non-interactive"],
            Self::Microdnf => &["-y"],
            Self::Rpm => &[],
        }
    }

    /// Returns the arguments that install these packages.
    pub(super) fn install(self, requests: &[PackageRequest<'_>]) -> Vec<String> {
        let verb: &[&str] = match self {
            Self::Dnf | Self::Yum | Self::Microdnf => &["install"],
            Self::Zypper => &["install", "--oldpackage", "--auto-agree-with-licenses"],
            Self::Rpm => &["--upgrade", "--oldpackage"],
        };
        let name = |wanted: &PackageRequest<'_>| match wanted.version {
            None => wanted.name.to_owned(),
            Some(version) if self == Self::Zypper => format!("{}={version}", wanted.name),
            Some(version) => format!("{}-{version}", wanted.name),
        };
        self.arguments(verb, requests.iter().map(name))
    }

    /// Returns the arguments that replace newer versions by these.
    ///
    /// Returns `None` if [`install`](Self::install) does so.
    pub(super) fn downgrade(self, requests: &[PackageRequest<'_>]) -> Option<Vec<String>> {
        let name = |request: &PackageRequest<'_>| match request.version {
            None => request.name.to_owned(),
            Some(version) => format!("{}-{version}", request.name),
        };
        matches!(self, Self::Dnf | Self::Yum | Self::Microdnf)
            .then(|| self.arguments(&["downgrade"], requests.iter().map(name)))
    }

    /// Returns the arguments that remove these packages and no others.
    pub(super) fn remove(self, names: &[&str]) -> Vec<String> {
        let verb: &[&str] = match self {
            Self::Dnf => &["remove", "--noautoremove"],
            Self::Yum => &["remove", "--setopt=clean_requirements_on_remove=0"],
            Self::Zypper => &["remove", "--no-clean-deps"],
            Self::Microdnf => &["remove"],
            Self::Rpm => &["--erase"],
        };
        self.arguments(verb, names.iter().map(|name| (*name).to_owned()))
    }

    fn arguments(self, verb: &[&str], names: impl Iterator<Item = String>) -> Vec<String> {
        self.options().iter().chain(verb).map(|word| (*word).to_owned()).chain(names).collect()
    }

    /// Returns the arguments that upgrade these packages, or all if the list is empty.
    pub(super) fn upgrade(self, names: &[String]) -> Vec<String> {
        let verb = if self == Self::Zypper { "update" } else { "upgrade" };
        self.arguments(&[verb], names.iter().cloned())
    }

    /// Whether the tool can list newer versions.
    pub(super) fn knows_upgrades(self) -> bool {
        matches!(self, Self::Dnf | Self::Yum | Self::Zypper)
    }

    /// Whether the tool can list unneeded packages and available versions.
    pub(super) fn knows_unneeded(self) -> bool {
        matches!(self, Self::Dnf | Self::Yum)
    }

    /// Whether the tool takes the options of `dnf`.
    pub(super) fn takes_dnf_options(self) -> bool {
        matches!(self, Self::Dnf | Self::Yum | Self::Microdnf)
    }

    /// Returns the holder of the tool's own lock, if that lock caused the failure.
    pub(super) fn lock_holder(self, stdout: &str, stderr: &str) -> Option<String> {
        let lines = || stderr.lines().chain(stdout.lines());
        let id = match self {
            // The message is `Existing lock /var/cache/dnf/metadata_lock.pid: another copy is running as pid
            // 7.`
            Self::Dnf | Self::Yum | Self::Microdnf => {
                lines().find_map(|line| line.split_once("another copy is running as pid "))?.1
            }
            // The message is `System management is locked by the application with pid 7 (zypper).`
            Self::Zypper => {
                lines().find_map(|line| line.split_once("is locked by the application with pid "))?.1
            }
            Self::Rpm => return None,
        };
        Some(format!("process {}", id.trim_end_matches('.')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_package_managers() {
        let requests = [
            PackageRequest { name: "mc", version: None },
            PackageRequest { name: "vim", version: Some("9.0-1") },
        ];
        let check = |tool: PackageManager, install: &str, remove: &str| {
            assert_eq!(tool.install(&requests).join(" "), install);
            assert_eq!(tool.remove(&["mc", "vim"]).join(" "), remove);
        };
        check(
            PackageManager::Dnf,
            "-y --setopt=exit_on_lock=True install mc vim-9.0-1",
            "-y --setopt=exit_on_lock=True remove --noautoremove mc vim",
        );
        check(
            PackageManager::Yum,
            "-y --setopt=exit_on_lock=True install mc vim-9.0-1",
            "-y --setopt=exit_on_lock=True remove --setopt=clean_requirements_on_remove=0 mc vim",
        );
        check(
            PackageManager::Zypper,
            "--non-interactive install --oldpackage --auto-agree-with-licenses mc vim=9.0-1",
            "--non-interactive remove --no-clean-deps mc vim",
        );
        check(PackageManager::Microdnf, "-y install mc vim-9.0-1", "-y remove mc vim");
        check(PackageManager::Rpm, "--upgrade --oldpackage mc vim-9.0-1", "--erase mc vim");
        let downgrade = PackageManager::Dnf.downgrade(&requests).map(|arguments| arguments.join(" "));
        assert_eq!(downgrade.as_deref(), Some("-y --setopt=exit_on_lock=True downgrade mc vim-9.0-1"));
        assert_eq!(
            (PackageManager::Zypper.downgrade(&requests), PackageManager::Rpm.downgrade(&requests)),
            (None, None)
        );
    }

    #[test]
    fn locks_of_package_managers() {
        let check = |tool: PackageManager, said: &str, expect: Option<&str>| {
            assert_eq!(tool.lock_holder("", said).as_deref(), expect, "{said}");
            assert_eq!(tool.lock_holder(said, "").as_deref(), expect, "{said}");
        };
        let dnf = "Existing lock /var/cache/dnf/metadata_lock.pid: another copy is running as pid 7.";
        check(PackageManager::Dnf, dnf, Some("process 7"));
        check(PackageManager::Yum, dnf, Some("process 7"));
        let zypper = "System management is locked by the application with pid 7 (zypper).";
        check(PackageManager::Zypper, zypper, Some("process 7 (zypper)"));
        check(PackageManager::Dnf, "Error: Nothing to do", None);
        check(PackageManager::Rpm, dnf, None);
    }
}
