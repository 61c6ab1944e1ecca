//! Queries of dpkg for installed packages.

use std::collections::HashSet;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, SystemErrorKind};

use super::apt_get::unsupported;
use super::spec::Package;
use crate::package::output::OutputTail;

/// The format of a line of dpkg-query.
const FORMAT: &str = "${Package}\\t${Architecture}\\t${db:Status-Want}\\t${db:Status-Status}\\t\
                      ${db:Status-Eflag}\\t${Version}\\n";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Installed {
    pub(super) status: Status,
    /// Whether the package is on hold (`apt-mark hold`).
    pub(super) held: bool,
    /// The architecture, which is that of the machine for a package for all.
    pub(super) arch: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Absent,
    /// The package was removed, and its configuration was kept.
    ConfigFiles,
    /// The package is installed completely. Triggers that other packages still have to run do not count.
    Installed {
        version: String,
    },
    /// The package is installed incompletely: dpkg was interrupted, or a script of the package failed.
    Broken {
        /// The state in dpkg's word: `half-configured`.
        word: String,
        version: String,
        /// Whether files are missing, so that the package must be unpacked again.
        unpack: bool,
    },
}

impl Installed {
    fn absent() -> Self {
        Self { status: Status::Absent, held: false, arch: String::new() }
    }

    /// Returns the version of a completely installed package.
    pub(super) fn version(&self) -> Option<&str> {
        match &self.status {
            Status::Installed { version } => Some(version),
            _ => None,
        }
    }
}

/// The file in which apt marks the packages that it installed as dependencies.
const EXTENDED_STATES: &str = "/var/lib/apt/extended_states";

/// The packages that apt has installed only because others need them, with their architectures.
#[derive(Debug, Default)]
pub(super) struct AutomaticPackages(HashSet<(String, String)>);

impl AutomaticPackages {
    pub(super) async fn read(cx: &Context) -> Result<Self> {
        let file = cx.system().files().read(Path::new(EXTENDED_STATES)).await?;
        Ok(file.map_or_else(Self::default, |file| Self::parse(&String::from_utf8_lossy(&file.bytes))))
    }

    fn parse(text: &str) -> Self {
        let stanzas = text.split("\n\n").filter_map(|stanza| {
            let field = |name: &str| {
                stanza
                    .lines()
                    .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned()))
            };
            let is_automatic = field("Auto-Installed").as_deref() == Some("1");
            is_automatic.then_some((field("Package")?, field("Architecture")?))
        });
        Self(stanzas.collect())
    }

    pub(super) fn contains(&self, package: &Package, installed: &Installed) -> bool {
        self.0.contains(&(package.name.clone(), installed.arch.clone()))
    }
}

/// Queries dpkg for these packages, and returns the answers in the same order.
///
/// Returns `None` if dpkg is missing, and a pending change may install it.
pub(super) async fn query(cx: &Context, packages: &[&Package]) -> Result<Option<Vec<Installed>>> {
    let mut command = Command::new("dpkg-query").args(["--show", &format!("--showformat={FORMAT}"), "--"]);
    // The names have no architecture, because packages for all architectures cannot be queried with one. The
    // architecture of dpkg itself is that of the machine.
    command.args.push("dpkg".to_owned());
    command.args.extend(packages.iter().map(|package| package.name.clone()));
    command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
    command.timeout = cx.remaining();
    let output = match cx.system().processes().run(command).await {
        Ok(output) => output,
        Err(error) if error.kind == SystemErrorKind::NotFound && !cx.pending().is_empty() => return Ok(None),
        Err(error) if error.kind == SystemErrorKind::NotFound => return Err(unsupported(cx, "dpkg-query")),
        Err(error) => return Err(error.into()),
    };
    // The exit code is 1 if one of the packages is unknown.
    if !matches!(output.exit, Exit::Code(0 | 1)) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Error::msg(format!("dpkg-query failed{}", OutputTail::from_lines(stderr.lines()))));
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Line<'_>> = stdout.lines().filter_map(Line::parse).collect();
    let native = lines.iter().find(|line| line.name == "dpkg").map(|line| line.arch);
    Ok(Some(packages.iter().map(|package| choose(package, &lines, native)).collect()))
}

