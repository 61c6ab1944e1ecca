use converge_sdk::prelude::*;

use super::edit::ReplaceEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// The task of a `file.replace` resource.
#[derive(Debug, Export)]
pub struct Replace {
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The declared replacement of each match.
    #[export]
    pub(super) replacement: Text,
    pub(super) edit: ReplaceEdit,
    pub(super) file: EditedFile,
}

impl Task for Replace {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.file.check(&self.edit, cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.apply(&self.edit, cx).await
    }
}
