use converge_sdk::prelude::*;

use super::edit::IniEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// The task of a `file.ini` resource.
#[derive(Debug, Export)]
pub struct Ini {
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The section; `None` for keys above the first section.
    #[export]
    pub(super) section: Option<Text>,
    /// The key of the setting.
    #[export]
    pub(super) key: Text,
    /// The value of the setting.
    #[export]
    pub(super) value: Text,
    /// Whether the key is to be present.
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
