use converge_sdk::prelude::*;

use super::edit::YamlEdit;
use crate::file::edit::EditedFile;
use crate::text::Text;

/// The task of a `file.yaml` resource.
#[derive(Debug, Export)]
pub struct Yaml {
    /// The path of the file.
    #[export]
    pub(super) destination: String,
    /// The keys that lead to the value.
    #[export]
    pub(super) key: Vec<Text>,
    /// The declared value.
    #[export]
    pub(super) value: Value,
    /// Whether the key is to be present.
    #[export]
    pub(super) state: Ensure,
    pub(super) edit: YamlEdit,
    pub(super) file: EditedFile,
}

impl Task for Yaml {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.file.check(&self.edit, cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.file.apply(&self.edit, cx).await
    }
}
