//! Arguments of apt-get, and grouping of changes into transactions.

use super::spec::{DebianVersion, Package};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Whether recommended packages are installed; `None` leaves that to the configuration of apt.
    pub(super) recommends: Option<bool>,
    /// Whether removed packages lose their configuration too.
    pub(super) purge: bool,
    /// Whether automatically installed packages that nothing needs are removed.
    pub(super) autoremove: bool,
    pub(super) upgrade_all: bool,
    /// Further options of apt-get.
    pub(super) options: Vec<String>,
}

impl Settings {
    /// Whether the transaction must be separate, because its settings would affect other changes.
    fn is_alone(&self) -> bool {
        self.autoremove || self.upgrade_all || !self.options.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) package: Package,
    pub(super) kind: ChangeKind,
    pub(super) held: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    Install {
        /// The version to install; `None` for any.
        version: Option<DebianVersion>,
        /// Whether the package is unpacked again even if dpkg has this version already.
        again: bool,
    },
    /// Install the package in the file at this path.
    File(String),
    Remove,
}

impl Change {
    /// Returns the change with an exact version to install.
    pub(super) fn with_version(mut self, exact: DebianVersion) -> Self {
        if let ChangeKind::Install { version, .. } = &mut self.kind {
            *version = Some(exact);
        }
        self
    }

    fn argument(&self) -> String {
        let package = &self.package;
        match &self.kind {
            ChangeKind::Install { version: Some(version), .. } => format!("{package}={version}"),
            ChangeKind::Install { version: None, .. } => package.to_string(),
            ChangeKind::File(path) => path.clone(),
            ChangeKind::Remove => format!("{package}-"),
        }
    }
}

/// Returns the arguments for apt-get to make these changes in one transaction, without questions.
pub(super) fn arguments<'a>(
    settings: &Settings,
    changes: impl Iterator<Item = &'a Change> + Clone,
) -> Vec<String> {
    // `--fix-broken` completes the work of a killed run. The preview checks first what that would remove.
    let verb =
        if settings.upgrade_all { ["upgrade", "--with-new-pkgs"] } else { ["install", "--fix-broken"] };
    let mut arguments = verb.map(str::to_owned).to_vec();
    if let Some(recommends) = settings.recommends {
        arguments.push(format!("--{}install-recommends", if recommends { "" } else { "no-" }));
    }
    if settings.purge {
        arguments.push("--purge".to_owned());
    }
    if settings.autoremove {
        arguments.push("--auto-remove".to_owned());
    }
    let is_exact = |kind: &ChangeKind| {
        matches!(kind, ChangeKind::Install { version: Some(_), .. } | ChangeKind::File(_))
    };
    if changes.clone().any(|change| is_exact(&change.kind)) {
        arguments.push("--allow-downgrades".to_owned());
    }
    if changes.clone().any(|change| change.held) {
        arguments.push("--allow-change-held-packages".to_owned());
    }
    if changes.clone().any(|change| matches!(change.kind, ChangeKind::Install { again: true, .. })) {
        arguments.push("--reinstall".to_owned());
    }
    arguments.extend_from_slice(&settings.options);
    arguments.push("--".to_owned());
    arguments.extend(changes.map(Change::argument));
    arguments
}

