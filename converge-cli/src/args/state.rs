//! Where a run keeps what a later one has to know.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::home;

/// Of root, whose home is not the place for what belongs to the machine.
const OF_THE_MACHINE: &str = "/var/lib/converge";

/// The arguments of the commands that run modules.
#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    /// Keep the refreshes that are owed in this folder [default: `/var/lib/converge` for root, else `converge` in
    /// `$XDG_STATE_HOME` or `~/.local/state`].
    #[arg(long, value_name = "DIR", env = "CONVERGE_STATE_DIR", hide_env_values = true)]
    state_dir: Option<PathBuf>,
}

impl StateArgs {
    /// The folder for the refreshes that are owed. `None` for a user without a home who names none.
    #[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
    pub(crate) fn journal(&self) -> Option<PathBuf> {
        let named = self.state_dir.clone().filter(|folder| !folder.as_os_str().is_empty());
        let usual = || {
            let is_root = nix::unistd::geteuid().is_root();
            usual(is_root, std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"))
        };
        named.or_else(usual).map(|folder| folder.join("refreshes"))
    }
}

/// The folder that is meant when none is named.
fn usual(is_root: bool, xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    if is_root {
        return Some(PathBuf::from(OF_THE_MACHINE));
    }
    home::folder(xdg, home, ".local/state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_where_users_keep_such_things() {
        let check = |is_root, xdg: Option<&str>, home: Option<&str>, expect: Option<&str>| {
            let found = usual(is_root, xdg.map(OsString::from), home.map(OsString::from));
            assert_eq!(found, expect.map(PathBuf::from), "{xdg:?} {home:?}");
        };
        check(true, Some("/s"), Some("/root"), Some("/var/lib/converge"));
        check(false, Some("/s"), Some("/h"), Some("/s/converge"));
        check(false, None, Some("/h"), Some("/h/.local/state/converge"));
        check(false, None, None, None);
    }
}
