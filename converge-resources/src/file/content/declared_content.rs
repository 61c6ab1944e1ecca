//! The content of a file as it is declared, and what a check has found of it.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::Inherit;
use converge_core::value::{FieldError, FieldErrorKind};

use super::validate::Validation;
use super::write_options::Writing;
use crate::file::attributes::{Attributes, Changes};
use crate::file::mode::Mode;
use crate::file::sibling_path;
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
    /// Whether a file that is there keeps its content.
    pub(super) only_if_missing: bool,
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
    /// # Errors
    ///
    /// There is to be a backup, and there can be none.
    pub(crate) fn new(destination: String, content: Text, writing: Writing) -> Result<Self> {
        let Writing { attributes, backup, validate, only_if_missing } = writing;
        if backup && sibling_path::backup(Path::new(&destination)).is_none() {
            let message = "the name of the file is too long for one with `.bak` after it".to_owned();
            return Err(vec![FieldError::new("backup", FieldErrorKind::Invalid { message })].into());
        }
        let found = ContentFindings::default();
        Ok(Self { destination, content, attributes, backup, validation: validate, only_if_missing, found })
    }

    /// Declares another content. What was found by a check is about the one before.
    pub(crate) fn declare(&mut self, content: Text) {
        self.content = content;
        self.found = ContentFindings::default();
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    /// A secret is not for somebody who made a file there first.
    pub(super) fn inherit(&self) -> Inherit {
        if self.content.is_secret() { Inherit::FromTrusted } else { Inherit::FromAnyone }
    }
}
