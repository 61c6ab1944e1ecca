//! Queries of package managers for available and unneeded packages.

use converge_sdk::prelude::*;

use super::installed_packages::Build;
use super::run;
use super::tool::PackageManager;

/// The format of a line of `dnf repoquery`.
///
/// The line break is explicit, because not every version adds one.
const FORMAT: &str = "--queryformat=%{name}|%{epoch}|%{version}|%{release}|%{arch}\n";

/// A query of a package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query<'a> {
    /// Newer versions of these installed packages, or of all if the list is empty.
    Upgrades(&'a [String]),
    /// The versions of a package in the repositories.
    Known(&'a str),
    /// Packages that were installed as dependencies and that nothing needs.
    Unneeded,
}

impl Query<'_> {
    fn arguments(self) -> Vec<String> {
        let (options, names): (&[&str], &[String]) = match self {
            Self::Upgrades(names) => (&["--upgrades", "--latest-limit=1"], names),
            Self::Known(_) => (&["--available", "--showduplicates"], &[]),
            Self::Unneeded => (&["--unneeded"], &[]),
        };
        let words = ["-q", "repoquery", FORMAT].iter().chain(options).map(|word| (*word).to_owned());
        let package = if let Self::Known(name) = self { Some(name.to_owned()) } else { None };
        words.chain(names.iter().cloned()).chain(package).collect()
    }
}

/// Runs a query with these options. The builds are sorted by name.
pub(super) async fn ask(
    cx: &Context,
    tool: PackageManager,
    options: &[String],
    asked: Query<'_>,
) -> Result<Vec<Build>> {
    let is_zypper = matches!((tool, asked), (PackageManager::Zypper, Query::Upgrades(_)));
    let arguments =
        if is_zypper { ["--xmlout", "list-updates"].map(str::to_owned).to_vec() } else { asked.arguments() };
    let parse =
        |line: &str| if is_zypper { parse_zypper(line) } else { Build::parse(&line.replace('|', "\t")) };
    let printed = run::look(cx, tool, &[options, &arguments].concat()).await?;
    let mut builds: Vec<Build> = printed.lines().filter_map(parse).collect();
    // zypper cannot be asked about particular packages.
    if let (PackageManager::Zypper, Query::Upgrades(names @ [_, ..])) = (tool, asked) {
        builds.retain(|build| names.contains(&build.name));
    }
    builds.sort_by(|one, other| one.name.cmp(&other.name));
    builds.dedup();
    Ok(builds)
}

/// Parses a line of `zypper list-updates` in XML.
///
/// A line is `<update kind="package" name="mc" edition="1:2.0-1" arch="noarch" ..>`.
fn parse_zypper(line: &str) -> Option<Build> {
    let line = line.trim().strip_prefix("<update ")?;
    let attribute = |name: &str| {
        let (_, rest) = format!(" {line}")
            .split_once(&format!(" {name}=\""))
            .map(|(before, rest)| (before.to_owned(), rest.to_owned()))?;
        rest.split('"').next().map(str::to_owned)
    };
    if attribute("kind")? != "package" {
        return None;
    }
    let edition = attribute("edition")?;
    let (epoch, rest) = edition.split_once(':').unwrap_or(("0", &edition));
    let (version, release) = rest.rsplit_once('-')?;
    Some(Build {
        name: attribute("name")?,
        epoch: epoch.to_owned(),
        version: version.to_owned(),
        release: release.to_owned(),
        arch: attribute("arch")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_zypper() {
        let check = |line: &str, expect: Option<&str>| {
            let actual = parse_zypper(line).map(|build| format!("{} {}", build.name, build.full_version()));
            assert_eq!(actual.as_deref(), expect, "{line}");
        };
        let line = "  <update kind=\"package\" name=\"mc\" edition=\"2.0-1.2\" arch=\"noarch\" edition-old=\"1.0-1\" >";
        check(line, Some("mc 2.0-1.2"));
        check(&line.replace("2.0-1.2", "1:2.0-1.2"), Some("mc 1:2.0-1.2"));
        check(&line.replace("\"package\"", "\"patch\""), None);
        check("<update-list>", None);
        check("<update kind=\"package\" name=\"mc\">", None);
    }
}
