//! Brings the destination to the state of the archive.
//!
//! An archive is read twice and written once. The first time gives the [`Manifest`], after every rule was applied to every entry;
//! the check compares that with the destination. The second time hands on the content of what is missing, by the same
//! rules, and a file whose hash is not that of the manifest gets no name. To unpack beside the destination and move would take
//! twice the room, and another rule for what is there already.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{CommitFile, ReadAt, StagedFile};
use tokio::sync::mpsc;

use super::error::ArchiveError;
use super::manifest::{Builder, Entry, FileEntry, Limits, Manifest, Sink};
use super::path::EntryPath;
use super::read::{self, Canceller};
use super::tree_diff::{Copy, Work};
use crate::net::hash::{HashType, Hasher};

/// How many pieces of files wait to be written.
const AHEAD: usize = 8;

/// How many bytes of a file are copied at once.
const PIECE: usize = 64 * 1024;

/// How many files get their names at once. Each is an open file until then.
const AT_ONCE: usize = 100;

/// What the thread that reads the archive sends.
enum Event {
    Begin(EntryPath),
    Content(Vec<u8>),
    End,
}

/// Sends the content of the wanted files to the writer.
struct Sender {
    events: mpsc::Sender<Event>,
    wanted: BTreeSet<EntryPath>,
    sending: bool,
}

impl Sender {
    fn send(&self, event: Event) -> Result<(), ArchiveError> {
        // Nobody listens any more: there is another error, or none is interested.
        self.events.blocking_send(event).map_err(|_| ArchiveError::Cancelled)
    }
}

impl Sink for Sender {
    fn begin(&mut self, path: &EntryPath) -> Result<(), ArchiveError> {
        self.sending = self.wanted.contains(path);
        if self.sending { self.send(Event::Begin(path.clone())) } else { Ok(()) }
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if self.sending { self.send(Event::Content(bytes.to_vec())) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        if self.sending { self.send(Event::End) } else { Ok(()) }
    }
}

struct Writing<'a> {
    staged: Box<dyn StagedFile>,
    hasher: Hasher,
    file: &'a FileEntry,
}

impl Writing<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        Ok(self.staged.write(bytes).await?)
    }
}

/// Files that are complete, and get their names together: that costs the disk less than one after another.
struct Complete<'a> {
    cx: &'a Context,
    staged: Vec<(Box<dyn StagedFile>, CommitFile)>,
}

impl Complete<'_> {
    /// Only what the check has seen gets its name.
    async fn add(&mut self, writing: Writing<'_>) -> Result<()> {
        let Writing { staged, hasher, file } = writing;
        if hasher.finish() != file.sha256 {
            return Err(Error::other(ArchiveError::Changed));
        }
        let commit = CommitFile { mode: Some(file.mode), modified: file.modified, ..CommitFile::default() };
        self.staged.push((staged, commit));
        if self.staged.len() >= AT_ONCE {
            self.commit().await?;
        }
        Ok(())
    }

    async fn commit(&mut self) -> Result<()> {
        let committed = self.cx.system().files().commit_all(std::mem::take(&mut self.staged)).await;
        committed.into_iter().collect::<Result<(), _>>()?;
        Ok(())
    }
}

/// Reads an archive from its beginning to its end, and finds out what it has.
pub(super) async fn manifest(file: &Arc<dyn ReadAt>, limits: Limits) -> Result<Manifest, ArchiveError> {
    let canceller = Canceller::default();
    let (file, stop) = (Arc::clone(file), canceller.flag());
    let handle = tokio::runtime::Handle::current();
    let reading = tokio::task::spawn_blocking(move || {
        let _runtime = handle.enter();
        let mut builder = Builder::new(limits, ());
        read::read(&file, &stop, limits, &mut builder)?;
        Ok(builder.finish())
    });
    reading.await.map_err(|error| ArchiveError::Damaged(error.to_string()))?
}

/// Brings the destination to what the archive has.
pub(super) async fn extract(
    cx: &Context,
    archive: &Arc<dyn ReadAt>,
    limits: Limits,
    manifest: &Manifest,
    work: &Work,
) -> Result<()> {
    let files = cx.system().files();
    let mut complete = Complete { cx, staged: Vec::new() };
    for path in &work.remove {
        files.remove_file(path).await?;
    }
    for (path, mode) in &work.directories {
        files.create_dir(path, *mode).await?;
    }
    if !work.files.is_empty() {
        write_files(&mut complete, archive, limits, manifest, work).await?;
        // Others are copies of these.
        complete.commit().await?;
    }
    for copy in &work.copies {
        write_copy(&mut complete, copy).await?;
    }
    complete.commit().await?;
    for (path, target) in &work.links {
        files.symlink(Path::new(target), path).await?;
    }
    for (path, mode) in &work.modes {
        files.set_mode(path, *mode).await?;
    }
    Ok(files.flush(&work.directories_of_changes()).await?)
}

async fn write_files(
    complete: &mut Complete<'_>,
    archive: &Arc<dyn ReadAt>,
    limits: Limits,
    manifest: &Manifest,
    work: &Work,
) -> Result<()> {
    let cx = complete.cx;
    let canceller = Canceller::default();
    let (file, stop) = (Arc::clone(archive), canceller.flag());
    let (events, mut received) = mpsc::channel(AHEAD);
    let wanted = work.files.keys().cloned().collect();
    let handle = tokio::runtime::Handle::current();
    let reading = tokio::task::spawn_blocking(move || -> Result<(), ArchiveError> {
        let _runtime = handle.enter();
        let mut builder = Builder::new(limits, Sender { events, wanted, sending: false });
        read::read(&file, &stop, limits, &mut builder)
    });
    let mut writing: Option<Writing<'_>> = None;
    while let Some(event) = received.recv().await {
        cx.check_cancelled()?;
        match event {
            Event::Begin(path) => {
                let (Some(Entry::File(file)), Some(at)) =
                    (manifest.entries.get(&path), work.files.get(&path))
                else {
                    return Err(Error::other(ArchiveError::Changed));
                };
                let staged = cx.system().files().stage(at).await?;
                writing = Some(Writing { staged, hasher: HashType::Sha256.hasher(), file });
            }
            Event::Content(bytes) => {
                if let Some(writing) = &mut writing {
                    writing.write(&bytes).await?;
                }
            }
            Event::End => {
                if let Some(writing) = writing.take() {
                    complete.add(writing).await?;
                }
            }
        }
    }
    reading.await.map_err(Error::other)?.map_err(Error::other)
}

/// Writes a file with the content of another one, which is there by now.
async fn write_copy(complete: &mut Complete<'_>, copy: &Copy) -> Result<()> {
    let cx = complete.cx;
    let files = cx.system().files();
    let name = || copy.from.display().to_string();
    let from = files.open(&copy.from).await?.ok_or_else(|| Error::NotFound { kind: "file", name: name() })?;
    let staged = files.stage(&copy.to).await?;
    let mut writing = Writing { staged, hasher: HashType::Sha256.hasher(), file: &copy.file };
    let mut buffer = vec![0; PIECE];
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = from.read_at(offset, &mut buffer).await?;
        if count == 0 {
            return complete.add(writing).await;
        }
        writing.write(&buffer[..count]).await?;
        offset += count as u64;
        tokio::task::yield_now().await;
    }
}
