//! Runs of apt-get and dpkg, without questions, and with waiting for locks of other programs.

use std::sync::Arc;
use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, Output, SystemErrorKind};

use super::error::AptError;
use super::explain::{self, Failed, explain};
use crate::output_progress::OutputProgress;
use crate::package::lock_timeout::LockTimeout;
use crate::package::output::OutputTail;
use crate::package::platform;

/// Options that keep a configuration file changed on the machine, and replace an unchanged one.
const KEEP_CONFIGURATION: [&str; 2] = ["--force-confdef", "--force-confold"];

/// Environment variables that prevent questions.
const ENVIRONMENT: [(&str, &str); 8] = [
    // Messages are parsed, so they must not be translated. UTF-8 is needed by scripts that configure programs
    // from the environment.
    ("LC_ALL", "C.UTF-8"),
    ("LANGUAGE", ""),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("APT_LISTBUGS_FRONTEND", "none"),
    ("APT_LISTCHANGES_FRONTEND", "none"),
    // needrestart only lists services to restart, because no check has shown a restart.
    ("NEEDRESTART_MODE", "l"),
    ("UCF_FORCE_CONFFOLD", "1"),
    ("PAGER", "cat"),
];

/// The maximum number of attempts to complete an interrupted dpkg before apt-get's refusal counts.
const REPAIRS: usize = 1;

/// Runs programs of apt, with the remaining time to wait for locks.
pub(super) struct Apt<'a> {
    cx: &'a Context,
    lock_timeout: LockTimeout,
}

/// The failure of a program of apt, or to run it at all. Several resources may report the same failure.
#[derive(Clone)]
pub(super) enum AptFailure {
    Apt(AptError),
    Other(Arc<Error>),
}

impl AptFailure {
    /// Whether the failure would be the same with any packages.
    pub(super) fn is_general(&self) -> bool {
        match self {
            Self::Apt(error) => error.is_general(),
            Self::Other(_) => true,
        }
    }
}

impl From<AptError> for AptFailure {
    fn from(error: AptError) -> Self {
        Self::Apt(error)
    }
}

impl From<Error> for AptFailure {
    fn from(error: Error) -> Self {
        Self::Other(Arc::new(error))
    }
}

impl From<AptFailure> for Error {
    fn from(failure: AptFailure) -> Self {
        match failure {
            AptFailure::Apt(error) => Self::other(error),
            AptFailure::Other(error) => Self::other(error),
        }
    }
}

/// The output of a successful program.
pub(super) struct AptOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl<'a> Apt<'a> {
    pub(super) fn new(cx: &'a Context, lock_timeout: Duration) -> Self {
        Self { cx, lock_timeout: LockTimeout::new(lock_timeout) }
    }

    /// Runs apt-get as soon as no other program holds the locks.
    ///
    /// Work that an interrupted dpkg left unfinished is completed first.
    pub(super) async fn get(&mut self, arguments: &[String]) -> Result<AptOutput, AptFailure> {
        let mut options = vec!["-y".to_owned(), "-q".to_owned()];
        let mut option = |option: String| options.extend(["-o".to_owned(), option]);
        option("Dpkg::Use-Pty=0".to_owned());
        // Options of the caller for configuration files take precedence.
        let is_said = arguments.iter().any(|argument| argument.contains("--force-conf"));
        for choice in KEEP_CONFIGURATION.into_iter().filter(|_| !is_said) {
            option(format!("Dpkg::Options::={choice}"));
        }
        options.extend_from_slice(arguments);
        let mut repairs = 0;
        loop {
            let output = self.run_unlocked("apt-get", &options).await?;
            let stderr = String::from_utf8_lossy(&output.stderr);
            if !output.exit.success() && explain::was_interrupted(&stderr) && repairs < REPAIRS {
                repairs += 1;
                // This may fail for an unrelated package; apt-get then says whether it can work.
                let configure = KEEP_CONFIGURATION.into_iter().chain(["--configure", "-a"]);
                let configure: Vec<String> = configure.map(str::to_owned).collect();
                self.run_unlocked("dpkg", &configure).await?;
                continue;
            }
            return finish(&shown("apt-get", arguments), &output).map_err(AptFailure::Apt);
        }
    }

    /// Simulates apt-get, which needs no locks and no privileges.
    pub(super) async fn simulate(&self, arguments: &[String]) -> Result<AptOutput, AptFailure> {
        let mut options = vec!["-y".to_owned(), "-q".to_owned(), "--simulate".to_owned()];
        options.extend_from_slice(arguments);
        let output = self.run("apt-get", &options, OutputProgress::Nothing).await?;
        finish(&shown("apt-get", arguments), &output).map_err(AptFailure::Apt)
    }

