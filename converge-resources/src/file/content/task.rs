use std::path::Path;

use converge_sdk::prelude::*;

use super::comparison::Found;
use super::declared_content::{ContentFindings, FRESH, FileContent};
use super::difference::{self, Before};
use super::write;
use crate::file::{destination_link, direct_change, missing_path, sibling_path};

impl FileContent {
    /// Reports a file that does not exist, or has a link in its place.
    async fn check_missing(&self, cx: &Context, status: &mut Status, link: Option<&Path>) -> Result<()> {
        status.add_difference("state", destination_link::shown(link), "present");
        difference::add(status, &Before::Absent, &self.content).await;
        // Creating the file reveals a missing directory anyway. An apply has to know it earlier only if a
        // command validates the content.
        if cx.mode() == converge_sdk::RunMode::Apply && self.validation.is_none() {
            return Ok(());
        }
        missing_path::check_directory(cx, status, self.path()).await
    }

    async fn check_different(&mut self, cx: &Context, status: &mut Status, before: &Before) -> Result<()> {
        difference::add(status, before, &self.content).await;
        if self.backup {
            let backup = self.path().with_file_name(sibling_path::backup(self.path()).unwrap_or_default());
            status.add_message(format!("the old file is kept as {}", backup.display()));
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

impl FileContent {
    /// Compares the file with its declaration, and stores the findings for an apply.
    pub(crate) async fn compare(&mut self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        let link =
            if self.only_if_missing { None } else { self.follow.replaced_link(cx, self.path()).await? };
        let state = if link.is_some() { None } else { self.look(cx).await? };
        let content_differs = !matches!(state, Some(Found { different: None, .. }));
        self.found =
            ContentFindings { content_differs, exists: state.is_some(), ..ContentFindings::default() };
        match &state {
            None => self.check_missing(cx, &mut status, link.as_deref()).await?,
            Some(Found { different: Some(before), .. }) => {
                self.check_different(cx, &mut status, before).await?;
            }
            Some(_) => {}
        }
        let metadata = state.map(|state| state.metadata);
        // Attributes that the new file does not inherit are not the base of its mode and owner.
        let metadata = metadata.filter(|_| !self.found.content_differs || self.found.inherits);
        let found = (self.path(), metadata.as_ref());
        let changes = self.attributes.compare(cx, &mut status, found, FRESH, false).await?;
        if let Some(metadata) =
            metadata.filter(|_| !self.found.content_differs && changes.level != StatusLevel::NoChange)
        {
            direct_change::is_allowed(cx, self.path(), &metadata).await?;
        }
        status.raise_level(if self.found.content_differs { StatusLevel::WillChange } else { changes.level });
        self.found.changes = changes;
        Ok(status)
    }
}

impl Task for FileContent {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.compare(cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        write::together(&[self], cx).await.pop().unwrap_or_else(|| Ok(Status::new()))
    }
}

impl Batch for FileContent {
    // Each member of a batch is an open file, and with a backup two.
    const AT_MOST: usize = 100;

    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        write::together(batch, cx).await
    }
}
