//! The `file.line` resource: one line of a file.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::FileLine;

use super::edit::insertion_point::{InsertFields, Which};
use super::edit::pattern::Pattern;
use super::edit::replacement::Replacement;
use super::edit::{EditedFile, Editing, claim_part, invalid};
use crate::text::Text;
use edit::{Change, LineEdit};

/// Ensures that a line is in a file, or that lines are absent.
///
/// With `match`, the line replaces a matching line, by default the last one. If none matches, and the line is
/// not present already, it is added. With `state = "absent"`, each line that matches is removed, or without
/// `match` each line equal to `line`.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte, and so do line endings, including `\r\n`. The file is
/// replaced as a whole, as by `file.content`. The edit applies to the file as it is at the moment of the
/// apply, so changes that others made since the check are kept. Editors of one run never edit a file at the
/// same time. An edit that would change the file again in each run is an error.
///
/// # Caveats
///
/// Only UTF-8 text of at most 8 MiB is edited. If another program writes the file at the moment when it is
/// replaced, what that program wrote is lost.
#[derive(Debug, Preparer)]
#[preparer(name = "file.line", task = FileLine, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct LinePreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The line, without its line ending.
    #[hcl(required_if = "state=present")]
    line: Option<Text>,
    /// A regular expression for the lines that are replaced or removed.
    ///
    /// It matches anywhere in a line: `^` is its begin, `$` its end.
    #[hcl(name = "match")]
    matching: Option<Pattern>,
    /// Whether `\1` and `\g<name>` in `line` stand for the groups of `match`.
    ///
    /// If no line matches, nothing is changed then.
    #[hcl(default, requires = "match")]
    back_references: bool,
    /// The matching line that is replaced; the default is the last.
    ///
    /// It also selects the line for `insert_after` and `insert_before`. With `state = "absent"`, all matching
    /// lines are removed.
    which: Option<Which>,
    #[hcl(embed)]
    beside: InsertFields,
    /// Whether the line is to be present.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

impl LinePreparer {
    /// Returns the line parsed for references, if `back_references` is set.
    fn replacement(&self) -> Result<Option<Replacement>, FieldError> {
        let (true, Some(line), Some(pattern)) = (self.back_references, &self.line, &self.matching) else {
            return Ok(None);
        };
        let checked = Replacement::parse(line).and_then(|replacement| {
            replacement.check(pattern.regex())?;
            Ok(replacement)
        });
        checked.map(Some).map_err(|reason| {
            invalid(
                "line",
                if line.is_secret() { "it refers to a group that does not exist".to_owned() } else { reason },
            )
        })
    }
}

impl HasFootprint for LinePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let is_secret = self.line.as_ref().is_some_and(Text::is_secret)
            || self.matching.as_ref().is_some_and(Pattern::is_secret);
        // A line with references is known only with the line that it replaces.
        if !is_secret && !self.back_references {
            let line = self.line.as_deref().filter(|_| self.state.is_present());
            let pattern = self.matching.as_ref().map(Pattern::shown);
            footprint.edits_line(&self.destination, line, pattern);
            if let Some(line) = self.line.as_ref() {
                claim_part(
                    footprint,
                    ("line", &self.destination),
                    &[line],
                    self.state.is_present().then_some(""),
                );
            }
        }
    }
}

impl Validate for LinePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = [self.beside.validate(), self.editing.validate()].concat();
        if self.line.as_ref().is_some_and(|line| line.contains(['\n', '\r'])) {
            errors.push(invalid("line", "it is more than one line: write a `file.block` for several"));
        }
        errors.extend(self.replacement().err());
        if let Some(reason) = self.matching.as_ref().and_then(Pattern::never_in_a_line) {
            errors.push(invalid("match", reason));
        }
        if self.back_references {
            let fields = self.beside.written().into_iter();
            errors.extend(fields.map(|field| {
                invalid(
                    field,
                    "with `back_references` only lines that match are changed, and none is inserted",
                )
            }));
        }
        if self.state == Ensure::Absent {
            match (&self.line, &self.matching) {
                (Some(_), Some(_)) => {
                    errors.push(invalid("line", "with `state = \"absent\"` it is this or `match`, not both"));
                }
                (None, None) => {
                    errors.push(invalid("state", "write `match` or `line` to choose the lines to remove"));
                }
                _ => {}
            }
            if matches!(self.which, Some(Which::First | Which::Last)) {
                errors.push(invalid(
                    "which",
                    "each run would remove another line: with `state = \"absent\"` it is all",
                ));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for LinePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<FileLine> {
        let replacement = self.replacement().map_err(|error| vec![error])?;
        let line = self.line.unwrap_or_default();
        let change = match (self.state, self.matching, replacement) {
            (Ensure::Absent, Some(pattern), _) => Change::RemoveMatches(pattern),
            (Ensure::Absent, None, _) => Change::Remove(line.clone()),
            (Ensure::Present, Some(pattern), Some(replacement)) => {
                Change::Rewrite { pattern, replacement, secret: line.is_secret() }
            }
            (Ensure::Present, pattern, _) => {
                Change::Put { line: line.clone(), pattern, place: self.beside.into() }
            }
        };
        let edit = LineEdit { change, which: self.which.unwrap_or(Which::Last) };
        let file = EditedFile::new(self.destination.clone(), self.editing)?;
        Ok(FileLine { destination: self.destination, line, state: self.state, edit, file })
    }
}
