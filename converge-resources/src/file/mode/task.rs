use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::spec::{Mode, ModeSpec};
use super::tree::TreeModes;
use crate::file::direct_change::{self, InPlace};
use crate::file::{acl_mask, missing_path};

/// The task of a `file.mode` resource.
#[derive(Debug, Export)]
pub struct FileMode {
    /// The managed path.
    #[export]
    pub(super) destination: String,
    /// The permissions as four octal digits; for a symbolic mode, its result for this path.
    #[export]
    pub(super) mode: Option<Mode>,
    pub(super) spec: ModeSpec,
    /// Whether everything below the path is managed too.
    #[export]
    pub(super) recursive: bool,
    /// The differences that the check found below the path.
    pub(super) tree: TreeModes,
}

impl Task for FileMode {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let path = Path::new(&self.destination);
        let Some(metadata) = cx.system().files().metadata(path, Follow::Links).await? else {
            return missing_path::check(cx, &self.destination);
        };
        let mut status = Status::new();
        let current = Mode::new(metadata.mode);
        let target = self.spec.apply_settled(current, metadata.kind == FileKind::Directory)?;
        self.mode = Some(target);
        self.tree = TreeModes::default();
        if current != target {
            direct_change::is_allowed(cx, path, &metadata).await?;
        }
        if self.recursive && metadata.kind == FileKind::Directory {
            self.tree = TreeModes::find(cx, path, &self.spec).await?;
        }
        let itself = (current != target).then_some((current, target));
        if !self.tree.is_empty() {
            self.tree.report(&mut status, itself);
        } else if current != target {
            status.add_difference("mode", current.to_string(), target.to_string());
        }
        if current != target {
            acl_mask::report(cx, &mut status, path, target.bits()).await?;
        }
        status.raise_level_for_diffs();
        if !self.tree.is_empty() {
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        direct_change::alone(self, cx).await
    }
}

impl Batch for FileMode {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        direct_change::together(batch, cx).await
    }
}

#[async_trait]
impl InPlace for FileMode {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    async fn make(&mut self, cx: &Context) -> Result<Status> {
        // The directory itself comes last, because it may be inaccessible afterwards.
        self.tree.apply(cx, Path::new(&self.destination)).await?;
        if let Some(mode) = self.mode {
            cx.system().files().set_mode(Path::new(&self.destination), mode.bits()).await?;
        }
        Ok(Status::new())
    }
}