struct Line<'a> {
    name: &'a str,
    arch: &'a str,
    installed: Installed,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        let (name, arch, selection, status, error, version) =
            (next()?, next()?, next()?, next()?, next()?, next()?);
        let version = || version.to_owned();
        let status = match (status, error) {
            ("not-installed", _) => Status::Absent,
            ("config-files", "ok") => Status::ConfigFiles,
            ("installed" | "triggers-awaited" | "triggers-pending", "ok") => {
                Status::Installed { version: version() }
            }
            (word, error) => {
                let unpack = word == "half-installed" || error != "ok";
                Status::Broken { word: word.to_owned(), version: version(), unpack }
            }
        };
        Some(Self {
            name,
            arch,
            installed: Installed { status, held: selection == "hold", arch: arch.to_owned() },
        })
    }
}

/// Returns the line about a package.
///
/// It is the line of the declared architecture, or else of the machine's own. If there is none of that, it is
/// a line of another architecture, as in apt.
fn choose(package: &Package, lines: &[Line<'_>], native: Option<&str>) -> Installed {
    let of_package = || lines.iter().filter(|line| line.name == package.name);
    let of_arch =
        |arch: Option<&str>| of_package().find(|line| line.arch == "all" || Some(line.arch) == arch);
    let line = match package.arch.as_deref() {
        Some("all") => of_arch(None),
        Some(arch) => of_arch(Some(arch)),
        None => of_arch(native).or_else(|| of_package().find(|line| line.installed.status != Status::Absent)),
    };
    let Some(line) = line else { return Installed::absent() };
    let arch = native.filter(|_| line.arch == "all").unwrap_or(line.arch);
    Installed { arch: arch.to_owned(), ..line.installed.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_dpkg() {
        let installed = |is_held| Installed {
            status: Status::Installed { version: "1.0".into() },
            held: is_held,
            arch: "all".into(),
        };
        let broken = |word: &str, unpack| Installed {
            status: Status::Broken { word: word.into(), version: "1.0".into(), unpack },
            held: false,
            arch: "all".into(),
        };
        let with_status = |status| Installed { status, held: false, arch: "all".into() };
        let check = |states: &str, expect: Installed| {
            let line = format!("hello\tall\t{states}");
            assert_eq!(Line::parse(&line).unwrap().installed, expect, "{states}");
        };
        check("install\tinstalled\tok\t1.0", installed(false));
        check("hold\tinstalled\tok\t1.0", installed(true));
        check("install\ttriggers-awaited\tok\t1.0", installed(false));
        check("install\ttriggers-pending\tok\t1.0", installed(false));
        check("install\thalf-configured\tok\t1.0", broken("half-configured", false));
        check("install\tunpacked\tok\t1.0", broken("unpacked", false));
        check("install\thalf-installed\treinstreq\t1.0", broken("half-installed", true));
        check("install\tinstalled\treinstreq\t1.0", broken("installed", true));
        check("deinstall\tconfig-files\tok\t1.0", with_status(Status::ConfigFiles));
        check("unknown\tnot-installed\tok\t", with_status(Status::Absent));
        assert!(Line::parse("hello").is_none());
    }

    #[test]
    fn the_line_of_an_architecture() {
        let line = |name, arch, version: &str| Line {
            name,
            arch,
            installed: Installed {
                status: Status::Installed { version: version.into() },
                held: false,
                arch: arch.into(),
            },
        };
        let lines = [
            line("libc6", "amd64", "1"),
            line("libc6", "i386", "2"),
            line("wine32", "i386", "3"),
            line("mc-data", "all", "4"),
        ];
        let check = |name: &str, arch: Option<&str>, expect: Option<&str>| {
            let package = Package { name: name.into(), arch: arch.map(Into::into) };
            let actual = choose(&package, &lines, Some("amd64"));
            assert_eq!(actual.version(), expect, "{package}");
        };
        check("libc6", None, Some("1"));
        check("libc6", Some("amd64"), Some("1"));
        check("libc6", Some("i386"), Some("2"));
        check("libc6", Some("arm64"), None);
        check("wine32", None, Some("3"));
        check("wine32", Some("amd64"), None);
        check("mc-data", None, Some("4"));
        check("mc-data", Some("amd64"), Some("4"));
        check("mc-data", Some("all"), Some("4"));
        check("mc", None, None);
    }
}
