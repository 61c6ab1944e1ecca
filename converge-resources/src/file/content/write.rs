//! Batch writes of files, which wait for the disk once for all of them.

use std::path::Path;
use std::time::{Duration, Instant};

use converge_sdk::prelude::*;
use converge_sdk::system::{
    CommitFile, Follow, Inherit, Ownership, StagedFile, SystemError, SystemErrorKind,
};

use super::declared_content::{ContentFindings, FRESH, FileContent};
use super::difference::PIECE;
use crate::file::acl_mask;
use crate::file::missing_path;
use crate::file::mode::Mode;
use crate::file::sibling_path;

type Staged = (Box<dyn StagedFile>, CommitFile);

#[derive(Default)]
struct Work {
    /// A copy of the old content, which has to be committed before the new content.
    backup: Option<Staged>,
    /// The new content, or `None` if only mode or owner differed, which are already changed.
    content: Option<Staged>,
}

/// The number of bytes written at once; smaller batches send no progress events.
const AT_ONCE: usize = 1 << 20;

/// The time after which other tasks of the thread get their turn.
const SLICE: Duration = Duration::from_millis(1);

/// The number of bytes written of all files of a batch.
struct Written {
    done: u64,
    total: u64,
}

impl Written {
    /// Counts the bytes to write.
    fn new(members: &[&mut FileContent]) -> Self {
        let changing = members.iter().filter(|member| member.found.content_differs);
        Self { done: 0, total: changing.map(|member| member.content.len() as u64).sum() }
    }

    async fn write(&mut self, cx: &Context, content: &[u8], file: &mut dyn StagedFile) -> Result<()> {
        if self.total <= AT_ONCE as u64 {
            return Ok(file.write(content).await?);
        }
        for piece in content.chunks(AT_ONCE) {
            cx.check_cancelled()?;
            cx.progress().bytes(self.done, Some(self.total));
            file.write(piece).await?;
            self.done += piece.len() as u64;
        }
        cx.progress().bytes(self.done, Some(self.total));
        Ok(())
    }
}

/// Writes files as their checks require. The error of one file does not affect the others.
pub(super) async fn together(members: &[&mut FileContent], cx: &Context) -> Vec<Result<Status>> {
    let mut work: Vec<Result<Work>> = Vec::with_capacity(members.len());
    let mut record = Written::new(members);
    let mut rested = Instant::now();
    for member in members {
        let mut result = begin(member, cx, &mut record).await;
        if result.as_ref().is_err_and(no_more_files) && !work.is_empty() {
            settle(&mut work, cx).await;
            result = begin(member, cx, &mut record).await;
        }
        work.push(result);
        // Creating a file takes some disks half a millisecond, so a hundred would block other tasks.
        if rested.elapsed() > SLICE {
            tokio::task::yield_now().await;
            rested = Instant::now();
        }
    }
    settle(&mut work, cx).await;
    flush_changed_in_place(members, &mut work, cx).await;
    let mut results = Vec::with_capacity(work.len());
    for (member, work) in members.iter().zip(work) {
        results.push(match work {
            Ok(_) => Ok(Status::new()),
            Err(error) => Err(explain(member, cx, error).await),
        });
    }
    results
}

/// Does all work that is possible before waiting for the disk.
async fn begin(member: &FileContent, cx: &Context, record: &mut Written) -> Result<Work> {
    let ContentFindings { content_differs, exists, inherits, changes } = member.found;
    if !content_differs {
        changes.apply(cx, member.path()).await?;
        return Ok(Work::default());
    }
    if let Some(validation) = &member.validation {
        validation.check(cx, member.path(), &member.content).await?;
    }
    let backup = if member.backup && exists { copy_of_old(member, cx).await? } else { None };
    let mut staged = member.follow.stage(cx, member.path()).await?;
    record.write(cx, member.content.as_bytes(), &mut *staged).await?;
    let mode = changes.mode.or_else(|| (!inherits).then_some(FRESH)).map(Mode::bits);
    let commit = CommitFile { mode, ownership: changes.ownership, inherit: member.inherit(), modified: None };
    Ok(Work { backup, content: Some((staged, commit)) })
}

/// Stages a copy of the file that is about to be replaced.
async fn copy_of_old(member: &FileContent, cx: &Context) -> Result<Option<Staged>> {
    let files = cx.system().files();
    let Some(old) = files.open(member.path()).await? else { return Ok(None) };
    // The file is compared again, because it may have changed since the check. If an earlier apply wrote the
    // new content, the backup already has the old file.
    if member.is_in(&*old, cx).await? {
        return Ok(None);
    }
    let directory = sibling_path::directory(member.path());
    let opened = files.open_dir(directory).await?;
    let not_found = || SystemError::file("list", directory, SystemErrorKind::NotFound);
    let Some(name) = sibling_path::backup(member.path()) else { return Ok(None) };
    // An existing file of that name is replaced, and a link is not followed.
    let mut copy = opened.ok_or_else(not_found)?.stage(&name).await?;
    let mut piece = vec![0; PIECE];
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        match old.read_at(offset, &mut piece).await? {
            0 => break,
            count => {
                copy.write(&piece[..count]).await?;
                offset += count as u64;
            }
        }
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
    let metadata = old.metadata();
    let attributes = files.extended_attributes(member.path(), Follow::Links).await?.unwrap_or_default();
    let mode = acl_mask::without_list(metadata.mode, &attributes);
    let ownership = Ownership { uid: Some(metadata.uid), gid: Some(metadata.gid) };
    Ok(Some((
        copy,
        CommitFile { mode: Some(mode), ownership, inherit: Inherit::FromTrusted, modified: None },
    )))
}

/// Commits all staged files under their names.
async fn settle(work: &mut [Result<Work>], cx: &Context) {
    commit(work, cx, |work| work.backup.take()).await;
    commit(work, cx, |work| work.content.take()).await;
}

async fn commit(work: &mut [Result<Work>], cx: &Context, select: fn(&mut Work) -> Option<Staged>) {
    let (mut indices, mut staged) = (Vec::new(), Vec::new());
    for (index, work) in work.iter_mut().enumerate() {
        if let Some(staged_file) = work.as_mut().ok().and_then(select) {
            indices.push(index);
            staged.push(staged_file);
        }
    }
    let committed = cx.system().files().commit_all(staged).await;
    for (index, committed) in indices.into_iter().zip(committed) {
        if let Err(error) = committed {
            work[index] = Err(error.into());
        }
    }
}

/// Syncs modes and owners that were changed without a new file to the disk.
async fn flush_changed_in_place(members: &[&mut FileContent], work: &mut [Result<Work>], cx: &Context) {
    let changed: Vec<usize> = (0..work.len())
        .filter(|index| work[*index].is_ok() && !members[*index].found.content_differs)
        .collect();
    let paths: Vec<&Path> = changed.iter().map(|index| members[*index].path()).collect();
    if paths.is_empty() {
        return;
    }
    if let Err(error) = cx.system().files().flush(&paths).await {
        for index in changed {
            work[index] = Err(error.clone().into());
        }
    }
}

/// Replaces an error about a file by the problem of its directory, if there is one.
async fn explain(member: &FileContent, cx: &Context, error: Error) -> Error {
    if !matches!(error, Error::System(_)) || member.found.exists {
        return error;
    }
    let directory = missing_path::check_directory(cx, &mut Status::new(), member.path()).await;
    directory.err().unwrap_or(error)
}

/// Whether this process has reached its limit of open files.
fn no_more_files(error: &Error) -> bool {
    matches!(error, Error::System(error) if error.kind == SystemErrorKind::TooManyOpenFiles)
}
