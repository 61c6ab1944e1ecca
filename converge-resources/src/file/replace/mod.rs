//! The `file.replace` resource: replacement of all matches of a regular expression in a file.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Replace;

use super::edit::pattern::Pattern;
use super::edit::replacement::Replacement;
use super::edit::{Edit as _, EditedFile, Editing, invalid};
use crate::text::Text;
use edit::ReplaceEdit;

/// Replaces the matches of a regular expression in a file.
///
/// `^` and `$` are at the begin and the end of each line. A file without a match is as declared; a file that
/// does not exist is an error, or with `create` an empty file.
///
/// # Guarantees
///
/// All text that does not match stays as it is, byte for byte. A replacement that matches again is an error,
/// because it would change the file in each run. The file is replaced as a whole, as by `file.content`. The
/// edit applies to the file as it is at the moment of the apply; editors of one run never edit a file at the
/// same time.
///
/// # Caveats
///
/// Only UTF-8 text of at most 8 MiB is edited, and the result has the same limit. If another program writes
/// the file at the moment when it is replaced, what that program wrote is lost.
#[derive(Debug, Preparer)]
#[preparer(name = "file.replace", task = Replace, validate, lock = "file.edit", example = "example.hcl")]
pub struct ReplacePreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The regular expression. A leading `(?s)` lets `.` match line endings too, and `(?i)` ignores case.
    #[hcl(required, nonempty)]
    pattern: Pattern,
    /// The replacement of each match.
    ///
    /// `\1` and `\g<name>` stand for the groups of the expression, `\n` and `\t` for a newline and a tab,
    /// `\\` for a backslash.
    #[hcl(required)]
    replacement: Text,
    /// The maximum number of matches.
    ///
    /// More matches are an error, and nothing is replaced. Without it, any number is allowed.
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
            invalid(
                "replacement",
                if secret { "it refers to a group that does not exist".to_owned() } else { reason },
            )
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
                let invalid_literal =
                    literal.filter(|literal| edit.edit(literal).is_ok_and(|edited| edited.text != *literal));
                errors.extend(invalid_literal.map(|_| invalid("pattern", edit.unsettled())));
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
