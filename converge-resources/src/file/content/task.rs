use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Inherit, Ownership, WriteFile};

use super::difference;
use super::sibling::sibling;
use super::validate::Validation;
use crate::file::attributes::{Attributes, Changes};
use crate::file::missing;
use crate::file::mode::Mode;
use crate::text::Text;

/// The permissions of a new file before `mode` is looked at.
const FRESH: Mode = Mode::new(0o600);

/// The content of one file.
#[derive(Debug, Export)]
pub struct FileContent {
    /// Path of the file.
    #[export]
    pub(super) destination: String,
    /// What the file contains.
    #[export]
    pub(super) content: Text,
    pub(super) attributes: Attributes,
    pub(super) backup: bool,
    pub(super) validation: Option<Validation>,
    pub(super) durable: bool,
    pub(super) found: ContentFindings,
}

/// What the check found, for the apply.
#[derive(Debug, Default)]
pub(super) struct ContentFindings {
    content_differs: bool,
    exists: bool,
    changes: Changes,
}

impl FileContent {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    /// Reports a file that is not there.
    async fn check_missing(&self, cx: &Context, status: &mut Status) -> Result<()> {
        status.add_difference("state", "absent", "present");
        difference::add(status, None, &self.content);
        // An apply finds out by itself, and only needs to know before a command looks at the content.
        if cx.mode() == converge_core::RunMode::Apply && self.validation.is_none() {
            return Ok(());
        }
        missing::check_directory(cx, status, self.path()).await
    }

    async fn keep_old(&self, cx: &Context) -> Result<()> {
        let files = cx.system().files();
        // It is read again, so that the copy is right even when the file changed since the check.
        let Some(old) = files.read(self.path()).await? else { return Ok(()) };
        // Written by an apply before this one: the old file is in the copy already.
        if old.bytes == self.content.as_bytes() {
            return Ok(());
        }
        let write = WriteFile {
            content: &old.bytes,
            mode: Some(old.metadata.mode),
            ownership: Ownership { uid: Some(old.metadata.uid), gid: Some(old.metadata.gid) },
            inherit: Inherit::FromTrusted,
            durable: self.durable,
        };
        Ok(files.write(&sibling(self.path(), "", ".bak"), write).await?)
    }
}

#[async_trait]
impl Task for FileContent {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let has = cx.system().files().read(self.path()).await?;
        self.found = ContentFindings { exists: has.is_some(), ..ContentFindings::default() };
        match &has {
            None => {
                self.found.content_differs = true;
                self.check_missing(cx, &mut status).await?;
            }
            Some(has) if has.bytes != self.content.as_bytes() => {
                self.found.content_differs = true;
                difference::add(&mut status, Some(&has.bytes), &self.content);
                if self.backup {
                    let kept = sibling(self.path(), "", ".bak");
                    status.add_message(format!("the old file is kept as {}", kept.display()));
                }
            }
            Some(_) => {}
        }
        let metadata = has.as_ref().map(|has| &has.metadata);
        let changes = self.attributes.compare(cx, &mut status, metadata, FRESH, false).await?;
        status.raise_level(if self.found.content_differs { StatusLevel::WillChange } else { changes.level });
        self.found.changes = changes;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let ContentFindings { content_differs, exists, changes } = self.found;
        if !content_differs {
            changes.apply(cx, self.path()).await?;
            return Ok(Status::new());
        }
        if let Some(validation) = &self.validation {
            validation.check(cx, self.path(), &self.content).await?;
        }
        if self.backup && exists {
            self.keep_old(cx).await?;
        }
        let mode = changes.mode.or_else(|| (!exists).then_some(FRESH)).map(Mode::bits);
        let write = WriteFile {
            content: self.content.as_bytes(),
            mode,
            ownership: changes.ownership,
            inherit: if self.content.is_secret() { Inherit::FromTrusted } else { Inherit::FromAnyone },
            durable: self.durable,
        };
        let written = cx.system().files().write(self.path(), write).await;
        if written.is_err() && !exists {
            // What is wrong with the directory says more than what the system says about the file.
            missing::check_directory(cx, &mut Status::new(), self.path()).await?;
        }
        written?;
        Ok(Status::new())
    }
}
