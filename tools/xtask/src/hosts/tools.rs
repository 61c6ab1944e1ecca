//! Helpers that run programs and wait for services.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cargo;
use crate::error::Error;

/// The maximum time until a started service is ready.
const PATIENCE: Duration = Duration::from_mins(1);

/// Polls until a service is ready, for up to a minute.
pub(super) fn wait_for(name: &'static str, ready: impl Fn() -> bool) -> Result<(), Error> {
    let began = Instant::now();
    while !ready() {
        if began.elapsed() > PATIENCE {
            return Err(Error::NotReady { what: name, after: PATIENCE });
        }
        sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Prints and runs a Docker command.
pub(super) fn run_docker(arguments: &[&str]) -> Result<(), Error> {
    shell("docker", arguments)
}

/// Prints and runs a program, and fails unless it succeeds.
pub(super) fn shell(program: &str, arguments: &[&str]) -> Result<(), Error> {
    let mut command = Command::new(program);
    command.args(arguments);
    cargo::run_as(command, format!("{program} {}", arguments.join(" ")))
}

pub(super) fn installed(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "command -v \"$1\"", "sh", program]).stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs the Debian package of a missing program.
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