    /// Sets or removes marks with apt-mark.
    pub(super) async fn mark(&mut self, verb: &str, packages: &[String]) -> Result<(), AptFailure> {
        let arguments = [&[verb.to_owned(), "--".to_owned()], packages].concat();
        let output = self.run_unlocked("apt-mark", &arguments).await?;
        finish(&shown("apt-mark", &arguments), &output).map(drop).map_err(AptFailure::Apt)
    }

    /// Returns the versions of a package that apt knows, the newest first.
    pub(super) async fn versions(&self, package: &str) -> Result<Vec<String>, AptFailure> {
        let arguments = ["madison", "--", package].map(str::to_owned);
        let output = self.run("apt-cache", &arguments, OutputProgress::Nothing).await?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let mut versions: Vec<String> =
            stdout.lines().filter_map(|line| Some(line.split('|').nth(1)?.trim().to_owned())).collect();
        versions.dedup();
        Ok(versions)
    }

    pub(super) async fn providers(&self, package: &str) -> Result<Vec<String>, AptFailure> {
        let arguments = ["showpkg", "--", package].map(str::to_owned);
        let output = self.run("apt-cache", &arguments, OutputProgress::Nothing).await?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let lines = stdout.lines().skip_while(|line| !line.starts_with("Reverse Provides:")).skip(1);
        let mut providers: Vec<String> =
            lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
        providers.sort_unstable();
        providers.dedup();
        Ok(providers)
    }

    /// Runs a program, and repeats it while another one holds its locks, until the lock timeout passes.
    async fn run_unlocked(&mut self, program: &str, arguments: &[String]) -> Result<Output, AptFailure> {
        loop {
            let output = self.run(program, arguments, OutputProgress::Lines).await?;
            if output.exit.success() {
                return Ok(output);
            }
            let Some(lock) = explain::lock(&String::from_utf8_lossy(&output.stderr)) else {
                return Ok(output);
            };
            if !self.lock_timeout.wait(self.cx).await? {
                let after = self.lock_timeout.limit();
                return Err(AptError::Locked { lock: lock.path, holder: lock.holder, after }.into());
            }
        }
    }

    async fn run(
        &self,
        program: &str,
        arguments: &[String],
        output_mode: OutputProgress,
    ) -> Result<Output, AptFailure> {
        let mut command = Command::new(program).args(arguments);
        command.env = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        command.env.insert("PATH".to_owned(), path(self.cx));
        command.timeout = self.cx.remaining();
        let limit = command.timeout.unwrap_or_default();
        let output = match output_mode.run(self.cx, command).await {
            Ok(output) => output,
            Err(error) if error.kind == SystemErrorKind::NotFound => {
                return Err(unsupported(self.cx, program).into());
            }
            Err(error) => return Err(Error::from(error).into()),
        };
        if output.exit == Exit::TimedOut {
            let (stdout, stderr) = text(&output);
            let output = OutputTail::from_lines(stdout.lines().chain(stderr.lines()));
            return Err(
                AptError::TimedOut { command: shown(program, arguments), after: limit, output }.into()
            );
        }
        Ok(output)
    }
}

/// Returns the `PATH` of the programs, with the directories of root.
///
/// dpkg refuses to work without them, and a shell of root may lack them.
fn path(cx: &Context) -> String {
    const OF_ROOT: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];
    let path = cx.system().env("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned());
    let missing = OF_ROOT.into_iter().filter(|folder| !path.split(':').any(|have| have == *folder));
    std::iter::once(path.as_str()).chain(missing).collect::<Vec<_>>().join(":")
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn finish(command: &str, output: &Output) -> Result<AptOutput, AptError> {
    let (stdout, stderr) = text(output);
    if output.exit.success() {
        return Ok(AptOutput { stdout, stderr });
    }
    Err(explain(&Failed { command, stdout: &stdout, stderr: &stderr }))
}

/// Formats a command for messages, without the options that are always the same.
fn shown(program: &str, arguments: &[String]) -> String {
    let words = arguments.iter().map(String::as_str).filter(|word| *word != "--");
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

pub(super) fn unsupported(cx: &Context, program: &str) -> Error {
    let reason = format!("there is no {program}, which Debian and its relatives have");
    platform::unsupported(cx, "package.apt", reason)
}
