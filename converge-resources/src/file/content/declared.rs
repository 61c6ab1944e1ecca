//! The content of a file as it is declared, and what a check has found of it.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::Inherit;

use super::validate::Validation;
use crate::file::attributes::{Attributes, Changes};
use crate::file::mode::Mode;
use crate::text::Text;

/// The permissions of a new file before `mode` is looked at.
pub(super) const FRESH: Mode = Mode::new(0o600);

/// The content of one file.
#[derive(Debug, Export)]
pub struct FileContent {
    /// Path of the file.
    #[export]
    pub(super) destination: String,
    /// What the file contains.
    #[export]
    pub(super) content: Text,
    pub(super) attributes: Attributes,
    pub(super) backup: bool,
    pub(super) validation: Option<Validation>,
    pub(super) found: ContentFindings,
}

/// What the check found, for the apply.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContentFindings {
    pub(super) content_differs: bool,
    pub(super) exists: bool,
    /// Whether owner and mode of the file that is there stay where they are not given.
    pub(super) inherits: bool,
    pub(super) changes: Changes,
}

impl FileContent {
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    /// A secret is not for somebody who made a file there first.
    pub(super) fn inherit(&self) -> Inherit {
        if self.content.is_secret() { Inherit::FromTrusted } else { Inherit::FromAnyone }
    }
}
