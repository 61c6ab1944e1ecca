//! The environment and limits of the programs of a local system.

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

#[derive(Debug, Default)]
pub(super) struct Environment {
    /// Whether the environment of the process is hidden.
    pub(super) hides_process: bool,
    pub(super) given: BTreeMap<String, String>,
}

impl Environment {
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
    /// Returns the commands that a shell runs before the program; `None` if there are none.
    ///
    /// These settings belong to a process and must be set between `fork` and `exec`, which safe code cannot
    /// do. A shell is always available.
    pub(super) fn prelude(&self) -> Option<String> {
        /// The block size that POSIX defines for `ulimit`, whatever blocks a disk has.
        const BLOCK: u64 = 512;

        let umask = self.umask.map(|mask| format!("umask {mask:04o} && "));
        let limit = self.file_size_limit.map(|bytes| format!("ulimit -f {} && ", bytes / BLOCK));
        let lines = [umask, limit].into_iter().flatten().collect::<String>();
        if lines.is_empty() { None } else { Some(lines + "exec \"$@\"") }
    }

    /// Whether a variable could make the shell run other code before the limits are set.
    pub(super) fn leads_the_shell(name: &str) -> bool {
        let has_prefix = ["LD_", "DYLD_", "BASH_", "GLIBC_"].iter().any(|prefix| name.starts_with(prefix));
        has_prefix || matches!(name, "ENV" | "SHELLOPTS" | "BASHOPTS" | "GCONV_PATH" | "LOCPATH" | "PS4")
    }
}

/// Finds the file of a program like the C library: a name without a slash is searched in `path`.
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
            Ok(metadata) if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 => {
                return Ok(candidate);
            }
            Ok(_) => kind = SystemErrorKind::PermissionDenied,
            Err(_) => {}
        }
    }
    Err(kind)
}
