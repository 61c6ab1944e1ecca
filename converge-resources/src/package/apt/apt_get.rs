//! Runs apt-get and dpkg so that they never ask, and waits while other programs hold their locks.

use std::sync::Arc;
use std::time::Duration;

use converge_core::prelude::*;
use converge_core::system::{Command, Exit, Output, SystemErrorKind};

use super::error::AptError;
use super::explain::{self, Failed, explain};
use crate::output_progress::Told;
use crate::package::lock_timeout::LockTimeout;
use crate::package::output::OutputTail;
use crate::package::platform;

/// Keeps a configuration file that was changed on the machine, takes the new one where it was not.
const KEEP_CONFIGURATION: [&str; 2] = ["--force-confdef", "--force-confold"];

/// What keeps everybody who might ask from asking.
const ENVIRONMENT: [(&str, &str); 8] = [
    // Untranslated, as messages are read here; UTF-8, as some scripts set up programs with what they find.
    ("LC_ALL", "C.UTF-8"),
    ("LANGUAGE", ""),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("APT_LISTBUGS_FRONTEND", "none"),
    ("APT_LISTCHANGES_FRONTEND", "none"),
    // It says which services should be restarted, and restarts none: no check has shown that.
    ("NEEDRESTART_MODE", "l"),
    ("UCF_FORCE_CONFFOLD", "1"),
    ("PAGER", "cat"),
];

/// How many times dpkg is asked to finish what was interrupted before apt-get's refusal is an error.
const REPAIRS: usize = 1;

/// Runs programs of apt, with what is left of the time that their locks are waited for.
pub(super) struct Apt<'a> {
    cx: &'a Context,
    lock_timeout: LockTimeout,
}

/// A program of apt failed, or could not be run at all. Several resources may have to report the same one.
#[derive(Clone)]
pub(super) enum AptFailure {
    Apt(AptError),
    Other(Arc<Error>),
}

impl AptFailure {
    /// Whether it would be the same with any packages.
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

/// The output of a program that succeeded.
pub(super) struct AptOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl<'a> Apt<'a> {
    pub(super) fn new(cx: &'a Context, lock_timeout: Duration) -> Self {
        Self { cx, lock_timeout: LockTimeout::new(lock_timeout) }
    }

    /// Runs apt-get, when no other program holds a lock that it needs. What an interrupted dpkg left half done
    /// is finished first.
    pub(super) async fn get(&mut self, arguments: &[String]) -> Result<AptOutput, AptFailure> {
        let mut options = vec!["-y".to_owned(), "-q".to_owned()];
        let mut option = |option: String| options.extend(["-o".to_owned(), option]);
        option("Dpkg::Use-Pty=0".to_owned());
        // Whoever says what becomes of configuration files is not contradicted.
        let is_said = arguments.iter().any(|argument| argument.contains("--force-conf"));
        for keep in KEEP_CONFIGURATION.into_iter().filter(|_| !is_said) {
            option(format!("Dpkg::Options::={keep}"));
        }
        options.extend_from_slice(arguments);
        let mut repairs = 0;
        loop {
            let output = self.run_unlocked("apt-get", &options).await?;
            let stderr = String::from_utf8_lossy(&output.stderr);
            if !output.exit.success() && explain::was_interrupted(&stderr) && repairs < REPAIRS {
                repairs += 1;
                // It may fail with a package that has nothing to do with this: apt-get says whether it can work.
                let configure = KEEP_CONFIGURATION.into_iter().chain(["--configure", "-a"]);
                let configure: Vec<String> = configure.map(str::to_owned).collect();
                self.run_unlocked("dpkg", &configure).await?;
                continue;
            }
            return finish(&shown("apt-get", arguments), &output).map_err(AptFailure::Apt);
        }
    }

    /// What apt-get would do. It needs no locks, and no rights.
    pub(super) async fn simulate(&self, arguments: &[String]) -> Result<AptOutput, AptFailure> {
        let mut options = vec!["-y".to_owned(), "-q".to_owned(), "--simulate".to_owned()];
        options.extend_from_slice(arguments);
        let output = self.run("apt-get", &options, Told::Nothing).await?;
        finish(&shown("apt-get", arguments), &output).map_err(AptFailure::Apt)
    }

    /// Has apt-mark put packages on hold, or end that.
    pub(super) async fn mark(&mut self, verb: &str, packages: &[String]) -> Result<(), AptFailure> {
        let arguments = [&[verb.to_owned(), "--".to_owned()], packages].concat();
        let output = self.run_unlocked("apt-mark", &arguments).await?;
        finish(&shown("apt-mark", &arguments), &output).map(drop).map_err(AptFailure::Apt)
    }

    /// The versions of a package that apt knows, the newest first.
    pub(super) async fn versions(&self, package: &str) -> Result<Vec<String>, AptFailure> {
        let arguments = ["madison", "--", package].map(str::to_owned);
        let output = self.run("apt-cache", &arguments, Told::Nothing).await?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let mut versions: Vec<String> =
            stdout.lines().filter_map(|line| Some(line.split('|').nth(1)?.trim().to_owned())).collect();
        versions.dedup();
        Ok(versions)
    }

    /// The packages that provide what has this name.
    pub(super) async fn providers(&self, package: &str) -> Result<Vec<String>, AptFailure> {
        let arguments = ["showpkg", "--", package].map(str::to_owned);
        let output = self.run("apt-cache", &arguments, Told::Nothing).await?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let lines = stdout.lines().skip_while(|line| !line.starts_with("Reverse Provides:")).skip(1);
        let mut providers: Vec<String> =
            lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
        providers.sort_unstable();
        providers.dedup();
        Ok(providers)
    }

    /// Runs a program until no other one holds its locks, or the timeout for locks passes.
    async fn run_unlocked(&mut self, program: &str, arguments: &[String]) -> Result<Output, AptFailure> {
        loop {
            let output = self.run(program, arguments, Told::Lines).await?;
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

    async fn run(&self, program: &str, arguments: &[String], told: Told) -> Result<Output, AptFailure> {
        let mut command = Command::new(program).args(arguments);
        command.env = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        command.env.insert("PATH".to_owned(), path(self.cx));
        command.timeout = self.cx.remaining();
        let limit = command.timeout.unwrap_or_default();
        let output = match told.run(self.cx, command).await {
            Ok(output) => output,
            Err(error) if error.kind == SystemErrorKind::NotFound => {
                return Err(unsupported(self.cx, program).into());
            }
            Err(error) => return Err(Error::from(error).into()),
        };
        if output.exit == Exit::TimedOut {
            let (stdout, stderr) = text(&output);
            let output = OutputTail::of(stdout.lines().chain(stderr.lines()));
            return Err(
                AptError::TimedOut { command: shown(program, arguments), after: limit, output }.into()
            );
        }
        Ok(output)
    }
}

/// The places of programs. dpkg refuses to work without those of root, which a shell of root may lack.
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

/// A command as messages show it: without the options that are always the same.
fn shown(program: &str, arguments: &[String]) -> String {
    let words = arguments.iter().map(String::as_str).filter(|word| *word != "--");
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

pub(super) fn unsupported(cx: &Context, program: &str) -> Error {
    let reason = format!("there is no {program}, which Debian and its relatives have");
    platform::unsupported(cx, "package.apt", reason)
}
