//! A bare repository in the cache.
//!
//! Only objects are read, by their hash. No file of a repository therefore ever exists on this machine, no
//! link is followed, and nothing in the repository is run.
#![expect(clippy::disallowed_methods, reason = "the cache is where the program runs, not on the system")]

use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use converge_system::folder_trust::examine;
use converge_system::private_files::{create, create_folder};
use sha2::{Digest as _, Sha256};

use super::commit::Commit;
use super::program::{Run, RunResult};
use super::url::HEAD;
use crate::git_error::GitError;
use crate::read_limits::Reading;

/// The maximum size of a fetched repository in bytes.
const MAX_STORED_BYTES: u64 = 512 << 20;

/// The maximum length in bytes of a listing of a folder or of branches.
const MAX_LISTING_BYTES: u64 = 8 << 20;

/// A file or a folder in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    hash: String,
    /// The path from the top folder of the repository.
    pub(super) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link,
    Submodule,
}

/// A repository as far as it is in the cache.
#[derive(Debug)]
pub(super) struct Repository {
    folder: PathBuf,
    url: String,
    timeout: Duration,
}

impl Repository {
    /// Opens the repository of a URL, in a cache folder that other users cannot change.
    pub(super) fn new(cache: &Path, url: &str, timeout: Duration) -> Result<Self, GitError> {
        let no_cache = |reason: String| GitError::NoCache { reason };
        let folder = std::path::absolute(cache).map_err(|error| no_cache(error.to_string()))?.join("git");
        examine(&folder).map_err(|untrusted| no_cache(untrusted.to_string()))?;
        // Each URL gets its own valid folder name, whatever characters it contains.
        let mut name = String::with_capacity(64);
        for byte in Sha256::digest(url) {
            let _ = write!(name, "{byte:02x}");
        }
        Ok(Self { folder: folder.join(name), url: url.to_owned(), timeout })
    }

    fn run(&self, arguments: &[&str], maximum: u64, reading: &Reading) -> Result<RunResult, GitError> {
        let repository = &self.folder;
        let (timeout, most_stored) = (self.timeout, MAX_STORED_BYTES);
        Run { repository, arguments, most: maximum, timeout, most_stored, reading }.run()
    }

    /// Returns whether a commit was fetched completely.
    pub(super) fn has(&self, commit: &Commit, reading: &Reading) -> Result<bool, GitError> {
        // The mark is written after everything else, so that an interrupted fetch leaves none.
        let name = mark(commit);
        let exists = self.folder.is_dir()
            && self
                .run(&["rev-parse", "--verify", "--quiet", &name], MAX_LISTING_BYTES, reading)?
                .status
                .success();
        Ok(exists)
    }

    /// Fetches a commit unless it is present; only one of several processes does so at a time.
    pub(super) fn fetch(&self, commit: &Commit, reading: &Reading) -> Result<(), GitError> {
        let _lock = self.lock(reading)?;
        if self.has(commit, reading)? {
            return Ok(());
        }
        self.create(reading)?;
        let hash = commit.as_str();
        let shallow =
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--", &self.url, hash];
        let fetched = self.run(&shallow, 0, reading)?;
        if !fetched.status.success() {
            // Some servers do not serve a commit by its hash, so all branches and tags are fetched then.
            let arguments = ["fetch", "--quiet", "--no-write-fetch-head", "--prune", "--", &self.url];
            let names = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
            self.run(&[&arguments[..], &names].concat(), 0, reading)?.success()?;
        }
        let is_there = ["cat-file", "-e", &format!("{hash}^{{commit}}")];
        if !self.run(&is_there, 0, reading)?.status.success() {
            return Err(GitError::NoCommit { commit: hash.to_owned() });
        }
        self.run(&["update-ref", &mark(commit), hash], 0, reading)?.success()?;
        Ok(())
    }

