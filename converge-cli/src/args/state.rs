//! Options for the folder of state that outlives a run.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use converge_core::RunMode;
use converge_core::engine::Engine;
use converge_core::state::{Locks, Owner, State, StateError};

use super::home;
use crate::console::Console;
use crate::error::CliError;
use crate::platform::{is_root, state_folders};

/// The state folder of root: state of the machine does not belong in a home folder.
const SYSTEM_FOLDER: &str = "/var/lib/converge";

/// The state arguments of commands that run modules.
#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    /// Keep the lock and pending refreshes in this folder, which nobody else may write to [default:
    /// `/var/lib/converge` for root, else `converge` in `$XDG_STATE_HOME` or `~/.local/state`]
    #[arg(long, value_name = "DIR", env = "CONVERGE_STATE_DIR", hide_env_values = true)]
    state_dir: Option<PathBuf>,

    /// Run for this owner, if several owners share one state. The run waits only for applies of the same
    /// owner, and makes only the refreshes that are pending for it. Applies of other owners still take turns
    /// at what a machine has only once, such as its packages. A plan that `plan --out` wrote is applied for
    /// the owner that it was made for
    #[arg(long, value_name = "NAME", env = "CONVERGE_OWNER", hide_env_values = true)]
    owner: Option<Owner>,
}

impl StateArgs {
    /// Sets the state and the owner of a run on an engine.
    ///
    /// The owner is the one named on the command line, or that of the plan being applied.
    ///
    /// # Errors
    ///
    /// See [`open`](Self::open).
    pub(crate) fn configure(
        &self,
        engine: Engine,
        mode: RunMode,
        planned: Option<&Owner>,
        console: Console,
    ) -> Result<Engine, CliError> {
        let owner = self.owner.as_ref().or(planned);
        let engine = owner.into_iter().cloned().fold(engine, Engine::with_owner);
        Ok(match self.open(mode, console)? {
            // Owners do not wait for each other, so machine-wide locks have to work between processes.
            Some(state) => engine.with_locks(Locks::in_state(&state)).with_state_folder(state),
            None => engine,
        })
    }

    /// Opens the state for a run.
    ///
    /// A plan continues without state. So does the apply of a user who names no folder and has no home for
    /// one; a warning then says what that means.
    ///
    /// # Errors
    ///
    /// An apply by root fails without the state of the machine, and any apply fails without a state that was
    /// named.
    fn open(&self, mode: RunMode, console: Console) -> Result<Option<State>, CliError> {
        let state_dir = self.state_dir.clone().filter(|folder| !folder.as_os_str().is_empty());
        let is_root = is_root();
        let is_required = mode == RunMode::Apply && (is_root || state_dir.is_some());
        let usual = || {
            let [states, home] = state_folders();
            default_folder(is_root, states, home)
        };
        let reason = match (state_dir.or_else(usual), mode) {
            (None, RunMode::Plan) => return Ok(None),
            (None, RunMode::Apply) => "the user has no home directory".to_owned(),
            (Some(folder), _) => match open(folder, mode) {
                Ok(state) => return Ok(state),
                Err(error) if is_required => return Err(CliError::State(error)),
                Err(error) => error.to_string(),
            },
        };
        console.warning(match mode {
            RunMode::Plan => format!("pending refreshes are not shown: {reason}"),
            RunMode::Apply => format!(
                "no state directory: another apply may run at the same time, and refreshes that this run does not complete are lost: {reason}; set one with --state-dir"
            ),
        });
        Ok(None)
    }
}

fn open(folder: PathBuf, mode: RunMode) -> Result<Option<State>, StateError> {
    match mode {
        RunMode::Plan => State::find(folder),
        RunMode::Apply => State::create(folder).map(Some),
    }
}

/// Returns the default state folder.
fn default_folder(is_root: bool, xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    if is_root {
        return Some(PathBuf::from(SYSTEM_FOLDER));
    }
    home::folder(xdg, home, ".local/state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_where_users_keep_such_things() {
        let check = |is_root, xdg: Option<&str>, home: Option<&str>, expect: Option<&str>| {
            let actual = default_folder(is_root, xdg.map(OsString::from), home.map(OsString::from));
            assert_eq!(actual, expect.map(PathBuf::from), "{xdg:?} {home:?}");
        };
        check(true, Some("/s"), Some("/root"), Some("/var/lib/converge"));
        check(false, Some("/s"), Some("/h"), Some("/s/converge"));
        check(false, None, Some("/h"), Some("/h/.local/state/converge"));
        check(false, None, None, None);
    }
}
