//! Commands of the separate program `converge-server`, found next to this executable or in `PATH`.
//!
//! cargo and git find their subcommands in the same way. The server brings stores, controllers and listeners
//! that `plan` and `apply` do not need, so a build of this program leaves them out.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::error::CliError;
use crate::exit::Exit;
use crate::platform::{become_program, is_program};

/// The name of the server program.
const SERVER: &str = "converge-server";

/// The arguments of a command that is in another program.
///
/// They are passed on unchanged; the other program reports mistakes in them.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct ForwardedArgs {
    /// Arguments of the command; `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Replaces this process by the server program, with the same arguments.
///
/// The exit code of the program is that of this process, and signals to this process reach the program.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
pub(crate) fn server() -> Result<Exit, CliError> {
    let executable = env::current_exe().ok();
    let folder = executable.as_deref().and_then(Path::parent);
    let path = env::var_os("PATH").unwrap_or_default();
    let Some(program) = find(SERVER, folder, &path) else {
        let place = folder.map(|folder| format!("in {} nor ", folder.display())).unwrap_or_default();
        return Err(CliError::NoProgram { program: SERVER, place });
    };
    let mut arguments = env::args_os();
    let mut command = Command::new(&program);
    // The help of the program then shows the name that the user typed.
    let name = arguments.next().unwrap_or_else(|| SERVER.into());
    command.args(arguments);
    Err(CliError::Program { program, error: become_program(command, name) })
}

/// Returns the first program with this name in `folder` or in the folders of `path`.
fn find(name: &str, folder: Option<&Path>, path: &OsStr) -> Option<PathBuf> {
    // A relative folder would find a different program in each working directory.
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
            let actual = find("program", Some(&beside), &path);
            assert_eq!(actual.as_deref().and_then(Path::parent), expect);
        };
        let write_program = |folder: &Path, mode: u32| {
            fs::write(folder.join("program"), "").unwrap();
            fs::set_permissions(folder.join("program"), fs::Permissions::from_mode(mode)).unwrap();
        };
        check(None);
        write_program(&second, 0o755);
        check(Some(&second));
        // A file that is not executable is skipped, as by a shell.
        write_program(&first, 0o644);
        check(Some(&second));
        write_program(&first, 0o755);
        check(Some(&first));
        write_program(&beside, 0o755);
        check(Some(&beside));
    }
}