    /// Creates an empty repository unless it exists.
    ///
    /// Requests to a server run inside it, because a repository around the working directory would have its
    /// own settings.
    fn create(&self, reading: &Reading) -> Result<(), GitError> {
        self.run(&["init", "--quiet", "--bare", "--template="], 0, reading)?.success()?;
        Ok(())
    }

    /// Returns the current commit of a branch or a tag; a tag takes precedence, as in git.
    pub(super) fn resolve(&self, reference: &str, reading: &Reading) -> Result<Commit, GitError> {
        {
            let _lock = self.lock(reading)?;
            self.create(reading)?;
        }
        let names = if reference == HEAD {
            vec![HEAD.to_owned()]
        } else if reference.starts_with("refs/") {
            vec![format!("{reference}^{{}}"), reference.to_owned()]
        } else {
            let tag = format!("refs/tags/{reference}");
            vec![format!("{tag}^{{}}"), tag, format!("refs/heads/{reference}")]
        };
        let patterns = names.iter().map(String::as_str);
        let arguments: Vec<&str> =
            ["ls-remote", "--quiet", "--", &self.url].into_iter().chain(patterns).collect();
        let listed = self.run(&arguments, MAX_LISTING_BYTES, reading)?.success()?;
        let listed = String::from_utf8_lossy(&listed);
        let refs: Vec<(&str, &str)> = listed.lines().filter_map(|line| line.split_once('\t')).collect();
        let hash = names.iter().find_map(|name| refs.iter().find(|(_, found)| found == name));
        let commit = hash.and_then(|(hash, _)| hash.parse().ok());
        commit.ok_or_else(|| GitError::NoReference { reference: reference.to_owned() })
    }

    /// Lists a folder of a commit, or the one entry at a path; the path of a folder ends in a slash.
    pub(super) fn entries(
        &self,
        commit: &Commit,
        path: &str,
        reading: &Reading,
    ) -> Result<Vec<Entry>, GitError> {
        let listing = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--"];
        let path: &[&str] = if path.is_empty() { &[] } else { &[path] };
        let listed = self.run(&[&listing[..], path].concat(), MAX_LISTING_BYTES, reading)?.success()?;
        Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
    }

    /// Returns the content of a file, up to `most` bytes.
    pub(super) fn content(
        &self,
        entry: &Entry,
        maximum: u64,
        reading: &Reading,
    ) -> Result<Vec<u8>, GitError> {
        let output = self.run(&["cat-file", "blob", &entry.hash], maximum, reading)?;
        // Git may fail only because its output was not read to the end.
        if output.bytes.len() as u64 == maximum { Ok(output.bytes) } else { output.success() }
    }

    /// Locks the repository against fetches of other processes.
    fn lock(&self, reading: &Reading) -> Result<File, GitError> {
        let failed = |error: &std::io::Error| GitError::NoCache { reason: error.to_string() };
        create_folder(self.folder.parent().unwrap_or(&self.folder)).map_err(|error| failed(&error))?;
        let path = self.folder.with_extension("lock");
        let file = match create(&path) {
            Ok(file) => file,
            Err(_) => File::options().read(true).write(true).open(&path).map_err(|error| failed(&error))?,
        };
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
                Err(TryLockError::WouldBlock)
                    if began.elapsed() > self.timeout || reading.stopped().is_some() =>
                {
                    return Err(GitError::TooSlow(self.timeout.min(began.elapsed())));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

/// Returns the name of the file in the repository that marks a commit as complete.
fn mark(commit: &Commit) -> String {
    format!("refs/converge/{commit}")
}

/// Parses `100644 blob HASH<tab>PATH`; skips names that are not text, which no module can write.
fn entry(line: &[u8]) -> Option<Entry> {
    let (attributes, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
    let mut words = attributes.split(' ');
    let kind = match words.next()? {
        "040000" => EntryKind::Folder,
        "120000" => EntryKind::Link,
        "160000" => EntryKind::Submodule,
        _ => EntryKind::File,
    };
    let hash = words.nth(1)?.to_owned();
    Some(Entry { kind, hash, path: path.to_owned() })
}
