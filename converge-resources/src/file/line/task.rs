use converge_core::prelude::*;

use super::edit::LineEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// A line of a file.
#[derive(Debug, Export)]
pub struct FileLine {
    /// Path of the file.
    #[export]
    pub(super) destination: String,
    /// The line as it is declared; empty where only `match` is.
    #[export]
    pub(super) line: Text,
    /// Whether it is to be there.
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
