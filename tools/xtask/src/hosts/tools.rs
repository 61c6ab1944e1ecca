//! Programs that this runs, and waiting for what they start.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cargo;
use crate::error::Error;

/// How long something that was started may take to be ready.
const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until something that has no way to tell is ready: asks again and again, for a minute.
pub(super) fn wait_for(what: &'static str, ready: impl Fn() -> bool) -> Result<(), Error> {
    let began = Instant::now();
    while !ready() {
        if began.elapsed() > PATIENCE {
            return Err(Error::NotReady { what, after: PATIENCE });
        }
        sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Says what is run of Docker, and runs it.
pub(super) fn say(arguments: &[&str]) -> Result<(), Error> {
    shell("docker", arguments)
}

/// Says what is run, runs it, and fails unless it succeeds.
pub(super) fn shell(program: &str, arguments: &[&str]) -> Result<(), Error> {
    let mut command = Command::new(program);
    command.args(arguments);
    cargo::run_as(command, format!("{program} {}", arguments.join(" ")))
}

/// Whether there is a program of this name.
pub(super) fn installed(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "command -v \"$1\"", "sh", program]).stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs a Debian package for a program that is missing.
pub(super) fn install(program: &str, package: &str) -> Result<(), Error> {
    if installed(program) {
        return Ok(());
    }
    if !installed("apt-get") || !converge_tests::is_root() {
        return Err(Error::CannotInstall { package: package.to_owned() });
    }
    shell("apt-get", &["update"])?;
    shell("apt-get", &["install", "--yes", "--no-install-recommends", package])
}
