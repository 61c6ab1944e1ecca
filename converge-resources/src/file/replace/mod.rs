//! `file.replace`: all that a regular expression matches in a file.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Replace;

use super::edit::pattern::Pattern;
use super::edit::replacement::Replacement;
use super::edit::{Edit as _, EditedFile, Editing, invalid};
use crate::text::Text;
use edit::ReplaceEdit;

/// Replaces what a regular expression matches in a file.
///
/// `^` and `$` are at the begin and the end of each line. A file in which nothing matches is as declared.
///
/// # Guarantees
///
/// All that does not match stays as it is, byte for byte. What would replace again what it has put there is an error, as it would change
/// the file in each run. The file is replaced as a whole, as by `file.content`, and edited as it is at the moment of the apply; editors
/// of one run never edit at the same time.
///
/// # Caveats
///
/// Only text in UTF-8 of at most 8 MiB is edited, and no more comes of it. A file that others write at the very moment when it is
/// replaced loses what they write.
#[derive(Debug, Preparer)]
#[preparer(name = "file.replace", task = Replace, validate, lock = "file.edit", example = "example.hcl")]
pub struct ReplacePreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The regular expression. `(?s)` before it lets `.` match ends of lines, too, and `(?i)` makes it blind to case.
    #[hcl(required, nonempty)]
    pattern: Pattern,
    /// What takes the place of each match: `\1` and `\g<name>` stand for what the groups of the expression have matched, `\n` and `\t` for a
    /// newline and a tab, `\\` for a backslash.
    #[hcl(required)]
    replacement: Text,
    /// How often the expression may match; more is an error, and nothing is replaced. Without it any number of times is right.
    #[hcl(min = 1)]
    count: Option<u32>,
    #[hcl(embed)]
    editing: Editing,
}

impl ReplacePreparer {
    fn edit(&self) -> Result<ReplaceEdit, FieldError> {
        let checked = Replacement::parse(&self.replacement).and_then(|replacement| {
            replacement.check(self.pattern.regex())?;
            Ok(replacement)
        });
        let secret = self.replacement.is_secret();
        let replacement = checked.map_err(|reason| {
            invalid("replacement", if secret { "it refers to what is no group".to_owned() } else { reason })
        })?;
        let secret = secret || self.pattern.is_secret();
        Ok(ReplaceEdit { pattern: self.pattern.clone(), replacement, count: self.count, secret })
    }
}

impl Validate for ReplacePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = self.editing.validate();
        match self.edit() {
            Ok(edit) => {
                let literal = edit.replacement.literal();
                let again =
                    literal.filter(|literal| edit.edit(literal).is_ok_and(|edited| edited.text != *literal));
                errors.extend(again.map(|_| invalid("pattern", edit.unsettled())));
            }
            Err(error) => errors.push(error),
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for ReplacePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Replace> {
        let edit = self.edit().map_err(|error| vec![error])?;
        let file = EditedFile::new(self.destination.clone(), self.editing)?;
        Ok(Replace { destination: self.destination, replacement: self.replacement, edit, file })
    }
}
