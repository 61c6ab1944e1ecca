//! Brings the destination to the state of the archive.
//!
//! An archive is read twice and written once. The first time gives the [`Manifest`], after every rule was applied to every entry;
//! the check compares that with the destination. The second time hands on the content of what is missing, by the same
//! rules, and a file whose hash is not that of the manifest gets no name. To unpack beside the destination and move would take
//! twice the room, and another rule for what is there already.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{CommitFile, Directory, Ownership, ReadAt, StagedFile, SystemErrorKind};
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

/// How much of the content of files is written.
struct Written {
    done: u64,
    total: u64,
}

impl Written {
    fn of(unpacking: &Unpacking<'_>, work: &Work) -> Self {
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

/// Files that are complete, and get their names together: that costs the disk less than one after another.
struct Complete<'a> {
    cx: &'a Context,
    written: Written,
    owner: Ownership,
    staged: Vec<(Box<dyn StagedFile>, CommitFile)>,
}

impl Complete<'_> {
    /// Only what the check has seen gets its name.
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

/// Reads an archive from its beginning to its end, and finds out what it has.
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

/// An archive that is unpacked, and where.
pub(super) struct Unpacking<'a> {
    pub(super) archive: &'a Arc<dyn ReadAt>,
    pub(super) limits: Limits,
    pub(super) choice: &'a Arc<Choice>,
    pub(super) manifest: &'a Manifest,
    /// The destination, as it was when it was compared.
    pub(super) root: &'a Arc<dyn Directory>,
}

/// Brings the destination to what the archive has. Each directory is opened in the one that it is in, from the destination on.
pub(super) async fn extract(cx: &Context, unpacking: &Unpacking<'_>, work: &Work) -> Result<()> {
    let written = Written::of(unpacking, work);
    let mut complete = Complete { cx, written, owner: work.owner, staged: Vec::new() };
    let mut tree = Descent::new(Arc::clone(unpacking.root));
    // There may be many of each, and others wait for this thread.
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
        // Others are copies of these.
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
    // This only says which file systems are flushed.
    let changed = work.directories_of_changes(unpacking.root.path());
    Ok(cx.system().files().flush(&changed.iter().map(PathBuf::as_path).collect::<Vec<_>>()).await?)
}

/// Makes a directory, which has its owner before it has its name: one that only the paths of others name keeps the owner that it is found with.
async fn make_directory(directory: &dyn Directory, name: &OsStr, mode: u32, owner: Ownership) -> Result<()> {
    if owner == Ownership::default() {
        return Ok(directory.create_dir(name, mode).await?);
    }
    let unfinished = sibling_path::temporary(".converge-unarchive.", name);
    // An apply that was interrupted may have left it.
    match directory.remove_dir(&unfinished).await {
        Err(error) if error.kind == SystemErrorKind::NotFound => {}
        removed => removed?,
    }
    directory.create_dir(&unfinished, mode).await?;
    let finish = async {
        directory.set_ownership(&unfinished, owner).await?;
        if mode > 0o777 {
            // The new owner does not get these bits otherwise.
            directory.set_mode(&unfinished, mode).await?;
        }
        directory.rename(&unfinished, name).await
    };
    let finished = finish.await;
    if finished.is_err() {
        // It is nothing yet, and the error says what went wrong.
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
    let wanted = work.files.keys().cloned().collect();
    let handle = tokio::runtime::Handle::current();
    let reading = tokio::task::spawn_blocking(move || -> Result<(), ArchiveError> {
        let _runtime = handle.enter();
        let mut builder = Builder::new(limits, choice, Sender { events, wanted, sending: false });
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
        // The thread that reads is often ahead, and then nothing here waits.
        tokio::task::yield_now().await;
    }
    reading.await.map_err(Error::other)?.map_err(Error::other)
}

/// Writes a file with the content of another one, which is there by now.
async fn write_copy(complete: &mut Complete<'_>, tree: &mut Descent, copy: &Copy) -> Result<()> {
    let cx = complete.cx;
    let gone = || Error::NotFound { kind: "file", name: copy.from.display().to_string() };
    let (directory, name) = tree.entry(&copy.from).await?;
    let from = directory.open(name).await?.ok_or_else(gone)?;
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
