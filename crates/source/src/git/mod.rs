//! Git repositories as sources of modules.

mod commit;
mod lock;
mod program;
mod repository;
#[cfg(test)]
mod tests;
mod tree;
mod url;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use self::repository::Repository;
use self::url::Reference;
use super::error::SourceError;
use super::git_error::GitError;
use super::read_limits::Reading;

pub use self::commit::{Commit, NoCommit};
pub use self::lock::{LockError, Locked, ModuleLock};
pub(super) use self::tree::GitTree;
pub(super) use self::url::GitUrl;

/// The settings for fetching modules from git repositories.
///
/// A source is written like `git::https://example.com/modules.git//web/main.hcl?ref=v1.2`.
///
/// The program `git` fetches one commit into a cache, and objects are read from there. There is no checkout,
/// no hook or filter is run, no link is followed, and no submodule is fetched. Servers are reached over https
/// and ssh with the user's own access, and git never prompts for a password.
///
/// ```
/// use converge_core::load::{Git, ModuleLock, Sources};
///
/// let sources = Sources::new().with_git(Git::new("/var/cache/site").lock(ModuleLock::default()));
/// let error = sources.resolve(None, "git::https://example.com/modules.git//web.hcl?ref=v1").unwrap_err();
/// assert!(error.to_string().contains("`v1` is not locked to a commit"));
/// ```
///
/// # Guarantees
///
/// A branch or a tag resolves to the commit in a [`ModuleLock`], and is an error without one. A fetched
/// commit stays in the cache and is never fetched again.
#[derive(Clone, Debug)]
pub struct Git {
    cache: Option<PathBuf>,
    lock: LockFrom,
    unlocked: Unlocked,
    network: bool,
    timeout: Duration,
}

/// The origin of the lock.
#[derive(Clone, Debug)]
enum LockFrom {
    /// The lock file in this folder, which holds the module that a load begins with.
    Folder(PathBuf),
    Given(ModuleLock),
}

/// The handling of a branch or tag that is not locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unlocked {
    Refused,
    /// The current commit in the repository is used.
    AsItIs,
}

impl Git {
    /// Keeps repositories below this folder, which is created when needed.
    ///
    /// Nothing is fetched if users other than root and the owner of this process could change the folder or
    /// one above it: see [`examine`](converge_system::folder_trust::examine).
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        Self { cache: Some(cache.into()), ..Self::without_cache() }
    }

    /// Disables fetching because there is no cache; a needed repository is an error.
    pub fn without_cache() -> Self {
        Self {
            cache: None,
            lock: LockFrom::Folder(PathBuf::new()),
            unlocked: Unlocked::Refused,
            network: true,
            timeout: Duration::from_mins(5),
        }
    }

    /// Sets the lock, in place of the [lock file](ModuleLock::FILE) beside the loaded module.
    pub fn lock(mut self, lock: ModuleLock) -> Self {
        self.lock = LockFrom::Given(lock);
        self
    }

    /// Resolves branches and tags that are not locked to their current commits.
    ///
    /// [`Sources::locked`](super::Sources::locked) then returns these commits.
    pub fn resolving(mut self) -> Self {
        self.unlocked = Unlocked::AsItIs;
        self
    }

    /// Uses only the cache, and never the network.
    pub fn offline(mut self) -> Self {
        self.network = false;
        self
    }

    /// Sets the maximum time of one fetch.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

/// A resolver of git modules to commits that records the locks in use.
#[derive(Debug)]
pub(super) struct GitModules {
    git: Git,
    /// The lock of the folder, read on first use.
    lock: OnceLock<Result<ModuleLock, GitError>>,
    /// The locks used so far, including newly resolved ones; a branch has one commit for the whole load.
    used: Mutex<ModuleLock>,
}

impl GitModules {
    pub(super) fn new(git: Git) -> Self {
        Self { git, lock: OnceLock::new(), used: Mutex::default() }
    }

    /// Returns the resolver for a load that begins in this folder; `None` if it would be the same.
    pub(super) fn beside(&self, folder: &Path) -> Option<Self> {
        match &self.git.lock {
            LockFrom::Given(_) => None,
            LockFrom::Folder(_) => {
                let lock = LockFrom::Folder(folder.to_owned());
                Some(Self::new(Git { lock, ..self.git.clone() }))
            }
        }
    }

    fn lock(&self) -> Result<&ModuleLock, GitError> {
        let folder = match &self.git.lock {
            LockFrom::Given(lock) => return Ok(lock),
            LockFrom::Folder(folder) => folder,
        };
        let read = || ModuleLock::read(&folder.join(ModuleLock::FILE));
        self.lock.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// Returns the locked branches and tags that were used so far.
    pub(super) fn used(&self) -> ModuleLock {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Resolves a source to its commit and the path inside it.
    pub(super) fn find(&self, text: &str) -> Result<(Arc<GitTree>, String), SourceError> {
        let GitUrl { repository: url, path, reference } = GitUrl::parse(text)
            .map_err(|problem| SourceError::BadGitUrl { url: without_user(text), problem })?;
        let failed = |problem| SourceError::Git { repository: url.clone(), problem };
        let no_cache = || GitError::NoCache { reason: "none is known".to_owned() };
        let cache = self.git.cache.as_ref().ok_or_else(|| failed(no_cache()))?;
        let repository = Repository::new(cache, &url, self.git.timeout).map_err(failed)?;
        let commit = match reference {
            Reference::Commit(commit) => commit,
            Reference::Name(name) => self.commit(&repository, &url, &name).map_err(failed)?,
        };
        Ok((Arc::new(GitTree { repository, url, commit, network: self.git.network }), path))
    }

    fn commit(&self, repository: &Repository, url: &str, name: &str) -> Result<Commit, GitError> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commit) = used.find(url, name) {
            return Ok(commit.clone());
        }
        let commit = match (self.lock()?.find(url, name), self.git.unlocked) {
            (Some(commit), _) => commit.clone(),
            (None, Unlocked::AsItIs) if self.git.network => repository.resolve(name, &Reading::default())?,
            (None, _) => return Err(GitError::NotLocked { reference: name.to_owned() }),
        };
        used.insert(url, name, commit.clone());
        Ok(commit)
    }
}

/// Returns a source for messages, without user name and password.
fn without_user(reference: &str) -> String {
    let Some((transport, rest)) = reference.split_once("://") else { return reference.to_owned() };
    let host = rest.find('/').unwrap_or(rest.len());
    match rest.get(..host).and_then(|host| host.rfind('@')) {
        Some(position) => format!("{transport}://***{}", rest.get(position..).unwrap_or_default()),
        None => reference.to_owned(),
    }
}
