use converge_sdk::prelude::*;

use super::edit::BlockEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// The task of a `file.block` resource.
#[derive(Debug, Export)]
pub struct Block {
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The lines of the block.
    #[export]
    pub(super) content: Text,
    /// Whether the block is to be present.
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
