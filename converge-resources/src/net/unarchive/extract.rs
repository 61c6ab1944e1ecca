//! Extraction of an archive into its destination.
//!
//! An archive is read twice and written once. The first pass applies every rule to every entry, and gives the
//! [`Manifest`], which the check compares with the destination. The second pass applies the same rules, and
//! writes the content of missing files. A file whose hash differs from that of the manifest is not committed.
//! Unpacking beside the destination would need twice the space, and another rule for existing files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{CommitFile, Directory, Ownership, ReadAt, StagedFile, SystemErrorKind};
use tokio::sync::mpsc;

use super::choice::Choice;
use super::error::ArchiveError;
use super::manifest::{Builder, Entry, FileEntry, Limits, Manifest, Sink};
use super::path::EntryPath;
use super::read::{self, Canceller};
use super::tree_diff::{Copy, Work};
use crate::file::descent::Descent;
use crate::file::sibling_path;
use crate::net::hash::{HashType, Hasher};

/// The maximum number of pieces that wait to be written.
const AHEAD: usize = 8;

/// The number of bytes of a file that are copied at once.
const PIECE: usize = 64 * 1024;

/// The number of files committed at once. Each is an open file until then.
const AT_ONCE: usize = 100;

/// An event from the thread that reads the archive.
enum Event {
    Begin(EntryPath),
    Content(Vec<u8>),
    End,
}

/// Sends the content of the selected files to the writer.
struct Sender {
    events: mpsc::Sender<Event>,
    wanted: BTreeSet<EntryPath>,
    sending: bool,
}

impl Sender {
    fn send(&self, event: Event) -> Result<(), ArchiveError> {
        // The receiver is gone: the writer has failed, or the run was cancelled.
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

/// The number of bytes of files written so far, and their total.
struct Written {
    done: u64,
    total: u64,
}

impl Written {
    fn new(unpacking: &Unpacking<'_>, work: &Work) -> Self {
        let len = |path| match unpacking.manifest.entries.get(path) {
            Some(Entry::File(file)) => file.len,
            _ => 0,
        };
        let files: u64 = work.files.keys().map(len).sum();
        let copies: u64 = work.copies.iter().map(|copy| copy.file.len).sum();
        Self { done: 0, total: files + copies }
    }

    fn add(&mut self, cx: &Context, bytes: &[u8]) {
        self.done += bytes.len() as u64;
        cx.progress().bytes(self.done, Some(self.total));
    }
}

/// Complete files that wait for a common commit, which costs the disk less than single ones.
struct Complete<'a> {
    cx: &'a Context,
    written: Written,
    owner: Ownership,
    staged: Vec<(Box<dyn StagedFile>, CommitFile)>,
}

impl Complete<'_> {
    /// Adds a file, after checking that its hash is the one that the check has seen.
    async fn add(&mut self, writing: Writing<'_>) -> Result<()> {
        let Writing { staged, hasher, file } = writing;
        if hasher.finish() != file.sha256 {
            return Err(Error::other(ArchiveError::Changed));
        }
        let (mode, ownership) = (Some(file.mode), self.owner);
        let commit = CommitFile { mode, ownership, modified: file.modified, ..CommitFile::default() };
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

/// Reads a whole archive, and returns its manifest.
pub(super) async fn manifest(
    file: &Arc<dyn ReadAt>,
    limits: Limits,
    choice: Arc<Choice>,
) -> Result<Manifest, ArchiveError> {
    let canceller = Canceller::default();
    let (file, stop) = (Arc::clone(file), canceller.flag());
    let handle = tokio::runtime::Handle::current();
    let reading = tokio::task::spawn_blocking(move || {
        let _runtime = handle.enter();
        let mut builder = Builder::new(limits, choice, ());
        read::read(&file, &stop, limits, &mut builder)?;
        Ok(builder.finish())
    });
    reading.await.map_err(|error| ArchiveError::Damaged(error.to_string()))?
}

/// An archive to unpack, and its destination.
pub(super) struct Unpacking<'a> {
    pub(super) archive: &'a Arc<dyn ReadAt>,
    pub(super) limits: Limits,
    pub(super) choice: &'a Arc<Choice>,
    pub(super) manifest: &'a Manifest,
    /// The destination directory that the check has opened and compared.
    pub(super) root: &'a Arc<dyn Directory>,
}

/// Unpacks an archive. Each directory is opened relative to its parent, starting at the destination.
pub(super) async fn extract(cx: &Context, unpacking: &Unpacking<'_>, work: &Work) -> Result<()> {
    let record = Written::new(unpacking, work);
    let mut complete = Complete { cx, written: record, owner: work.owner, staged: Vec::new() };
    let mut tree = Descent::new(Arc::clone(unpacking.root));
    // There may be many of each, and other tasks wait for this thread.
    for path in &work.remove {
        let (directory, name) = tree.entry(path).await?;
        directory.remove_file(name).await?;
        tokio::task::yield_now().await;
    }
    for (path, mode) in &work.directories {
        let (directory, name) = tree.entry(path).await?;
        make_directory(directory, name, *mode, work.owner).await?;
        tokio::task::yield_now().await;
    }
    if !work.files.is_empty() {
        write_files(&mut complete, &mut tree, unpacking, work).await?;
        // The files have to exist, because others are copies of them.
        complete.commit().await?;
    }
    for copy in &work.copies {
        write_copy(&mut complete, &mut tree, copy).await?;
    }
    complete.commit().await?;
    for (path, target) in &work.links {
        let (directory, name) = tree.entry(path).await?;
        directory.symlink(Path::new(target), name).await?;
        if work.owner != Ownership::default() {
            directory.set_ownership(name, work.owner).await?;
        }
        tokio::task::yield_now().await;
    }
    for (path, owner) in &work.owners {
        let (directory, name) = tree.entry(path).await?;
        directory.set_ownership(name, *owner).await?;
        tokio::task::yield_now().await;
    }
    for (path, mode) in &work.modes {
        let (directory, name) = tree.entry(path).await?;
        directory.set_mode(name, *mode).await?;
        tokio::task::yield_now().await;
    }
    // The directories only determine which file systems are flushed.
    let changed = work.directories_of_changes(unpacking.root.path());
    Ok(cx.system().files().flush(&changed.iter().map(PathBuf::as_path).collect::<Vec<_>>()).await?)
}

/// Creates a directory, and sets its owner before it gets its final name.
///
/// An existing directory without an entry in the archive keeps its owner. So an interrupted run must not
/// leave a directory with the wrong one.
async fn make_directory(directory: &dyn Directory, name: &OsStr, mode: u32, owner: Ownership) -> Result<()> {
    if owner == Ownership::default() {
        return Ok(directory.create_dir(name, mode).await?);
    }
    let unfinished = sibling_path::temporary(".converge-unarchive.", name);
    // An interrupted apply may have left the directory.
    match directory.remove_dir(&unfinished).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => {}
        removed => removed?,
    }
    directory.create_dir(&unfinished, mode).await?;
    let finish = async {
        directory.set_ownership(&unfinished, owner).await?;
        if mode > 0o777 {
            // A change of owner clears these bits, so the mode is set afterwards.
            directory.set_mode(&unfinished, mode).await?;
        }
        directory.rename(&unfinished, name).await
    };
    let finished = finish.await;
    if finished.is_err() {
        // The directory is unfinished, and the original error is the one to report.
        drop(directory.remove_dir(&unfinished).await);
    }
    Ok(finished?)
}

