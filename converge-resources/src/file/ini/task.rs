use converge_core::prelude::*;

use super::edit::IniEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// A setting of an INI file.
#[derive(Debug, Export)]
pub struct Ini {
    /// Path of the file.
    #[export]
    pub(super) destination: String,
    /// The section; nothing above the first one.
    #[export]
    pub(super) section: Option<Text>,
    /// The key.
    #[export]
    pub(super) key: Text,
    /// The value.
    #[export]
    pub(super) value: Text,
    /// Whether the key is to be there.
    #[export]
    pub(super) state: Ensure,
    pub(super) edit: IniEdit,
    pub(super) file: EditedFile,
}

impl Task for Ini {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.file.check(&self.edit, cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.apply(&self.edit, cx).await
    }
}
