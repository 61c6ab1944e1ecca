//! Queries of RPM for installed packages, and for the package in a file.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow, Output, SystemErrorKind};

use super::error::{RpmError, is_noise};
use super::spec::RpmSpec;
use crate::package::output::OutputTail;
use crate::package::platform;

const FORMAT: &str = "%{NAME}\\t%{EPOCHNUM}\\t%{VERSION}\\t%{RELEASE}\\t%{ARCH}\\n";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Build {
    pub(super) name: String,
    pub(super) epoch: String,
    pub(super) version: String,
    pub(super) release: String,
    pub(super) arch: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InstalledBuilds {
    /// The name of the package in RPM, also if a file is declared.
    pub(super) name: String,
    /// The build in the declared file.
    pub(super) file: Option<Build>,
    /// All installed builds; some packages, such as kernels, have several.
    pub(super) installed: Vec<Build>,
}

/// Something is missing that a pending change may bring.
pub(super) struct Missing(pub(super) String);

impl Build {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next();
        let (name, epoch, version) = (next()?, next()?, next()?);
        Some(Self { name, epoch, version, release: next()?, arch: next()? })
    }

    /// Returns version and release, with an epoch unless that is 0.
    pub(super) fn full_version(&self) -> String {
        let Self { epoch, version, release, .. } = self;
        if epoch == "0" { format!("{version}-{release}") } else { format!("{epoch}:{version}-{release}") }
    }
}

/// Queries RPM about a package. The inner error is about something that a pending change may bring.
pub(super) async fn query(cx: &Context, spec: &RpmSpec) -> Result<Result<InstalledBuilds, Missing>> {
    let (name, file) = match spec {
        RpmSpec::Package { name, .. } => (name.clone(), None),
        RpmSpec::File(file) => {
            let is_path = file.starts_with('/');
            if is_path && cx.system().files().metadata(Path::new(file), Follow::Links).await?.is_none() {
                if cx.pending().is_empty() {
                    return Err(Error::NotFound { kind: "file", name: file.clone() });
                }
                return Ok(Err(Missing(format!("the file {file} does not exist yet"))));
            }
            let Some(output) = rpm(cx, &["--query", "--package"], file).await? else {
                return Ok(Err(no_rpm_yet()));
            };
            let Some(build) = builds(&output).pop() else {
                if !cx.pending().is_empty() {
                    return Ok(Err(Missing(format!("{file} cannot be read as a package yet"))));
                }
                let stderr = String::from_utf8_lossy(&output.stderr);
                let tail = OutputTail::from_lines(stderr.lines().filter(|line| !is_noise(line)));
                return Err(Error::other(RpmError::NotAPackage { file: file.clone(), output: tail }));
            };
            (build.name.clone(), Some(build))
        }
    };
    let Some(output) = rpm(cx, &["--query"], &name).await? else { return Ok(Err(no_rpm_yet())) };
    Ok(Ok(InstalledBuilds { name, file, installed: builds(&output) }))
}

fn no_rpm_yet() -> Missing {
    Missing("rpm does not exist yet".to_owned())
}

fn builds(output: &Output) -> Vec<Build> {
    String::from_utf8_lossy(&output.stdout).lines().filter_map(Build::parse).collect()
}

/// Runs rpm, which fails for an unknown package.
///
/// Returns `None` if there is no rpm, and a pending change may install it.
async fn rpm(cx: &Context, arguments: &[&str], subject: &str) -> Result<Option<Output>> {
    let mut command = Command::new("rpm").args(arguments.iter().copied());
    command = command.args(["--queryformat", FORMAT, "--", subject]);
    command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
    command.timeout = cx.remaining();
    match cx.system().processes().run(command).await {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind == SystemErrorKind::NotFound && !cx.pending().is_empty() => Ok(None),
        Err(error) if error.kind == SystemErrorKind::NotFound => {
            let reason = "there is no rpm; the package of that name has it, also on Debian".to_owned();
            Err(platform::unsupported(cx, "package.rpm", reason))
        }
        Err(error) => Err(error.into()),
    }
}
