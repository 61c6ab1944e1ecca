//! A working directory; there is no root.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// By default that is as for the process.
#[derive(Debug, Default)]
pub(crate) struct Place {
    working: Option<PathBuf>,
}

impl Place {
    /// A place in this directory. There is no way to keep paths below a root: nothing here is reached by what is held.
    pub(crate) fn new(root: Option<&Path>, working: Option<PathBuf>) -> io::Result<Self> {
        if root.is_some() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "a root is not supported on windows"));
        }
        Ok(Self { working })
    }

    /// The directory in which relative paths begin, unless that is the one of the process.
    pub(crate) fn working(&self) -> Option<&Path> {
        self.working.as_deref()
    }

    /// The path with what it begins in.
    pub(crate) fn absolute<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.working {
            Some(working) if !path.as_os_str().is_empty() => Cow::Owned(working.join(path)),
            _ => Cow::Borrowed(path),
        }
    }
}
