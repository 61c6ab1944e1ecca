//! Commands that are in a program of their own, which is found as cargo and git find theirs: beside this one, or in `PATH`.
//!
//! The server brings stores, controllers and doors, which `plan` and `apply` do not need; so whoever builds this program need
//! not build them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::error::CliError;
use crate::exit::Exit;
use crate::platform::{become_program, is_program};

/// The program that has the server and all that belongs to it.
const SERVER: &str = "converge-server";

/// The arguments of a command that is in another program.
///
/// They are taken as they are, and that program says what is wrong with them.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct PassedOn {
    /// What the command takes; `--help` lists it.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Becomes the program of the server, with the arguments of this process. Its exit code is that of this process, and it gets
/// the signals of this process.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn server() -> Result<Exit, CliError> {
    let here = env::current_exe().ok();
    let folder = here.as_deref().and_then(Path::parent);
    let path = env::var_os("PATH").unwrap_or_default();
    let Some(program) = find(SERVER, folder, &path) else {
        let place = folder.map(|folder| format!("in {} nor ", folder.display())).unwrap_or_default();
        return Err(CliError::NoProgram { program: SERVER, place });
    };
    let mut arguments = env::args_os();
    let mut command = Command::new(&program);
    // So its help says what was typed.
    let name = arguments.next().unwrap_or_else(|| SERVER.into());
    command.args(arguments);
    Err(CliError::Program { program, error: become_program(command, name) })
}

/// The first program of this name in `folder` or in the folders of `path`.
fn find(name: &str, folder: Option<&Path>, path: &OsStr) -> Option<PathBuf> {
    // What is relative would be another program in each working directory.
    let listed = env::split_paths(path).filter(|folder| folder.is_absolute());
    let folders = folder.map(Path::to_owned).into_iter().chain(listed);
    folders.map(|folder| folder.join(name)).find(|program| is_program(program))
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "files of this test")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_beside_comes_first() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let [beside, first, second] = ["beside", "first", "second"].map(folder);
        let path = env::join_paths([Path::new(""), Path::new("."), &first, &second]).unwrap();
        let check = |expect: Option<&Path>| {
            let found = find("program", Some(&beside), &path);
            assert_eq!(found.as_deref().and_then(Path::parent), expect);
        };
        let put = |folder: &Path, mode: u32| {
            fs::write(folder.join("program"), "").unwrap();
            fs::set_permissions(folder.join("program"), fs::Permissions::from_mode(mode)).unwrap();
        };
        check(None);
        put(&second, 0o755);
        check(Some(&second));
        // What cannot be run is passed over, as by a shell.
        put(&first, 0o644);
        check(Some(&second));
        put(&first, 0o755);
        check(Some(&first));
        put(&beside, 0o755);
        check(Some(&beside));
    }
}
