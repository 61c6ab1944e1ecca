use std::fmt::Write as _;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, ReadAt, SystemErrorKind};
use sha2::{Digest as _, Sha256};

use super::filter::FileFilter;
use super::matches::{Found, FoundFile, Names};
use super::search;
use crate::file::glob::Glob;

/// The number of bytes of a file that are read at once.
const PIECE: usize = 64 * 1024;

/// The number of unreadable paths that warnings name.
const SHOWN: usize = 10;

/// The task of a `file.query` resource.
#[derive(Debug, Export)]
pub struct Query {
    /// The queried path.
    #[export]
    pub(super) path: Option<String>,
    /// The queried pattern.
    #[export(name = "glob")]
    pub(super) pattern: Option<String>,
    pub(super) glob: Option<Glob>,
    pub(super) meant: FileFilter,
    pub(super) content_limit: u64,
    pub(super) hashes: bool,
    #[export(computed, embed)]
    pub(super) found: Found,
}

impl Query {
    async fn look_at(&self, cx: &Context, path: &Path, status: &mut Status) -> Result<Found> {
        let files = cx.system().files();
        let metadata = |follow| async move {
            match files.metadata(path, follow).await {
                Err(error) if error.kind == SystemErrorKind::NotADirectory => Ok(None),
                found => found,
            }
        };
        let mut info = Found::default();
        let Some(itself) = metadata(Follow::Never).await? else { return Ok(info) };
        if itself.kind == FileKind::Symlink {
            info.link = files.read_link(path).await?.map(|link| link.to_string_lossy().into_owned());
        }
        let Some(target_metadata) = metadata(Follow::Links).await? else { return Ok(info) };
        let described = Names::default().described(cx, String::new(), &target_metadata).await?;
        let FoundFile { path: _, kind, mode, owner, group, size, modified } = described;
        info.exists = true;
        (info.kind, info.mode, info.owner, info.group) = (Some(kind), Some(mode), Some(owner), Some(group));
        (info.size, info.modified) = (Some(size), modified);
        if target_metadata.kind == FileKind::File {
            self.read(cx, path, &mut info, status).await?;
        }
        Ok(info)
    }

    /// Reads the content and computes the hash, as far as they are declared.
    async fn read(&self, cx: &Context, path: &Path, info: &mut Found, status: &mut Status) -> Result<()> {
        if self.content_limit > 0 {
            let head = cx.system().files().read_head(path, self.content_limit + 1).await?;
            let bytes = head.map(|head| head.bytes).unwrap_or_default();
            let display = path.display();
            if bytes.len() as u64 > self.content_limit {
                let limit = self.content_limit;
                status.add_message(format!("{display} has more than {limit} bytes: its content is left out"));
            } else {
                match String::from_utf8(bytes) {
                    Ok(text) => info.content = Some(text),
                    Err(_) => {
                        status.add_message(format!("{display} is not UTF-8 text: its content is left out"));
                    }
                }
            }
        }
        if self.hashes
            && let Some(file) = cx.system().files().open(path).await?
        {
            info.hash = Some(hash(cx, &*file).await?);
        }
        Ok(())
    }

    async fn look_for(&self, cx: &Context, glob: &Glob, status: &mut Status) -> Result<Found> {
        let hits = search::search(cx, glob, &self.meant).await?;
        if hits.unreadable > 0 {
            let count = hits.unreadable;
            status.add_message(format!("{count} names that are not UTF-8 are left out"));
        }
        for path in hits.denied.iter().take(SHOWN) {
            status.add_warning(format!("{} cannot be read, and is left out", path.display()));
        }
        if let Some(more @ 1..) = hits.denied.len().checked_sub(SHOWN) {
            status.add_warning(format!("{more} more paths cannot be read, and are left out"));
        }
        let (mut names, mut info) = (Names::default(), Found::default());
        for (path, metadata) in hits.found {
            info.paths.push(path.clone());
            info.files.push(names.described(cx, path, &metadata).await?);
        }
        info.exists = !info.paths.is_empty();
        Ok(info)
    }
}

async fn hash(cx: &Context, file: &dyn ReadAt) -> Result<String> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = file.read_at(offset, &mut piece).await?;
        if count == 0 {
            return Ok(hexadecimal(&hash.finalize()));
        }
        hash.update(&piece[..count]);
        offset += count as u64;
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

impl Task for Query {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.found = match (&self.path, &self.glob) {
            (Some(path), _) => self.look_at(cx, Path::new(path), &mut status).await?,
            (None, Some(glob)) => self.look_for(cx, glob, &mut status).await?,
            (None, None) => Found::default(),
        };
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
