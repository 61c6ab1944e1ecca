use converge_core::prelude::*;
use converge_core::system;

use super::declared::{ContentFindings, FRESH, FileContent};
use super::difference::{self, Before, SHOWN};
use super::sibling;
use super::write;
use crate::file::{in_place, missing};

impl FileContent {
    /// Reports a file that is not there.
    async fn check_missing(&self, cx: &Context, status: &mut Status) -> Result<()> {
        status.add_difference("state", "absent", "present");
        difference::add(status, &Before::Absent, &self.content);
        // An apply finds out by itself, and only needs to know before a command looks at the content.
        if cx.mode() == converge_core::RunMode::Apply && self.validation.is_none() {
            return Ok(());
        }
        missing::check_directory(cx, status, self.path()).await
    }

    /// Reports a file that contains something else.
    async fn check_different(
        &mut self,
        cx: &Context,
        status: &mut Status,
        has: system::FileContent,
    ) -> Result<()> {
        // Where all of it is needed and was not read, it is now, unless it is too large to be shown.
        let before = if has.bytes.len() <= self.content.len() || self.content.is_secret() {
            Before::Bytes(has.bytes)
        } else if has.metadata.len > SHOWN {
            Before::Large(has.metadata.len)
        } else {
            match cx.system().files().read_head(self.path(), SHOWN).await? {
                Some(all) => Before::Bytes(all.bytes),
                None => Before::Absent,
            }
        };
        difference::add(status, &before, &self.content);
        if self.backup {
            let kept = self.path().with_file_name(sibling::backup(self.path()).unwrap_or_default());
            status.add_message(format!("the old file is kept as {}", kept.display()));
        }
        self.found.inherits = cx.system().files().inherited(self.path(), self.inherit()).await?.is_some();
        if !self.found.inherits {
            status.add_message(
                "the file belongs to somebody else, who may have made it there first: the new one does not take over its \
                 owner and mode",
            );
        }
        Ok(())
    }
}

#[async_trait]
impl Task for FileContent {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        let has = self.read(cx).await?;
        self.found = ContentFindings { exists: has.is_some(), ..ContentFindings::default() };
        let metadata = has.as_ref().map(|has| has.metadata.clone());
        match has {
            None => {
                self.found.content_differs = true;
                self.check_missing(cx, &mut status).await?;
            }
            Some(has) if has.bytes != self.content.as_bytes() => {
                self.found.content_differs = true;
                self.check_different(cx, &mut status, has).await?;
            }
            Some(_) => {}
        }
        // What is not taken over is no beginning for the new mode and owner.
        let metadata = metadata.filter(|_| !self.found.content_differs || self.found.inherits);
        let changes = self.attributes.compare(cx, &mut status, metadata.as_ref(), FRESH, false).await?;
        if let Some(metadata) =
            metadata.filter(|_| !self.found.content_differs && changes.level != StatusLevel::NoChange)
        {
            in_place::is_allowed(cx, self.path(), &metadata).await?;
        }
        status.raise_level(if self.found.content_differs { StatusLevel::WillChange } else { changes.level });
        self.found.changes = changes;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        write::together(&[self], cx).await.pop().unwrap_or_else(|| Ok(Status::new()))
    }
}

#[async_trait]
impl Batch for FileContent {
    // Each is an open file, and with a backup two.
    const AT_MOST: usize = 100;

    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        write::together(batch, cx).await
    }
}
