use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{FileKind, Follow};

use super::spec::{Mode, ModeSpec};
use crate::file::in_place::{self, InPlace};
use crate::file::missing;

/// The permissions of one path.
#[derive(Debug, Export)]
pub struct FileMode {
    /// Path that is managed.
    #[export]
    pub(super) destination: String,
    /// The permissions as four octal digits; for a symbolic mode, what it comes to for this path.
    #[export]
    pub(super) mode: Option<Mode>,
    pub(super) spec: ModeSpec,
}

impl Task for FileMode {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let path = Path::new(&self.destination);
        let Some(metadata) = cx.system().files().metadata(path, Follow::Links).await? else {
            return missing::check(cx, &self.destination);
        };
        let mut status = Status::new();
        let has = Mode::new(metadata.mode);
        let wanted = self.spec.settled_on(has, metadata.kind == FileKind::Directory)?;
        self.mode = Some(wanted);
        if has != wanted {
            in_place::is_allowed(cx, path, &metadata).await?;
            status.add_difference("mode", has.to_string(), wanted.to_string());
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        in_place::alone(self, cx).await
    }
}

impl Batch for FileMode {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        in_place::together(batch, cx).await
    }
}

#[async_trait]
impl InPlace for FileMode {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    async fn make(&mut self, cx: &Context) -> Result<Status> {
        if let Some(mode) = self.mode {
            cx.system().files().set_mode(Path::new(&self.destination), mode.bits()).await?;
        }
        Ok(Status::new())
    }
}
