//! What the programs of a local system get and may.

use std::collections::BTreeMap;
#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::OsString;
#[cfg(unix)]
use std::path::{Path, PathBuf};

use super::account::Account;
#[cfg(unix)]
use crate::SystemErrorKind;

#[derive(Debug, Default)]
pub(super) struct Programs {
    pub(super) environment: Environment,
    pub(super) account: Option<Account>,
    #[cfg(unix)]
    pub(super) umask: Option<u32>,
    pub(super) output_limit: Option<usize>,
    #[cfg(unix)]
    pub(super) file_size_limit: Option<u64>,
}

/// Variables that are there for every program.
#[derive(Debug, Default)]
pub(super) struct Environment {
    /// Whether nothing is seen of the environment of the process.
    pub(super) hides_process: bool,
    pub(super) given: BTreeMap<String, String>,
}

impl Environment {
    /// The value of a variable.
    pub(super) fn get(&self, name: &str) -> Option<OsString> {
        match self.given.get(name) {
            Some(value) => Some(value.into()),
            None if self.hides_process => None,
            None => std::env::var_os(name),
        }
    }
}

#[cfg(unix)]
impl Programs {
    /// What a shell is to do before it becomes the program; `None` when there is nothing.
    ///
    /// These belong to a whole process, and may only be set in the one that becomes the program: what is between a fork and
    /// the program is out of reach for safe code, and a shell is there everywhere.
    pub(super) fn prelude(&self) -> Option<String> {
        /// POSIX counts these for `ulimit`, whatever blocks a disk has.
        const BLOCK: u64 = 512;

        let umask = self.umask.map(|mask| format!("umask {mask:04o} && "));
        let limit = self.file_size_limit.map(|bytes| format!("ulimit -f {} && ", bytes / BLOCK));
        let lines = [umask, limit].into_iter().flatten().collect::<String>();
        if lines.is_empty() { None } else { Some(lines + "exec \"$@\"") }
    }

    /// A variable of these would run code of its own in that shell, before there is any limit.
    pub(super) fn leads_the_shell(name: &str) -> bool {
        let begins = ["LD_", "DYLD_", "BASH_", "GLIBC_"].iter().any(|prefix| name.starts_with(prefix));
        begins || matches!(name, "ENV" | "SHELLOPTS" | "BASHOPTS" | "GCONV_PATH" | "LOCPATH" | "PS4")
    }
}

/// The file of a program, as the C library looks for it: a name without a slash in `path`.
#[cfg(unix)]
pub(super) fn find(program: &str, path: Option<&OsStr>, dir: &Path) -> Result<PathBuf, SystemErrorKind> {
    use std::os::unix::fs::PermissionsExt as _;

    let candidates: Vec<PathBuf> = if program.contains('/') {
        vec![dir.join(program)]
    } else {
        let path = path.unwrap_or(OsStr::new("/bin:/usr/bin"));
        std::env::split_paths(path).map(|folder| dir.join(folder).join(program)).collect()
    };
    let mut kind = SystemErrorKind::NotFound;
    for candidate in candidates {
        match std::fs::metadata(&candidate) {
            Ok(found) if found.is_file() && found.permissions().mode() & 0o111 != 0 => return Ok(candidate),
            Ok(_) => kind = SystemErrorKind::PermissionDenied,
            Err(_) => {}
        }
    }
    Err(kind)
}
