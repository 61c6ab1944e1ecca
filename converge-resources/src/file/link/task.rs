use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{FileKind, Follow, SystemError, SystemErrorKind};

use crate::file::in_place::{self, InPlace};
use crate::file::{missing, put_link, sibling};

const MAKE: &str = "create the link";

/// One symbolic link.
#[derive(Debug, Export)]
pub struct Link {
    /// Path of the link.
    #[export]
    pub(super) destination: String,
    /// Where it points.
    #[export]
    pub(super) target: String,
    pub(super) force: bool,
    /// What the check found that has to be changed.
    pub(super) found: Option<InTheWay>,
}

/// What is at the path and is not as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InTheWay {
    Nothing,
    /// A link, or what is replaced because of `force`.
    Kind(FileKind),
}

impl Link {
    async fn check_link(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        let has = cx.system().files().read_link(self.path()).await?.unwrap_or_default();
        if has != Path::new(&self.target) {
            status.add_difference("target", has.to_string_lossy(), self.target.as_str());
            self.found = Some(InTheWay::Kind(FileKind::Symlink));
        }
        Ok(())
    }

    /// Reports what is no link.
    fn check_other(&mut self, kind: FileKind, status: &mut Status) {
        let what = match kind {
            FileKind::Directory => "a folder".to_owned(),
            FileKind::Special(special) => special.to_string(),
            FileKind::File | FileKind::Symlink => "a file".to_owned(),
        };
        status.add_difference("target", DiffValue::Placeholder(format!("({what})")), self.target.as_str());
        status.raise_level(StatusLevel::WillChange);
        if kind == FileKind::Directory {
            status.set_error(format!(
                "{} is a folder, which a link never replaces: `file.absent` with `recursive = true` removes it",
                self.destination
            ));
        } else if !self.force {
            status.set_error(format!("{} is {what}: `force = true` replaces it", self.destination));
        } else {
            status.add_message(format!("{what} is replaced, and is lost"));
            self.found = Some(InTheWay::Kind(kind));
        }
    }

    /// Says so when the link will point to nothing.
    async fn check_target(&self, cx: &Context, status: &mut Status) -> Result<()> {
        let target = sibling::directory(self.path()).join(&self.target);
        match cx.system().files().metadata(&target, Follow::Never).await {
            Ok(None) => status.add_message(format!("there is nothing at {} yet", target.display())),
            Ok(Some(_)) => {}
            // A link may point to what is in the hands of somebody else, or round in a circle.
            Err(error) if is_elsewhere(&error.kind) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Whether what a link points to cannot be looked at because of where it is.
fn is_elsewhere(kind: &SystemErrorKind) -> bool {
    matches!(
        kind,
        SystemErrorKind::ForeignLink(_)
            | SystemErrorKind::PermissionDenied
            | SystemErrorKind::NotADirectory
            | SystemErrorKind::LinkLoop
            | SystemErrorKind::Outside
    )
}

impl Task for Link {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.found = None;
        if self.path().file_name().is_none() {
            return Err(SystemError::file(MAKE, self.path(), SystemErrorKind::InvalidPath).into());
        }
        match cx.system().files().metadata(self.path(), Follow::Never).await? {
            None => {
                status.add_difference("state", "absent", "present");
                status.add_difference("target", "", self.target.as_str());
                missing::check_directory(cx, &mut status, self.path()).await?;
                self.found = Some(InTheWay::Nothing);
            }
            Some(found) if found.kind == FileKind::Symlink => self.check_link(cx, &mut status).await?,
            Some(found) => self.check_other(found.kind, &mut status),
        }
        if self.found.is_some() {
            status.raise_level(StatusLevel::WillChange);
            self.check_target(cx, &mut status).await?;
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        in_place::alone(self, cx).await
    }
}

impl Batch for Link {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        in_place::together(batch, cx).await
    }
}

#[async_trait]
impl InPlace for Link {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    async fn make(&mut self, cx: &Context) -> Result<Status> {
        let (Some(found), Some(name)) = (self.found, self.path().file_name()) else {
            return Ok(Status::new());
        };
        let parent = sibling::directory(self.path());
        let opened = cx.system().files().open_dir(parent).await?;
        let Some(directory) = opened else {
            return Err(Error::msg(missing::directory(cx, &parent.display())?));
        };
        // Another apply after the same check may have made it.
        let has = directory.metadata(name).await?.filter(|found| found.kind == FileKind::Symlink);
        if has.is_some() && directory.read_link(name).await?.as_deref() == Some(Path::new(&self.target)) {
            return Ok(Status::new());
        }
        match found {
            InTheWay::Nothing => directory.symlink(Path::new(&self.target), name).await?,
            InTheWay::Kind(kind) => {
                let is_replaced = |now| now == kind || now == FileKind::Symlink;
                put_link::put(&*directory, name, Path::new(&self.target), is_replaced).await?;
            }
        }
        Ok(Status::new())
    }
}
