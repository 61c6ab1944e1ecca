//! Parser for the output of `apt-get --simulate`.

use super::spec::Package;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simulation {
    /// The steps of apt-get in order, without the configuration of packages.
    pub(super) steps: Vec<Step>,
    /// Packages that would only be configured, because they were unpacked before.
    configured: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The package, with its architecture unless that is the machine's own.
    pub(super) package: String,
    pub(super) kind: StepKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    Install {
        version: String,
    },
    /// A replacement by a newer or an older version.
    Replace {
        from: String,
        to: String,
    },
    Remove {
        version: String,
    },
}

impl Simulation {
    pub(super) fn parse(stdout: &str) -> Self {
        let mut simulation = Self::default();
        for line in stdout.lines() {
            let mut words = line.split_whitespace();
            let (Some(verb), Some(package)) = (words.next(), words.next()) else { continue };
            let old = line.split_once(" [").and_then(|(_, rest)| rest.split_once(']')).map(|(old, _)| old);
            let new = line.split_once(" (").and_then(|(_, rest)| rest.split([' ', ')']).next());
            let kind = match (verb, old, new) {
                // Brackets before the parenthesis have the old version; those after it have other packages.
                ("Inst", Some(old), Some(new)) if line.find('[') < line.find('(') => {
                    StepKind::Replace { from: old.to_owned(), to: new.to_owned() }
                }
                ("Inst", _, Some(new)) => StepKind::Install { version: new.to_owned() },
                ("Remv" | "Purg", Some(old), _) => StepKind::Remove { version: old.to_owned() },
                ("Conf", ..) => {
                    simulation.configured.push(package.to_owned());
                    continue;
                }
                _ => continue,
            };
            simulation.steps.push(Step { package: package.to_owned(), kind });
        }
        simulation
    }

    /// Whether a step concerns this very package, and not another one that provides its name.
    pub(super) fn touches(&self, package: &Package) -> bool {
        let mut touched = self.steps.iter().map(|step| &step.package).chain(&self.configured);
        touched.any(|touched| is_name_of(package, touched))
    }

    pub(super) fn removed(&self) -> impl Iterator<Item = &str> {
        let removed = self.steps.iter().filter(|step| matches!(step.kind, StepKind::Remove { .. }));
        removed.map(|step| step.package.as_str())
    }
}

/// Whether apt-get uses this name for the package. The name omits the architecture of the machine.
pub(super) fn is_name_of(package: &Package, name: &str) -> bool {
    let (name, arch) = name.split_once(':').map_or((name, None), |(name, arch)| (name, Some(arch)));
    package.name == name && (arch.is_none() || package.arch.is_none() || package.arch.as_deref() == arch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_apt_get_prints() {
        let printed = "\
NOTE: This is only a simulation!
Reading package lists...
The following packages will be REMOVED:
  mta1
Remv mta1 [1.0]
Purg old [1:2.0-1]
Inst liba (1.0 localhost [all])
Inst hello [1.0] (2.0 localhost [all]) [appa:amd64 ]
Inst perl-base (5.36.0-7+deb12u2 Debian:12.7/stable [amd64]) [perl:amd64 on perl-base:amd64]
Inst libc6:i386 (2.36-9 Debian:12.7/stable [i386])
Conf liba (1.0 localhost [all])
Conf bad (1.0 localhost [all])
";
        let simulation = Simulation::parse(printed);
        let actual: Vec<String> = simulation
            .steps
            .iter()
            .map(|Step { package, kind }| match kind {
                StepKind::Install { version } => format!("+{package} {version}"),
                StepKind::Replace { from, to } => format!("{package} {from}>{to}"),
                StepKind::Remove { version } => format!("-{package} {version}"),
            })
            .collect();
        let expect = [
            "-mta1 1.0",
            "-old 1:2.0-1",
            "+liba 1.0",
            "hello 1.0>2.0",
            "+perl-base 5.36.0-7+deb12u2",
            "+libc6:i386 2.36-9",
        ];
        assert_eq!(actual, expect);
        assert_eq!(simulation.removed().collect::<Vec<_>>(), ["mta1", "old"]);

        let check = |name: &str, arch: Option<&str>, expect: bool| {
            let package = Package { name: name.into(), arch: arch.map(Into::into) };
            assert_eq!(simulation.touches(&package), expect, "{package}");
        };
        check("liba", None, true);
        check("bad", None, true);
        check("libc6", None, true);
        check("libc6", Some("i386"), true);
        check("libc6", Some("arm64"), false);
        check("liba", Some("amd64"), true);
        check("lib", None, false);
        check("vmail", None, false);
    }
}
