use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, FileKind, Follow, Metadata, Ownership, SystemError, SystemErrorKind};

use crate::file::atomic_link::{self, NewLink};
use crate::file::direct_change::{self, InPlace};
use crate::file::{missing_path, sibling_path};
use crate::missing_dependency;

use super::hard_link;

const MAKE: &str = "create the link";

/// The task of a `file.link` resource.
#[derive(Debug, Export)]
pub struct Link {
    /// The path of the link.
    #[export]
    pub(super) destination: String,
    /// The target of the link.
    #[export]
    pub(super) target: String,
    pub(super) hard: bool,
    pub(super) force: bool,
    /// The obstacle or difference that the check found.
    pub(super) found: Option<InTheWay>,
}

/// An object at the path that is not as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InTheWay {
    Nothing,
    /// A link, or a file that `force` allows to replace.
    Kind(FileKind),
}

impl Link {
    async fn check_link(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        let current = cx.system().files().read_link(self.path()).await?.unwrap_or_default();
        if current != Path::new(&self.target) {
            status.add_difference("target", current.to_string_lossy(), self.target.as_str());
            self.found = Some(InTheWay::Kind(FileKind::Symlink));
        }
        Ok(())
    }

    /// Returns the path of the target, relative to the working directory of the program.
    fn target(&self) -> PathBuf {
        sibling_path::directory(self.path()).join(&self.target)
    }

    /// Reports an object that is not a link.
    fn check_non_link(&mut self, metadata: &Metadata, status: &mut Status) {
        let kind = metadata.kind;
        let description = match kind {
            FileKind::Directory => "a folder".to_owned(),
            FileKind::Special(special) => special.to_string(),
            FileKind::File if self.hard => "another file".to_owned(),
            FileKind::File => "a file".to_owned(),
            FileKind::Symlink => "a symbolic link".to_owned(),
        };
        status.add_difference(
            "target",
            DiffValue::Placeholder(format!("({description})")),
            self.target.as_str(),
        );
        status.raise_level(StatusLevel::WillChange);
        if kind == FileKind::Directory {
            status.set_error(format!(
                "{} is a folder, which a link never replaces: `file.absent` with `recursive = true` removes it",
                self.destination
            ));
        } else if kind == FileKind::Symlink {
            self.found = Some(InTheWay::Kind(kind));
        } else if !self.force {
            status.set_error(format!("{} is {description}: `force = true` replaces it", self.destination));
        } else {
            let consequence = if metadata.links > 1 { "keeps its other names" } else { "is lost" };
            status.add_message(format!("{description} is replaced, and {consequence}"));
            self.found = Some(InTheWay::Kind(kind));
        }
    }

    /// Whether the link exists in its directory as declared.
    async fn is_made(&self, cx: &Context, directory: &dyn Directory) -> Result<bool> {
        let Some(name) = self.path().file_name() else { return Ok(false) };
        if self.hard {
            let existing = cx.system().files().inode(&self.target(), Follow::Never).await?;
            return Ok(existing.is_some() && directory.inode(name).await? == existing);
        }
        let current = directory.metadata(name).await?.filter(|metadata| metadata.kind == FileKind::Symlink);
        Ok(current.is_some() && directory.read_link(name).await?.as_deref() == Some(Path::new(&self.target)))
    }

    /// Reports a link whose target does not exist.
    async fn check_target(&self, cx: &Context, status: &mut Status) -> Result<()> {
        let target = self.target();
        match cx.system().files().metadata(&target, Follow::Never).await {
            Ok(None) => status.add_message(format!("there is nothing at {} yet", target.display())),
            Ok(Some(_)) => {}
            // The target may be out of the user's reach, or in a cycle of links.
            Err(error) if is_elsewhere(&error.kind) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Whether the target cannot be inspected because of its location.
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

/// Returns the status if the target of a hard link does not exist.
fn missing_target(cx: &Context, target: &Path) -> Result<Status> {
    let target = target.display();
    if cx.pending().is_empty() {
        return Err(Error::msg(format!(
            "{target} does not exist, and a hard link needs an existing file: declare the file, and name it in `depends`"
        )));
    }
    Ok(missing_dependency::not_yet(format!("there is nothing at {target} yet")))
}

impl Task for Link {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.found = None;
        if self.path().file_name().is_none() {
            return Err(SystemError::file(MAKE, self.path(), SystemErrorKind::InvalidPath).into());
        }
        let target = self.target();
        let existing = if self.hard {
            let Some(existing) = hard_link::look(cx, &target).await? else {
                return missing_target(cx, &target);
            };
            if hard_link::is_name_of(cx, self.path(), &existing).await? {
                return Ok(status);
            }
            Some(existing)
        } else {
            None
        };
        match cx.system().files().metadata(self.path(), Follow::Never).await? {
            None => {
                status.add_difference("state", "absent", "present");
                status.add_difference("target", "", self.target.as_str());
                missing_path::check_directory(cx, &mut status, self.path()).await?;
                self.found = Some(InTheWay::Nothing);
            }
            Some(metadata) if metadata.kind == FileKind::Symlink && !self.hard => {
                self.check_link(cx, &mut status).await?;
            }
            Some(metadata) => self.check_non_link(&metadata, &mut status),
        }
        if self.found.is_none() {
            return Ok(status);
        }
        status.raise_level(StatusLevel::WillChange);
        match existing {
            None => self.check_target(cx, &mut status).await?,
            Some(existing) => {
                if let Some(reason) = hard_link::refusal(cx, self.path(), &target, &existing).await? {
                    status.set_error(reason);
                    self.found = None;
                }
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        direct_change::alone(self, cx).await
    }
}

impl Batch for Link {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        direct_change::together(batch, cx).await
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
        let parent = sibling_path::directory(self.path());
        let opened = cx.system().files().open_dir(parent).await?;
        let Some(directory) = opened else {
            return Err(Error::msg(missing_path::directory(cx, &parent.display())?));
        };
        // Another apply after the same check may have created the link.
        if self.is_made(cx, &*directory).await? {
            return Ok(Status::new());
        }
        let target = self.target();
        let link =
            if self.hard { NewLink::Hard(&target) } else { NewLink::Symbolic(Path::new(&self.target)) };
        match found {
            InTheWay::Nothing => link.make(&*directory, name).await?,
            InTheWay::Kind(kind) => {
                let is_replaced = |current| current == kind || current == FileKind::Symlink;
                atomic_link::put(&*directory, name, link, Ownership::default(), is_replaced).await?;
            }
        }
        Ok(Status::new())
    }
}
