//! The fields of a package resource that select packages without naming them, and further options.

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

use super::file::PackageFile;
use super::names::invalid;
use super::upgrade_policy::UpgradePolicy;
use crate::net::source::Source;

/// The packages that a resource selects without naming them, and the options for the changes.
#[derive(Debug, HclBlock)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field that modules write")]
pub(super) struct Scope {
    /// Whether named packages that are installed are upgraded.
    ///
    /// They get the version that the package manager prefers.
    #[hcl(default)]
    pub(super) latest: bool,
    /// Whether named packages are upgraded if they are installed, and left alone otherwise.
    ///
    /// The upgrade is the same as with `latest`.
    #[hcl(default)]
    pub(super) only_upgrade: bool,
    /// Whether all packages of the machine are upgraded.
    ///
    /// With apt, this is like `apt-get upgrade --with-new-pkgs`: nothing is removed for it.
    #[hcl(default)]
    pub(super) upgrade_all: bool,
    /// Whether unneeded packages of the machine are removed.
    ///
    /// These are packages that were installed as dependencies and that nothing needs any more.
    #[hcl(default)]
    pub(super) autoremove: bool,
    /// Further options for the package manager, one in each text.
    ///
    /// Examples are `"--target-release=bookworm-backports"`, `"--enablerepo=epel"`.
    #[hcl(default)]
    pub(super) options: Vec<String>,
    /// A package file, instead of `name`: a path, or a URL with `http://` or `https://`.
    ///
    /// The version of the file is installed, even if it is older than the present one; its dependencies come
    /// from the repositories. The file is copied first, so that nobody can change it between check and
    /// installation. A file at a URL is fetched in each check, because only the file says which package it
    /// is.
    #[hcl(nonempty, needs = "path")]
    pub(super) file: Option<Source>,
    /// The SHA-256 or the SHA-512 of the file, as hexadecimal digits: another file is not installed.
    ///
    /// It is required for a URL with plain `http`.
    #[hcl(nonempty, requires = "file")]
    pub(super) hash: Option<String>,
}

/// The packages that the resource names.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedPackages {
    /// Whether the resource names any packages.
    pub(super) any: bool,
    /// Whether one of them has a version.
    pub(super) versions: bool,
    pub(super) state: Ensure,
    /// The handling of package lists if no package is named.
    pub(super) lists: Lists,
}

/// The handling of package lists if no package is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lists {
    /// The lists are fetched only together with an installation.
    WithPackages,
    /// No maximum age is declared, so each apply would fetch the lists.
    WithoutAge,
    /// The lists are fetched if they are too old.
    ByAge,
}

impl Scope {
    /// Returns the upgrade policy for packages that are named without a version.
    pub(super) fn newest(&self) -> UpgradePolicy {
        UpgradePolicy::from_fields(self.latest, self.only_upgrade)
    }

    pub(super) fn file(&self) -> Result<Option<PackageFile>, Vec<FieldError>> {
        let file = |source: Source| PackageFile::new(source, self.hash.as_deref());
        self.file.clone().map(file).transpose()
    }

    /// Validates the rules between the fields.
    pub(super) fn validate(
        &self,
        NamedPackages { any: named, versions, state, lists }: NamedPackages,
    ) -> Result<(), Vec<FieldError>> {
        let Self { upgrade_all, autoremove, .. } = *self;
        let newest = self.newest();
        let file = self.file.is_some();
        if !(named || file || upgrade_all || autoremove || lists == Lists::ByAge) {
            let message = match lists {
                Lists::WithoutAge => {
                    "it is missing, and without it `update` would fetch the lists in every apply: name a package, or write \
                     `cache_valid_time = \"1h\"` alone, which fetches them when they are older"
                }
                _ => "it is missing: name a package, or write `file`, `upgrade_all` or `autoremove`",
            };
            return Err(invalid("name", message));
        }
        if named && file {
            return Err(invalid("file", "it replaces `name`: write one of them"));
        }
        if upgrade_all && (named || file) {
            let message = "it is for all packages: write another resource for named packages";
            return Err(invalid("upgrade_all", message));
        }
        if newest.is_wanted() && !named {
            return Err(invalid(newest.field(), "it is for packages in `name` without a version"));
        }
        newest.validate(Ensure::Present, versions)?;
        let is_kept = state == Ensure::Present;
        if autoremove && (named || file) && is_kept {
            let message = "write it alone, or with `state = \"absent\"` or `upgrade_all`: an installed package is not removed";
            return Err(invalid("autoremove", message));
        }
        if !is_kept && versions {
            let message = "an absent package has no version: leave the version out to remove any version";
            return Err(invalid("state", message));
        }
        newest.validate(state, versions)?;
        if !is_kept && upgrade_all {
            return Err(invalid("upgrade_all", "an absent package cannot be upgraded"));
        }
        if !(is_kept || named || file) {
            return Err(invalid("state", "name the packages that are to be absent"));
        }
        validate_options("options", &self.options)?;
        self.file().map(drop)
    }
}

/// Refuses texts that are not options: a word without a dash would be a package.
pub(super) fn validate_options(field: &str, options: &[String]) -> Result<(), Vec<FieldError>> {
    let fits = |option: &&String| {
        let word = option.trim_start_matches('-');
        let dashes = option.len() - word.len();
        (dashes == 1 || dashes == 2)
            && word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && !option.contains(|c: char| c.is_control())
    };
    match options.iter().find(|option| !fits(option)) {
        None => Ok(()),
        Some(other) => Err(invalid(
            field,
            &format!(
                "{other:?} is not an option, which begins with a dash: write a value as in \"--name=value\""
            ),
        )),
    }
}
