//! `file.block`: some lines of a file, between two lines that mark them.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Block;

use super::edit::insertion_point::Beside;
use super::edit::{EditedFile, Editing, invalid};
use crate::text::Text;
use edit::{BlockEdit, Markers};

/// Sees to it that a block of lines is in a file, between two lines that mark it, or that it is not.
///
/// A block that is there is replaced where it is. One that is not is added at the end of the file, or where `insert_after` or
/// `insert_before` says. Several blocks of one file need markers of their own.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte; the lines of the block end as the first line of the file does. Markers that are
/// damaged (one of the two is missing, they are there twice or in the wrong order) are an error, and the file is not touched. The file
/// is replaced as a whole, as by `file.content`, and edited as it is at the moment of the apply; editors of one run never edit at the
/// same time.
///
/// # Caveats
///
/// Only text in UTF-8 of at most 8 MiB is edited. A file that others write at the very moment when it is replaced loses what they
/// write.
#[derive(Debug, Preparer)]
#[preparer(name = "file.block", task = Block, validate, lock = "file.edit", example = "example.hcl")]
pub struct BlockPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The lines of the block. A newline at its end makes no line.
    #[hcl(required_if = "state=present")]
    content: Option<Text>,
    /// The line that marks the block, in which `{mark}` stands for what tells its begin from its end. It has to be a comment in the
    /// language of the file.
    #[hcl(default = "# {mark} of what converge manages")]
    marker: Text,
    /// What `{mark}` is in the line before the block.
    #[hcl(default = "BEGIN")]
    marker_begin: Text,
    /// What `{mark}` is in the line behind it.
    #[hcl(default = "END")]
    marker_end: Text,
    #[hcl(embed)]
    beside: Beside,
    /// Whether the block is to be there. Without it its markers are gone, too.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

/// What stands for the begin or the end in `marker`.
const MARK: &str = "{mark}";

impl BlockPreparer {
    fn markers(&self) -> Markers {
        let secret = [&self.marker, &self.marker_begin, &self.marker_end].into_iter().any(Text::is_secret);
        let marker = |mark: &str| Text::new(self.marker.replace(MARK, mark), secret);
        Markers { begin: marker(&self.marker_begin), end: marker(&self.marker_end) }
    }
}

impl Validate for BlockPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = [self.beside.validate(), self.editing.validate()].concat();
        let markers = self.markers();
        if !self.marker.contains(MARK) {
            errors.push(invalid(
                "marker",
                "it does not say `{mark}`, so the begin of the block is like its end",
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
