use converge_core::prelude::*;
use converge_core::system::{Command, Exit, Output, SystemErrorKind};

use crate::package::output::OutputTail;
use crate::package::platform;

/// The fields of a line, as each database prints them.
const DPKG_FORMAT: &str = "${db:Status-Status} ${db:Status-Eflag} ${Version}\\n";
const RPM_FORMAT: &str = "%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n";

/// A database of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum Database {
    /// That of Debian and its relatives.
    Dpkg,
    /// That of Fedora, Red Hat, SUSE and their relatives.
    Rpm,
}

/// A package of the machine.
#[derive(Debug, Export)]
pub struct Query {
    /// The name that was asked for.
    #[export]
    pub(super) name: String,
    /// Whether it is installed.
    #[export(computed)]
    pub(super) installed: bool,
    /// The version that is installed, or the last of several; null where none is.
    #[export(computed)]
    pub(super) version: Option<String>,
    /// All versions that are installed: a package may be there for several architectures, and kernels several times.
    #[export(computed)]
    pub(super) versions: Vec<String>,
    /// Which database was asked: `dpkg` or `rpm`; null before there is one.
    #[export(computed)]
    pub(super) database: Option<Database>,
}

impl Task for Query {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let dpkg = ["--show", &format!("--showformat={DPKG_FORMAT}"), "--", &self.name];
        let rpm = ["--query", "--queryformat", RPM_FORMAT, "--", &self.name];
        (self.database, self.versions) = if let Some(output) = ask(cx, "dpkg-query", &dpkg).await? {
            (Some(Database::Dpkg), versions(&output, dpkg_line)?)
        } else if let Some(output) = ask(cx, "rpm", &rpm).await? {
            (Some(Database::Rpm), versions(&output, rpm_line)?)
        } else if cx.pending().is_empty() {
            let reason = "there is neither dpkg-query nor rpm to ask".to_owned();
            return Err(platform::unsupported(cx, "package.query", reason));
        } else {
            status.add_message("neither dpkg-query nor rpm exists yet");
            status.raise_level(StatusLevel::MayChange);
            (None, Vec::new())
        };
        self.installed = !self.versions.is_empty();
        self.version = self.versions.last().cloned();
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

/// What a database prints of the package; `None` where there is no such program.
async fn ask(cx: &Context, program: &'static str, arguments: &[&str]) -> Result<Option<Output>> {
    let mut command = Command::new(program).args(arguments.iter().copied());
    command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
    command.timeout = cx.remaining();
    let output = match cx.system().processes().run(command).await {
        Ok(output) => output,
        Err(error) if error.kind == SystemErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // Each ends with 1 when it does not know the package.
    if matches!(output.exit, Exit::Code(0 | 1)) {
        return Ok(Some(output));
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(Error::msg(format!("{program} failed{}", OutputTail::of(stderr.lines()))))
}

/// A line of a database.
enum Line {
    Installed(String),
    NotInstalled,
}

/// The versions that the lines name.
fn versions(output: &Output, read: fn(&str) -> Option<Line>) -> Result<Vec<String>> {
    if output.exit == Exit::Code(1) {
        return Ok(Vec::new());
    }
    let mut versions = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match read(line) {
            Some(Line::Installed(version)) => versions.push(version),
            Some(Line::NotInstalled) => {}
            None => {
                let message = format!("the database of packages says what cannot be read: {line:?}");
                return Err(Error::msg(message));
            }
        }
    }
    Ok(versions)
}

fn dpkg_line(line: &str) -> Option<Line> {
    let mut fields = line.split(' ');
    let (status, error, version) = (fields.next()?, fields.next()?, fields.next()?);
    let is_installed =
        matches!(status, "installed" | "triggers-awaited" | "triggers-pending") && error == "ok";
    Some(if is_installed { Line::Installed(version.to_owned()) } else { Line::NotInstalled })
}

/// The version is without an epoch of 0.
fn rpm_line(line: &str) -> Option<Line> {
    let (epoch, version) = line.split_once(':')?;
    Some(Line::Installed(if epoch == "0" { version } else { line }.to_owned()))
}
