//! Files of text that are changed in some places: what the editors have in common.
//!
//! What an editor makes of a text is a pure function, an [`Edit`]; [`EditedFile`] reads the file, and has it written as `file.content`
//! does.

mod file;
pub(crate) mod insertion_point;
pub(crate) mod lines;
pub(crate) mod pattern;
pub(crate) mod replacement;
#[cfg(test)]
pub(crate) mod testing;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub(crate) use file::EditedFile;

use super::content::write_options::Writing;

/// The most bytes of a file that is edited. All of it is in memory, several times.
pub(crate) const TEXT_BYTES: u64 = 8 << 20;

/// What an editor makes of a text.
pub(crate) trait Edit {
    /// The new text. It is asked for again with what it gave, and has to give the same then.
    ///
    /// # Errors
    ///
    /// The text is not one that can be edited, with the reason.
    fn edit(&self, text: &str) -> Result<Edited, String>;

    /// Whether a secret is put into the text.
    fn is_secret(&self) -> bool;

    /// What is said of an edit that gives something else each time.
    fn unsettled(&self) -> &'static str;
}

/// A text that was edited.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// What was not as expected, for people.
    pub(crate) notes: Vec<String>,
}

impl Edited {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), notes: Vec::new() }
    }

    pub(crate) fn noting(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// What a module says to every editor.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Editing {
    /// Whether a file that does not exist is made. Without it that is an error.
    #[hcl(default, ensures = "path:existence of destination")]
    pub(super) create: bool,
    #[hcl(embed)]
    pub(super) writing: Writing,
}

impl Editing {
    /// What is wrong with it.
    pub(crate) fn validate(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if self.writing.only_if_missing && !self.create {
            errors.push(invalid("only_if_missing", "there is nothing to do without `create = true`"));
        }
        errors
    }
}

pub(crate) use crate::invalid::invalid;
