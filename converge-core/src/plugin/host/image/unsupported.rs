//! No system but Linux has files in memory that can be run, so what is run could be another file than the one that was looked at.

use std::io;
use std::path::Path;
use std::process::Child;

use super::super::error::Problem;

const REASON: &str =
    "this system has no files in memory that can be run, so what is run could be another file";

/// There is none.
#[derive(Debug)]
pub(crate) enum Image {}

impl Image {
    pub(crate) fn trusted(_path: &Path) -> Result<Self, Problem> {
        Err(Problem::Unsupported(REASON))
    }

    pub(crate) fn pinned(_path: &Path, _sha256: &str) -> Result<Self, Problem> {
        Err(Problem::Unsupported(REASON))
    }

    pub(crate) fn sha256(&self) -> &str {
        match *self {}
    }

    pub(crate) fn spawn(&self, _shown: &Path) -> io::Result<Child> {
        match *self {}
    }
}

/// Nothing is started.
pub(crate) fn is_no_program(_error: &io::Error) -> bool {
    false
}
