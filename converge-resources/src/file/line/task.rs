use converge_sdk::prelude::*;

use super::edit::LineEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// The task of a `file.line` resource.
#[derive(Debug, Export)]
pub struct FileLine {
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The declared line; empty if only `match` is declared.
    #[export]
    pub(super) line: Text,
    /// Whether the line is to be present.
    #[export]
    pub(super) state: Ensure,
    pub(super) edit: LineEdit,
    pub(super) file: EditedFile,
}

impl Task for FileLine {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.file.check(&self.edit, cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.apply(&self.edit, cx).await
    }
}
