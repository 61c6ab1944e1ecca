//! The local implementation of programs, each in its own process group.

#[cfg(unix)]
mod group;
mod pipes;
mod spawn;
#[cfg(target_os = "linux")]
mod user;
#[cfg(windows)]
mod windows;

use std::future::{Future, pending, poll_fn};
use std::io;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, sleep, timeout};

use super::LocalSystem;
use super::program_settings::Programs;
use crate::captured_output::{CaptureLimit, output};
use crate::{Command, Exit, Output, Processes, SystemError, SystemErrorKind};
#[cfg(unix)]
use group::{ProcessGroup, to_exit};
use pipes::Pipes;
use spawn::Start;
#[cfg(windows)]
use windows::{ProcessGroup, to_exit};

/// The time for which output is still read after the program has ended.
///
/// Its own output is in the pipes by then. Only a background process can print more or keep the pipes open.
const AFTER_EXIT: Duration = Duration::from_millis(100);

/// The time that a killed program has to end.
///
/// Only a process that hangs in the kernel needs any.
const AFTER_KILL: Duration = Duration::from_secs(1);

/// The number of attempts to start a program whose file is open for writing.
const BUSY_ATTEMPTS: usize = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(5);

#[async_trait]
impl Processes for LocalSystem {
    /// Runs a program.
    ///
    /// A process that it leaves in the background continues to run.
    ///
    /// Its output is read for another tenth of a second, then the pipes are closed. A process that begins its
    /// own session leaves the group, and is not killed with it.
    async fn run(&self, command: Command) -> Result<Output, SystemError> {
        let started = Instant::now();
        let prepared = Start::new(&command, &self.programs, &self.shared)?;
        let spawned = start(&prepared, &command, &self.programs).await;
        let mut child = spawned.map_err(|error| explain(&command, error))?;
        let limits = CaptureLimit::new(command.keep, self.programs.output_limit);
        let mut pipes = Pipes::new(&mut child, command.stdin, limits, command.watch);
        let mut group = ProcessGroup::new(child);

        let ended = {
            let terminate = group.terminator();
            let mut wait = pin!(group.wait());
            let mut stop_request = pin!(async {
                match &command.stop {
                    Some(stop) => stop.asked().await,
                    None => pending().await,
                }
            });
            let mut is_asked = false;
            let outcome = poll_fn(|cx| {
                // The end is checked first. Endless output of a background process must not hide it, and a
                // group that has ended must not be signalled.
                let ended = wait.as_mut().poll(cx);
                if ended.is_pending() {
                    let _ = pipes.poll(cx);
                    if !is_asked && stop_request.as_mut().poll(cx).is_ready() {
                        is_asked = true;
                        terminate();
                    }
                }
                ended
            });
            match command.timeout {
                Some(limit) => timeout(limit.saturating_sub(started.elapsed()), outcome).await.ok(),
                None => Some(outcome.await),
            }
        };
        let exit = if let Some(status) = ended {
            let status = status.map_err(|error| SystemError::other("wait for", &command.program, error))?;
            group.release();
            to_exit(status)
        } else {
            group.kill();
            if timeout(AFTER_KILL, group.wait()).await.is_ok() {
                group.release();
            }
            Exit::TimedOut
        };
        // Reaching the limit is no failure: the output read so far is the result.
        let _ = timeout(AFTER_EXIT, poll_fn(|cx| pipes.poll(cx))).await;
        // Arguments are never logged, as they may contain secrets.
        tracing::debug!(program = command.program, ?exit, "ended");
        output(&command.program, exit, limits, pipes.into_output())
    }
}

/// Starts a program, and retries while its file is busy.
///
/// A file that was just written may be busy for a moment: another thread that starts a program holds a copy
/// of all open files until `exec`.
async fn start(start: &Start, command: &Command, programs: &Programs) -> io::Result<tokio::process::Child> {
    for _ in 0..BUSY_ATTEMPTS {
        match start.spawn(command, programs).await {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => sleep(BUSY_PAUSE).await,
            started => return started,
        }
    }
    start.spawn(command, programs).await
}

/// Finds the cause of an error.
///
/// The system has one error number for a missing program, directory or interpreter.
fn explain(command: &Command, error: io::Error) -> SystemError {
    const OPERATION: &str = "run";
    if let Some(dir) = &command.dir {
        let unusable = match std::fs::metadata(dir) {
            Ok(metadata) if metadata.is_dir() => None,
            Ok(_) => Some(SystemErrorKind::NotADirectory),
            Err(error) => Some(error.into()),
        };
        if let Some(kind) = unusable {
            return SystemError::file("run a program in", dir, kind);
        }
    }
    let kind = match SystemErrorKind::from(error) {
        SystemErrorKind::NotFound if command.program.contains('/') && is_there(command) => {
            SystemErrorKind::Other("its interpreter does not exist".to_owned())
        }
        SystemErrorKind::PermissionDenied if let Some(user) = &command.run_as => {
            let dir = command.dir.as_ref().map(|dir| format!(", or may not enter {}", dir.display()));
            SystemErrorKind::Other(format!("{} may not run it{}", user.name, dir.unwrap_or_default()))
        }
        kind => kind,
    };
    SystemError::other(OPERATION, &command.program, kind)
}

fn is_there(command: &Command) -> bool {
    let dir = command.dir.as_deref().unwrap_or(Path::new(""));
    dir.join(&command.program).is_file()
}
