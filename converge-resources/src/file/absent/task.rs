use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, Metadata, SystemError, SystemErrorKind};

use crate::file::direct_change::{self, InPlace};
use crate::file::removal_guard::{self, Inside, Removed};
use crate::file::sibling_path;
use crate::removal;

/// The task of a `file.absent` resource.
#[derive(Debug, Export)]
pub struct Absent {
    /// The path that is to be removed.
    #[export]
    pub(super) destination: String,
    /// Whether a directory is removed, with everything in it.
    #[export]
    pub(super) recursive: bool,
    /// The kind of file that the check found.
    pub(super) found: Option<FileKind>,
}

impl Absent {
    /// Returns the metadata of the path, or `None` if a parent is missing or is a file.
    async fn look(&self, cx: &Context) -> Result<Option<Metadata>> {
        match cx.system().files().metadata(self.path(), Follow::Never).await {
            Err(error) if error.kind == SystemErrorKind::NotADirectory => Ok(None),
            found => Ok(found?),
        }
    }

    /// Reports the contents of a directory, or the reason why it must stay.
    async fn check_folder(&self, cx: &Context, status: &mut Status) -> Result<()> {
        if !self.recursive {
            status.set_error(format!(
                "{} is a folder: `recursive = true` removes it with everything in it, and `file.directory` with \
                 `state = \"absent\"` removes it when it is empty",
                self.destination
            ));
            return Ok(());
        }
        let inside = removal_guard::inside(cx, self.path()).await?;
        let names = inside.described().unwrap_or_default();
        match inside {
            Inside::Nothing => status.add_message("the folder is empty"),
            Inside::Entries(1, _) => status.add_message(format!("1 entry in it is removed, too: {names}")),
            Inside::Entries(count, _) => {
                status.add_message(format!("{count} entries in it are removed, too: {names}"));
            }
            Inside::Home(message) if cx.is_pending("user.user") => {
                status.add_message(format!("{message} yet"));
                status.raise_level(StatusLevel::MayChange);
            }
            Inside::Home(message) => status.set_error(message),
        }
        Ok(())
    }
}

impl Task for Absent {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.found = None;
        let Some(metadata) = self.look(cx).await? else { return Ok(status) };
        status.add_difference("state", "present", "absent");
        status.raise_level(StatusLevel::WillChange);
        if let Some(message) =
            removal_guard::removal_obstacle(cx, self.path(), metadata.kind, Removed::Itself).await?
        {
            status.set_error(message);
        } else if metadata.kind == FileKind::Directory {
            self.check_folder(cx, &mut status).await?;
        } else if metadata.kind == FileKind::Symlink {
            status.add_message("it is a link: what it points to stays");
        }
        self.found = Some(metadata.kind);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        direct_change::alone(self, cx).await
    }
}

impl Batch for Absent {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        direct_change::together(batch, cx).await
    }
}

#[async_trait]
impl InPlace for Absent {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    async fn make(&mut self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        let (Some(found), Some(name)) = (self.found, self.path().file_name()) else { return Ok(status) };
        let Some(parent) = cx.system().files().open_dir(sibling_path::directory(self.path())).await? else {
            return Ok(status);
        };
        let Some(metadata) = parent.metadata(name).await? else { return Ok(status) };
        if (metadata.kind == FileKind::Directory) != (found == FileKind::Directory) {
            return Err(SystemError::file("remove", self.path(), SystemErrorKind::Unsteady).into());
        }
        if metadata.kind == FileKind::Directory {
            // Something may have been mounted since the check.
            if let Some(message) =
                removal_guard::removal_obstacle(cx, self.path(), metadata.kind, Removed::Itself).await?
            {
                return Err(Error::msg(message));
            }
        }
        let removed = removal::remove(cx, &*parent, name).await?;
        if removed > 1 {
            status.add_message(format!("{removed} entries removed"));
        }
        Ok(status)
    }
}
