//! A sample crate with one resource type.

use converge_sdk::prelude::*;
use converge_sdk::system::{Follow, WriteFile};

/// Makes sure that a file exists.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "touch", task = Self)]
pub struct Touch {
    /// The file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: String,
}

impl Task for Touch {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let exists = cx.system().files().metadata(self.path.as_ref(), Follow::Links).await?.is_some();
        let mut status = Status::new();
        status.add_difference("exists", exists.to_string(), "true");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(self.path.as_ref(), WriteFile::new(b"")).await?;
        Ok(Status::new())
    }
}
