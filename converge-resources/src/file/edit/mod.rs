//! Edits of text files: the common part of the editor resources.
//!
//! An [`Edit`] is a pure function on a text. [`EditedFile`] reads the file, and writes the result as
//! `file.content` does.

mod file;
pub(crate) mod insertion_point;
pub(crate) mod lines;
pub(crate) mod pattern;
pub(crate) mod replacement;
#[cfg(test)]
pub(crate) mod testing;

use converge_sdk::footprint::{Footprint, Thing};
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub(crate) use file::EditedFile;

use super::content::write_options::Writing;
use crate::text::Text;

/// The maximum size in bytes of a file to edit. The whole file is in memory several times.
pub(crate) const TEXT_BYTES: u64 = 8 << 20;

/// A pure function that changes a text.
pub(crate) trait Edit {
    /// Returns the new text.
    ///
    /// The edit is also applied to its own result, which it must leave unchanged.
    ///
    /// # Errors
    ///
    /// Returns the reason why the text cannot be edited.
    fn edit(&self, text: &str) -> Result<Edited, String>;

    /// Whether the edit changes only what is in the file, so that it can do nothing without the file.
    fn needs_file(&self) -> bool {
        false
    }

    /// Whether the edit puts a secret into the text.
    fn is_secret(&self) -> bool;

    /// Returns the error message for an edit that changes its own result.
    fn unsettled(&self) -> &'static str;
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// Notes about unexpected content, for the user.
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

/// The declared fields that all editors share.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Editing {
    /// Whether a missing file is created. Without it, a missing file is an error.
    #[hcl(default, ensures = "path:existence of destination")]
    pub(super) create: bool,
    #[hcl(embed)]
    pub(super) writing: Writing,
}

impl Editing {
    pub(crate) fn validate(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if self.writing.only_if_missing && !self.create {
            errors.push(invalid("only_if_missing", "there is nothing to do without `create = true`"));
        }
        errors
    }
}

pub(crate) use crate::invalid::invalid;

/// Claims a part of a file: the names that lead to it, and its value, or `None` if it is to be absent.
///
/// Secret names are not claimed, because messages show the names of claims.
pub(crate) fn claim_part(
    footprint: &mut Footprint,
    (kind, path): (&'static str, &str),
    names: &[&Text],
    value: Option<&str>,
) {
    if names.iter().any(|name| name.is_secret()) {
        return;
    }
    let names: Vec<&str> = names.iter().map(|name| &***name).collect();
    let name = format!("{} in {}", names.join(" > "), Thing::path(path).name());
    footprint.sets(kind, &name, &value.map_or("absent".to_owned(), |value| format!("= {value}")));
}