async fn write_files(
    complete: &mut Complete<'_>,
    tree: &mut Descent,
    unpacking: &Unpacking<'_>,
    work: &Work,
) -> Result<()> {
    let cx = complete.cx;
    let Unpacking { archive, limits, choice, manifest, .. } = *unpacking;
    let canceller = Canceller::default();
    let (file, stop, choice) = (Arc::clone(archive), canceller.flag(), Arc::clone(choice));
    let (events, mut received) = mpsc::channel(AHEAD);
    let paths = work.files.keys().cloned().collect();
    let handle = tokio::runtime::Handle::current();
    let reading = tokio::task::spawn_blocking(move || -> Result<(), ArchiveError> {
        let _runtime = handle.enter();
        let mut builder = Builder::new(limits, choice, Sender { events, wanted: paths, sending: false });
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
                let (directory, name) = tree.entry(at).await?;
                let staged = directory.stage(name).await?;
                writing = Some(Writing { staged, hasher: HashType::Sha256.hasher(), file });
            }
            Event::Content(bytes) => {
                if let Some(writing) = &mut writing {
                    writing.write(&bytes).await?;
                    complete.written.add(cx, &bytes);
                }
            }
            Event::End => {
                if let Some(writing) = writing.take() {
                    complete.add(writing).await?;
                }
            }
        }
        // The reading thread is often ahead, so the receive above may never yield.
        tokio::task::yield_now().await;
    }
    reading.await.map_err(Error::other)?.map_err(Error::other)
}

/// Writes a file with the content of another one, which already exists.
async fn write_copy(complete: &mut Complete<'_>, tree: &mut Descent, copy: &Copy) -> Result<()> {
    let cx = complete.cx;
    let not_found = || Error::NotFound { kind: "file", name: copy.from.display().to_string() };
    let (directory, name) = tree.entry(&copy.from).await?;
    let from = directory.open(name).await?.ok_or_else(not_found)?;
    let (directory, name) = tree.entry(&copy.to).await?;
    let staged = directory.stage(name).await?;
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
        complete.written.add(cx, &buffer[..count]);
        offset += count as u64;
        tokio::task::yield_now().await;
    }
}