/// Groups members into transactions.
///
/// A member consists of its settings and of whether it removes packages. The result has the settings of each
/// transaction, and the indices of its members.
pub(super) fn group(members: &[(Settings, bool)]) -> Vec<(Settings, Vec<usize>)> {
    // Recommended packages do not matter for removals, and a purge does not matter for installations.
    let usual = || members.iter().filter(|(settings, _)| !settings.is_alone());
    let mut installs: Vec<Option<bool>> =
        usual().filter(|(_, removes)| !removes).map(|(settings, _)| settings.recommends).collect();
    installs.sort_unstable();
    installs.dedup();
    let mut purges: Vec<bool> =
        usual().filter(|(_, removes)| *removes).map(|(settings, _)| settings.purge).collect();
    purges.sort_unstable();
    purges.dedup();

    // The number of transactions is the larger number of variants; the first variants of both share a
    // transaction.
    let count = installs.len().max(purges.len());
    let mut groups: Vec<(Settings, Vec<usize>)> = (0..count)
        .map(|slot| Settings {
            recommends: installs.get(slot).copied().flatten(),
            purge: purges.get(slot).copied().unwrap_or_default(),
            ..Settings::default()
        })
        .map(|settings| (settings, Vec::new()))
        .collect();
    for (index, (settings, removes)) in members.iter().enumerate() {
        if settings.is_alone() {
            continue;
        }
        let slot = match removes {
            true => purges.iter().position(|purge| *purge == settings.purge),
            false => installs.iter().position(|recommends| *recommends == settings.recommends),
        };
        if let Some((_, group)) = slot.and_then(|slot| groups.get_mut(slot)) {
            group.push(index);
        }
    }
    for (index, (settings, _)) in members.iter().enumerate().filter(|(_, (settings, _))| settings.is_alone())
    {
        match groups.iter_mut().find(|(other, _)| other == settings) {
            Some((_, group)) => group.push(index),
            None => groups.push((settings.clone(), vec![index])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::apt::spec::AptSpec;

    /// Parses a change: `+name` installs, `!name` installs again, `-name` removes; `+name^` is on hold.
    fn change(text: &str) -> Change {
        let (sign, name) = text.split_at(1);
        let (name, is_held) = name.strip_suffix('^').map_or((name, false), |name| (name, true));
        let AptSpec { package, version } = converge_sdk::value::FromValue::from_value(
            name.into(),
            &converge_sdk::value::Conversion::default(),
        )
        .unwrap();
        let version = version.map(|version| version.to_string().parse().unwrap());
        let kind = if sign == "-" {
            ChangeKind::Remove
        } else {
            ChangeKind::Install { version, again: sign == "!" }
        };
        Change { package, kind, held: is_held }
    }

    #[test]
    fn arguments_of_apt_get() {
        let check = |recommends: Option<bool>, purge: bool, changes: &[&str], expect: &str| {
            let changes: Vec<Change> = changes.iter().map(|text| change(text)).collect();
            let settings = Settings { recommends, purge, ..Settings::default() };
            let actual = arguments(&settings, changes.iter()).join(" ");
            assert_eq!(actual, format!("install --fix-broken {expect}"));
        };
        let extra = Settings {
            autoremove: true,
            options: vec!["--target-release=sid".into()],
            ..Settings::default()
        };
        let file = Change { kind: ChangeKind::File("/tmp/x.deb".into()), ..change("+a1") };
        assert_eq!(
            arguments(&extra, [file].iter()).join(" "),
            "install --fix-broken --auto-remove --allow-downgrades --target-release=sid -- /tmp/x.deb"
        );
        let full_upgrade = Settings { upgrade_all: true, ..Settings::default() };
        assert_eq!(arguments(&full_upgrade, [].iter()).join(" "), "upgrade --with-new-pkgs --");
        check(None, false, &["+mc"], "-- mc");
        check(None, false, &["+a1", "+b2:i386", "-c3"], "-- a1 b2:i386 c3-");
        check(None, false, &["+a1", "+b2=2.0"], "--allow-downgrades -- a1 b2=2.0");
        check(None, false, &["+a1", "!b2"], "--reinstall -- a1 b2");
        check(None, false, &["+a1", "+b2^"], "--allow-change-held-packages -- a1 b2");
        check(Some(false), false, &["+a1"], "--no-install-recommends -- a1");
        check(Some(true), false, &["+a1"], "--install-recommends -- a1");
        check(None, true, &["-a1", "-g++"], "--purge -- a1- g++-");
    }

    #[test]
    fn what_is_done_in_one_transaction() {
        /// Parses a member.
        ///
        /// `+` installs, `-` removes; `r` and `n` mean with and without recommended packages, `p` with a
        /// purge.
        fn member(text: &str) -> (Settings, bool) {
            let recommends = text.contains('r').then_some(true).or(text.contains('n').then_some(false));
            let (autoremove, upgrade_all) = (text.contains('a'), text.contains('u'));
            let purge = text.contains('p');
            (
                Settings { recommends, purge, autoremove, upgrade_all, options: Vec::new() },
                text.starts_with('-'),
            )
        }
        let check = |members: &[&str], expect: &str| {
            let members: Vec<_> = members.iter().map(|text| member(text)).collect();
            let actual: Vec<String> = group(&members)
                .into_iter()
                .map(|(settings, members)| {
                    let recommends = settings.recommends.map_or("", |is_set| if is_set { "r" } else { "n" });
                    let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
                    let (purge, remove) = (mark(settings.purge, "p"), mark(settings.autoremove, "a"));
                    let upgrade = mark(settings.upgrade_all, "u");
                    format!("{recommends}{purge}{remove}{upgrade}{members:?}")
                })
                .collect();
            assert_eq!(actual.join(" "), expect, "{members:?}");
        };
        check(&[], "");
        check(&["+", "+", "-"], "[0, 1, 2]");
        check(&["+", "-p"], "p[0, 1]");
        check(&["+p", "+", "-"], "[0, 1, 2]");
        check(&["-", "-p", "+"], "[0, 2] p[1]");
        check(&["+n", "+", "+r", "+n"], "[1] n[0, 3] r[2]");
        check(&["+n", "-r", "-pn", "+"], "[1, 3] np[0, 2]");
        check(&["-p", "-p"], "p[0, 1]");
        check(&["+a", "+", "-a", "+u", "+a"], "[1] a[0, 2, 4] u[3]");
        check(&["+an", "+a"], "na[0] a[1]");
    }
}
