//! Runs of pip, without questions, for the place of a resource.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, Follow, Output, SystemErrorKind, User};

use super::spec::normal;
use crate::output_progress::OutputProgress;
use crate::package::output::OutputTail;
use crate::package::platform;

/// The place where packages are installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A virtual environment in this directory.
    Venv(String),
    /// The package directory of a user.
    User(String),
    /// The packages of Python itself, which all users share.
    System,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PipError {
    #[error("{python} has no pip: {help}")]
    NoPip { python: String, help: &'static str },
    #[error("pip finds nothing that is {requirement:?}{output}")]
    NotFound { requirement: String, output: OutputTail },
    #[error("`{command}` was stopped because the remaining time had passed{output}")]
    TimedOut { command: String, output: OutputTail },
    #[error("`{command}` failed{output}")]
    Failed { command: String, output: OutputTail },
    #[error("pip {asked} printed an invalid list of packages: {reason}")]
    Unreadable { asked: &'static str, reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distribution {
    /// The name in its normal form.
    pub(super) name: String,
    pub(super) version: String,
}

/// A Python installation with a place for packages.
#[derive(Clone, Debug)]
pub(super) struct Python {
    /// The program that creates virtual environments, or that has the packages itself.
    pub(super) program: String,
    pub(super) place: Place,
}

impl Python {
    /// Returns the Python interpreter that has the packages.
    fn interpreter(&self) -> String {
        match &self.place {
            Place::Venv(path) => format!("{}/bin/python", path.trim_end_matches('/')),
            Place::User(_) | Place::System => self.program.clone(),
        }
    }

    /// Whether the virtual environment has to be created first.
    pub(super) async fn is_missing(&self, cx: &Context) -> Result<bool> {
        let Place::Venv(path) = &self.place else { return Ok(false) };
        let files = cx.system().files();
        // An incomplete environment is created again: pip is the last file of a complete one.
        let mut is_whole = true;
        for name in ["bin/python", "bin/pip", "pyvenv.cfg"] {
            is_whole &= files.metadata(&Path::new(path).join(name), Follow::Links).await?.is_some();
        }
        if is_whole {
            return Ok(false);
        }
        if files.metadata(Path::new(path), Follow::Links).await?.is_some() {
            let entries = match files.read_dir(Path::new(path)).await {
                Err(error) if error.kind == SystemErrorKind::NotADirectory => {
                    return Err(Error::msg(format!(
                        "{path} is not a directory, so it cannot become a virtual environment"
                    )));
                }
                entries => entries?,
            };
            let is_own = |name: &str| entries.iter().any(|entry| entry.path.ends_with(name));
            if !entries.is_empty() && !is_own("pyvenv.cfg") {
                return Err(Error::msg(format!(
                    "{path} has other things in it and is not a virtual environment: name another directory"
                )));
            }
        }
        Ok(true)
    }

    /// Creates the virtual environment.
    pub(super) async fn make(&self, cx: &Context) -> Result<()> {
        let Place::Venv(path) = &self.place else { return Ok(()) };
        let arguments = ["-m", "venv", path].map(str::to_owned).to_vec();
        let command = self.command(cx, &self.program, arguments).await?;
        let (line, output) = self.run(cx, command, OutputProgress::Lines).await?;
        if output.exit.success() {
            return Ok(());
        }
        let message = said(&output);
        if message.contains("No module named venv") || message.contains("ensurepip is not") {
            let help = "install the package `python3-venv`, which makes virtual environments";
            return Err(Error::other(PipError::NoPip { python: self.program.clone(), help }));
        }
        Err(failed(line, &output))
    }

    /// Returns the installed packages, by their normal names.
    ///
    /// For `present`, these are the packages that satisfy a requirement; for `absent`, those that can be
    /// removed.
    pub(super) async fn list(&self, cx: &Context, state: Ensure) -> Result<Vec<Distribution>> {
        let mut arguments = vec!["list", "--format", "json"];
        match (&self.place, state) {
            (Place::Venv(_), _) => arguments.push("--local"),
            // Packages of all users also satisfy a requirement of one user, but cannot be removed for one.
            (Place::User(_), Ensure::Absent) => arguments.push("--user"),
            (Place::User(_), Ensure::Present) | (Place::System, _) => {}
        }
        let printed = self.look(cx, arguments.into_iter().map(str::to_owned).collect(), "list").await?;
        let read = |value: &serde_json::Value| distribution(value);
        let value: serde_json::Value = json(&printed, "list")?;
        let list = value.as_array().map(|list| list.iter().filter_map(read).collect());
        list.ok_or_else(|| unreadable("list", "it is not a list"))
    }

    /// Returns the packages that pip would install for these requirements.
    pub(super) async fn preview(&self, cx: &Context, requirements: &[String]) -> Result<Vec<Distribution>> {
        let words = ["install", "--dry-run", "--quiet", "--report", "-"].map(str::to_owned);
        let arguments = words.into_iter().chain(self.options()).chain(requirements.iter().cloned()).collect();
        let printed = self.look(cx, arguments, "install").await?;
        let value: serde_json::Value = json(&printed, "install")?;
        let list = value.get("install").and_then(serde_json::Value::as_array);
        let read = |value: &serde_json::Value| distribution(value.get("metadata")?);
        let list = list.map(|list| list.iter().filter_map(read).collect());
        list.ok_or_else(|| unreadable("install", "it has no `install`"))
    }

    pub(super) async fn install(&self, cx: &Context, requirements: &[String]) -> Result<()> {
        let arguments =
            std::iter::once("install".to_owned()).chain(self.options()).chain(requirements.iter().cloned());
        self.change(cx, arguments.collect()).await
    }

    pub(super) async fn uninstall(&self, cx: &Context, names: &[String]) -> Result<()> {
        let arguments = ["uninstall", "--yes"].map(str::to_owned).into_iter().chain(names.iter().cloned());
        self.change(cx, arguments.collect()).await
    }

    fn options(&self) -> Option<String> {
        matches!(self.place, Place::User(_)).then(|| "--user".to_owned())
    }

    async fn change(&self, cx: &Context, arguments: Vec<String>) -> Result<()> {
        let (line, output) = self.pip(cx, arguments, OutputProgress::Lines).await?;
        if output.exit.success() { Ok(()) } else { Err(failed(line, &output)) }
    }

    /// Runs a read-only command of pip.
    async fn look(&self, cx: &Context, arguments: Vec<String>, query: &'static str) -> Result<String> {
        let (line, output) = self.pip(cx, arguments, OutputProgress::Nothing).await?;
        if output.exit.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let stderr = said(&output);
        if stderr.contains("No module named pip") {
            let help = "install the package `python3-pip`";
            return Err(Error::other(PipError::NoPip { python: self.interpreter(), help }));
        }
        if stderr.contains("no such option: --report") || stderr.contains("no such option: --dry-run") {
            return Err(unreadable(query, "it is older than 22.2, which can say what it would install"));
        }
        let prefix = "ERROR: No matching distribution found for ";
        let missing = stderr.lines().find_map(|line| line.strip_prefix(prefix)).map(str::to_owned);
        match missing {
            Some(requirement) => {
                let output = OutputTail::from_lines(stderr.lines().filter(|line| !line.starts_with(prefix)));
                Err(Error::other(PipError::NotFound { requirement, output }))
            }
            None => Err(failed(line, &output)),
        }
    }

    async fn pip(
        &self,
        cx: &Context,
        arguments: Vec<String>,
        output_mode: OutputProgress,
    ) -> Result<(String, Output)> {
        let words = ["-m", "pip", "--no-input", "--disable-pip-version-check"].map(str::to_owned);
        let arguments = words.into_iter().chain(arguments).collect();
        let command = self.command(cx, &self.interpreter(), arguments).await?;
        self.run(cx, command, output_mode).await
    }

    /// Returns a command of Python, as the user who has the packages.
    async fn command(&self, cx: &Context, program: &str, arguments: Vec<String>) -> Result<Command> {
        let mut command = Command::new(program).args(arguments);
        if let Place::User(name) = &self.place {
            let user = cx.system().users().user_by_name(name).await?;
            let user = user.ok_or_else(|| Error::NotFound { kind: "user", name: name.clone() })?;
            command = as_user(command, &user);
        }
        command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
        if self.place != Place::System {
            // Settings of the caller must not change the place.
            for name in ["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PYTHONHOME", "PYTHONPATH"] {
                command.env.insert(name.to_owned(), String::new());
            }
        }
        if !matches!(self.place, Place::Venv(_)) {
            // The module has allowed this with `system`.
            command.env.insert("PIP_BREAK_SYSTEM_PACKAGES".to_owned(), "1".to_owned());
            command.env.insert("PIP_ROOT_USER_ACTION".to_owned(), "ignore".to_owned());
        }
        command.timeout = cx.remaining();
        Ok(command)
    }

    async fn run(
        &self,
        cx: &Context,
        command: Command,
        output_mode: OutputProgress,
    ) -> Result<(String, Output)> {
        let words = std::iter::once(&command.program).chain(&command.args).map(String::as_str);
        let line = words.collect::<Vec<_>>().join(" ");
        let program = command.program.clone();
        let output = match output_mode.run(cx, command).await {
            Err(error) if error.kind == SystemErrorKind::NotFound => {
                return Err(platform::unsupported(cx, "package.pip", format!("there is no {program}")));
            }
            output => output?,
        };
        if output.exit == Exit::TimedOut {
            let output = OutputTail::from_lines(said(&output).lines());
            return Err(Error::other(PipError::TimedOut { command: line, output }));
        }
        Ok((line, output))
    }
}

/// Changes a command to run as a user.
///
/// It gets that user's home directory, and nothing of the environment of root.
fn as_user(command: Command, user: &User) -> Command {
    let ids = [format!("--reuid={}", user.uid), format!("--regid={}", user.gid), "--init-groups".to_owned()];
    let words = ids.into_iter().chain(["--".to_owned(), command.program]).chain(command.args);
    let mut changed = Command::new("setpriv").args(words);
    changed.env = command.env;
    for (name, value) in
        [("HOME", &*user.home.to_string_lossy()), ("USER", &user.name), ("LOGNAME", &user.name)]
    {
        changed.env.insert(name.to_owned(), value.to_owned());
    }
    // The user may have no access to the working directory of converge.
    changed.dir = Some("/".into());
    changed
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn failed(command: String, output: &Output) -> Error {
    let text = said(output);
    Error::other(PipError::Failed { command, output: OutputTail::from_lines(text.lines()) })
}

fn unreadable(query: &'static str, reason: &str) -> Error {
    Error::other(PipError::Unreadable { asked: query, reason: reason.to_owned() })
}

fn json(text: &str, query: &'static str) -> Result<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| unreadable(query, &error.to_string()))
}

fn distribution(value: &serde_json::Value) -> Option<Distribution> {
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(Distribution { name: normal(&text("name")?), version: text("version")? })
}
