//! Comparison of a file with its declared content.

use converge_sdk::prelude::*;
use converge_sdk::system::{Metadata, ReadAt};

use super::declared_content::FileContent;
use super::difference::{Before, PIECE, SHOWN, Summary};

pub(super) struct Found {
    pub(super) metadata: Metadata,
    /// The present content, or `None` if it is as declared.
    pub(super) different: Option<Before>,
}

impl FileContent {
    /// Compares the file with its declaration; returns `None` if there is no file.
    pub(super) async fn look(&self, cx: &Context) -> Result<Option<Found>> {
        if self.only_if_missing {
            let opened = cx.system().files().open(self.path()).await?;
            return Ok(opened.map(|file| Found { metadata: file.metadata().clone(), different: None }));
        }
        if self.content.len() as u64 <= SHOWN {
            self.look_at_once(cx).await
        } else {
            self.look_by_pieces(cx).await
        }
    }

    /// Compares a small file by reading one byte more than the declared content has.
    async fn look_at_once(&self, cx: &Context) -> Result<Option<Found>> {
        let files = cx.system().files();
        let one_more = self.content.len() as u64 + 1;
        let Some(head) = files.read_head(self.path(), one_more).await? else { return Ok(None) };
        let metadata = head.metadata;
        if head.bytes == self.content.as_bytes() {
            return Ok(Some(Found { metadata, different: None }));
        }
        // The whole content is needed for the difference. It is read now, unless it is too large to be shown.
        let before = if head.bytes.len() <= self.content.len() || self.content.is_secret() {
            Before::Bytes(head.bytes)
        } else if metadata.len > SHOWN {
            Before::Large(metadata.len)
        } else {
            match files.read_head(self.path(), SHOWN).await? {
                Some(head) => Before::Bytes(head.bytes),
                None => Before::Absent,
            }
        };
        Ok(Some(Found { metadata, different: Some(before) }))
    }

    /// Compares a file that may be large, with one piece in memory at a time.
    async fn look_by_pieces(&self, cx: &Context) -> Result<Option<Found>> {
        let Some(file) = cx.system().files().open(self.path()).await? else { return Ok(None) };
        let metadata = file.metadata().clone();
        if self.is_in(&*file, cx).await? {
            return Ok(Some(Found { metadata, different: None }));
        }
        let before = if metadata.len > self.content.len() as u64 || self.content.is_secret() {
            Before::Large(metadata.len)
        } else {
            Before::Summary(summary(&*file, cx).await?)
        };
        Ok(Some(Found { metadata, different: Some(before) }))
    }

    pub(super) async fn is_in(&self, file: &dyn ReadAt, cx: &Context) -> Result<bool> {
        let mut left = self.content.as_bytes();
        let mut piece = vec![0; PIECE];
        let mut offset = 0;
        loop {
            cx.check_cancelled()?;
            let count = file.read_at(offset, &mut piece).await?;
            if count == 0 {
                return Ok(left.is_empty());
            }
            let Some(rest) = left.strip_prefix(&piece[..count]) else { return Ok(false) };
            left = rest;
            offset += count as u64;
            // A large file takes a while, and other tasks wait for this thread.
            tokio::task::yield_now().await;
        }
    }
}

async fn summary(file: &dyn ReadAt, cx: &Context) -> Result<String> {
    let mut summary = Summary::default();
    let mut piece = vec![0; PIECE];
    loop {
        cx.check_cancelled()?;
        let count = file.read_at(summary.len(), &mut piece).await?;
        if count == 0 {
            return Ok(summary.finish());
        }
        summary.add(&piece[..count]);
        tokio::task::yield_now().await;
    }
}
