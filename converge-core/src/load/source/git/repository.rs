//! A repository in the cache: what was fetched of it, and nothing that is checked out.
//!
//! Only objects are read, by their hash, so no file of a repository ever has a name on this machine, no link is followed, and nothing
//! in it is run.
#![expect(clippy::disallowed_methods, reason = "the cache is where the program runs, not on the system")]

use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::commit::Commit;
use super::program::{Gave, Run};
use super::url::HEAD;
use crate::load::source::git_error::GitError;
use crate::load::source::read_limits::Reading;
use crate::state::{create_folder, create_private, examine};

/// How much of a repository is fetched, in bytes.
const MOST_STORED: u64 = 512 << 20;

/// How much a list of a folder, or of branches, may have.
const MOST_LISTED: u64 = 8 << 20;

/// A file or a folder in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    /// The hash of what it has.
    hash: String,
    /// From the folder of all of the repository.
    pub(super) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link,
    Submodule,
}

/// A repository, as far as it is in the cache.
#[derive(Debug)]
pub(super) struct Repository {
    folder: PathBuf,
    url: String,
    timeout: Duration,
}

impl Repository {
    /// That of a URL, below a folder that others cannot change.
    pub(super) fn new(cache: &Path, url: &str, timeout: Duration) -> Result<Self, GitError> {
        let no_cache = |reason: String| GitError::NoCache { reason };
        let folder = std::path::absolute(cache).map_err(|error| no_cache(error.to_string()))?.join("git");
        examine(&folder).map_err(|untrusted| no_cache(untrusted.to_string()))?;
        // A name of its own for each URL, whatever characters that has.
        let mut name = String::with_capacity(64);
        for byte in Sha256::digest(url) {
            let _ = write!(name, "{byte:02x}");
        }
        Ok(Self { folder: folder.join(name), url: url.to_owned(), timeout })
    }

    fn run(&self, arguments: &[&str], most: u64, reading: &Reading) -> Result<Gave, GitError> {
        let repository = &self.folder;
        let (timeout, most_stored) = (self.timeout, MOST_STORED);
        Run { repository, arguments, most, timeout, most_stored, reading }.run()
    }

    /// Whether a commit was fetched, with all that is in it.
    pub(super) fn has(&self, commit: &Commit, reading: &Reading) -> Result<bool, GitError> {
        // Written when everything is there; a fetch that was killed leaves none.
        let name = mark(commit);
        let found = self.folder.is_dir()
            && self.run(&["rev-parse", "--verify", "--quiet", &name], MOST_LISTED, reading)?.status.success();
        Ok(found)
    }

    /// Fetches a commit, unless it is there. Of several processes one does.
    pub(super) fn fetch(&self, commit: &Commit, reading: &Reading) -> Result<(), GitError> {
        let _lock = self.lock(reading)?;
        if self.has(commit, reading)? {
            return Ok(());
        }
        self.begin(reading)?;
        let hash = commit.as_str();
        let shallow =
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--", &self.url, hash];
        let fetched = self.run(&shallow, 0, reading)?;
        if !fetched.status.success() {
            // Some servers give no commit by its hash alone. Then all branches and tags are fetched.
            let all = ["fetch", "--quiet", "--no-write-fetch-head", "--prune", "--", &self.url];
            let names = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
            self.run(&[&all[..], &names].concat(), 0, reading)?.success()?;
        }
        let is_there = ["cat-file", "-e", &format!("{hash}^{{commit}}")];
        if !self.run(&is_there, 0, reading)?.status.success() {
            return Err(GitError::NoCommit { commit: hash.to_owned() });
        }
        self.run(&["update-ref", &mark(commit), hash], 0, reading)?.success()?;
        Ok(())
    }

    /// Makes an empty repository, unless it is there: what is asked of a server is asked from there, as the repository around
    /// the working directory has settings of its own.
    fn begin(&self, reading: &Reading) -> Result<(), GitError> {
        self.run(&["init", "--quiet", "--bare", "--template="], 0, reading)?.success()?;
        Ok(())
    }

    /// The commit that a branch or a tag stands for now. A tag goes before a branch of its name, as it does for git.
    pub(super) fn resolve(&self, reference: &str, reading: &Reading) -> Result<Commit, GitError> {
        {
            let _lock = self.lock(reading)?;
            self.begin(reading)?;
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
        let listed = self.run(&arguments, MOST_LISTED, reading)?.success()?;
        let listed = String::from_utf8_lossy(&listed);
        let found: Vec<(&str, &str)> = listed.lines().filter_map(|line| line.split_once('\t')).collect();
        let hash = names.iter().find_map(|name| found.iter().find(|(_, found)| found == name));
        let commit = hash.and_then(|(hash, _)| hash.parse().ok());
        commit.ok_or_else(|| GitError::NoReference { reference: reference.to_owned() })
    }

    /// What is in a folder of a commit, or the one entry of a path: a folder is named with a slash at its end.
    pub(super) fn entries(
        &self,
        commit: &Commit,
        path: &str,
        reading: &Reading,
    ) -> Result<Vec<Entry>, GitError> {
        let listing = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--"];
        let path: &[&str] = if path.is_empty() { &[] } else { &[path] };
        let listed = self.run(&[&listing[..], path].concat(), MOST_LISTED, reading)?.success()?;
        Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
    }

    /// What a file has, up to so many bytes.
    pub(super) fn content(&self, entry: &Entry, most: u64, reading: &Reading) -> Result<Vec<u8>, GitError> {
        let gave = self.run(&["cat-file", "blob", &entry.hash], most, reading)?;
        // Who is not read to the end may have been ended by that.
        if gave.bytes.len() as u64 == most { Ok(gave.bytes) } else { gave.success() }
    }

    /// Waits until no other process fetches.
    fn lock(&self, reading: &Reading) -> Result<File, GitError> {
        let failed = |error: &std::io::Error| GitError::NoCache { reason: error.to_string() };
        create_folder(self.folder.parent().unwrap_or(&self.folder)).map_err(|error| failed(&error))?;
        let path = self.folder.with_extension("lock");
        let file = match create_private(&path) {
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

/// The name in the repository that says that a commit is there.
fn mark(commit: &Commit) -> String {
    format!("refs/converge/{commit}")
}

/// `100644 blob HASH<tab>PATH`. What has a name that is no text is left out: no module can write it.
fn entry(line: &[u8]) -> Option<Entry> {
    let (about, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
    let mut words = about.split(' ');
    let kind = match words.next()? {
        "040000" => EntryKind::Folder,
        "120000" => EntryKind::Link,
        "160000" => EntryKind::Submodule,
        _ => EntryKind::File,
    };
    let hash = words.nth(1)?.to_owned();
    Some(Entry { kind, hash, path: path.to_owned() })
}
