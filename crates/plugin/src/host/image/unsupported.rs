//! A stub for platforms other than Linux.
//!
//! Only Linux can run files in memory. Elsewhere the file that runs could differ from the file that was
//! verified.

use std::io;
use std::path::Path;
use std::process::Child;

use super::super::error::Problem;

const REASON: &str =
    "this system has no files in memory that can be run, so what is run could be another file";

/// An uninhabited type: this platform has no images.
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

/// Always false: no program is started on this platform.
pub(crate) fn is_no_program(_error: &io::Error) -> bool {
    false
}
