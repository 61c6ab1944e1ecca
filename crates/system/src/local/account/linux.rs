//! Lookup of the user that programs run as.

use std::ffi::{CString, OsStr};
use std::io;
use std::path::PathBuf;

use nix::unistd::{Gid, getgrouplist};

use crate::{RunAs, SystemError, SystemErrorKind};

#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) ids: RunAs,
    pub(crate) home: PathBuf,
    pub(crate) shell: PathBuf,
}

impl Account {
    pub(crate) fn find(name: &str) -> Result<Self, SystemError> {
        let failed = |kind: SystemErrorKind| SystemError::other("run programs as", name, kind);
        let entry =
            nix::unistd::User::from_name(name).map_err(|error| failed(io::Error::from(error).into()))?;
        let user = entry.ok_or_else(|| failed(SystemErrorKind::NotFound))?;
        let login = CString::new(name).map_err(|_| failed(SystemErrorKind::NotFound))?;
        let groups = getgrouplist(&login, user.gid).map_err(|error| failed(io::Error::from(error).into()))?;
        Ok(Self {
            ids: RunAs {
                name: user.name,
                uid: user.uid.as_raw(),
                gid: user.gid.as_raw(),
                groups: groups.into_iter().map(Gid::as_raw).collect(),
            },
            home: user.dir,
            shell: user.shell,
        })
    }

    pub(crate) fn ids(&self) -> &RunAs {
        &self.ids
    }

    /// Returns the environment variables that describe the user.
    pub(crate) fn env(&self) -> [(&'static str, &OsStr); 4] {
        let name = OsStr::new(&self.ids.name);
        [
            ("HOME", self.home.as_os_str()),
            ("LOGNAME", name),
            ("SHELL", self.shell.as_os_str()),
            ("USER", name),
        ]
    }
}
