//! The Docker engine: an existing one, or a temporary one of the tests.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use converge_tests::docker;

use super::tools::{install, shell, wait_for};
use crate::cargo;
use crate::error::Error;

/// Returns the file with the process id of a temporary engine.
fn state_file() -> Result<PathBuf, Error> {
    let folder = cargo::workspace()?.target_directory.join("hosts");
    fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
    Ok(folder.join("dockerd.pid"))
}

/// Starts an engine unless one runs, and returns whether it did.
pub(super) fn start() -> Result<bool, Error> {
    install("docker", "docker.io")?;
    if docker::answers() {
        return Ok(false);
    }
    install("dockerd", "docker.io")?;
    // On a machine with systemd, the package has just started the engine.
    if docker::answers() {
        return Ok(false);
    }
    let state = state_file()?;
    let log = state.with_extension("log");
    println!("$ dockerd >{} 2>&1 &", log.display());
    let output = File::create(&log).map_err(Error::at(&log))?;
    let errors = output.try_clone().map_err(Error::at(&log))?;
    let mut command = Command::new("dockerd");
    // A keyboard interrupt must not reach the engine.
    command.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0);
    let daemon = command.spawn().map_err(|source| Error::Start { program: "dockerd".to_owned(), source })?;
    fs::write(&state, daemon.id().to_string()).map_err(Error::at(&state))?;
    wait_for("dockerd", docker::answers)?;
    Ok(true)
}

/// Stops the engine if it is a temporary one.
pub(super) fn stop() -> Result<(), Error> {
    let state = state_file()?;
    let process = match fs::read_to_string(&state) {
        Ok(process) => process,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(Error::at(&state)(source)),
    };
    // After a reboot of the machine, another process may have this id.
    let runs = || {
        let name = fs::read_to_string(format!("/proc/{process}/comm"));
        let state = fs::read_to_string(format!("/proc/{process}/stat"));
        let ended = state.is_ok_and(|state| state.contains(") Z "));
        name.is_ok_and(|name| name.trim() == "dockerd") && !ended
    };
    if runs() {
        shell("kill", &[&process])?;
        wait_for("the end of dockerd", || !runs())?;
    }
    fs::remove_file(&state).map_err(Error::at(&state))
}
