//! The `file.block` resource: lines of a file between two marker lines.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Block;

use super::edit::insertion_point::InsertFields;
use super::edit::{EditedFile, Editing, claim_part, invalid};
use crate::text::Text;
use edit::{BlockEdit, Markers};

/// Ensures that a block of lines is in a file, between two marker lines, or that it is not.
///
/// An existing block is replaced in place. A new block is added at the end of the file, or at the position
/// given by `insert_after` or `insert_before`. Several blocks of one file need different markers.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte. The lines of the block have the same line ending as the
/// first line of the file. Damaged markers (one of the two is missing, duplicate, or in the wrong order) are
/// an error, and the file is not touched. The file is replaced as a whole, as by `file.content`. The edit
/// applies to the file as it is at the moment of the apply; editors of one run never edit a file at the same
/// time.
///
/// # Caveats
///
/// Only UTF-8 text of at most 8 MiB is edited. If another program writes the file at the moment when it is
/// replaced, what that program wrote is lost.
#[derive(Debug, Preparer)]
#[preparer(name = "file.block", task = Block, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct BlockPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The lines of the block. A newline at the end does not add a line.
    #[hcl(required_if = "state=present")]
    content: Option<Text>,
    /// The marker line, in which `{mark}` stands for the text that distinguishes begin and end.
    ///
    /// It has to be a comment in the language of the file.
    #[hcl(default = "# {mark} of what converge manages")]
    marker: Text,
    /// The text for `{mark}` in the line before the block.
    #[hcl(default = "BEGIN")]
    marker_begin: Text,
    /// The text for `{mark}` in the line after the block.
    #[hcl(default = "END")]
    marker_end: Text,
    #[hcl(embed)]
    beside: InsertFields,
    /// Whether the block is to be present. `absent` also removes its markers.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

/// The placeholder for begin or end in `marker`.
const MARK: &str = "{mark}";

impl BlockPreparer {
    fn markers(&self) -> Markers {
        let secret = [&self.marker, &self.marker_begin, &self.marker_end].into_iter().any(Text::is_secret);
        let marker = |mark: &str| Text::new(self.marker.replace(MARK, mark), secret);
        Markers { begin: marker(&self.marker_begin), end: marker(&self.marker_end) }
    }
}

impl HasFootprint for BlockPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let markers = self.markers();
        let content = self.content.as_ref().filter(|_| self.state.is_present());
        claim_part(footprint, ("block", &self.destination), &[&markers.begin], content.map(|text| &**text));
    }
}

impl Validate for BlockPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = [self.beside.validate(), self.editing.validate()].concat();
        let markers = self.markers();
        if !self.marker.contains(MARK) {
            errors.push(invalid(
                "marker",
                "it does not say `{mark}`, so the start and the end of the block look the same",
            ));
        } else if self.marker_begin == self.marker_end {
            errors.push(invalid("marker_end", "it is the same as `marker_begin`"));
        } else if [&markers.begin, &markers.end].into_iter().any(|marker| marker.contains(['\n', '\r'])) {
            errors.push(invalid("marker", "it is more than one line"));
        } else if self.content.as_ref().is_some_and(|content| markers.are_in(content)) {
            errors.push(invalid("content", "it has a line that is one of the markers"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for BlockPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Block> {
        let markers = self.markers();
        let content = self.content.unwrap_or_default();
        let edit = BlockEdit {
            content: self.state.is_present().then(|| content.clone()),
            secret: content.is_secret() || markers.begin.is_secret(),
            markers,
            place: self.beside.into(),
        };
        let file = EditedFile::new(self.destination.clone(), self.editing)?;
        Ok(Block { destination: self.destination, content, state: self.state, edit, file })
    }
}
