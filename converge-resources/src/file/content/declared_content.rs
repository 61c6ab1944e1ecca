//! The declared content of a file, and the findings of its check.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Inherit;
use converge_sdk::value::{FieldError, FieldErrorKind};

use super::validate::Validation;
use super::write_options::Writing;
use crate::file::attributes::{Attributes, Changes};
use crate::file::destination_link::FollowLink;
use crate::file::mode::Mode;
use crate::file::sibling_path;
use crate::text::Text;

/// The permissions of a new file before `mode` is applied.
pub(super) const FRESH: Mode = Mode::new(0o600);

/// The declaration of one file's content, with mode and owner.
#[derive(Debug, Export)]
pub struct FileContent {
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The content of the file.
    #[export]
    pub(super) content: Text,
    pub(super) attributes: Attributes,
    pub(super) backup: bool,
    pub(super) validation: Option<Validation>,
    /// Whether an existing file keeps its content.
    pub(super) only_if_missing: bool,
    pub(super) follow: FollowLink,
    pub(super) found: ContentFindings,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContentFindings {
    pub(super) content_differs: bool,
    pub(super) exists: bool,
    /// Whether the existing owner and mode are kept where the module gives none.
    pub(super) inherits: bool,
    pub(super) changes: Changes,
}

impl FileContent {
    /// Creates the declaration of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if a backup is declared and the file name is too long for the suffix `.bak`.
    pub(crate) fn new(destination: String, content: Text, writing: Writing) -> Result<Self> {
        let Writing { attributes, backup, validate, only_if_missing, follow } = writing;
        if backup && sibling_path::backup(Path::new(&destination)).is_none() {
            let message = "the name of the file is too long for one with `.bak` after it".to_owned();
            return Err(vec![FieldError::new("backup", FieldErrorKind::Invalid { message })].into());
        }
        let findings = ContentFindings::default();
        Ok(Self {
            destination,
            content,
            attributes,
            backup,
            validation: validate,
            only_if_missing,
            follow: FollowLink(follow),
            found: findings,
        })
    }

    /// Declares another content, and drops the findings about the previous one.
    pub(crate) fn declare(&mut self, content: Text) {
        self.content = content;
        self.found = ContentFindings::default();
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    /// Returns whose mode and owner a new file may inherit.
    ///
    /// A secret does not inherit from a file that an untrusted user may have created there first.
    pub(super) fn inherit(&self) -> Inherit {
        if self.content.is_secret() { Inherit::FromTrusted } else { Inherit::FromAnyone }
    }
}
