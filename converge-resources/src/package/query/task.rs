use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, Output, SystemErrorKind};

use crate::package::output::OutputTail;
use crate::package::platform;

/// The fields of a line, in the syntax of each database.
const DPKG_FORMAT: &str = "${db:Status-Status} ${db:Status-Eflag} ${Version}\\n";
const RPM_FORMAT: &str = "%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n";

/// A package database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum Database {
    /// The database of Debian and related distributions.
    Dpkg,
    /// The database of Fedora, Red Hat, SUSE and related distributions.
    Rpm,
}

/// The task of a `package.query` resource.
#[derive(Debug, Export)]
pub struct Query {
    /// The queried name.
    #[export]
    pub(super) name: String,
    /// Whether the package is installed.
    #[export(computed)]
    pub(super) installed: bool,
    /// The installed version, or the last of several; null if there is none.
    #[export(computed)]
    pub(super) version: Option<String>,
    /// All installed versions of the package.
    ///
    /// A package may be installed for several architectures, and kernels several times.
    #[export(computed)]
    pub(super) versions: Vec<String>,
    /// The queried database: `dpkg` or `rpm`; null before there is one.
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
            let reason = "neither dpkg-query nor rpm is installed".to_owned();
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

/// Returns the output of a database about the package, or `None` if the program does not exist.
async fn ask(cx: &Context, program: &'static str, arguments: &[&str]) -> Result<Option<Output>> {
    let mut command = Command::new(program).args(arguments.iter().copied());
    command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
    command.timeout = cx.remaining();
    let output = match cx.system().processes().run(command).await {
        Ok(output) => output,
        Err(error) if error.kind == SystemErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // Both programs exit with 1 if they do not know the package.
    if matches!(output.exit, Exit::Code(0 | 1)) {
        return Ok(Some(output));
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(Error::msg(format!("{program} failed{}", OutputTail::from_lines(stderr.lines()))))
}

/// A line of a database.
enum Line {
    Installed(String),
    NotInstalled,
}

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
                let message = format!("the package database returned an invalid line: {line:?}");
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

/// Parses a line of rpm. An epoch of 0 is omitted.
fn rpm_line(line: &str) -> Option<Line> {
    let (epoch, version) = line.split_once(':')?;
    Some(Line::Installed(if epoch == "0" { version } else { line }.to_owned()))
}
