//! The path root on Windows: a working directory, without a root.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// The start of relative paths.
///
/// The default is that of the process.
#[derive(Debug, Default)]
pub(crate) struct PathRoot {
    working: Option<PathBuf>,
}

impl PathRoot {
    /// Creates the start of relative paths.
    ///
    /// A root is refused, because paths cannot be confined without open handles.
    pub(crate) fn new(root: Option<&Path>, working: Option<PathBuf>) -> io::Result<Self> {
        if root.is_some() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "a root is not supported on windows"));
        }
        Ok(Self { working })
    }

    /// Returns the start of relative paths, unless it is the working directory of the process.
    pub(crate) fn working(&self) -> Option<&Path> {
        self.working.as_deref()
    }

    pub(crate) fn absolute<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.working {
            Some(working) if !path.as_os_str().is_empty() => Cow::Owned(working.join(path)),
            _ => Cow::Borrowed(path),
        }
    }
}
