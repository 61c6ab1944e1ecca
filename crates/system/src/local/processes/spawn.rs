//! The start of a program: environment, directory, limits and user.

use std::ffi::{OsStr, OsString};
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::{Child, Command as Builder};

use super::super::account::Account;
#[cfg(unix)]
use super::super::files::path_lookup;
use super::super::program_settings::Programs;
#[cfg(unix)]
use super::super::program_settings::find;
use super::super::system_state::Shared;
#[cfg(target_os = "linux")]
use super::user;
use crate::marker::start_with;
use crate::{Command, RunAs, SystemError, SystemErrorKind};

/// A program that is ready to be started.
pub(super) struct Start {
    program: OsString,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    /// The open directory, if its path means something else to the program.
    #[cfg(unix)]
    held: Option<OwnedFd>,
    /// The user, if it differs from the user of this process.
    user: Option<RunAs>,
    /// Whether the program begins a session, and thereby a process group.
    #[cfg(unix)]
    begins_session: bool,
}

impl Start {
    #[cfg(windows)]
    pub(super) fn new(command: &Command, programs: &Programs, shared: &Shared) -> Result<Self, SystemError> {
        let place = &shared.place;
        Ok(Self {
            program: command.program.clone().into(),
            args: command.args.iter().map(OsString::from).collect(),
            dir: match &command.dir {
                Some(dir) => Some(place.absolute(dir).into_owned()),
                None => place.working().map(PathBuf::from),
            },
            user: user_of(command, programs)?,
        })
    }

    #[cfg(unix)]
    pub(super) fn new(command: &Command, programs: &Programs, shared: &Shared) -> Result<Self, SystemError> {
        let mut start = Self {
            program: command.program.clone().into(),
            args: command.args.iter().map(OsString::from).collect(),
            dir: command.dir.clone(),
            held: None,
            user: user_of(command, programs)?,
            begins_session: false,
        };
        let place = &shared.place;
        if place.is_elsewhere() {
            let dir = command.dir.as_deref().or(place.working()).unwrap_or(Path::new("/"));
            let folder = path_lookup::hold_folder(place, dir);
            let folder = folder.map_err(|kind| SystemError::file("run a program in", dir, kind))?;
            // The path refers to this process, which holds the directory open until the program runs.
            let path = place.path_of_held(&folder, dir);
            start.dir = Some(path.map_err(|kind| SystemError::file("run a program in", dir, kind))?);
            start.held = Some(folder);
        }
        if let Some(prelude) = programs.prelude() {
            start.wrap_in_shell(command, programs, &prelude)?;
        }
        #[cfg(target_os = "linux")]
        if start.user.is_some() {
            let session =
                user::session().map_err(|kind| SystemError::other("run", &command.program, kind))?;
            if let Some(setsid) = session {
                start.check_wrapping(command, programs, "without a terminal")?;
                start.begin_session(setsid);
            }
        }
        Ok(start)
    }

    /// Starts the program through `setsid`, which begins a session and then becomes the program.
    #[cfg(target_os = "linux")]
    fn begin_session(&mut self, setsid: PathBuf) {
        let program = std::mem::replace(&mut self.program, setsid.into());
        let args = std::mem::take(&mut self.args);
        self.args = [OsString::from("--"), program].into_iter().chain(args).collect();
        self.begins_session = true;
    }

    /// Starts the program through a shell that runs `prelude` first.
    #[cfg(unix)]
    fn wrap_in_shell(
        &mut self,
        command: &Command,
        programs: &Programs,
        prelude: &str,
    ) -> Result<(), SystemError> {
        self.check_wrapping(command, programs, "with a umask or a limit of file sizes")?;
        let program = std::mem::replace(&mut self.program, "/bin/sh".into());
        let args = std::mem::take(&mut self.args);
        self.args =
            ["-c", prelude, "sh"].map(OsString::from).into_iter().chain([program]).chain(args).collect();
        Ok(())
    }

    /// Checks that the program may be started through another one.
    #[cfg(unix)]
    fn check_wrapping(
        &self,
        command: &Command,
        programs: &Programs,
        reason: &str,
    ) -> Result<(), SystemError> {
        let failed = |kind| SystemError::other("run", &command.program, kind);
        if let Some(name) = command.env.keys().find(|name| Programs::leads_the_shell(name)) {
            let message = format!("{reason} it cannot be given the variable {name}");
            return Err(failed(SystemErrorKind::Other(message)));
        }
        let path = match command.env.get("PATH") {
            Some(path) => Some(OsString::from(path)),
            None if command.clear_env => None,
            None => programs.environment.get("PATH"),
        };
        let dir = self.dir.as_deref().unwrap_or(Path::new(""));
        // The wrapper would report a missing program only as text and exit code.
        find(&command.program, path.as_deref(), dir).map_err(failed).map(drop)
    }

    /// Starts the program once.
    pub(super) async fn spawn(&self, command: &Command, programs: &Programs) -> io::Result<Child> {
        let mut builder = Builder::new(&self.program);
        builder.args(&self.args);
        // The leader of a process group cannot begin a session.
        #[cfg(unix)]
        if !self.begins_session {
            builder.process_group(0);
        }
        let environment = &programs.environment;
        if environment.hides_process || command.clear_env {
            builder.env_clear();
        } else {
            for (name, _) in std::env::vars_os().filter(|(name, _)| is_own(name)) {
                builder.env_remove(name);
            }
        }
        if !command.clear_env {
            #[cfg(target_os = "linux")]
            builder.envs(programs.account.iter().flat_map(Account::env));
            builder.envs(&environment.given);
        }
        builder.envs(&command.env);
        if let Some(dir) = &self.dir {
            builder.current_dir(dir);
        }
        builder
            .stdin(if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        match &self.user {
            None => start_with(command.marker.as_ref(), || builder.spawn()),
            #[cfg(target_os = "linux")]
            Some(user) => user::spawn_as(builder, user, command.marker.clone()).await,
            #[cfg(not(target_os = "linux"))]
            Some(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Returns the user of a program, if it differs from the user of this process.
///
/// A system with a fixed user for programs refuses any other.
fn user_of(command: &Command, programs: &Programs) -> Result<Option<RunAs>, SystemError> {
    let failed = |kind| SystemError::other("run", &command.program, kind);
    match (&programs.account, &command.run_as) {
        (account, None) => Ok(account.as_ref().map(Account::ids).cloned()),
        (Some(account), Some(wanted)) if account.ids() == wanted => Ok(Some(wanted.clone())),
        (Some(account), Some(wanted)) => Err(failed(SystemErrorKind::Other(format!(
            "programs run as the user {} here, and as no other, such as {}",
            account.ids().name,
            wanted.name
        )))),
        (None, Some(wanted)) => another(wanted).map_err(failed),
    }
}

#[cfg(target_os = "linux")]
fn another(run_as: &RunAs) -> Result<Option<RunAs>, SystemErrorKind> {
    if user::is_already(run_as) {
        return Ok(None);
    }
    user::may_become(run_as)?;
    Ok(Some(run_as.clone()))
}

#[cfg(not(target_os = "linux"))]
fn another(_wanted: &RunAs) -> Result<Option<RunAs>, SystemErrorKind> {
    Err(SystemErrorKind::unsupported("another user for programs"))
}

/// Whether a variable belongs to this tool: a parameter of a module, which may be secret, or a setting.
///
/// Such variables are not passed to programs. Names are compared byte by byte.
fn is_own(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"CONVERGE_")
}
