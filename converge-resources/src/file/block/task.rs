use converge_core::prelude::*;

use super::edit::BlockEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// A block of a file.
#[derive(Debug, Export)]
pub struct Block {
    /// Path of the file.
    #[export]
    pub(super) destination: String,
    /// The lines of the block.
    #[export]
    pub(super) content: Text,
    /// Whether it is to be there.
    #[export]
    pub(super) state: Ensure,
    pub(super) edit: BlockEdit,
    pub(super) file: EditedFile,
}

impl Task for Block {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.file.check(&self.edit, cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.apply(&self.edit, cx).await
    }
}
